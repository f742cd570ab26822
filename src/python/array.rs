//! Integer arrays of numpy: reading them as state codes.

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::error::DataError;
use super::packed::PackedColumn;
use crate::data::{Codes, CodesView, Encoded, MAX_ARITY, SharedCodes, encode, encode_bytes};

/// The values of an array of this type, gathered where they do not lie side by side; `None` for other types.
fn with_values<'py, T: Element + Copy, R>(array: &Bound<'py, PyAny>, work: impl FnOnce(&[T]) -> R) -> Option<R> {
    let array: PyReadonlyArray1<'py, T> = array.extract().ok()?;
    Some(match array.as_slice() {
        Ok(values) => work(values),
        Err(_) => work(&array.as_array().iter().copied().collect::<Vec<T>>()),
    })
}

/// Numbers the values of a 1-D integer array in the order of their first appearance.
///
/// Returns the codes (`uint8` up to 256 different values, else `uint16`) and the values in the order of their codes.
/// Accepts every integer dtype whose values fit 64 signed bits; raises `DataError` above 65,535 different values.
#[pyfunction]
#[pyo3(signature = (array, /))]
pub(crate) fn encode_integers<'py>(array: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Vec<i64>)> {
    let bytes = with_values(array, |values: &[u8]| encode_bytes(values, |value| value))
        .or_else(|| with_values(array, |values: &[i8]| encode_bytes(values, |value| value as u8)));
    if let Some((codes, values)) = bytes {
        return Ok((in_bytes(array.py(), codes)?, values));
    }
    let encoded = with_values(array, encode::<i64>)
        .or_else(|| with_values(array, encode::<i32>))
        .or_else(|| with_values(array, encode::<i16>))
        .or_else(|| with_values(array, encode::<u16>))
        .or_else(|| with_values(array, encode::<u32>));
    match encoded {
        Some(Some(Encoded { codes: Codes::Narrow(codes), values })) => Ok((in_bytes(array.py(), codes)?, values)),
        Some(Some(Encoded { codes, values })) => Ok((codes_to_array(array.py(), &codes), values)),
        Some(None) => Err(DataError::new_err(format!("more than {MAX_ARITY} different values"))),
        None => Err(PyTypeError::new_err(format!(
            "array: expected a 1-D numpy array of integers, got {}",
            array.get_type().name()?
        ))),
    }
}

/// Codes as a read-only array that looks into `bytes`, which the core can look into too (see [`codes_from_array`]).
fn in_bytes(py: Python<'_>, codes: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, &codes), "u1"))
}

/// The codes of an array that looks into all of a `bytes` object, which nobody can change: they are not copied.
fn codes_from_bytes(array: &Bound<'_, PyAny>) -> Option<SharedCodes> {
    let base = array.getattr("base").ok()?;
    let bytes = base.cast::<PyBytes>().ok()?;
    let codes: PyReadonlyArray1<'_, u8> = array.extract().ok()?;
    let same = std::ptr::eq(codes.as_slice().ok()?, bytes.as_bytes());
    same.then(|| SharedCodes::new(PyBackedBytes::from(bytes.clone())))
}

/// The state codes of a column that `encode_integers` made, or that is packed.
pub(crate) fn codes_from_array(array: &Bound<'_, PyAny>) -> PyResult<Codes> {
    if let Ok(packed) = array.cast::<PackedColumn>() {
        return Ok(packed.get().codes());
    }
    if let Some(shared) = codes_from_bytes(array) {
        return Ok(Codes::Shared(shared));
    }
    with_values(array, |codes: &[u8]| Codes::Narrow(codes.to_vec()))
        .or_else(|| with_values(array, |codes: &[u16]| Codes::Wide(codes.to_vec())))
        .ok_or_else(|| PyTypeError::new_err("columns: expected 1-D numpy arrays of uint8 or uint16"))
}

/// State codes as Python has them.
pub(super) fn codes_to_array<'py>(py: Python<'py>, codes: &Codes) -> Bound<'py, PyAny> {
    match codes.view() {
        CodesView::Narrow(codes) => PyArray1::from_slice(py, codes).into_any(),
        CodesView::Wide(codes) => PyArray1::from_slice(py, codes).into_any(),
        CodesView::Packed(codes) => PyArray1::from_vec(py, codes.to_bytes()).into_any(),
    }
}
