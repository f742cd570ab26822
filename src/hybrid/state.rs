//! What the stages of a run hand on to each other.

use std::rc::Rc;
use std::time::Instant;

use super::any_test::AnyTest;
use super::{Hybrid, StageReport};
use crate::Result;
use crate::graph::{Dag, UndirectedGraph};
use crate::independence::Alpha;
use crate::knowledge::{Constraints, Scope};
use crate::orient::path::{Estimate, PathPoint};
use crate::orient::{Oriented, Triple};
use crate::run::{Ledger, Phase, Run};
use crate::score::{AnyScore, LocalScore, ScoreCache};
use crate::search::{ActiveSet, SearchResult};
use crate::skeleton::Skeleton;

/// What stage 1 leaves.
pub(super) enum Restricted {
    /// All pairs.
    All,
    /// All pairs, since the tests have reached their limit: the search starts without them.
    GivenUp,
    /// A skeleton with maximum p-values and separating sets.
    Separated(Skeleton),
    /// A skeleton alone.
    Graph(UndirectedGraph),
}

impl Restricted {
    pub(super) fn graph(&self) -> Option<&UndirectedGraph> {
        match self {
            Self::All | Self::GivenUp => None,
            Self::Separated(skeleton) => Some(skeleton.graph()),
            Self::Graph(graph) => Some(graph),
        }
    }

    pub(super) fn active(&self) -> ActiveSet<'_> {
        self.graph().map_or(ActiveSet::All, ActiveSet::Pairs)
    }
}

/// The estimate that stages hand on.
#[derive(Default)]
pub(super) struct State {
    pub(super) dag: Option<Dag>,
    /// The oriented estimate, until a stage that works on DAGs replaces it.
    pub(super) oriented: Option<Oriented>,
    pub(super) undecided: Vec<Triple>,
    pub(super) path: Option<Vec<PathPoint>>,
}

impl State {
    /// The DAG at hand, which need not keep the limits of the next stage.
    pub(super) fn dag(&self, n_variables: usize) -> Dag {
        match (&self.dag, &self.oriented) {
            (Some(dag), _) => dag.clone(),
            (None, Some(estimate)) => estimate.dag.clone(),
            (None, None) => Dag::empty(n_variables),
        }
    }
}

/// A run of all stages, and what it has gathered so far.
pub(super) struct Driver<'a> {
    pub(super) test: &'a dyn AnyTest,
    pub(super) score: &'a AnyScore<'a>,
    pub(super) hybrid: &'a Hybrid,
    pub(super) scope: Scope<'a>,
    pub(super) run: &'a Run,
    pub(super) ledger: Ledger,
    pub(super) stages: Vec<StageReport>,
    /// The pairs that depend on each other marginally, and the level of the tests, once a search has asked.
    pub(super) screen: Option<(Alpha, Rc<UndirectedGraph>)>,
    /// The DAG of partition, estimation and fusion.
    pub(super) fused: Option<Dag>,
    /// Whether every search came to its own end, not to that of its iterations.
    pub(super) own_end: bool,
}

impl<'a> Driver<'a> {
    /// What a stage keeps: the knowledge, and the lower of its own limit of parents and that of the composition.
    pub(super) fn constraints(&self, own: Option<usize>) -> Constraints<'a> {
        Constraints { scope: self.scope, max_parents: self.hybrid.max_parents }.within(own)
    }

    /// What a stage has made, as the next one or the caller may have it: with all that is required, without what is forbidden,
    /// and within the limit of parents, of which the strongest stay.
    pub(super) fn handed_over(&mut self, dag: Dag, constraints: &Constraints<'_>, phase: Phase) -> Result<Dag> {
        let mut cache = ScoreCache::new(self.score);
        let kept = constraints.repair(dag, |child, base, others, room| {
            self.run.check()?;
            Ok(if self.run.out_of_time() { others } else { cache.strongest_parents(child, base, others, room) })
        });
        self.ledger.add_calls(phase, cache.calls());
        kept
    }

    /// Runs a search from the graph at hand, by what all stages must keep. The one place where a graph goes from stage to stage.
    pub(super) fn search(
        &mut self,
        name: &'static str,
        phase: Phase,
        own_limit: Option<usize>,
        state: &mut State,
        search: impl FnOnce(&AnyScore<'_>, &Dag, &Constraints<'a>, &Run, &mut Ledger) -> Result<SearchResult>,
    ) -> Result<()> {
        let start = Instant::now();
        let constraints = self.constraints(own_limit);
        let from = self.handed_over(state.dag(self.score.n_variables()), &constraints, phase)?;
        let (score, run) = (self.score, self.run);
        let found = self.ledger.timed(phase, |ledger| search(score, &from, &constraints, run, ledger))?;
        debug_assert!(constraints.are_kept_by(&found.dag), "a search keeps what it is told");
        self.own_end &= found.complete;
        self.report(name, found.dag.n_arcs(), Some(found.score), start);
        state.dag = Some(self.handed_over(found.dag, &constraints, phase)?);
        Ok(())
    }

    pub(super) fn report(&mut self, name: &'static str, n_edges: usize, score: Option<f64>, start: Instant) {
        self.stages.push(StageReport { name, n_edges, score, seconds: start.elapsed().as_secs_f64() });
    }
}

/// An oriented estimate, and the triples that a cautious collider rule left open in it.
pub(super) struct Directed {
    pub(super) oriented: Oriented,
    pub(super) undecided: Vec<Triple>,
}

impl Estimate for Directed {
    fn dag(&self) -> &Dag {
        self.oriented.dag()
    }
    fn is_valid(&self) -> bool {
        self.oriented.is_valid()
    }
}
