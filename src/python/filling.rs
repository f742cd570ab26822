//! Missing values drawn in the network of a graph.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::array::codes_to_array;
use super::dataset::{CategoricalDataset, IncompleteDataset, entering, mixed_columns};
use super::run::{AT_ONCE, Settings, run_job};
use crate::Variable;
use crate::data::{MixedColumn, MixedOptions, RowWeights};
use crate::graph::Dag;
use crate::network::{self, IncompleteMixed, IncompleteNumbers};

/// Columns, each one array.
type Arrays<'py> = Vec<Bound<'py, PyArray1<f64>>>;

pub(crate) fn row_weights(weights: &PyReadonlyArray1<'_, f64>) -> PyResult<RowWeights> {
    Ok(RowWeights::new(&weights.as_array().to_vec())?)
}

/// Draws missing states given what is known of their rows: in the network of a DAG that is estimated from completed data,
/// or, without these, from the known states of each column. `weights`: sampling weights of rows, by which all estimates are
/// made.
#[pyfunction]
#[pyo3(signature = (dataset, completed, arcs, *, sweeps, seed, threads, time_limit, weights = None))]
pub(crate) fn fill_categories(
    py: Python<'_>,
    dataset: &IncompleteDataset,
    completed: Option<&CategoricalDataset>,
    arcs: Vec<(Variable, Variable)>,
    sweeps: usize,
    seed: u64,
    threads: usize,
    time_limit: Option<f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<CategoricalDataset> {
    let data = dataset.data();
    let dag = Dag::from_arcs(data.n_variables(), arcs)?;
    let completed = completed.map(CategoricalDataset::data);
    let weights = weights.as_ref().map(row_weights).transpose()?;
    let settings = Settings { threads, time_limit, ..AT_ONCE };
    let filled = run_job(py, &settings, |run| match &completed {
        None => network::fill_from_marginals(&data, weights.as_ref(), seed, run),
        Some(completed) => network::fill(&data, weights.as_ref(), completed, &dag, sweeps, seed, run),
    })?;
    CategoricalDataset::of(filled)
}

/// The same of jointly normal columns, in which a missing value is NaN.
#[pyfunction]
#[pyo3(signature = (columns, completed, arcs, *, sweeps, seed, threads, time_limit, weights = None))]
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
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Arrays<'py>> {
    let read = |columns: &[PyReadonlyArray1<'_, f64>]| -> Vec<Vec<f64>> {
        columns.iter().map(|column| column.as_array().to_vec()).collect()
    };
    let mut data = IncompleteNumbers::new(read(&columns))?;
    if let Some(weights) = &weights {
        data = data.with_weights(row_weights(weights)?)?;
    }
    let completed = completed.as_deref().map(read);
    let dag = Dag::from_arcs(columns.len(), arcs)?;
    let settings = Settings { threads, time_limit, ..AT_ONCE };
    let filled = run_job(py, &settings, |run| match &completed {
        None => data.fill_from_marginals(seed, run),
        Some(completed) => data.fill(completed, &dag, sweeps, seed, run),
    })?;
    Ok(filled.into_iter().map(|column| PyArray1::from_vec(py, column)).collect())
}

/// The same of numbers (`float64`, NaN where one is missing) beside categories (state codes, the number of states where one
/// is missing).
#[pyfunction]
#[pyo3(signature = (columns, arities, completed, arcs, *, ranks, powers, sweeps, seed, threads, time_limit, weights = None))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn fill_mixed<'py>(
    py: Python<'py>,
    columns: Vec<Bound<'py, PyAny>>,
    arities: Vec<u32>,
    completed: Option<Vec<Bound<'py, PyAny>>>,
    arcs: Vec<(Variable, Variable)>,
    ranks: bool,
    powers: usize,
    sweeps: usize,
    seed: u64,
    threads: usize,
    time_limit: Option<f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let options = MixedOptions { numbers: entering(ranks), powers, keep_rows: false };
    let mut data = IncompleteMixed::new(mixed_columns(&columns, &arities)?, options)?;
    if let Some(weights) = &weights {
        data = data.with_weights(row_weights(weights)?)?;
    }
    let completed = completed.map(|completed| mixed_columns(&completed, &arities)).transpose()?;
    let dag = Dag::from_arcs(columns.len(), arcs)?;
    let settings = Settings { threads, time_limit, ..AT_ONCE };
    let filled = run_job(py, &settings, |run| match &completed {
        None => data.fill_from_marginals(seed, run),
        Some(completed) => data.fill(completed, &dag, sweeps, seed, run),
    })?;
    let array = |column| match column {
        MixedColumn::Category(codes, _) => codes_to_array(py, &codes),
        MixedColumn::Number(values) => PyArray1::from_vec(py, values).into_any(),
    };
    Ok(filled.into_iter().map(array).collect())
}
