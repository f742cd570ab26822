//! Gaussian data, and learning, tests and scores on them.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition;
use super::graph::check;
use super::learn::{Clustering, compose, result};
use super::run::{Settings, run_job};
use crate::Variable;
use crate::data::{ContinuousData, Correlation};
use crate::graph::Dag;
use crate::independence::{FisherZTest, IndependenceTest, TestSession};
use crate::run::Run;
use crate::score::{GaussianBic, LocalScore, ScoreSession, score_dag};

const AT_ONCE: Settings = Settings { threads: 1, time_limit: None, progress: None };

/// The correlations of continuous columns and the number of rows behind them; the columns themselves are not kept.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct Gaussian {
    correlation: Arc<Correlation>,
}

impl Gaussian {
    /// The correlations, to be moved into a job.
    pub(crate) fn correlation(&self) -> Arc<Correlation> {
        Arc::clone(&self.correlation)
    }
}

#[pymethods]
impl Gaussian {
    /// From 1-D arrays of finite numbers, all of one length.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
    fn from_columns(py: Python<'_>, columns: Vec<PyReadonlyArray1<'_, f64>>, threads: usize) -> PyResult<Self> {
        let columns = columns.iter().map(|column| column.as_array().to_vec()).collect();
        let settings = Settings { threads, ..AT_ONCE };
        let correlation =
            run_job(py, &settings, |run: &Run| Correlation::of(&ContinuousData::from_columns(columns)?, run))?;
        Ok(Self { correlation: Arc::new(correlation) })
    }

    /// From a correlation matrix and the number of rows that it was computed from.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
    fn from_correlation(py: Python<'_>, matrix: PyReadonlyArray2<'_, f64>, n_rows: usize) -> PyResult<Self> {
        let rows: Vec<Vec<f64>> = matrix.as_array().outer_iter().map(|row| row.to_vec()).collect();
        let correlation = run_job(py, &AT_ONCE, |_| Correlation::from_matrix(&rows, n_rows))?;
        Ok(Self { correlation: Arc::new(correlation) })
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
        run_job(py, &AT_ONCE, |_| Ok(self.correlation.collinear()))
    }
}

/// λ and γ of the score that a dictionary describes; γ is `None` for BIC.
fn multipliers(score: &Bound<'_, PyDict>) -> PyResult<(f64, Option<f64>)> {
    let name: String = composition::item(score, "name")?;
    let gamma = match name.as_str() {
        "gaussian-bic" => None,
        "gaussian-ebic" => Some(composition::item(score, "gamma")?),
        _ => return Err(PyValueError::new_err(format!("score: {name:?} is not one for Gaussian data"))),
    };
    Ok((composition::item(score, "penalty")?, gamma))
}

fn gaussian_bic(correlation: &Correlation, (penalty, gamma): (f64, Option<f64>)) -> crate::Result<GaussianBic<'_>> {
    match gamma {
        None => GaussianBic::new(correlation, penalty),
        Some(gamma) => GaussianBic::extended(correlation, penalty, gamma),
    }
}

/// Learns a graph from Gaussian data; see `learn`.
#[pyfunction]
#[pyo3(signature = (dataset, *, test, score, composition, knowledge, cluster, threads, time_limit, progress))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn learn_gaussian<'py>(
    py: Python<'py>,
    dataset: &Gaussian,
    test: Bound<'py, PyDict>,
    score: Bound<'py, PyDict>,
    composition: Bound<'py, PyDict>,
    knowledge: Option<Bound<'py, PyDict>>,
    cluster: Py<PyAny>,
    threads: usize,
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let correlation = Arc::clone(&dataset.correlation);
    let name: String = composition::item(&test, "name")?;
    if name != "fisher-z" {
        return Err(PyValueError::new_err(format!("test: {name:?} is not one for Gaussian data")));
    }
    let multipliers = multipliers(&score)?;
    let hybrid = composition::hybrid(&composition, correlation.n_variables())?;
    let knowledge = composition::knowledge(knowledge.as_ref(), correlation.n_variables())?;
    let clustering = Clustering::new(cluster);
    let job = |run: &Run| {
        let score = gaussian_bic(&correlation, multipliers)?;
        compose(&FisherZTest::new(&correlation), &score, &hybrid, &clustering, &knowledge, run)
    };
    let outcome = run_job(py, &Settings { threads, time_limit, progress }, job);
    let result = result(py, clustering.raised(outcome)?)?;
    result.set_item("test", "fisher-z")?;
    result.set_item("decided_by_minimum_sample", 0)?;
    Ok(result)
}

/// Fisher's z test of x ⫫ y | given: (statistic, n − |given| − 3, logarithm of the p-value).
#[pyfunction]
#[pyo3(signature = (dataset, x, y, given))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn gaussian_test(
    dataset: &Gaussian,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
) -> PyResult<(f64, f64, f64)> {
    check(dataset.correlation.n_variables(), given.iter().copied().chain([x, y]))?;
    let result = FisherZTest::new(&dataset.correlation).session().test(x, y, &given);
    Ok((result.statistic, result.degrees_of_freedom, result.log_p_value))
}

/// Scores a DAG on Gaussian data: the total, the local score of each variable, and the number of parameters.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn gaussian_score(
    py: Python<'_>,
    dataset: &Gaussian,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<(f64, Vec<f64>, f64)> {
    check(dataset.correlation.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    let multipliers = multipliers(&score)?;
    let dag = Dag::from_arcs(dataset.correlation.n_variables(), arcs)?;
    let parameters = (dag.n_arcs() + 2 * dag.n_variables()) as f64;
    run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
        let found = score_dag(&gaussian_bic(&dataset.correlation, multipliers)?, &dag, run)?;
        Ok((found.total, found.local, parameters))
    })
}

/// What each arc adds to the score of a DAG on Gaussian data.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn gaussian_score_gains(
    dataset: &Gaussian,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
) -> PyResult<Vec<f64>> {
    check(dataset.correlation.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    let dag = Dag::from_arcs(dataset.correlation.n_variables(), arcs.iter().copied())?;
    let score = gaussian_bic(&dataset.correlation, multipliers(&score)?)?;
    let mut session = score.session();
    let gain = |&(from, to): &(Variable, Variable)| {
        let without: Vec<Variable> = dag.parents(to).iter().copied().filter(|&x| x != from).collect();
        session.local_score(to, dag.parents(to)) - session.local_score(to, &without)
    };
    Ok(arcs.iter().map(gain).collect())
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
