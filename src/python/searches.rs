//! The stages that search, as the facade describes them: `learners/searches.py` makes what is read here, and `_core.pyi`
//! has its types.

use pyo3::prelude::*;

use super::described::{item, level, named, unknown};
use crate::hybrid::{Adaptive, Equivalence, Maximise, Order, Refine};
use crate::independence::Alpha;
use crate::search::ges::Schedule;
use crate::search::{ActiveSet, BossOptions, Restarts, SearchOptions, Tabu, TieRule};

named!(ties, TieRule,
    "lookahead" => TieRule::Lookahead,
    "association" => TieRule::Association,
    "columns" => TieRule::Columns,
);
named!(schedule, Schedule,
    "phases" => Schedule::Phases,
    "rounds" => Schedule::Rounds,
    "interleaved" => Schedule::Interleaved,
    "cut-loose" => Schedule::CutLoose,
    "extended" => Schedule::Extended,
);
named!(adaptive, Adaptive,
    "no" => Adaptive::No,
    "skeleton" => Adaptive::Skeleton,
    "cig" => Adaptive::Cig,
);

/// Stage 4, or what a search of stage 5 is.
pub(super) enum Search {
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
    pub(super) fn into_core(self) -> Maximise {
        match self {
            Self::Dags(search) => Maximise::HillClimb(search.options()),
            Self::Classes(search) => Maximise::Ges(search.options()),
            Self::Orders(search) => Maximise::Boss(search.order()),
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct DagSearch {
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
    /// The options; the stage says which phase it is.
    fn options(self) -> SearchOptions {
        SearchOptions {
            tabu: self.tabu.map(|TabuList { length, patience }| Tabu { length, patience }),
            ties: self.ties,
            restarts: self.restarts.map(Perturbations::restarts),
            max_parents: self.max_parents,
            max_iterations: self.max_iterations,
            ..SearchOptions::default()
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct EquivalenceSearch {
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
pub(super) struct OrderSearch {
    growing: bool,
    narrowing: bool,
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
    /// The options; the stage says which phase it is.
    fn order(self) -> Order {
        let options = BossOptions {
            active: ActiveSet::All,
            max_parents: self.max_parents,
            growing: self.growing,
            narrowing: self.narrowing,
            incremental: self.incremental,
            order_from_data: self.order_from_data,
            backward: self.backward,
            restarts: self.restarts.map(Perturbations::restarts),
            restart_share: self.restart_share,
            budget: self.budget,
            ..BossOptions::default()
        };
        Order { options, screen: self.screen }
    }
}

/// Stage 5.
pub(super) enum Refinement {
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
    pub(super) fn into_core(self) -> Refine {
        match self {
            Self::Free(search) => Refine::Free(search.options()),
            Self::Growing(search) => Refine::Growing(search.options()),
            Self::Classes(search) => Refine::Ges(search.options()),
            Self::Orders(search) => Refine::Boss(search.order()),
        }
    }
}
