//! The stages of a method and background knowledge, as the facade describes them: `learners/stages.py` makes what is read
//! here, and `_core.pyi` has its types.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::graph::{Dag, UndirectedGraph};
use crate::hybrid::{
    Adaptive, Equivalence, Hybrid, Initialise, Maximise, Order, Partition, Refine, Restrict, VStructureRule,
};
use crate::independence::Alpha;
use crate::knowledge::Knowledge;
use crate::orient::ColliderRule;
use crate::orient::path::PathOptions;
use crate::run::Phase;
use crate::search::ges::Schedule;
use crate::search::{ActiveSet, BossOptions, Restarts, SearchOptions, Tabu, TieRule};
use crate::skeleton::PcOptions;
use crate::skeleton::local::{LocalLearner, LocalOptions};
use crate::{Result, Variable};

type Pairs = Vec<(Variable, Variable)>;

/// The rows of an array of shape (number of edges, 2): of lists, millions take seconds.
fn rows(edges: &PyReadonlyArray2<'_, i64>) -> PyResult<Pairs> {
    let ends = edges.as_slice()?.chunks_exact(2);
    ends.map(|pair| Ok((Variable::try_from(pair[0])?, Variable::try_from(pair[1])?))).collect()
}

/// A value that every mapping of this kind has.
pub(super) fn item<'py, T: for<'a> FromPyObject<'a, 'py>>(stage: &Bound<'py, PyAny>, key: &str) -> PyResult<T> {
    let value = stage.get_item(key)?;
    value.extract().map_err(|e| PyValueError::new_err(format!("{key}: {}", Into::<PyErr>::into(e))))
}

pub(super) fn unknown<T>(what: &str, kind: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{what}: unknown kind {kind:?}")))
}

/// Makes a function that reads one of the names of an enum of the core.
macro_rules! named {
    ($function:ident, $type:ty, $($name:literal => $value:expr),+ $(,)?) => {
        fn $function(name: &Bound<'_, PyAny>) -> PyResult<$type> {
            match name.extract::<String>()?.as_str() {
                $($name => Ok($value),)+
                other => unknown(stringify!($function), other),
            }
        }
    };
}

fn alpha(level: &Bound<'_, PyAny>) -> PyResult<Alpha> {
    Ok(Alpha::new(level.extract()?)?)
}

named!(collider_rule, ColliderRule,
    "conservative" => ColliderRule::Conservative,
    "majority" => ColliderRule::Majority,
    "max-p" => ColliderRule::MaxP,
);
named!(ties, TieRule,
    "lookahead" => TieRule::Lookahead,
    "association" => TieRule::Association,
    "columns" => TieRule::Columns,
);
named!(schedule, Schedule,
    "phases" => Schedule::Phases,
    "rounds" => Schedule::Rounds,
    "interleaved" => Schedule::Interleaved,
    "extended" => Schedule::Extended,
);
named!(adaptive, Adaptive,
    "no" => Adaptive::No,
    "skeleton" => Adaptive::Skeleton,
    "cig" => Adaptive::Cig,
);

fn level(level: &Bound<'_, PyAny>) -> PyResult<Option<Alpha>> {
    if level.is_none() { Ok(None) } else { alpha(level).map(Some) }
}

fn local_learner(name: &Bound<'_, PyAny>) -> PyResult<LocalLearner> {
    let name: String = name.extract()?;
    LocalLearner::from_name(&name).map_or_else(|| unknown("learner", &name), Ok)
}

/// A method: one choice for each stage.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Composition {
    restrict: Restriction,
    select: Select,
    initialise: Initialisation,
    maximise: Option<Search>,
    refine: Vec<Refinement>,
    max_parents: Option<usize>,
}

impl Composition {
    pub(super) fn into_core(self, n_variables: usize) -> Result<Hybrid> {
        Ok(Hybrid {
            restrict: self.restrict.into_core(n_variables),
            select: PathOptions { path_length: self.select.path_length, min_alpha: self.select.min_alpha },
            initialise: self.initialise.into_core(n_variables)?,
            maximise: self.maximise.map_or(Maximise::None, Search::into_core),
            refine: self.refine.into_iter().map(Refinement::into_core).collect(),
            max_parents: self.max_parents,
        })
    }
}

/// Stage 1.
enum Restriction {
    None,
    PartitionedPc(PartitionedPc),
    Fusion(PartitionedPc),
    Neighbourhoods(Neighbourhoods),
    Given { edges: Pairs },
}

impl<'py> FromPyObject<'_, 'py> for Restriction {
    type Error = PyErr;

    fn extract(stage: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match item::<String>(&stage, "kind")?.as_str() {
            "none" => Self::None,
            "ppc" => Self::PartitionedPc(stage.extract()?),
            "pef" => Self::Fusion(stage.extract()?),
            "neighbourhoods" => Self::Neighbourhoods(stage.extract()?),
            "given" => Self::Given { edges: rows(&item(&stage, "edges")?)? },
            other => return unknown("restrict", other),
        })
    }
}

impl Restriction {
    fn into_core(self, n_variables: usize) -> Restrict {
        match self {
            Self::None => Restrict::None,
            Self::PartitionedPc(stage) => Restrict::PartitionedPc(stage.partition(), stage.pc()),
            Self::Fusion(stage) => Restrict::Fusion(stage.partition(), stage.pc()),
            Self::Neighbourhoods(stage) => Restrict::Local(stage.learner, stage.options()),
            Self::Given { edges } => Restrict::Given(UndirectedGraph::from_edges(n_variables, edges)),
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PartitionedPc {
    #[pyo3(from_py_with = alpha)]
    alpha: Alpha,
    max_conditioning_size: Option<usize>,
    max_tests: Option<u64>,
    /// Whether the variables are clustered.
    clustered: bool,
    /// Labels in place of clusters.
    labels: Option<Vec<u32>>,
}

impl PartitionedPc {
    fn partition(&self) -> Partition {
        match &self.labels {
            Some(labels) => Partition::Labels(labels.clone()),
            None if self.clustered => Partition::Clustered,
            None => Partition::One,
        }
    }

    fn pc(&self) -> PcOptions {
        PcOptions { alpha: self.alpha, max_conditioning_size: self.max_conditioning_size, max_tests: self.max_tests }
    }
}

/// A learner of neighbourhoods with its options.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Neighbourhoods {
    #[pyo3(from_py_with = local_learner)]
    pub(super) learner: LocalLearner,
    #[pyo3(from_py_with = alpha)]
    alpha: Alpha,
    max_conditioning_size: Option<usize>,
}

impl Neighbourhoods {
    pub(super) fn options(&self) -> LocalOptions {
        LocalOptions { alpha: self.alpha, max_conditioning_size: self.max_conditioning_size }
    }
}

/// Stage 2: PATH.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Select {
    path_length: usize,
    #[pyo3(from_py_with = alpha)]
    min_alpha: Alpha,
}

/// How v-structures are found.
struct Colliders(VStructureRule);

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct DecidedColliders {
    #[pyo3(from_py_with = collider_rule)]
    rule: ColliderRule,
    max_conditioning_size: Option<usize>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TestedColliders {
    #[pyo3(from_py_with = alpha)]
    alpha: Alpha,
    max_conditioning_size: Option<usize>,
}

impl<'py> FromPyObject<'_, 'py> for Colliders {
    type Error = PyErr;

    fn extract(stage: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(match item::<String>(&stage, "kind")?.as_str() {
            "separating-sets" => VStructureRule::SeparatingSets,
            "decided" => {
                let DecidedColliders { rule, max_conditioning_size } = stage.extract()?;
                VStructureRule::Decided { rule, max_conditioning_size }
            }
            "tested" => {
                let TestedColliders { alpha, max_conditioning_size } = stage.extract()?;
                VStructureRule::Testing { alpha, max_conditioning_size }
            }
            other => return unknown("colliders", other),
        }))
    }
}

/// Stage 3.
enum Initialisation {
    Empty,
    Given { arcs: Pairs },
    Oriented(Colliders),
    HybridGreedy(Colliders),
}

impl<'py> FromPyObject<'_, 'py> for Initialisation {
    type Error = PyErr;

    fn extract(stage: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match item::<String>(&stage, "kind")?.as_str() {
            "empty" => Self::Empty,
            "given" => Self::Given { arcs: item(&stage, "arcs")? },
            "oriented" => Self::Oriented(item(&stage, "colliders")?),
            "hgi" => Self::HybridGreedy(item(&stage, "colliders")?),
            other => return unknown("initialise", other),
        })
    }
}

impl Initialisation {
    fn into_core(self, n_variables: usize) -> Result<Initialise> {
        Ok(match self {
            Self::Empty => Initialise::Empty,
            Self::Given { arcs } => Initialise::Given(Dag::from_arcs(n_variables, arcs)?),
            Self::Oriented(Colliders(rule)) => Initialise::Oriented(rule),
            Self::HybridGreedy(Colliders(rule)) => Initialise::HybridGreedy(rule),
        })
    }
}

/// Stage 4, or what a search of stage 5 is.
enum Search {
    Dags(DagSearch),
    Classes(EquivalenceSearch),
    Orders(OrderSearch),
}

impl<'py> FromPyObject<'_, 'py> for Search {
    type Error = PyErr;

    fn extract(stage: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match item::<String>(&stage, "kind")?.as_str() {
            "hill-climbing" => Self::Dags(stage.extract()?),
            "ges" => Self::Classes(stage.extract()?),
            "boss" => Self::Orders(stage.extract()?),
            other => return unknown("maximise", other),
        })
    }
}

impl Search {
    fn into_core(self) -> Maximise {
        match self {
            Self::Dags(search) => Maximise::HillClimb(search.options(Phase::Search)),
            Self::Classes(search) => Maximise::Ges(search.options()),
            Self::Orders(search) => Maximise::Boss(search.order(Phase::Search)),
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct DagSearch {
    tabu: Option<TabuList>,
    restarts: Option<Perturbations>,
    #[pyo3(from_py_with = ties)]
    ties: TieRule,
    max_parents: Option<usize>,
    max_iterations: Option<usize>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TabuList {
    length: usize,
    patience: usize,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Perturbations {
    count: usize,
    perturbations: usize,
    seed: u64,
}

impl Perturbations {
    fn restarts(self) -> Restarts {
        let Self { count, perturbations, seed } = self;
        Restarts { count, perturbations, seed }
    }
}

impl DagSearch {
    fn options(self, phase: Phase) -> SearchOptions {
        SearchOptions {
            tabu: self.tabu.map(|TabuList { length, patience }| Tabu { length, patience }),
            ties: self.ties,
            restarts: self.restarts.map(Perturbations::restarts),
            max_parents: self.max_parents,
            max_iterations: self.max_iterations,
            phase,
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct EquivalenceSearch {
    forward: bool,
    backward: bool,
    turning: bool,
    #[pyo3(from_py_with = schedule)]
    schedule: Schedule,
    #[pyo3(from_py_with = adaptive)]
    adaptive: Adaptive,
    #[pyo3(from_py_with = level)]
    screen: Option<Alpha>,
    max_parents: Option<usize>,
    budget: Option<u64>,
}

impl EquivalenceSearch {
    fn options(self) -> Equivalence {
        let Self { forward, backward, turning, schedule, adaptive, screen, max_parents, budget } = self;
        Equivalence { forward, backward, turning, schedule, adaptive, screen, max_parents, budget }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OrderSearch {
    growing: bool,
    incremental: bool,
    order_from_data: bool,
    backward: bool,
    restarts: Option<Perturbations>,
    restart_share: Option<u32>,
    budget: Option<u64>,
    #[pyo3(from_py_with = level)]
    screen: Option<Alpha>,
    max_parents: Option<usize>,
}

impl OrderSearch {
    fn order(self, phase: Phase) -> Order {
        let options = BossOptions {
            active: ActiveSet::All,
            max_parents: self.max_parents,
            growing: self.growing,
            incremental: self.incremental,
            order_from_data: self.order_from_data,
            backward: self.backward,
            restarts: self.restarts.map(Perturbations::restarts),
            restart_share: self.restart_share,
            budget: self.budget,
            phase,
        };
        Order { options, screen: self.screen }
    }
}

/// Stage 5.
enum Refinement {
    Free(DagSearch),
    Growing(DagSearch),
    Classes(EquivalenceSearch),
    Orders(OrderSearch),
}

impl<'py> FromPyObject<'_, 'py> for Refinement {
    type Error = PyErr;

    fn extract(stage: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match item::<String>(&stage, "kind")?.as_str() {
            "free" => Self::Free(item(&stage, "search")?),
            "growing" => Self::Growing(item(&stage, "search")?),
            "ges" => Self::Classes(stage.extract()?),
            "boss" => Self::Orders(stage.extract()?),
            other => return unknown("refine", other),
        })
    }
}

impl Refinement {
    fn into_core(self) -> Refine {
        match self {
            Self::Free(search) => Refine::Free(search.options(Phase::Refine)),
            Self::Growing(search) => Refine::Growing(search.options(Phase::Refine)),
            Self::Classes(search) => Refine::Ges(search.options()),
            Self::Orders(search) => Refine::Boss(search.order(Phase::Refine)),
        }
    }
}

/// Background knowledge: `required` arcs, `required_edges`, `forbidden` arcs and `tiers` (a list with `None` for
/// variables in no tier, or empty).
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct KnowledgeFacts {
    required: Pairs,
    required_edges: Pairs,
    forbidden: Pairs,
    tiers: Vec<Option<u32>>,
    isolated: Vec<Variable>,
}

/// The knowledge that is described, or none.
pub(super) fn knowledge(facts: Option<KnowledgeFacts>, n_variables: usize) -> Result<Knowledge> {
    let Some(facts) = facts else { return Ok(Knowledge::none()) };
    Knowledge::new(n_variables, facts.required, facts.required_edges, facts.forbidden, facts.tiers)?
        .with_isolated(n_variables, facts.isolated)
}
