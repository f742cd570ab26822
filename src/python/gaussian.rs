//! Simulation of Gaussian data.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::run::{AT_ONCE, Settings, run_job};
use crate::Variable;
use crate::graph::Dag;

/// Samples a random linear Gaussian network on a DAG: weights uniform on ±[0.1, 1], variances uniform on [1, 2]. Returns
/// the columns.
#[pyfunction]
#[pyo3(signature = (n_variables, arcs, n_rows, seed, threads))]
pub(crate) fn sample_gaussian(
    py: Python<'_>,
    n_variables: usize,
    arcs: Vec<(Variable, Variable)>,
    n_rows: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Vec<Bound<'_, PyArray1<f64>>>> {
    let dag = Dag::from_arcs(n_variables, arcs)?;
    let data = run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
        crate::network::GaussianNetwork::random(dag, seed).sample(n_rows, seed, run)
    })?;
    Ok((0..n_variables).map(|x| PyArray1::from_slice(py, data.column(x as Variable))).collect())
}
