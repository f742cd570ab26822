//! What the stages of a run hand on to each other.

use super::{Hybrid, StageReport};
use crate::graph::{Dag, UndirectedGraph};
use crate::knowledge::Knowledge;
use crate::orient::path::{Estimate, PathPoint};
use crate::orient::{Oriented, Triple};
use crate::run::{Ledger, Run};
use crate::search::ActiveSet;
use crate::skeleton::Skeleton;

/// What stage 1 leaves.
pub(super) enum Restricted {
    /// All pairs.
    All,
    /// A skeleton with maximum p-values and separating sets.
    Separated(Skeleton),
    /// A skeleton alone.
    Graph(UndirectedGraph),
}

impl Restricted {
    pub(super) fn graph(&self) -> Option<&UndirectedGraph> {
        match self {
            Self::All => None,
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
    /// The DAG that the next stage starts from.
    pub(super) fn start(&self, n_variables: usize) -> Dag {
        match (&self.dag, &self.oriented) {
            (Some(dag), _) => dag.clone(),
            (None, Some(estimate)) => estimate.dag.clone(),
            (None, None) => Dag::empty(n_variables),
        }
    }
}

/// A run of all stages, and what it has gathered so far.
pub(super) struct Driver<'a, T, S> {
    pub(super) test: &'a T,
    pub(super) score: &'a S,
    pub(super) hybrid: &'a Hybrid,
    pub(super) knowledge: &'a Knowledge,
    pub(super) run: &'a Run,
    pub(super) ledger: Ledger,
    pub(super) stages: Vec<StageReport>,
    /// The DAG of partition, estimation and fusion.
    pub(super) fused: Option<Dag>,
    /// Whether every search came to its own end, not to that of its iterations.
    pub(super) own_end: bool,
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
