//! The Python extension module `phgs._core`: a thin binding between Python and the core.
//!
//! Nothing here learns or loops over data: arguments are checked and converted, the core runs in [`run::run_job`] with
//! the interpreter released, and results go back as plain Python values. The typed facade `python/phgs` is what users
//! see; it alone calls this module.

mod array;
mod calls;
mod dataset;
mod described;
mod effects;
mod elsewhere;
mod error;
mod filling;
mod gaussian;
mod graph;
mod knowledge;
mod layout;
mod learn;
mod neighbourhood;
mod network;
mod outcome;
mod packed;
mod relations;
mod run;
mod scoring;
mod searches;
mod single_tests;
mod stages;
mod sums;
mod testing;

use pyo3::prelude::*;

/// The compiled core of phgs. Private: use the package `phgs`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::array::encode_integers;
    #[pymodule_export]
    use super::dataset::{CategoricalDataset, GaussianDataset, IncompleteDataset, MixedDataset, WeightedDataset};
    #[pymodule_export]
    use super::effects::{effects, tables};
    #[pymodule_export]
    use super::elsewhere::{PartCounter, SourceDataset};
    #[pymodule_export]
    use super::error::{DataError, GraphError, InternalError, KnowledgeError, ParameterError, ParseError};
    #[pymodule_export]
    use super::filling::{fill_categories, fill_mixed, fill_numbers};
    #[pymodule_export]
    use super::gaussian::sample_gaussian;
    #[pymodule_export]
    use super::graph::{
        check_acyclic, compare, cpdag_to_dag, d_separated, dag_to_cpdag, dag_to_cpdag_under, forced_dag, members,
    };
    #[pymodule_export]
    use super::layout::{downward_order, force, layered, separate};
    #[pymodule_export]
    use super::learn::learn;
    #[pymodule_export]
    use super::neighbourhood::{markov_blanket, neighbourhood};
    #[pymodule_export]
    use super::network::{Network, random_dag};
    #[pymodule_export]
    use super::packed::{ColumnPacker, Mapped, PackedColumn};
    #[pymodule_export]
    use super::relations::{copies, determined};
    #[pymodule_export]
    use super::run::available_threads;
    #[pymodule_export]
    use super::scoring::{score, score_gains};
    #[pymodule_export]
    use super::single_tests::{distances, distances_of_incomplete, independence_test};
    #[pymodule_export]
    use super::sums::{NumberPart, NumberSums};

    /// Columns with more states have no bit planes.
    #[pymodule_export]
    const MAX_PLANE_ARITY: u32 = crate::data::MAX_PLANE_ARITY;

    /// Version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
