//! No score at all.

use super::{LocalScore, ScoreSession};
use crate::Variable;

/// A score for compositions that learn by tests alone, on data that cannot be scored: every graph has the score 0.
#[derive(Debug, Clone, Copy)]
pub struct NoScore {
    n_variables: usize,
}

impl NoScore {
    /// For so many variables.
    pub fn new(n_variables: usize) -> Self {
        Self { n_variables }
    }
}

impl LocalScore for NoScore {
    type Session<'s> = Self;

    fn n_variables(&self) -> usize {
        self.n_variables
    }

    fn session(&self) -> Self {
        *self
    }

    fn name(&self) -> &'static str {
        "none"
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_counted(&self) -> bool {
        false
    }
}

impl ScoreSession for NoScore {
    fn local_score(&mut self, _child: Variable, _parents: &[Variable]) -> f64 {
        0.0
    }
}
