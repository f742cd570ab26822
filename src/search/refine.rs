//! Refinement of a DAG over all pairs: hill-climbing and order search in turns.

use super::boss::{BossOptions, boss_with_worth};
use super::candidates::ActiveSet;
use super::hill_climbing::{SearchOptions, SearchResult, Tabu, climb_with_worth};
use crate::Result;
use crate::graph::Dag;
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Phase, Run};
use crate::score::LocalScore;

/// Options of [`refine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefineOptions {
    /// Whether to search among orders ([`boss`](super::boss)) where hill-climbing has ended.
    pub orders: bool,
    /// The most turns of the order search (`None`: until one brings nothing).
    pub max_rounds: Option<usize>,
    /// With a tabu list in the hill-climbing, or without.
    pub tabu: Option<Tabu>,
    /// The most parents a variable may have.
    pub max_parents: Option<usize>,
    /// The phase under which local scores are counted.
    pub phase: Phase,
}

impl Default for RefineOptions {
    fn default() -> Self {
        Self { orders: true, max_rounds: None, tabu: None, max_parents: None, phase: Phase::Refine }
    }
}

/// Continues from a DAG over all pairs: hill-climbing with a growing active set ([`ActiveSet::Growing`]), then order search
/// from the order of what it found, and so on until neither gains. Both share what they learn of which parents are worth
/// scoring, so that all candidates of a child are scored once for each set of parents at which a turn ends, no more.
///
/// The score never falls, so a start in the true class stays there when the score is consistent and there is enough
/// data, and any start gets there when the order search ends with its backward pass.
///
/// # Errors
///
/// As for [`hill_climb`](super::hill_climb).
pub fn refine<S: LocalScore>(
    score: &S,
    start: &Dag,
    options: &RefineOptions,
    knowledge: &Knowledge,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<SearchResult> {
    let RefineOptions { orders, max_rounds, tabu, max_parents, phase } = *options;
    let climbing = SearchOptions { tabu, max_parents, phase, ..SearchOptions::default() };
    let ordering = BossOptions { max_parents, phase, ..BossOptions::default() };
    let (mut best, mut worth) =
        climb_with_worth(score, start, ActiveSet::Growing, &climbing, None, knowledge, run, ledger)?;
    let mut rounds = max_rounds.unwrap_or(usize::MAX);
    while orders && best.complete && rounds > 0 {
        rounds -= 1;
        let (ordered, learned) = boss_with_worth(score, &best.dag, &ordering, worth, knowledge, run, ledger)?;
        worth = learned;
        let better = ordered.dag != best.dag && ordered.score > best.score;
        let iterations = best.iterations + ordered.iterations;
        if better {
            best = ordered;
        } else {
            best.complete = ordered.complete;
        }
        best.iterations = iterations;
        if !better || !best.complete {
            break;
        }
        let (climbed, learned) =
            climb_with_worth(score, &best.dag, ActiveSet::Growing, &climbing, worth, knowledge, run, ledger)?;
        worth = learned;
        best = SearchResult { iterations: iterations + climbed.iterations, ..climbed };
    }
    Ok(best)
}
