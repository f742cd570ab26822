//! Missing values drawn in the network of a graph.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::dataset::{CategoricalDataset, IncompleteDataset};
use super::run::{Settings, run_job};
use crate::Variable;
use crate::graph::Dag;
use crate::network::{self, IncompleteNumbers};

/// Columns, each one array.
type Arrays<'py> = Vec<Bound<'py, PyArray1<f64>>>;

/// Draws missing states given what is known of their rows: in the network of a DAG that is estimated from completed data,
/// or, without these, from the known states of each column.
#[pyfunction]
#[pyo3(signature = (dataset, completed, arcs, *, sweeps, seed, threads, time_limit))]
pub(crate) fn fill_categories(
    py: Python<'_>,
    dataset: &IncompleteDataset,
    completed: Option<&CategoricalDataset>,
    arcs: Vec<(Variable, Variable)>,
    sweeps: usize,
    seed: u64,
    threads: usize,
    time_limit: Option<f64>,
) -> PyResult<CategoricalDataset> {
    let data = dataset.data();
    let dag = Dag::from_arcs(data.n_variables(), arcs)?;
    let completed = completed.map(CategoricalDataset::data);
    let settings = Settings { threads, time_limit, progress: None };
    let filled = run_job(py, &settings, |run| match &completed {
        None => network::fill_from_marginals(&data, seed, run),
        Some(completed) => network::fill(&data, completed, &dag, sweeps, seed, run),
    })?;
    CategoricalDataset::of(filled)
}

/// The same of jointly normal columns, in which a missing value is NaN.
#[pyfunction]
#[pyo3(signature = (columns, completed, arcs, *, sweeps, seed, threads, time_limit))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn fill_numbers<'py>(
    py: Python<'py>,
    columns: Vec<PyReadonlyArray1<'py, f64>>,
    completed: Option<Vec<PyReadonlyArray1<'py, f64>>>,
    arcs: Vec<(Variable, Variable)>,
    sweeps: usize,
    seed: u64,
    threads: usize,
    time_limit: Option<f64>,
) -> PyResult<Arrays<'py>> {
    let read = |columns: &[PyReadonlyArray1<'_, f64>]| -> Vec<Vec<f64>> {
        columns.iter().map(|column| column.as_array().to_vec()).collect()
    };
    let data = IncompleteNumbers::new(read(&columns))?;
    let completed = completed.as_deref().map(read);
    let dag = Dag::from_arcs(columns.len(), arcs)?;
    let settings = Settings { threads, time_limit, progress: None };
    let filled = run_job(py, &settings, |run| match &completed {
        None => data.fill_from_marginals(seed, run),
        Some(completed) => data.fill(completed, &dag, sweeps, seed, run),
    })?;
    Ok(filled.into_iter().map(|column| PyArray1::from_vec(py, column)).collect())
}
