//! Columns of state codes that are kept as bit planes.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use super::error::DataError;
use crate::data::{Codes, MAX_PLANE_ARITY, MappedFile, PackedCodes, Packer};

/// State codes of at most 32 states, an eighth of a byte for each state but the first.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct PackedColumn(PackedCodes);

impl PackedColumn {
    /// The codes, as the core counts them.
    pub(super) fn codes(&self) -> Codes {
        Codes::Packed(self.0.clone())
    }
}

fn check_arity(arity: u32) -> PyResult<()> {
    if (1..=MAX_PLANE_ARITY).contains(&arity) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{arity} states; bit planes are for 1 to {MAX_PLANE_ARITY}")))
}

#[pymethods]
impl PackedColumn {
    /// `planes`: what `planes` returned of a column of so many rows and states.
    #[new]
    fn new(planes: &[u8], n_rows: usize, arity: u32) -> PyResult<Self> {
        check_arity(arity)?;
        Ok(Self(PackedCodes::from_bytes(planes, n_rows, arity)?))
    }

    /// The planes that lie in a file, from byte `start` on; the file must never change.
    #[classmethod]
    fn mapped(_: &Bound<'_, PyType>, file: &Mapped, start: usize, n_rows: usize, arity: u32) -> PyResult<Self> {
        check_arity(arity)?;
        let owner: Arc<dyn AsRef<[u8]> + Send + Sync> = file.0.clone();
        Ok(Self(PackedCodes::held(owner, start, n_rows, arity)?))
    }

    fn __len__(&self) -> usize {
        self.0.n_rows()
    }

    /// Number of states that have a number.
    #[getter]
    fn n_states(&self) -> usize {
        self.0.n_states()
    }

    /// Bytes of all planes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes().map(<[u8]>::len).sum()
    }

    /// The code of each row.
    fn unpacked<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_vec(py, py.detach(|| self.0.to_bytes()))
    }

    /// How many rows each state has.
    fn counts(&self, py: Python<'_>) -> Vec<u64> {
        py.detach(|| self.0.counts())
    }

    /// The same rows where state i has the number `new[i]` of `arity`.
    fn renumbered(&self, py: Python<'_>, new: Vec<u32>, arity: u32) -> PyResult<Self> {
        check_arity(arity)?;
        let mut seen = vec![false; arity as usize];
        let distinct = new.iter().all(|&number| number < arity && !std::mem::replace(&mut seen[number as usize], true));
        if new.len() < self.0.n_states() || !distinct {
            return Err(PyValueError::new_err("new: expected a number of its own for each state"));
        }
        Ok(Self(py.detach(|| self.0.clone().renumbered(&new, arity))))
    }

    /// The bytes of the planes, one after another.
    fn planes<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.0.bytes().map(|plane| PyBytes::new(py, plane)).collect()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>, usize, usize)) {
        let planes: Vec<u8> = self.0.bytes().flatten().copied().collect();
        (py.get_type::<Self>(), (PyBytes::new(py, &planes), self.0.n_rows(), self.0.n_states()))
    }
}

/// A column that is packed part by part.
#[pyclass(module = "phgs._core")]
pub(crate) struct ColumnPacker(Packer);

#[pymethods]
impl ColumnPacker {
    /// `n_rows`: how many are expected.
    #[new]
    fn new(n_rows: usize) -> Self {
        Self(Packer::new(n_rows))
    }

    /// Takes the codes of the next rows, which are below 32.
    fn add(&mut self, codes: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let codes = codes.as_slice().map_err(|_| PyValueError::new_err("codes: expected values side by side"))?;
        if codes.iter().fold(0, |largest, &code| code.max(largest)) >= MAX_PLANE_ARITY as u8 {
            return Err(PyValueError::new_err("codes: bit planes are for codes below 32"));
        }
        self.0.add(codes);
        Ok(())
    }

    /// The column; the packer is empty then.
    fn whole(&mut self) -> PackedColumn {
        PackedColumn(std::mem::replace(&mut self.0, Packer::new(0)).whole())
    }
}

/// A file that is mapped into memory.
#[pyclass(frozen, module = "phgs._core", name = "MappedFile")]
pub(crate) struct Mapped(Arc<MappedFile>);

#[pymethods]
impl Mapped {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let file = MappedFile::open(&path);
        Ok(Self(Arc::new(file.map_err(|error| DataError::new_err(format!("{}: {error}", path.display())))?)))
    }
}
