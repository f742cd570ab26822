//! The K2 score.

use super::unit::ScoreUnit;
use super::{LocalScore, ScoreSession};
use crate::counts::{CountingEngine, CountingSession};
use crate::stats::ln_gamma;
use crate::{Variable, VariableSet};

/// The score of Cooper and Herskovits (1992): a Bayesian Dirichlet score with every hyperparameter 1 and no prior over
/// structures, Σ over parent configurations of ln \[(r − 1)! / (n + r − 1)! Π n_k!\].
///
/// Natural logarithms; larger is better. It is *not* score-equivalent: equivalent DAGs can have different scores.
#[derive(Debug)]
pub struct K2<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    unit: ScoreUnit,
    /// ln n! for n up to the number of rows and the largest arity together.
    log_factorials: Vec<f64>,
}

impl<'e, 'd> K2<'e, 'd> {
    /// Prepares the score.
    pub fn new(engine: &'e CountingEngine<'d>) -> Self {
        let shape = engine.shape();
        let largest = shape.n_rows() + shape.arities().iter().max().map_or(1, |&r| r as usize);
        let log_factorials: Vec<f64> = (0..=largest).map(|n| ln_gamma(n as f64 + 1.0)).collect();
        // Every row adds at most ln of the largest factor to a denominator.
        let magnitude = (shape.n_rows() as f64 + 1.0) * (largest as f64 + 1.0).ln();
        Self { engine, unit: ScoreUnit::for_magnitude(magnitude), log_factorials }
    }
}

impl LocalScore for K2<'_, '_> {
    type Session<'s>
        = K2Session<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.engine.shape().n_variables()
    }

    fn session(&self) -> K2Session<'_> {
        K2Session { score: self, counting: self.engine.session() }
    }

    fn name(&self) -> &'static str {
        "k2"
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }
}

/// One thread's access to a [`K2`].
#[derive(Debug)]
pub struct K2Session<'s> {
    score: &'s K2<'s, 's>,
    counting: CountingSession<'s, 's>,
}

impl ScoreSession for K2Session<'_> {
    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        self.counting.expect(families.into_iter());
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let score = self.score;
        let arity = score.engine.shape().arity(child);
        let log_factorial = |n: u32| score.log_factorials[n as usize];
        let denominator = |rows: u32| log_factorial(arity - 1) - log_factorial(rows + arity - 1);
        // The child first, so that the cells of one parent configuration follow each other.
        let mut set = VariableSet::from_slice(&[child]);
        set.extend_from_slice(parents);
        let mut sum = 0.0;
        if let Some(counts) = self.counting.table(&set) {
            for configuration in counts.chunks_exact(arity as usize) {
                let rows: u32 = configuration.iter().sum();
                if rows > 0 {
                    sum += denominator(rows);
                    for &count in configuration.iter().filter(|&&count| count > 1) {
                        sum += log_factorial(count);
                    }
                }
            }
        } else {
            self.counting.for_each_stratum(&[child], parents, |cells| {
                sum += denominator(cells.iter().map(|&(_, count)| count).sum());
                for &(_, count) in cells.iter().filter(|&&(_, count)| count > 1) {
                    sum += log_factorial(count);
                }
            });
        }
        self.score.unit.round(sum)
    }
}
