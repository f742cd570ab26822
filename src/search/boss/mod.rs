//! Best order score search: a search among orders of the variables.

mod order;
mod places;
mod relevance;
mod restarts;
mod tree;

use std::sync::Mutex;

use self::order::OrderSearch;
use self::tree::Rules;
use super::candidates::{ActiveSet, Candidates};
use super::ges::{GesOptions, ges};
use super::hill_climbing::{Restarts, SearchResult};
use super::prepare_pairs;
use crate::graph::Dag;
use crate::knowledge::{Constraints, Scope};
use crate::orient::cpdag_of_dag;
use crate::run::{Ledger, Phase, Run};
use crate::score::{LocalScore, ScoreSession};
use crate::{Result, Variable};

/// Options of [`boss`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BossOptions<'a> {
    /// Which arcs are scored: [`ActiveSet::All`], or [`ActiveSet::Screened`] by marginal dependences.
    pub active: ActiveSet<'a>,
    /// The most parents a variable may have.
    pub max_parents: Option<usize>,
    /// Whether to score, for each child, only variables that gained when all were scored last, until scoring all again
    /// brings no better order. It finds nearly the same with a small part of the local scores. Otherwise every variable is
    /// scored at every step, as in the original algorithm.
    pub growing: bool,
    /// Whether a growing search leaves out what hardly ever matters: along a branch it scores what gains alone only as long as
    /// it gains, and it looks for a better place in one direction only as long as there could be one if more predecessors never
    /// made the parents of a variable worse. It finds nearly the same with up to half fewer local scores. Without effect on an
    /// incremental search.
    pub narrowing: bool,
    /// Whether the parents of a variable are grown and shrunk from those that it has (Wienöbst, Henckel and Weichwald 2025), not
    /// from none. It takes fewer local scores, and finds dense graphs better. What is found then depends on the way there.
    pub incremental: bool,
    /// Whether to start from the order that the data suggest, where they suggest one and no edge is required, not from that
    /// of the start.
    pub order_from_data: bool,
    /// Whether a backward pass among equivalence classes (the deletions of GES) follows, as in the original. Only done with a
    /// score that is equal for equivalent DAGs.
    pub backward: bool,
    /// Restarts from orders that are changed at random in one place. The changes of each are moves of a random variable and
    /// of some that matter to its parents.
    pub restarts: Option<Restarts>,
    /// Restarts end when they have taken this many times the local scores of the search before them; `None` for no limit.
    pub restart_share: Option<u32>,
    /// How many local scores may have been computed before no other step of the search begins; `None` for no limit. Where it
    /// does not suffice to score every variable as a parent of every other (p² scores), only parents are scored that gain
    /// alone, or that are neighbours in the start. The same budget gives the same result on every machine.
    pub budget: Option<u64>,
    /// The phase under which local scores are counted.
    pub phase: Phase,
}

impl Default for BossOptions<'_> {
    fn default() -> Self {
        Self {
            active: ActiveSet::All,
            max_parents: None,
            growing: true,
            narrowing: false,
            incremental: false,
            order_from_data: false,
            backward: true,
            restarts: None,
            restart_share: None,
            budget: None,
            phase: Phase::Refine,
        }
    }
}

/// Best order score search (Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld 2023), from the order of `start`.
///
/// An order of the variables stands for the DAG in which every variable has the parents that greedy growing and then
/// shrinking picks among those before it. The search takes each variable in turn and moves it to the place in the order
/// that scores best, until no move of one variable gains. Grow-shrink trees keep the scores, so that a place is
/// scored anew only where it changes the parents of some variable.
///
/// With a consistent score and enough data the DAG of the last order has all independences that hold right (it is a
/// minimal independence map), and the backward pass of GES that follows makes it one of the true class.
/// The result scores at least as well as `start` (else `start` is returned).
///
/// With restarts it goes on from there: an order is changed at random in one place and searched around it, and what does
/// not gain is taken back. A budget ends the search, as complete, between two steps.
///
/// A variable goes to the first of the places that score alike (within 10⁻¹² of the largest local score), and stays where
/// it is unless another place is better. Variables take turns in the order as it stands, which starts as the
/// topological order of `start` with lower indices first.
///
/// # Errors
///
/// As for [`hill_climb`](super::hill_climb).
pub fn boss<'k, S: LocalScore>(
    score: &S,
    start: &Dag,
    options: &BossOptions<'_>,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<SearchResult> {
    let scope = scope.into();
    let p = score.n_variables();
    options.active.check(p, start)?;
    let start = Constraints { scope, max_parents: options.max_parents }.start(start)?;
    run.progress().enter(options.phase, 0);
    prepare_pairs(score, run)?;
    let local =
        run.map(p, || score.session(), |session, x| session.local_score(x as Variable, start.parents(x as Variable)))?;
    let before: f64 = local.iter().sum();
    if options.budget.is_some_and(|budget| budget <= p as u64) {
        ledger.add_calls(options.phase, p as u64);
        return Ok(SearchResult { dag: start, score: before, iterations: 0, complete: true });
    }
    let largest = local.iter().map(|s| s.abs()).filter(|s| s.is_finite()).fold(0.0, f64::max);
    let rules = Rules {
        candidates: Candidates::new(options.active, scope, p),
        max_parents: options.max_parents.unwrap_or(usize::MAX),
        tolerance: (1e-12 * largest).max(1e-9),
        capacity: (1 << 23) / p.max(1) + (1 << 10),
        run,
    };
    let left = options.budget.map(|budget| budget - p as u64);
    let mut search = OrderSearch::new(score, &start, rules, options, left, scope, run)?;
    let outcome = search.improve(&start, options.restarts.as_ref());
    ledger.add_calls(options.phase, p as u64 + search.calls());
    let complete = outcome?;
    let (moves, exhausted) = (search.moves(), search.exhausted());
    let (dag, total) = search.into_best()?;
    // Greedy growing need not find parents as good as those of the start.
    let fewer = dag.n_arcs() <= start.n_arcs();
    let better = total > before + rules.tolerance || (total >= before - rules.tolerance && fewer);
    let (mut dag, mut total) = if better { (dag, total) } else { (start, before) };
    let (mut iterations, mut complete) = (moves, complete);
    if options.backward && complete && !exhausted && score.is_score_equivalent() {
        let backward = GesOptions {
            forward: false,
            max_parents: options.max_parents,
            phase: options.phase,
            ..GesOptions::default()
        };
        let found = ges(score, &cpdag_of_dag(&dag), &backward, scope, run, ledger)?;
        complete = found.complete;
        iterations += found.deletions;
        let fewer = found.score >= total - rules.tolerance && found.dag.n_arcs() < dag.n_arcs();
        if found.score > total + rules.tolerance || fewer {
            (dag, total) = (found.dag, found.score);
        }
    }
    Ok(SearchResult { dag, score: total, iterations, complete })
}

/// The value behind a lock that nobody else holds.
fn unlocked<T>(lock: &mut Mutex<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
}
