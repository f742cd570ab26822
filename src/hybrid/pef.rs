//! Partition, estimation and fusion (PEF) for discrete data.
//!
//! Gu and Zhou, *Learning Big Gaussian Bayesian Networks: Partition, Estimation and Fusion*, 2020, with PC as the estimator in
//! the clusters, as Huang and Zhou (2022) describe it in their remark on PEF:
//!
//! 1. **Partition**: the labels.
//! 2. **Estimation**: PC in each cluster, oriented to a CPDAG.
//! 3. **Fusion**: pairs between clusters that both screens of pPC leave connected are candidates. The undirected edges of
//!    the estimate are dropped, which leaves a DAG. All pairs (those adjacent in a cluster, directed or not, and the candidates)
//!    are visited again and again. A pair that is independent given the parents of both is disconnected for good; for
//!    any other the best-scoring of no arc, x → y and y → x is taken among those that close no cycle. Fusion ends with the
//!    first round that changes nothing.
//!
//! What the descriptions leave open: pairs are visited by increasing Φ (strongest first, ties by index); parents of both that are
//! more than m are tested in all subsets of exactly m, those that depend most on both first; a test is made again only
//! after the parents have changed; an arc stays as it is unless another choice scores better.
//!
//! PEF is here for comparison. Unlike pHGS it is not consistent, even with an oracle.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::any_test::AnyTest;
use crate::graph::{Dag, Reach, UndirectedGraph};
use crate::independence::{IndependenceTest, SubsetVisitor, Subsets, TestSession, Tested};
use crate::knowledge::{Constraints, Scope};
use crate::orient::{Undecided, orient_within, v_structures_within};
use crate::run::{Ledger, Phase, Run};
use crate::score::{AnyScore, LocalScore, ScoreCache};
use crate::skeleton::{PcOptions, Skeleton};
use crate::{Error, Result, SortedSet, Variable, VariableSet};

/// What partition-estimation-fusion leaves.
#[derive(Debug, Clone)]
pub struct Fused {
    /// The DAG.
    pub dag: Dag,
    /// Its score.
    pub score: f64,
    /// The pairs that fusion visited, with their Φ and S from PC in the clusters and from the screens between them.
    pub skeleton: Skeleton,
    /// Rounds over the pairs.
    pub rounds: usize,
}

/// Learns a DAG by partition, estimation and fusion (see the module's description).
///
/// Tests and scores of the fusion count under [`Phase::Search`], what comes before as in
/// [`partitioned_pc`](crate::skeleton::partitioned_pc). Required arcs are in the DAG from the start, and no pair or direction that
/// `knowledge` forbids is tried. No variable gets more than `max_parents` parents.
///
/// # Errors
///
/// [`crate::Error::Parameter`] and [`crate::Error::Knowledge`] for options or knowledge that cannot be met;
/// [`crate::Error::Interrupted`] when the run is cancelled.
pub fn partition_estimation_fusion<'k, T: IndependenceTest, S: LocalScore>(
    test: &T,
    score: &S,
    labels: &[u32],
    options: &PcOptions,
    max_parents: Option<usize>,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Fused> {
    let scope = scope.into();
    fuse(test, &AnyScore::new(score), labels, options, max_parents, scope, run, ledger)
}

pub(super) fn fuse(
    test: &dyn AnyTest,
    score: &AnyScore<'_>,
    labels: &[u32],
    options: &PcOptions,
    max_parents: Option<usize>,
    scope: Scope<'_>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Fused> {
    let skeleton = test.screened_pc(labels, options, scope, run, ledger)?;
    let start = ledger.timed(Phase::Path, |_| {
        let start = match directed_estimate(test, labels, &skeleton, max_parents, scope, run) {
            Err(Error::OutOfTime) => Dag::empty(labels.len()),
            other => other?,
        };
        Constraints { scope, max_parents }.start(&start)
    })?;
    let result = ledger.timed(Phase::Search, |ledger| {
        let mut fusion = Fusion {
            reach: Reach::new(start.n_variables()),
            dag: start,
            cache: ScoreCache::new(score),
            separation: test.separation(&skeleton, options.max_conditioning_size, scope, run),
            max_parents: max_parents.unwrap_or(usize::MAX),
            scope,
        };
        let rounds = fusion.rounds(&skeleton, run)?;
        let Fusion { dag, mut cache, separation, .. } = fusion;
        let score = (0..dag.n_variables() as Variable).map(|x| cache.local_score(x, dag.parents(x))).sum();
        ledger.add_calls(Phase::Search, cache.calls() + separation.n_tests());
        Ok::<_, Error>((dag, score, rounds))
    });
    let (dag, score, rounds) = result?;
    Ok(Fused { dag, score, skeleton, rounds })
}

/// The arcs of the CPDAG estimated within clusters, as far as they are acyclic and `max_parents` allows.
fn directed_estimate(
    test: &dyn AnyTest,
    labels: &[u32],
    skeleton: &Skeleton,
    max_parents: Option<usize>,
    scope: Scope<'_>,
    run: &Run,
) -> Result<Dag> {
    let within = |x: Variable, y: Variable| labels[x as usize] == labels[y as usize];
    let edges = skeleton.graph().edges().filter(|&(x, y)| within(x, y));
    let graph = UndirectedGraph::from_edges(labels.len(), edges);
    // Only pairs of one cluster: those of two say nothing of directions within one.
    let knowledge = scope.knowledge();
    let mut v_structures = v_structures_within(&graph, skeleton, knowledge, run)?;
    test.fill_marginal_p_values(&mut v_structures, skeleton, run)?;
    let estimate = orient_within(&graph, &v_structures, &Undecided::new(knowledge, []), knowledge, run)?.pdag;
    let mut dag = Dag::empty(labels.len());
    for (from, to) in estimate.directed_edges() {
        run.check_overtime()?;
        if max_parents.is_none_or(|most| dag.parents(to).len() < most) {
            dag.try_insert(from, to);
        }
    }
    Ok(dag)
}

struct Fusion<'a> {
    dag: Dag,
    reach: Reach,
    cache: ScoreCache<'a, AnyScore<'a>>,
    separation: Box<dyn Separation + 'a>,
    max_parents: usize,
    scope: Scope<'a>,
}

impl Fusion<'_> {
    /// Rounds until one changes nothing or time is up; returns their number.
    fn rounds(&mut self, skeleton: &Skeleton, run: &Run) -> Result<usize> {
        let mut pairs: Vec<_> = skeleton.records().iter().filter(|r| skeleton.graph().contains(r.x, r.y)).collect();
        pairs.sort_by(|a, b| a.max_log_p_value.total_cmp(&b.max_log_p_value));
        let mut pairs: Vec<(Variable, Variable)> = pairs.into_iter().map(|r| (r.x, r.y)).collect();
        let mut rounds = 0;
        loop {
            rounds += 1;
            run.progress().enter(Phase::Search, pairs.len() as u64);
            let mut changed = false;
            let mut kept = Vec::with_capacity(pairs.len());
            for &(x, y) in &pairs {
                run.check()?;
                if run.out_of_time() {
                    return Ok(rounds);
                }
                let before = self.direction(x, y);
                match self.visit(x, y, skeleton.alpha().log())? {
                    Visited::Kept => kept.push((x, y)),
                    Visited::Separated => {}
                    Visited::OutOfTime => return Ok(rounds),
                }
                changed |= self.direction(x, y) != before;
                run.progress().advance(1);
            }
            pairs = kept;
            if !changed {
                return Ok(rounds);
            }
        }
    }

    fn direction(&self, x: Variable, y: Variable) -> Option<(Variable, Variable)> {
        [(x, y), (y, x)].into_iter().find(|&(from, to)| self.dag.contains(from, to))
    }

    /// Gives a pair its best arc or none, unless it is separated. Without time the pair stays as it is.
    fn visit(&mut self, x: Variable, y: Variable, log_alpha: f64) -> Result<Visited> {
        let required = self.scope.requires_edge(x, y);
        let present = self.direction(x, y);
        if let Some((from, to)) = present {
            self.dag.remove(from, to);
        }
        let visited = self.separation.test(x, y, self.dag.parents(x), self.dag.parents(y), required, log_alpha)?;
        if visited == Visited::OutOfTime
            && let Some((from, to)) = present
        {
            self.dag.try_insert(from, to);
        }
        if visited != Visited::Kept {
            return Ok(visited);
        }
        // What is there stays unless something is better; a required pair has no choice of no arc.
        let mut best = if required { present } else { None };
        let mut best_gain = best.map_or(0.0, |(from, to)| self.gain(from, to));
        let others = [present, Some((x, y)), Some((y, x))];
        for (from, to) in others.into_iter().flatten() {
            if best != Some((from, to)) && self.allows(from, to) {
                let gain = self.gain(from, to);
                if gain > best_gain + 1e-9 * best_gain.abs().max(1.0) {
                    (best, best_gain) = (Some((from, to)), gain);
                }
            }
        }
        if let Some((from, to)) = best {
            self.dag.try_insert(from, to);
        }
        Ok(Visited::Kept)
    }

    /// Whether knowledge, the limit of parents and acyclicity allow an arc that is not there.
    fn allows(&mut self, from: Variable, to: Variable) -> bool {
        let dag = &self.dag;
        self.scope.allows_arc(from, to)
            && dag.parents(to).len() < self.max_parents
            && !self.reach.reaches(|v| dag.children(v), to, from)
    }

    fn gain(&mut self, from: Variable, to: Variable) -> f64 {
        let parents = self.dag.parents(to);
        self.cache.local_score(to, &parents.with(from)) - self.cache.local_score(to, parents)
    }
}

/// What became of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visited {
    /// It is not separated, and to be visited again.
    Kept,
    Separated,
    OutOfTime,
}

/// Tests of pairs given the parents of both.
pub(super) trait Separation {
    /// Whether x and y are independent given the parents of both, or given m of them where there are more; a required pair is
    /// not tested.
    fn test(
        &mut self,
        x: Variable,
        y: Variable,
        parents_of_x: &[Variable],
        parents_of_y: &[Variable],
        required: bool,
        log_alpha: f64,
    ) -> Result<Visited>;

    /// Tests made so far.
    fn n_tests(&self) -> u64;
}

/// [`Separation`] by a test.
pub(super) struct SeparationOf<'a, T: IndependenceTest + 'a> {
    session: T::Session<'a>,
    skeleton: &'a Skeleton,
    max_conditioning_size: usize,
    scope: Scope<'a>,
    run: &'a Run,
    /// The parents of both at the last visit of a pair, which did not separate it.
    last: FxHashMap<(Variable, Variable), VariableSet>,
    tests: u64,
}

/// Looks for a test above a level.
struct AnySeparates {
    log_alpha: f64,
    tests: u64,
    found: bool,
}

impl SubsetVisitor for AnySeparates {
    fn shares_tables(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        self.log_alpha
    }

    fn visit(&mut self, _at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.tests += 1;
        self.found = log_p_value > self.log_alpha;
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<'a, T: IndependenceTest> SeparationOf<'a, T> {
    pub(super) fn new(
        test: &'a T,
        skeleton: &'a Skeleton,
        max_conditioning_size: Option<usize>,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Self {
        Self {
            session: test.session(),
            skeleton,
            max_conditioning_size: max_conditioning_size.unwrap_or(usize::MAX),
            scope,
            run,
            last: FxHashMap::default(),
            tests: 0,
        }
    }
}

impl<T: IndependenceTest> Separation for SeparationOf<'_, T> {
    fn n_tests(&self) -> u64 {
        self.tests
    }

    fn test(
        &mut self,
        x: Variable,
        y: Variable,
        parents_of_x: &[Variable],
        parents_of_y: &[Variable],
        required: bool,
        log_alpha: f64,
    ) -> Result<Visited> {
        if !self.session.goes_on(self.run)? {
            return Ok(Visited::OutOfTime);
        }
        if required {
            return Ok(Visited::Kept);
        }
        let mut given: VariableSet = parents_of_x.iter().chain(parents_of_y).copied().collect();
        given.retain(|z| self.scope.may_separate(x, y, *z));
        given.sort_unstable();
        given.dedup();
        // The marginal test is made already, and so is this one if the parents are those of the last visit.
        if given.is_empty() || self.last.get(&(x, y)) == Some(&given) {
            return Ok(Visited::Kept);
        }
        let size = given.len().min(self.max_conditioning_size);
        if size > 0 {
            let mut pool = given.clone();
            if size < pool.len() {
                let strength = |z: Variable| {
                    let with = |end: Variable| self.skeleton.record(end, z).map_or(0.0, |r| r.max_log_p_value);
                    with(x).max(with(y))
                };
                pool.sort_by(|&a, &b| strength(a).total_cmp(&strength(b)));
            }
            self.session.next_neighbourhood();
            let mut search = AnySeparates { log_alpha, tests: 0, found: false };
            let tested = self.session.test_subsets(x, y, &Subsets::new(&pool, size), self.run, &mut search)?;
            self.tests += search.tests;
            if search.found {
                return Ok(Visited::Separated);
            }
            if tested == Tested::OutOfTime {
                return Ok(Visited::OutOfTime);
            }
        }
        self.last.insert((x, y), given);
        Ok(Visited::Kept)
    }
}
