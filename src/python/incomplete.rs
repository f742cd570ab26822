//! Data with missing values, and learning and tests on them by test-wise deletion.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::array::codes_from_array;
use super::composition::{self, TestChoice};
use super::graph::check;
use super::learn::{Clustering, compose, result};
use super::run::{Settings, run_job};
use crate::data::IncompleteData;
use crate::independence::{IndependenceTest, Statistic, TestwiseTest};
use crate::run::{Phase, Run};
use crate::score::NoScore;
use crate::{Result, Variable};

const AT_ONCE: Settings = Settings { threads: 1, time_limit: None, progress: None };

/// Columns of state codes in which values may be missing.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct IncompleteDataset {
    data: Arc<IncompleteData>,
}

impl IncompleteDataset {
    /// The table, to be moved into a job.
    pub(crate) fn data(&self) -> Arc<IncompleteData> {
        Arc::clone(&self.data)
    }
}

#[pymethods]
impl IncompleteDataset {
    /// `columns`: 1-D arrays of `uint8` or `uint16` state codes, all of one length, in which the code `arity` is a
    /// missing value; `arities`: the number of states of each.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { data: Arc::new(IncompleteData::new(columns, arities)?) })
    }

    /// Number of rows, complete or not.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }
}

/// The test that a description chooses.
pub(super) fn testwise<'d>(data: &'d IncompleteData, choice: &TestChoice) -> Result<TestwiseTest<'d>> {
    let statistic = if choice.name == "g2" { Statistic::G2 } else { Statistic::X2 };
    TestwiseTest::new(data, statistic, choice.degrees_of_freedom, choice.minimum_sample)
}

/// Learns a graph by tests alone; see `learn`. The composition must not score: the facade sees to it.
#[pyfunction]
#[pyo3(signature = (dataset, *, test, composition, knowledge, cluster, threads, time_limit, progress))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn learn_testwise<'py>(
    py: Python<'py>,
    dataset: &IncompleteDataset,
    test: Bound<'py, PyDict>,
    composition: Bound<'py, PyDict>,
    knowledge: Option<Bound<'py, PyDict>>,
    cluster: Py<PyAny>,
    threads: usize,
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = Arc::clone(&dataset.data);
    let choice = composition::test(&test)?;
    let hybrid = composition::hybrid(&composition, data.n_variables())?;
    let knowledge = composition::knowledge(knowledge.as_ref(), data.n_variables())?;
    let clustering = Clustering::new(cluster);
    let job = |run: &Run| {
        let test = testwise(&data, &choice)?;
        let learned = compose(&test, &NoScore::new(data.n_variables()), &hybrid, &clustering, &knowledge, run)?;
        Ok((learned, test.name(), test.decided_by_minimum_sample()))
    };
    let outcome = run_job(py, &Settings { threads, time_limit, progress }, job);
    let (learned, test_name, decided) = clustering.raised(outcome)?;
    let result = result(py, learned)?;
    // The one estimate was not scored.
    let calls = result.get_item("calls")?.expect("results have calls");
    calls.set_item(Phase::Path.name(), 0)?;
    result.set_item("test", test_name)?;
    result.set_item("decided_by_minimum_sample", decided)?;
    Ok(result)
}

/// Tests x ⫫ y | given on the rows that are complete in these: as `independence_test`, and the number of rows.
#[pyfunction]
#[pyo3(signature = (dataset, x, y, given, test))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn testwise_test(
    py: Python<'_>,
    dataset: &IncompleteDataset,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
    test: Bound<'_, PyDict>,
) -> PyResult<(f64, f64, f64, &'static str, bool, usize)> {
    let data = Arc::clone(&dataset.data);
    check(data.n_variables(), given.iter().copied().chain([x, y]))?;
    let choice = composition::test(&test)?;
    run_job(py, &AT_ONCE, |_| {
        let test = testwise(&data, &choice)?;
        let (result, n_rows) = test.session().test_with_rows(x, y, &given);
        let decided = test.decided_by_minimum_sample() > 0;
        Ok((result.statistic, result.degrees_of_freedom, result.log_p_value, test.name(), decided, n_rows))
    })
}

/// Distances in [0, 1] between all pairs of variables, each from the rows in which both are known.
#[pyfunction]
#[pyo3(signature = (dataset, threads))]
pub(crate) fn testwise_distances<'py>(
    py: Python<'py>,
    dataset: &IncompleteDataset,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let data = Arc::clone(&dataset.data);
    let choice = TestChoice {
        name: "g2".to_owned(),
        degrees_of_freedom: crate::independence::DegreesOfFreedom::Classical,
        minimum_sample: crate::independence::MinimumSample::Off,
    };
    let settings = Settings { threads, ..AT_ONCE };
    let found = run_job(py, &settings, |run| testwise(&data, &choice)?.distances(run))?;
    Ok(PyArray1::from_vec(py, found.unwrap_or_default()))
}
