//! Deterministic relations between the columns of a table.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::dataset::{AnyData, AnyDataset};
use super::graph::check;
use super::run::{AT_ONCE, run_job};
use crate::data::Codes;
use crate::run::Run;
use crate::{Result, Variable};

/// Groups of columns that are the same in all rows; columns with a single state are left out.
#[pyfunction]
pub(crate) fn copies(py: Python<'_>, dataset: AnyDataset<'_>) -> PyResult<Vec<Vec<Variable>>> {
    on_codes(py, &dataset.data(), |columns, arity, _| Ok(crate::data::copies(columns, |x| arity(x) <= 1)))
}

/// Pairs (x, y) of the columns in `variables` such that y determines x.
#[pyfunction]
pub(crate) fn determined(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    variables: Vec<Variable>,
) -> PyResult<Vec<(Variable, Variable)>> {
    let data = dataset.data();
    check(data.n_variables(), variables.iter().copied())?;
    on_codes(py, &data, |columns, _, run| crate::data::determined_within(columns, &variables, run))
}

/// Calls `find` with the codes of all columns and their arities.
fn on_codes<T: Send>(
    py: Python<'_>,
    data: &AnyData,
    find: impl FnOnce(&[Codes], &dyn Fn(Variable) -> u32, &Run) -> Result<T> + Send,
) -> PyResult<T> {
    match data {
        AnyData::Categorical(data) => run_job(py, &AT_ONCE, |run| find(data.columns(), &|x| data.arity(x), run)),
        AnyData::Weighted(data) => {
            let data = data.data();
            run_job(py, &AT_ONCE, |run| find(data.columns(), &|x| data.arity(x), run))
        }
        AnyData::Incomplete(data) => run_job(py, &AT_ONCE, |run| find(data.columns(), &|x| data.arity(x), run)),
        AnyData::Gaussian(_) | AnyData::Mixed(_) | AnyData::Elsewhere(_) => {
            Err(PyTypeError::new_err("dataset: expected categories"))
        }
    }
}
