//! How values of the facade's descriptions are read: numbers with their checks, edges, and names of an enum of the core.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::Variable;
use crate::independence::Alpha;

pub(super) type Pairs = Vec<(Variable, Variable)>;

/// The rows of an array of shape (number of edges, 2): of lists, millions take seconds.
pub(super) fn rows(edges: &PyReadonlyArray2<'_, i64>) -> PyResult<Pairs> {
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

pub(super) fn alpha(level: &Bound<'_, PyAny>) -> PyResult<Alpha> {
    Ok(Alpha::new(level.extract()?)?)
}

pub(super) fn level(level: &Bound<'_, PyAny>) -> PyResult<Option<Alpha>> {
    if level.is_none() { Ok(None) } else { alpha(level).map(Some) }
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
pub(super) use named;
