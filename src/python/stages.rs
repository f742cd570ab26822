//! The stages of a method, as the facade describes them: `learners/stages.py` makes what is read here, and `_core.pyi` has
//! its types. Those that search are in [`super::searches`].

use pyo3::prelude::*;

use super::described::{Pairs, alpha, item, named, rows, unknown};
use super::searches::{Refinement, Search};
use crate::Result;
use crate::graph::{Dag, UndirectedGraph};
use crate::hybrid::{Hybrid, Initialise, Maximise, Partition, Restrict, VStructureRule};
use crate::independence::Alpha;
use crate::orient::ColliderRule;
use crate::orient::path::PathOptions;
use crate::skeleton::PcOptions;
use crate::skeleton::local::{LocalLearner, LocalOptions};

named!(collider_rule, ColliderRule,
    "conservative" => ColliderRule::Conservative,
    "majority" => ColliderRule::Majority,
    "max-p" => ColliderRule::MaxP,
);

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
