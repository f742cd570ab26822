//! Data of any type.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use super::dataset::Dataset;
use super::gaussian::Gaussian;
use super::incomplete::IncompleteDataset;
use crate::Variable;
use crate::counts::{CountingEngine, FixedScale};
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
            Self::Discrete(dataset) => Table::Discrete(dataset.table()),
            Self::Incomplete(dataset) => Table::Incomplete(dataset.data()),
            Self::Gaussian(dataset) => Table::Gaussian(dataset.correlation()),
        }
    }
}

/// Data of any type, without Python.
pub(super) enum Table {
    Discrete(Discrete),
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

/// Complete data of categories, with what engines that count over it share: made at first use.
#[derive(Clone)]
pub(super) struct Discrete {
    data: Arc<DiscreteData>,
    scale: Arc<OnceLock<Arc<FixedScale>>>,
}

impl Discrete {
    pub(super) fn new(data: Arc<DiscreteData>) -> Self {
        Self { data, scale: Arc::default() }
    }

    /// An engine that counts over the table.
    pub(super) fn engine(&self) -> CountingEngine<'_> {
        let scale = self.scale.get_or_init(|| Arc::new(FixedScale::new(self.data.n_rows())));
        CountingEngine::with_scale(&self.data, Arc::clone(scale))
    }

    /// The table of some of the variables.
    pub(super) fn select(&self, variables: &[Variable]) -> Self {
        Self { data: Arc::new(self.data.select(variables)), scale: Arc::clone(&self.scale) }
    }
}

impl Deref for Discrete {
    type Target = DiscreteData;

    fn deref(&self) -> &DiscreteData {
        &self.data
    }
}
