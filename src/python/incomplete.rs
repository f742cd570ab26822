//! Data with missing values, as Python holds it.

use std::sync::Arc;

use pyo3::prelude::*;

use super::array::codes_from_array;
use crate::data::IncompleteData;

/// Columns of state codes in which values may be missing.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct IncompleteDataset {
    data: Arc<IncompleteData>,
}

impl IncompleteDataset {
    /// The table, to be moved into a job.
    pub(crate) fn data(&self) -> Arc<IncompleteData> {
        Arc::clone(&self.data)
    }
}

#[pymethods]
impl IncompleteDataset {
    /// `columns`: 1-D arrays of `uint8` or `uint16` state codes, all of one length, in which the code `arity` is a
    /// missing value; `arities`: the number of states of each.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { data: Arc::new(IncompleteData::new(columns, arities)?) })
    }

    /// Number of rows, complete or not.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }
}
