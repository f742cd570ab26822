//! Deterministic relations between the columns of a table.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::dataset::{AnyData, AnyDataset};
use super::graph::check;
use crate::Variable;
use crate::data::Codes;

/// Groups of columns that are the same in all rows; columns with a single state are left out.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn copies(py: Python<'_>, dataset: AnyDataset<'_>) -> PyResult<Vec<Vec<Variable>>> {
    on_codes(py, &dataset.data(), |columns, arity| crate::data::copies(columns, |x| arity(x) <= 1))
}

/// Pairs (x, y) of the columns in `variables` such that y determines x.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn determined(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    variables: Vec<Variable>,
) -> PyResult<Vec<(Variable, Variable)>> {
    let data = dataset.data();
    check(data.n_variables(), variables.iter().copied())?;
    on_codes(py, &data, |columns, _| crate::data::determined(columns, &variables))
}

/// Calls `find` with the codes of all columns and their arities, on this thread: a pass over the data or two is not
/// worth a thread of its own.
fn on_codes<T: Send>(
    py: Python<'_>,
    data: &AnyData,
    find: impl FnOnce(&[Codes], &dyn Fn(Variable) -> u32) -> T + Send,
) -> PyResult<T> {
    match data {
        AnyData::Categorical(data) => Ok(py.detach(|| find(data.columns(), &|x| data.arity(x)))),
        AnyData::Incomplete(data) => Ok(py.detach(|| find(data.columns(), &|x| data.arity(x)))),
        AnyData::Gaussian(_) => Err(PyTypeError::new_err("dataset: expected categories")),
    }
}
