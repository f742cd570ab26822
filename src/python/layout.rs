//! Places of nodes for drawings.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::graph::check;
use crate::layout::{self, Point};

type Pairs = Vec<(u32, u32)>;
type Bends<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<u32>>);

fn ends(pairs: &Pairs) -> impl Iterator<Item = u32> {
    pairs.iter().flat_map(|&(a, b)| [a, b])
}

fn array<'py>(py: Python<'py>, points: &[Point]) -> Bound<'py, PyArray2<f64>> {
    let flat = points.concat();
    numpy::ndarray::Array2::from_shape_vec((points.len(), 2), flat)
        .map_or_else(|_| PyArray2::zeros(py, (0, 2), false), |array| PyArray2::from_owned_array(py, array))
}

/// Places of nodes of these widths in layers, of shape (n, 2); bends of all edges, arcs first, of shape (k, 2), and where each edge's begin.
#[pyfunction]
pub(crate) fn layered(
    py: Python<'_>,
    widths: Vec<f64>,
    arcs: Pairs,
    edges: Pairs,
) -> PyResult<(Bound<'_, PyArray2<f64>>, Bends<'_>)> {
    check(widths.len(), ends(&arcs).chain(ends(&edges)))?;
    let found = py.detach(|| layout::layered(&widths, &arcs, &edges));
    let mut starts = vec![0];
    for bends in &found.bends {
        starts.push(starts[starts.len() - 1] + bends.len() as u32);
    }
    let bends = array(py, &found.bends.concat());
    Ok((array(py, &found.places), (bends, PyArray1::from_vec(py, starts))))
}

/// Places by springs and repulsion, of shape (n, 2).
#[pyfunction]
pub(crate) fn force(py: Python<'_>, n: usize, pairs: Pairs) -> PyResult<Bound<'_, PyArray2<f64>>> {
    check(n, ends(&pairs))?;
    Ok(array(py, &py.detach(|| layout::force(n, &pairs))))
}

/// Nodes in an order in which arcs go forward.
#[pyfunction]
pub(crate) fn downward_order(py: Python<'_>, n: usize, arcs: Pairs, edges: Pairs) -> PyResult<Vec<u32>> {
    check(n, ends(&arcs).chain(ends(&edges)))?;
    Ok(py.detach(|| layout::downward_order(n, &arcs, &edges)))
}

/// The same places moved until the boxes around them do not overlap; `halves` are half of their widths and heights.
#[pyfunction]
pub(crate) fn separate<'py>(
    py: Python<'py>,
    places: PyReadonlyArray2<'py, f64>,
    halves: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let points = |array: &PyReadonlyArray2<'py, f64>| -> PyResult<Vec<Point>> {
        let view = array.as_array();
        if view.ncols() != 2 {
            return Err(PyValueError::new_err("expected an array of shape (n, 2)"));
        }
        Ok(view.rows().into_iter().map(|row| [row[0], row[1]]).collect())
    };
    let (mut moved, halves) = (points(&places)?, points(&halves)?);
    if moved.len() != halves.len() {
        return Err(PyValueError::new_err("expected as many boxes as places"));
    }
    py.detach(|| layout::separate(&mut moved, &halves));
    Ok(array(py, &moved))
}
