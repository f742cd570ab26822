//! The data of a run, as Python holds it.

use std::sync::Arc;

use pyo3::prelude::*;

use super::array::codes_from_array;
use super::data::Discrete;
use crate::data::DiscreteData;

/// Columns of state codes, copied once from numpy and never changed.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct Dataset {
    table: Discrete,
}

impl Dataset {
    /// The table, to be moved into a job.
    pub(super) fn table(&self) -> Discrete {
        self.table.clone()
    }
}

#[pymethods]
impl Dataset {
    /// `columns`: 1-D arrays of `uint8` or `uint16` state codes, all of one length; `arities`: the number of states of
    /// each.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { table: Discrete::new(Arc::new(DiscreteData::new(columns, arities)?)) })
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.table.n_variables()
    }

    /// Number of states of each variable.
    #[getter]
    fn arities(&self) -> Vec<u32> {
        self.table.arities().to_vec()
    }
}
