//! Decomposable scores of DAGs: the trait that every score-based search is written against.
//!
//! All scores are to be maximised and use natural logarithms; the score of a DAG is the sum of its local scores.

use crate::Variable;

mod cache;
mod gaussian;

pub use cache::ScoreCache;
pub use gaussian::{GaussianBic, GaussianSession};

/// A decomposable score. Shared by all threads; each thread scores through its own session, and a local score depends
/// on nothing but the child and the *set* of its parents, bit for bit.
pub trait LocalScore: Sync {
    /// One thread's scratch memory and memo. Searches keep sessions between their parallel loops, hence `Send`.
    type Session<'s>: ScoreSession + Send
    where
        Self: 's;

    /// Number of variables.
    fn n_variables(&self) -> usize;

    /// A session for one thread.
    fn session(&self) -> Self::Session<'_>;

    /// The name of the score, as results report it.
    fn name(&self) -> &'static str;

    /// Whether equivalent DAGs have equal scores.
    fn is_score_equivalent(&self) -> bool;
}

/// One thread's access to a [`LocalScore`].
pub trait ScoreSession {
    /// The local score of `child` with `parents` (strictly increasing, without the child).
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64;

    /// The local scores of `child` with `parents` and one more parent, for each of `candidates` (none of them the
    /// child or in `parents`), written to `out` in the same order. Counts what is shared once.
    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        out.clear();
        let mut with: Vec<Variable> = Vec::with_capacity(parents.len() + 1);
        for &candidate in candidates {
            let at = parents.partition_point(|&parent| parent < candidate);
            with.clear();
            with.extend_from_slice(&parents[..at]);
            with.push(candidate);
            with.extend_from_slice(&parents[at..]);
            out.push(self.local_score(child, &with));
        }
    }
}
