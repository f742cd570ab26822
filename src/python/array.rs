//! Integer arrays of numpy: reading them as state codes.

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use super::error::DataError;
use crate::data::{Codes, MAX_ARITY};

/// State codes of a column, in the order in which its values first appear, with the values.
struct Encoded {
    codes: Codes,
    values: Vec<i64>,
}

/// Numbers the values of a column in the order of their first appearance.
///
/// `None` when there are more than [`MAX_ARITY`] of them.
fn encode<T: Copy + Into<i64>>(values: impl Iterator<Item = T> + Clone) -> Option<Encoded> {
    let (mut low, mut high) = (i64::MAX, i64::MIN);
    for value in values.clone() {
        let value = value.into();
        low = low.min(value);
        high = high.max(value);
    }
    let span = (i128::from(high) - i128::from(low)).max(0) as u128;
    let mut seen: Vec<i64> = Vec::new();
    let mut codes: Vec<u16> = Vec::with_capacity(values.size_hint().0);
    let full = MAX_ARITY as usize;
    if span < 1 << 20 {
        // Small range: a table, 65,535 (never a code: codes end at 65,534) for values not seen yet.
        let mut table = vec![u16::MAX; span as usize + 1];
        for value in values {
            let value = value.into();
            let slot = &mut table[(value - low) as usize];
            if *slot == u16::MAX {
                if seen.len() == full {
                    return None;
                }
                *slot = seen.len() as u16;
                seen.push(value);
            }
            codes.push(*slot);
        }
    } else {
        let mut table: FxHashMap<i64, u16> = FxHashMap::default();
        for value in values {
            let value = value.into();
            let next = seen.len();
            let code = *table.entry(value).or_insert(next.min(full) as u16);
            if usize::from(code) == next {
                if next == full {
                    return None;
                }
                seen.push(value);
            }
            codes.push(code);
        }
    }
    let codes = if seen.len() <= 256 {
        Codes::Narrow(codes.into_iter().map(|c| c as u8).collect())
    } else {
        Codes::Wide(codes)
    };
    Some(Encoded { codes, values: seen })
}

/// [`encode`] for values of one byte, which need no search for the smallest and the largest.
fn encode_bytes(values: &[u8]) -> (Vec<u8>, Vec<i64>) {
    // Above any code of at most 255 other values.
    const NONE: u16 = u16::MAX;
    let mut table = [NONE; 256];
    let mut seen = Vec::new();
    let mut codes = vec![0; values.len()];
    for (code, &value) in codes.iter_mut().zip(values) {
        let slot = &mut table[usize::from(value)];
        if *slot == NONE {
            *slot = seen.len() as u16;
            seen.push(i64::from(value));
        }
        *code = *slot as u8;
    }
    (codes, seen)
}

fn encode_array<'py, T: Element + Copy + Into<i64>>(
    array: &Bound<'py, PyAny>,
) -> Option<PyResult<(Bound<'py, PyAny>, Vec<i64>)>> {
    let array: PyReadonlyArray1<'py, T> = array.extract().ok()?;
    let py = array.py();
    let view = array.as_array();
    let Some(encoded) = encode(view.iter().copied()) else {
        return Some(Err(DataError::new_err(format!("more than {MAX_ARITY} different values"))));
    };
    let codes = match encoded.codes {
        Codes::Narrow(codes) => PyArray1::from_vec(py, codes).into_any(),
        Codes::Wide(codes) => PyArray1::from_vec(py, codes).into_any(),
    };
    Some(Ok((codes, encoded.values)))
}

/// Numbers the values of a 1-D integer array in the order of their first appearance.
///
/// Returns the codes (`uint8` up to 256 different values, else `uint16`) and the values in the order of their codes.
/// Accepts every integer dtype whose values fit 64 signed bits; raises `DataError` above 65,535 different values.
#[pyfunction]
#[pyo3(signature = (array, /))]
pub(crate) fn encode_integers<'py>(array: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Vec<i64>)> {
    if let Ok(bytes) = array.extract::<PyReadonlyArray1<'py, u8>>()
        && let Ok(bytes) = bytes.as_slice()
    {
        let (codes, values) = encode_bytes(bytes);
        return Ok((PyArray1::from_vec(array.py(), codes).into_any(), values));
    }
    encode_array::<u8>(array)
        .or_else(|| encode_array::<i8>(array))
        .or_else(|| encode_array::<i64>(array))
        .or_else(|| encode_array::<i32>(array))
        .or_else(|| encode_array::<i16>(array))
        .or_else(|| encode_array::<u16>(array))
        .or_else(|| encode_array::<u32>(array))
        .unwrap_or_else(|| {
            Err(PyTypeError::new_err(format!(
                "array: expected a 1-D numpy array of integers, got {}",
                array.get_type().name()?
            )))
        })
}

/// The state codes of a column that `encode_integers` made.
pub(crate) fn codes_from_array(array: &Bound<'_, PyAny>) -> PyResult<Codes> {
    if let Ok(codes) = array.extract::<PyReadonlyArray1<'_, u8>>() {
        return Ok(Codes::Narrow(to_vec(&codes)));
    }
    if let Ok(codes) = array.extract::<PyReadonlyArray1<'_, u16>>() {
        return Ok(Codes::Wide(to_vec(&codes)));
    }
    Err(PyTypeError::new_err("columns: expected 1-D numpy arrays of uint8 or uint16"))
}

fn to_vec<T: Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(values: &[i64]) -> Option<(Vec<u32>, Vec<i64>)> {
        encode(values.iter().copied()).map(|e| ((0..e.codes.len()).map(|i| e.codes.get(i)).collect(), e.values))
    }

    #[test]
    fn codes_follow_first_appearance() {
        assert_eq!(codes(&[7, -1, 7, 3]), Some((vec![0, 1, 0, 2], vec![7, -1, 3])));
        assert_eq!(codes(&[i64::MAX, i64::MIN, i64::MAX]), Some((vec![0, 1, 0], vec![i64::MAX, i64::MIN])));
        assert_eq!(codes(&[]), Some((vec![], vec![])));
    }

    #[test]
    fn bytes_are_numbered_like_other_integers() {
        for values in [vec![], vec![5u8, 0, 5, 255], (0..1000u32).map(|i| (i * 7919 % 256) as u8).collect()] {
            let (bytes, seen) = encode_bytes(&values);
            let wide: Vec<i64> = values.iter().copied().map(i64::from).collect();
            assert_eq!(codes(&wide), Some((bytes.into_iter().map(u32::from).collect(), seen)));
        }
    }

    #[test]
    fn too_many_values_are_refused_by_table_and_by_hash() {
        for step in [1, 1000] {
            let fits: Vec<i64> = (0..65_535).map(|i| i * step).collect();
            assert_eq!(codes(&fits).unwrap().1.len(), 65_535);
            let over: Vec<i64> = (0..65_536).map(|i| i * step).collect();
            assert_eq!(codes(&over), None);
        }
    }
}
