//! Gaussian data: correlations, and simulation.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::run::{AT_ONCE, Settings, run_job};
use crate::Variable;
use crate::data::{ContinuousData, Correlation};
use crate::graph::Dag;
use crate::run::Run;

/// The correlations of continuous columns and the number of rows behind them; the columns themselves are not kept.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct Gaussian {
    correlation: Arc<Correlation>,
    degenerate: Vec<Variable>,
}

impl Gaussian {
    /// The correlations, to be moved into a job.
    pub(crate) fn correlation(&self) -> Arc<Correlation> {
        Arc::clone(&self.correlation)
    }
}

#[pymethods]
impl Gaussian {
    /// From 1-D arrays of finite numbers, all of one length; with `isolate`, constant columns and copies of others
    /// correlate with nothing, where else they are refused.
    #[staticmethod]
    #[pyo3(signature = (columns, threads, isolate = false))]
    #[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
    fn from_columns(
        py: Python<'_>,
        columns: Vec<PyReadonlyArray1<'_, f64>>,
        threads: usize,
        isolate: bool,
    ) -> PyResult<Self> {
        let columns = columns.iter().map(|column| column.as_array().to_vec()).collect();
        let settings = Settings { threads, ..AT_ONCE };
        let (correlation, degenerate) = run_job(py, &settings, |run: &Run| {
            if isolate {
                return Correlation::of_degenerate(columns, run);
            }
            Ok((Correlation::of(&ContinuousData::from_columns(columns)?, run)?, vec![]))
        })?;
        Ok(Self { correlation: Arc::new(correlation), degenerate })
    }

    /// From a correlation matrix and the number of rows that it was computed from.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
    fn from_correlation(py: Python<'_>, matrix: PyReadonlyArray2<'_, f64>, n_rows: usize) -> PyResult<Self> {
        let rows: Vec<Vec<f64>> = matrix.as_array().outer_iter().map(|row| row.to_vec()).collect();
        let correlation = run_job(py, &AT_ONCE, |run| Correlation::from_matrix_within(&rows, n_rows, run))?;
        Ok(Self { correlation: Arc::new(correlation), degenerate: vec![] })
    }

    /// Columns that were set apart, since they are constant or copies of others.
    fn degenerate(&self) -> Vec<Variable> {
        self.degenerate.clone()
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.correlation.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.correlation.n_variables()
    }

    /// Correlations of all pairs: the upper triangle row by row.
    fn correlations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let p = self.correlation.n_variables() as Variable;
        let all = (0..p).flat_map(|x| ((x + 1)..p).map(move |y| (x, y)));
        PyArray1::from_vec(py, all.map(|(x, y)| self.correlation.get(x, y)).collect())
    }

    /// Variables that are linear combinations of others before them, with these.
    fn collinear(&self, py: Python<'_>) -> PyResult<Vec<(Variable, Vec<Variable>)>> {
        run_job(py, &AT_ONCE, |run| self.correlation.collinear_within(run))
    }
}

/// Samples a random linear Gaussian network on a DAG: weights uniform on ±[0.1, 1], variances uniform on [1, 2]. Returns
/// the columns.
#[pyfunction]
#[pyo3(signature = (n_variables, arcs, n_rows, seed, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
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
