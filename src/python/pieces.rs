//! Single tests and scores.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition;
use super::dataset::Dataset;
use super::graph::check;
use super::run::{Settings, run_job};
use crate::Variable;
use crate::counts::CountingEngine;
use crate::graph::Dag;
use crate::independence::{G2Test, IndependenceTest, PearsonTest, TestResult, TestSession};
use crate::score::{DiscreteScore, LocalScore, ScoreSession, n_parameters, score_dag};

const AT_ONCE: Settings = Settings { threads: 1, time_limit: None, progress: None };

/// Tests x ⫫ y | given: (statistic, degrees of freedom, logarithm of the p-value, name of the test, whether the
/// least-sample rule decided).
#[pyfunction]
#[pyo3(signature = (dataset, x, y, given, test))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn independence_test(
    py: Python<'_>,
    dataset: &Dataset,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
    test: Bound<'_, PyDict>,
) -> PyResult<(f64, f64, f64, &'static str, bool)> {
    let data = dataset.data();
    check(data.n_variables(), given.iter().copied().chain([x, y]))?;
    let test = composition::test(&test)?;
    run_job(py, &AT_ONCE, |_| {
        let engine = CountingEngine::new(&data);
        let (result, name, decided): (TestResult, _, _) = if test.name == "g2" {
            let test = G2Test::with_rules(&engine, test.degrees_of_freedom, test.minimum_sample)?;
            (test.session().test(x, y, &given), test.name(), test.decided_by_minimum_sample())
        } else {
            let test = PearsonTest::with_rules(&engine, test.degrees_of_freedom, test.minimum_sample)?;
            (test.session().test(x, y, &given), test.name(), test.decided_by_minimum_sample())
        };
        Ok((result.statistic, result.degrees_of_freedom, result.log_p_value, name, decided > 0))
    })
}

/// Distances in [0, 1] between all pairs of variables: the upper triangle row by row.
#[pyfunction]
#[pyo3(signature = (dataset, threads))]
pub(crate) fn distances<'py>(
    py: Python<'py>,
    dataset: &Dataset,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let data = dataset.data();
    let settings = Settings { threads, ..AT_ONCE };
    let found = run_job(py, &settings, |run| {
        let engine = CountingEngine::new(&data);
        G2Test::new(&engine).distances(run)
    })?;
    Ok(PyArray1::from_vec(py, found.unwrap_or_default()))
}

/// What each arc adds to the score of a DAG: the local score of its child minus that without this parent.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn score_gains(
    py: Python<'_>,
    dataset: &Dataset,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<Vec<f64>> {
    let data = dataset.data();
    check(data.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    let kind = composition::score(&score)?;
    let dag = Dag::from_arcs(data.n_variables(), arcs.iter().copied())?;
    run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
        let engine = CountingEngine::new(&data);
        let score = DiscreteScore::new(&engine, kind)?;
        run.map(
            arcs.len(),
            || score.session(),
            |session, i| {
                let (from, to) = arcs[i];
                let without: Vec<Variable> = dag.parents(to).iter().copied().filter(|&x| x != from).collect();
                session.local_score(to, dag.parents(to)) - session.local_score(to, &without)
            },
        )
    })
}

/// Scores a DAG: the total, the local score of each variable, the name of the score, and the number of parameters.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn score(
    py: Python<'_>,
    dataset: &Dataset,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<(f64, Vec<f64>, &'static str, f64)> {
    let data = dataset.data();
    check(data.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    let kind = composition::score(&score)?;
    let dag = Dag::from_arcs(data.n_variables(), arcs)?;
    let parameters = (0..data.n_variables() as Variable).map(|x| n_parameters(&data, x, dag.parents(x))).sum();
    run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
        let engine = CountingEngine::new(&data);
        let score = DiscreteScore::new(&engine, kind)?;
        let found = score_dag(&score, &dag, run)?;
        Ok((found.total, found.local, score.name(), parameters))
    })
}
