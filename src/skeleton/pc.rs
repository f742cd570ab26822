//! PC-stable and partitioned PC (pPC).
//!
//! Huang and Zhou, *Partitioned Hybrid Learning of Bayesian Network Structures*: algorithms 1 (skeleton of PC-stable,
//! after Colombo and Maathuis 2014) and 2 (pPC). PC is pPC with one cluster, and runs through the same code.
//!
//! Symbols: Φ is `max_log_p_value`, S is `separating_set`, m is `max_conditioning_size`, l is the level (the size of the
//! conditioning sets), c is `labels`.
//!
//! # What the paper leaves open
//!
//! * A pair is separated at its first p-value above α. Φ keeps the largest p-value of all tests of the pair, in whatever
//!   stage and the marginal test included; S keeps the set that gave it, the first one where p-values tie.
//! * Adjacencies *and* Φ are frozen at the start of a level and of a screen. Sets come from the neighbours of one endpoint,
//!   then from those of the other; they are enumerated in lexicographic order of the neighbours by increasing Φ with that
//!   endpoint (strongest first; exact ties by index).
//! * The endpoint with fewer neighbours comes first; with as many, the one whose Φ with its neighbours, strongest first, are
//!   lexicographically smaller; with equal ones, the one with the lower index. So nothing but exact ties of p-values depends
//!   on the order of columns, and the set of adjacent pairs does not even then.
//! * No set is tested twice for a pair, neither in one level nor in two stages.
//! * A screen whose neighbourhood has at most m variables tests that one set; with more it tests all subsets of exactly m.
//!   The first screen orders the union of both neighbourhoods by the larger, then the smaller of the two Φ with the
//!   endpoints. Pairs whose endpoints have no neighbour pass a screen untested: the empty set is the marginal test.
//!
//! # Background knowledge
//!
//! Pairs forbidden both ways are never adjacent, never tested and have no record. Required
//! pairs are adjacent throughout with Φ = 0 (logarithm −∞) and never tested; one between clusters joins with the first
//! screen. A variable that may separate nothing of a pair is in none of its conditioning sets.

use super::learner::Learner;
use super::neighbourhoods::Neighbourhoods;
use super::sweep::Stage;
use super::{PairRecord, Skeleton};
use crate::independence::{Alpha, IndependenceTest};
use crate::knowledge::Scope;
use crate::run::{Ledger, Phase, Run};
use crate::{Error, Result, Variable, VariableSet};

/// Options of [`pc`] and [`partitioned_pc`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PcOptions {
    /// The significance level α.
    pub alpha: Alpha,
    /// The largest conditioning set (m); `None` for no limit.
    pub max_conditioning_size: Option<usize>,
    /// How many tests, beyond the marginal ones, may have been made before no others begin and learning ends with
    /// [`Error::TooManyTests`]; `None` for no limit. The same limit ends at the same test on every machine.
    pub max_tests: Option<u64>,
}

impl PcOptions {
    /// Options for a significance level, with conditioning sets of at most three variables as in the paper.
    ///
    /// # Examples
    ///
    /// ```
    /// use phgs::independence::Alpha;
    /// let options = phgs::skeleton::PcOptions::new(Alpha::new(0.01)?);
    /// assert_eq!(options.max_conditioning_size, Some(3));
    /// # Ok::<(), phgs::Error>(())
    /// ```
    pub fn new(alpha: Alpha) -> Self {
        Self { alpha, max_conditioning_size: Some(3), max_tests: None }
    }

    /// The same options with another limit for the size of conditioning sets.
    pub fn with_max_conditioning_size(self, max_conditioning_size: Option<usize>) -> Self {
        Self { max_conditioning_size, ..self }
    }
}

/// Learns a skeleton by PC-stable (the paper's algorithm 1).
///
/// Pairs that are not tested at the deadline of the run stay adjacent; where not even the marginal tests are done, no pair
/// is adjacent but those that knowledge requires.
///
/// All tests count under [`Phase::Within`], the marginal ones of all pairs that knowledge leaves open included.
///
/// # Errors
///
/// [`Error::Interrupted`] when the run is cancelled; [`Error::TooManyTests`] as in [`partitioned_pc`].
///
/// # Examples
///
/// ```
/// use phgs::graph::Dag;
/// use phgs::independence::{Alpha, DSeparationOracle};
/// use phgs::knowledge::Knowledge;
/// use phgs::run::{Ledger, Run};
/// use phgs::skeleton::{PcOptions, pc};
///
/// let dag = Dag::from_arcs(4, [(0, 1), (1, 2), (3, 2)])?;
/// let oracle = DSeparationOracle::new(&dag);
/// let (run, mut ledger) = (Run::new(1)?, Ledger::new());
/// let skeleton = pc(&oracle, &PcOptions::new(Alpha::default()), &Knowledge::none(), &run, &mut ledger)?;
/// assert_eq!(skeleton.graph(), &dag.skeleton());
/// assert_eq!(skeleton.separating_set(0, 2), [1]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn pc<'k, T: IndependenceTest>(
    test: &T,
    options: &PcOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Skeleton> {
    let scope = scope.into();
    partitioned_pc(test, &vec![0; test.n_variables()], options, scope, run, ledger)
}

/// Learns a skeleton by partitioned PC (the paper's algorithm 2 without its last line, the orientation).
///
/// `labels` has the cluster of every variable, as any numbers. With several clusters the p (p + 1) / 2 mutual informations
/// and entropies of the partition and of the marginal screen count under [`Phase::Partition`] and the tests that follow
/// under [`Phase::Within`], [`Phase::Between`] and [`Phase::Complete`]. With one cluster this is [`pc`].
///
/// # Errors
///
/// [`Error::Parameter`] when there is not one label for each variable;
/// [`Error::Interrupted`] when the run is cancelled; [`Error::TooManyTests`] when there is a limit of tests and it is
/// reached. The ledger has the tests made until then.
pub fn partitioned_pc<'k, T: IndependenceTest>(
    test: &T,
    labels: &[u32],
    options: &PcOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Skeleton> {
    let scope = scope.into();
    learn_stages(test, labels, options, scope, run, ledger, true)
}

/// [`partitioned_pc`] that stops after the screens between clusters: the candidates that partition-estimation-fusion fuses.
pub(crate) fn screened_pc<T: IndependenceTest>(
    test: &T,
    labels: &[u32],
    options: &PcOptions,
    scope: Scope<'_>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Skeleton> {
    learn_stages(test, labels, options, scope, run, ledger, false)
}

fn learn_stages<T: IndependenceTest>(
    test: &T,
    labels: &[u32],
    options: &PcOptions,
    scope: Scope<'_>,
    run: &Run,
    ledger: &mut Ledger,
    complete: bool,
) -> Result<Skeleton> {
    let p = test.n_variables();
    if labels.len() != p {
        return Err(Error::parameter("labels", format!("{} labels for {p} variables", labels.len())));
    }
    let partitioned = labels.windows(2).any(|w| w[0] != w[1]);
    let (screening, screening_calls) = if partitioned {
        // The partition is of all variables, whatever is known of them.
        (Phase::Partition, (p * p.saturating_sub(1) / 2) as u64 + p as u64)
    } else {
        (Phase::Within, scope.n_open_pairs(p))
    };

    run.progress().enter(screening, 0);
    let scope = Some(scope).filter(|scope| !scope.is_all());
    let records = ledger.timed(screening, |_| marginal_screen(test, options.alpha.log(), scope, run));
    let records = match records {
        // Half a screen would join pairs by the order of columns.
        Err(Error::OutOfTime) => return Ok(Skeleton::new(p, options.alpha, required_records(scope))),
        other => other?,
    };
    ledger.add_calls(screening, screening_calls);

    let mut learner = Learner::new(test, labels, options, scope, run, records);
    let within: Vec<u32> = learner.select(|record| labels[record.x as usize] == labels[record.y as usize]);
    let mut edges = staged(ledger, Phase::Within, &mut learner, |learner| levels(learner, within, &Stage::Level))?;
    if partitioned {
        let candidates = learner.select(|record| labels[record.x as usize] != labels[record.y as usize]);
        let mut screens = (Neighbourhoods::default(), Neighbourhoods::default());
        edges = staged(ledger, Phase::Between, &mut learner, |learner| {
            screens.0 = learner.freeze(&edges);
            edges.extend(learner.first_screen(&screens.0, &candidates)?);
            edges.sort_unstable();
            screens.1 = learner.freeze(&edges);
            learner.sweep(&Stage::SecondScreen { first: &screens.0 }, 0, &screens.1, &edges)?;
            Ok(learner.connected(edges))
        })?;
        if complete {
            let stage = Stage::Complete { first: &screens.0, second: &screens.1 };
            staged(ledger, Phase::Complete, &mut learner, |learner| levels(learner, edges, &stage))?;
        }
    }
    Ok(Skeleton::new(p, options.alpha, learner.into_records()))
}

/// The paper's equation for the marginal screen: records of all pairs that knowledge leaves open and that are dependent
/// marginally, and of those that it requires, by increasing (x, y).
fn marginal_screen<T: IndependenceTest>(
    test: &T,
    log_alpha: f64,
    scope: Option<Scope<'_>>,
    run: &Run,
) -> Result<Vec<PairRecord>> {
    let open = |x, y| scope.is_none_or(|scope| scope.leaves_open(x, y));
    let dependent = test.marginal_dependences(run, log_alpha, open)?;
    let mut records: Vec<_> =
        dependent.into_iter().map(|pair| record(pair.x, pair.y, pair.result.log_p_value)).collect();
    if scope.is_some() {
        records.extend(required_records(scope));
        by_pair(&mut records);
    }
    Ok(records)
}

// Not generic, so that sorting is compiled once.
fn by_pair(records: &mut [PairRecord]) {
    records.sort_unstable_by_key(|record| (record.x, record.y));
}

/// The records of the pairs that knowledge requires.
fn required_records(scope: Option<Scope<'_>>) -> Vec<PairRecord> {
    let required = scope.map(|scope| scope.required_pairs()).unwrap_or_default();
    required.into_iter().map(|(x, y)| record(x, y, f64::NEG_INFINITY)).collect()
}

fn record(x: Variable, y: Variable, max_log_p_value: f64) -> PairRecord {
    PairRecord { x, y, max_log_p_value, separating_set: VariableSet::new() }
}

/// PC-stable from the graph `edges`: levels 1, 2, … until no neighbourhood is large enough or m is reached. Returns the
/// edges that are left.
fn levels<T: IndependenceTest>(
    learner: &mut Learner<'_, T>,
    mut edges: Vec<u32>,
    stage: &Stage<'_>,
) -> Result<Vec<u32>> {
    for level in 1..=learner.max_conditioning_size() {
        if learner.out_of_time() {
            break;
        }
        let neighbourhoods = learner.freeze(&edges);
        if neighbourhoods.max_degree() <= level {
            break;
        }
        learner.sweep(stage, level, &neighbourhoods, &edges)?;
        edges = learner.connected(edges);
    }
    Ok(edges)
}

/// Runs one stage, and writes its seconds and tests to the ledger.
fn staged<'a, T: IndependenceTest, R>(
    ledger: &mut Ledger,
    phase: Phase,
    learner: &mut Learner<'a, T>,
    work: impl FnOnce(&mut Learner<'a, T>) -> Result<R>,
) -> Result<R> {
    learner.enter(phase);
    let result = ledger.timed(phase, |_| work(learner));
    ledger.add_calls(phase, learner.take_tests());
    result
}
