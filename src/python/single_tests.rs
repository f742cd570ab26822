//! Single tests, and distances of all pairs.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::data::Data;
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use super::testing::{TestChoice, WithTest};
use crate::independence::{IndependenceTest, TestResult, TestSession};
use crate::run::Run;
use crate::{Result, Variable};

/// x ⫫ y | given.
struct Hypothesis {
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
}

impl WithTest for Hypothesis {
    type Output = (TestResult, &'static str, bool);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let result = test.session().test(self.x, self.y, &self.given);
        Ok((result, test.name(), test.decided_by_minimum_sample() > 0))
    }
}

/// Tests x ⫫ y | given: (statistic, degrees of freedom, logarithm of the p-value, name of the test, whether the
/// least-sample rule decided). Fisher's z has n − |given| − 3 in place of degrees of freedom.
#[pyfunction]
#[pyo3(signature = (dataset, x, y, given, test))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn independence_test(
    py: Python<'_>,
    dataset: Data<'_>,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
    test: Bound<'_, PyDict>,
) -> PyResult<(f64, f64, f64, &'static str, bool)> {
    let table = dataset.table();
    check(table.n_variables(), given.iter().copied().chain([x, y]))?;
    let choice = TestChoice::new(&test)?;
    choice.check(&table)?;
    let hypothesis = Hypothesis { x, y, given };
    let (result, name, decided) = run_job(py, &AT_ONCE, |_| choice.on(&table, &hypothesis))?;
    Ok((result.statistic, result.degrees_of_freedom, result.log_p_value, name, decided))
}

struct Distances<'r>(&'r Run);

impl WithTest for Distances<'_> {
    type Output = Option<Vec<f64>>;

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        test.distances(self.0)
    }
}

/// Distances in [0, 1] between all pairs of variables: the upper triangle row by row. With missing values each is made of
/// the rows in which both are known.
#[pyfunction]
#[pyo3(signature = (dataset, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn distances<'py>(
    py: Python<'py>,
    dataset: Data<'_>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let table = dataset.table();
    let settings = Settings { threads, ..AT_ONCE };
    let found = run_job(py, &settings, |run| TestChoice::PLAIN.on(&table, &Distances(run)))?;
    Ok(PyArray1::from_vec(py, found.unwrap_or_default()))
}
