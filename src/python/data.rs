//! Data of any type.

use std::sync::Arc;

use pyo3::prelude::*;

use super::dataset::Dataset;
use super::gaussian::Gaussian;
use super::incomplete::IncompleteDataset;
use crate::data::{Correlation, DiscreteData, IncompleteData};

/// Data of any type, as Python holds it.
#[derive(FromPyObject)]
pub(crate) enum Data<'py> {
    Discrete(PyRef<'py, Dataset>),
    Incomplete(PyRef<'py, IncompleteDataset>),
    Gaussian(PyRef<'py, Gaussian>),
}

impl Data<'_> {
    /// The table, to be moved into a job.
    pub(super) fn table(&self) -> Table {
        match self {
            Self::Discrete(dataset) => Table::Discrete(dataset.data()),
            Self::Incomplete(dataset) => Table::Incomplete(dataset.data()),
            Self::Gaussian(dataset) => Table::Gaussian(dataset.correlation()),
        }
    }
}

/// Data of any type, without Python.
pub(super) enum Table {
    Discrete(Arc<DiscreteData>),
    Incomplete(Arc<IncompleteData>),
    Gaussian(Arc<Correlation>),
}

impl Table {
    pub(super) fn n_variables(&self) -> usize {
        match self {
            Self::Discrete(data) => data.n_variables(),
            Self::Incomplete(data) => data.n_variables(),
            Self::Gaussian(correlation) => correlation.n_variables(),
        }
    }
}
