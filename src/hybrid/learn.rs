//! The one driver of all stages: the way from one to the next, and those before the searches.

use std::time::Instant;

use super::pef::fuse;
use super::state::{Directed, Driver, Restricted, State};
use super::{Hybrid, Initialise, Learned, Partition, Restrict};
use crate::graph::{Dag, Pdag, UndirectedGraph};
use crate::independence::IndependenceTest;
use crate::knowledge::{Knowledge, Scope};
use crate::orient::hgi::{HgiOptions, hybrid_greedy_initialization};
use crate::orient::{MOST_CONFLICTS, Oriented, Undecided, cpdag_of_dag, cpdag_with_knowledge, orient_within};
use crate::run::{Ledger, Phase, Run};
use crate::score::total::sum;
use crate::score::{AnyScore, LocalScore, ScoreCache};
use crate::{Error, Result};

/// Learns a graph by a composition of stages.
///
/// `partition` is called once with the distances between all pairs (the condensed upper triangle, in \[0, 1\]) when the
/// composition asks for [`Partition::Clustered`], and returns a label for each variable.
///
/// | method | restrict | select | initialise | maximise |
/// |---|---|---|---|---|
/// | pHGS | pPC | PATH | HGI | tabu |
/// | pPC, PC | pPC, PC | PATH | oriented | none |
/// | HC, tabu | none | none | empty | hill-climbing, tabu |
/// | MMHC, H2PC | MMPC, HPC | none | empty | tabu |
/// | MMHC-HGI, H2PC-HGI | MMPC, HPC | none | HGI | tabu |
/// | PEF | fusion | none | empty | none |
/// | GSC | given | none | empty or HGI | tabu |
/// | GES | none | none | empty | GES |
/// | ARGES | pPC or given | none | empty or HGI | GES, adaptively restricted |
///
/// # Errors
///
/// [`Error::Parameter`] when stages do not fit together (PATH without maximum p-values, HGI without a skeleton);
/// whatever the stages return; [`Error::Interrupted`].
pub fn learn<'k, T: IndependenceTest, S: LocalScore>(
    test: &T,
    score: &S,
    hybrid: &Hybrid,
    partition: impl FnOnce(Vec<f64>) -> Result<Vec<u32>>,
    scope: impl Into<Scope<'k>>,
    run: &Run,
) -> Result<Learned> {
    let scope = scope.into();
    hybrid.refuse_limit_of_nothing()?;
    let mut driver = Driver {
        test,
        score: &AnyScore::new(score),
        hybrid,
        scope,
        run,
        ledger: Ledger::new(),
        stages: Vec::new(),
        screen: None,
        fused: None,
        own_end: true,
    };
    let (restriction, clusters) = driver.restrict(Box::new(partition))?;
    let mut state = driver.initialise(&restriction)?;
    driver.maximise(&restriction, &mut state)?;
    driver.refine(&mut state)?;
    driver.finish(state, restriction, clusters)
}

/// The labels of a clustering by distances.
type Clustering<'a> = Box<dyn FnOnce(Vec<f64>) -> Result<Vec<u32>> + 'a>;

impl Driver<'_> {
    fn restrict(&mut self, partition: Clustering<'_>) -> Result<(Restricted, Option<Vec<u32>>)> {
        let start = Instant::now();
        let (restriction, clusters) = match &self.hybrid.restrict {
            Restrict::None => return Ok((Restricted::All, None)),
            Restrict::Given(graph) => {
                if graph.n_variables() != self.test.n_variables() {
                    return Err(Error::parameter(
                        "skeleton",
                        format!("has {} variables, the data {}", graph.n_variables(), self.test.n_variables()),
                    ));
                }
                (Restricted::Graph(constrained(graph, self.scope)), None)
            }
            Restrict::PartitionedPc(by, options) => {
                let clusters = self.clusters(by, partition)?;
                let labels = &labels(clusters.as_deref(), self.test.n_variables());
                match self.test.partitioned_pc(labels, options, self.scope.tested(), self.run, &mut self.ledger) {
                    Err(Error::TooManyTests) => {
                        self.report("tests given up", 0, None, start);
                        return Ok((Restricted::GivenUp, clusters));
                    }
                    skeleton => (Restricted::Separated(skeleton?), clusters),
                }
            }
            Restrict::Local(learner, options) => {
                let (test, scope, run) = (self.test, self.scope.tested(), self.run);
                let skeleton = test.local_skeleton(*learner, options, scope, run, &mut self.ledger)?;
                (Restricted::Separated(skeleton), None)
            }
            Restrict::Fusion(by, options) => {
                let clusters = self.clusters(by, partition)?;
                let labels = labels(clusters.as_deref(), self.test.n_variables());
                let (test, score, scope, run) = (self.test, self.score, self.scope.tested(), self.run);
                let most = self.hybrid.max_parents;
                let ledger = &mut self.ledger;
                let fused = fuse(test, score, &labels, options, most, scope, run, ledger)?;
                self.fused = Some(fused.dag);
                (Restricted::Separated(fused.skeleton), clusters)
            }
        };
        self.report("restrict", restriction.graph().map_or(0, UndirectedGraph::n_edges), None, start);
        Ok((restriction, clusters))
    }

    fn clusters(&mut self, by: &Partition, partition: Clustering<'_>) -> Result<Option<Vec<u32>>> {
        match by {
            Partition::One => Ok(None),
            Partition::Labels(labels) => Ok(Some(labels.clone())),
            Partition::Clustered => {
                let (test, run) = (self.test, self.run);
                run.progress().enter(Phase::Partition, 0);
                self.ledger.timed(Phase::Partition, |_| match test.distances(run) {
                    Ok(Some(distances)) => partition(distances).map(Some),
                    // Nothing will be tested that clusters would be of use for.
                    Ok(None) | Err(Error::OutOfTime) => Ok(None),
                    Err(error) => Err(error),
                })
            }
        }
    }

    fn initialise(&mut self, restriction: &Restricted) -> Result<State> {
        let start = Instant::now();
        let constraints = self.constraints(self.hybrid.limit_of_start());
        let hgi = HgiOptions { max_parents: constraints.max_parents };
        let (test, score, knowledge, run) = (self.test, self.score, self.scope.knowledge(), self.run);
        let only_required = || {
            let dag = constraints.required_dag(&Dag::empty(score.n_variables()))?;
            Ok(State { dag: Some(dag), ..State::default() })
        };
        match &self.hybrid.initialise {
            Initialise::Empty => {
                self.refuse_path("an empty start")?;
                let dag = self.fused.take().unwrap_or_else(|| Dag::empty(score.n_variables()));
                let dag = self.handed_over(dag, &constraints, Phase::Search)?;
                Ok(State { dag: Some(dag), ..State::default() })
            }
            Initialise::Given(dag) => {
                self.refuse_path("a given start")?;
                if dag.n_variables() != score.n_variables() {
                    let (given, wanted) = (dag.n_variables(), score.n_variables());
                    return Err(Error::Graph(format!("the start graph has {given} variables, the data {wanted}")));
                }
                Ok(State { dag: Some(constraints.start(dag)?), ..State::default() })
            }
            // There is nothing to orient.
            Initialise::Oriented(_) | Initialise::HybridGreedy(_) if matches!(restriction, Restricted::GivenUp) => {
                only_required()
            }
            Initialise::Oriented(rule) => {
                let path = self.estimate(restriction, rule, |graph, mut colliders, skeleton, _| {
                    if let Some(skeleton) = skeleton {
                        test.fill_marginal_p_values(&mut colliders.v_structures, skeleton, run)?;
                    }
                    let undecided = Undecided::new(knowledge, colliders.undecided.iter().copied());
                    let oriented = orient_within(graph, &colliders.v_structures, &undecided, knowledge, run)?;
                    Ok(Directed { oriented, undecided: colliders.undecided })
                });
                let (points, Directed { oriented, undecided }) = match path {
                    Ok(path) => (path.points, path.selected),
                    // What tests leave before they are done may be too dense to look for its v-structures in time.
                    Err(Error::OutOfTime) => {
                        let none = UndirectedGraph::empty(score.n_variables());
                        let oriented = Oriented::undirected(restriction.graph().unwrap_or(&none), knowledge);
                        (Vec::new(), Directed { oriented, undecided: Vec::new() })
                    }
                    Err(error) => return Err(error),
                };
                self.report("orient", oriented.pdag.n_edges(), None, start);
                Ok(State { oriented: Some(oriented), undecided, path: self.shown(points), dag: None })
            }
            // What PC leaves before its tests are done is too dense for HGI to end in time.
            Initialise::HybridGreedy(_) if self.run.out_of_time() => only_required(),
            Initialise::HybridGreedy(rule) => {
                // PATH scores its estimates; where there is no path, nobody has scored the one.
                let (alone, mut value) = (self.hybrid.select.path_length == 1, 0.0);
                let path = self.estimate(restriction, rule, |graph, colliders, _, cache| {
                    let dag =
                        hybrid_greedy_initialization(graph, &colliders.v_structures, cache, &hgi, knowledge, run)?;
                    if alone {
                        value = total(cache, &dag, run)?.iter().sum();
                    }
                    Ok(dag)
                });
                let path = match path {
                    Err(Error::OutOfTime) => return only_required(),
                    other => other?,
                };
                if !alone && let Some(point) = path.points.get(path.index) {
                    value = point.score;
                }
                self.report("initialise", path.selected.n_arcs(), Some(value), start);
                let dag = self.handed_over(path.selected, &constraints, Phase::Path)?;
                Ok(State { dag: Some(dag), path: self.shown(path.points), ..State::default() })
            }
        }
    }

    fn finish(mut self, mut state: State, restriction: Restricted, clusters: Option<Vec<u32>>) -> Result<Learned> {
        let n_variables = self.score.n_variables();
        // A result keeps the limit of the last stage, also where the time limit came before that.
        let constraints = self.constraints(self.hybrid.limit_of_result());
        let too_many = state.oriented.as_ref().is_some_and(|estimate| !constraints.are_kept_by(&estimate.dag));
        if state.dag.is_some() || (constraints.max_parents.is_some() && too_many) {
            state.dag = Some(self.handed_over(state.dag(n_variables), &constraints, Phase::Refine)?);
        }
        let dag = match (state.dag, &state.oriented) {
            (Some(dag), _) => Some(dag),
            (None, Some(_)) => None,
            (None, None) => Some(Dag::empty(n_variables)),
        };
        let (mut directed, mut conflicts, mut n_conflicts) = (true, Vec::new(), 0);
        if let Some(oriented) = &mut state.oriented {
            (directed, n_conflicts) = (oriented.directed, oriented.n_conflicts);
            conflicts = std::mem::take(&mut oriented.conflicts);
        }
        let n_undecided = state.undecided.len();
        state.undecided.truncate(MOST_CONFLICTS);
        let (cpdag, extendable, local_scores) = match (&dag, state.oriented) {
            (Some(dag), _) => {
                let cpdag = class_of(dag, self.scope.knowledge());
                (cpdag, true, total(&mut ScoreCache::new(self.score), dag, self.run)?)
            }
            (None, Some(estimate)) => (estimate.pdag, estimate.extendable, Vec::new()),
            (None, None) => (Pdag::empty(n_variables), true, Vec::new()),
        };
        Ok(Learned {
            score: dag.is_some().then(|| sum(&local_scores)),
            dag,
            cpdag,
            extendable,
            local_scores,
            path: state.path,
            directed,
            conflicts,
            n_conflicts,
            undecided: state.undecided,
            n_undecided,
            skeleton: match restriction {
                Restricted::Separated(skeleton) => Some(skeleton),
                Restricted::All | Restricted::GivenUp | Restricted::Graph(_) => None,
            },
            clusters,
            stages: self.stages,
            ledger: self.ledger,
            complete: self.own_end && !self.run.was_cut_short(),
        })
    }
}

/// The CPDAG of a DAG, or with background knowledge its maximally directed graph.
pub(super) fn class_of(dag: &Dag, knowledge: &Knowledge) -> Pdag {
    if knowledge.is_empty() { cpdag_of_dag(dag) } else { cpdag_with_knowledge(dag, knowledge) }
}

/// The labels of a partition; without one, a single cluster.
fn labels(clusters: Option<&[u32]>, n_variables: usize) -> Vec<u32> {
    clusters.map_or_else(|| vec![0; n_variables], <[u32]>::to_vec)
}

/// The local scores of a DAG.
fn total(cache: &mut ScoreCache<'_, AnyScore<'_>>, dag: &Dag, run: &Run) -> Result<Vec<f64>> {
    let local_score = |x| run.check().map(|()| cache.local_score(x, dag.parents(x)));
    (0..dag.n_variables() as crate::Variable).map(local_score).collect()
}

/// A given skeleton as background knowledge wants it: without forbidden pairs, with required ones.
fn constrained(graph: &UndirectedGraph, scope: Scope<'_>) -> UndirectedGraph {
    if scope.is_all() {
        return graph.clone();
    }
    let allowed = graph.edges().filter(|&(x, y)| scope.allows_edge(x, y));
    UndirectedGraph::from_edges(graph.n_variables(), allowed.chain(scope.required_pairs()))
}
