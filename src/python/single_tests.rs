//! Single tests, and distances of all pairs.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::data::{Data, Table};
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use super::testing::{TestChoice, WithTest, on_correlation};
use crate::counts::CountingEngine;
use crate::independence::{IndependenceTest, Informative, TestResult, TestSession};
use crate::run::Run;
use crate::{Result, Variable};

/// x ⫫ y | given.
struct Hypothesis {
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
}

impl Hypothesis {
    /// The variables that it is about, in order, and the hypothesis in a table of these.
    fn alone(&self) -> (Vec<Variable>, Self) {
        let mut variables: Vec<Variable> = self.given.iter().copied().chain([self.x, self.y]).collect();
        variables.sort_unstable();
        variables.dedup();
        let at = |v: Variable| variables.partition_point(|&other| other < v) as Variable;
        let alone = Self { x: at(self.x), y: at(self.y), given: self.given.iter().map(|&z| at(z)).collect() };
        (variables, alone)
    }

    fn informative(&self, engine: &CountingEngine<'_>) -> Informative {
        Informative::count(&mut engine.session(), self.x, self.y, &self.given)
    }
}

impl WithTest for Hypothesis {
    type Output = (TestResult, &'static str, bool);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let result = test.session().test(self.x, self.y, &self.given);
        Ok((result, test.name(), test.decided_by_minimum_sample() > 0))
    }
}

/// What [`independence_test`] returns: (statistic, degrees of freedom, logarithm of the p-value, name of the test, whether
/// the least-sample rule decided), and of categories (rows used, strata, informative strata, rows in these).
type Tested = ((f64, f64, f64, &'static str, bool), Option<(usize, usize, usize, usize)>);

/// Tests x ⫫ y | given. Fisher's z has n − |given| − 3 in place of degrees of freedom.
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
) -> PyResult<Tested> {
    let table = dataset.table();
    check(table.n_variables(), given.iter().copied().chain([x, y]))?;
    let choice = TestChoice::new(&test)?;
    choice.check(&table)?;
    let hypothesis = Hypothesis { x, y, given };
    let ((result, name, decided), rows) = run_job(py, &AT_ONCE, |_| match &table {
        // The columns of the test alone: counting prepares every column that it is given.
        Table::Discrete(data) => {
            let (variables, hypothesis) = hypothesis.alone();
            let data = data.select(&variables);
            let engine = data.engine();
            let rows = hypothesis.informative(&engine);
            Ok((choice.on_counts(&engine, &hypothesis)?, Some(rows)))
        }
        Table::Incomplete(data) => {
            let (variables, hypothesis) = hypothesis.alone();
            let data = data.select(&variables);
            let known = data.complete_rows();
            let rows = known.map(|known| hypothesis.informative(&CountingEngine::new(&known))).unwrap_or_default();
            Ok((choice.on_incomplete(&data, &hypothesis)?, Some(rows)))
        }
        Table::Gaussian(correlation) => Ok((on_correlation(correlation, &hypothesis)?, None)),
    })?;
    let rows = rows.map(|found| (found.rows, found.strata, found.informative_strata, found.informative_rows));
    Ok(((result.statistic, result.degrees_of_freedom, result.log_p_value, name, decided), rows))
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
