//! Which parents matter most to a variable.

use super::{LocalScore, ScoreCache};
use crate::{SortedSet, Variable, VariableSet};

impl<'s, S: LocalScore + 's> ScoreCache<'s, S> {
    /// The `room` strongest of `others` as parents of `child` beside `base` (both increasing, without common members): at each
    /// step the one with which the score is best, the lowest index among equals.
    pub fn strongest_parents(
        &mut self,
        child: Variable,
        base: &[Variable],
        mut others: Vec<Variable>,
        room: usize,
    ) -> Vec<Variable> {
        let mut parents = VariableSet::from_slice(base);
        let mut chosen = Vec::new();
        let mut scores = Vec::new();
        while chosen.len() < room && !others.is_empty() {
            self.local_scores_with_each(child, &parents, &others, &mut scores);
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let at = scores.iter().position(|&score| score == best).unwrap_or(0);
            let parent = others.remove(at);
            parents = parents.with(parent);
            chosen.push(parent);
        }
        chosen
    }
}
