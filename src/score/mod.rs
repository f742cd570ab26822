//! Decomposable scores of DAGs: the trait that every score-based search is written against.
//!
//! All scores are to be maximised and use natural logarithms; the score of a DAG is the sum of its local scores.

use crate::counts::CountingSession;
use crate::run::Run;
use crate::{Result, SortedSet, Variable, VariableSet};

mod any;
mod bdeu;
mod blocks;
mod cache;
mod cholesky;
mod conditional_gaussian;
mod discrete;
mod exact;
mod exact_gains;
mod gaussian;
mod k2;
mod likelihood;
mod mixed;
mod none;
mod population;
mod quotient_nml;
mod regret;
pub(crate) mod sessions;
mod strongest;
pub(crate) mod total;
mod unit;
mod weighted;
mod wide;

pub(crate) use any::AnyScore;
pub use bdeu::{Bdeu, BdeuSession};
pub(crate) use blocks::BlockFactor;
pub use cache::ScoreCache;
pub use conditional_gaussian::{ConditionalGaussian, ConditionalGaussianSession};
pub use discrete::{DiscreteScore, DiscreteScoreKind, DiscreteScoreSession};
pub use exact::MixedEngine;
pub use gaussian::{GaussianBic, GaussianSession};
pub use k2::{K2, K2Session};
pub use likelihood::{LikelihoodSession, PenalizedLikelihood, n_parameters};
pub use mixed::{MixedBic, MixedSession};
pub use none::NoScore;
pub use population::{PopulationScore, PopulationSession};
pub use quotient_nml::{QuotientNml, QuotientNmlSession};
pub(crate) use regret::{Cells, Regrets, ln_binomial};
pub use total::{DagScore, score_dag};
pub use weighted::{WeightedScore, WeightedScoreSession};

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

    /// Computes what serves the scores of all pairs, in parallel. A search calls it before it scores every variable with
    /// every other one; it changes no score.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    fn prepare_pairs(&self, _run: &Run) -> Result<()> {
        Ok(())
    }

    /// The number of the batch of a variable: candidates of one batch cost least where they are scored together.
    fn batch(&self, _x: Variable) -> usize {
        0
    }

    /// The name of the score, as results report it.
    fn name(&self) -> &'static str;

    /// Whether equivalent DAGs have equal scores.
    fn is_score_equivalent(&self) -> bool;

    /// An order of the variables in which parents tend to come before their children, where the data suggest one: a search
    /// among orders may start there.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    fn order_from_data(&self, _run: &Run) -> Result<Option<Vec<Variable>>> {
        Ok(None)
    }

    /// Whether a local score is a statistical call: not where there is no score at all.
    fn is_counted(&self) -> bool {
        true
    }
}

/// One thread's access to a [`LocalScore`].
pub trait ScoreSession {
    /// The local score of `child` with `parents` (strictly increasing, without the child).
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64;

    /// Whether tables come from far away, so that those of several scores are better asked for together.
    fn asks(&self) -> bool {
        false
    }

    /// Hints that scores will need the tables of these families, each of a child and its parents in any order. Never changes a
    /// score.
    fn expect(&mut self, families: Vec<VariableSet>) {
        let _ = families;
    }

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
        if self.asks() {
            let family = parents.with(child);
            self.expect(candidates.iter().map(|&candidate| family.with(candidate)).collect());
        }
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

    /// The same for those scores that may exceed `least`: −∞ stands for the others where a bound is known that tells
    /// without counting. Returns the largest bound of those (−∞: there are none).
    fn local_scores_with_each_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) -> f64 {
        let _ = least;
        self.local_scores_with_each(child, parents, candidates, out);
        f64::NEG_INFINITY
    }

    /// The same for a caller that needs nothing of scores up to `least` but that they are: −∞ stands for those that are
    /// found to be so in any way that takes less than to compute them.
    fn local_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        self.local_scores_with_each_above(child, parents, candidates, least, out);
    }

    /// Whether [`ScoreSession::rank_scores_above`] gives the local scores themselves.
    fn ranks_by_scores(&self) -> bool {
        true
    }

    /// The same for a caller that only ranks candidates by them, and scores anew what it takes: they may be rounded
    /// otherwise than those of [`ScoreSession::local_score`], where that is faster.
    fn rank_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        self.local_scores_above(child, parents, candidates, least, out);
    }
}

/// Computes the scores that `out` holds NaN for: those of `candidates`, in the same order.
fn score_the_rest(
    session: &mut impl ScoreSession,
    child: Variable,
    parents: &[Variable],
    candidates: &[Variable],
    out: &mut [f64],
) {
    let mut scores = Vec::with_capacity(candidates.len());
    session.local_scores_with_each(child, parents, candidates, &mut scores);
    let mut scores = scores.into_iter();
    for score in out.iter_mut().filter(|score| score.is_nan()) {
        *score = scores.next().expect("one score for each candidate");
    }
}

/// Calls `visit` with every count of the table of `variables` that is not 0, by increasing cell.
fn for_each_count(counting: &mut CountingSession<'_, '_>, variables: &[Variable], mut visit: impl FnMut(u32)) {
    if let Some(counts) = counting.table(variables) {
        counts.iter().filter(|&&count| count > 0).for_each(|&count| visit(count));
    } else {
        counting.for_each_cell(variables, |_, count| visit(count));
    }
}
