//! Single tests, and distances of all pairs.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::dataset::{AnyData, AnyDataset, OpenData, entering, mixed_columns};
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use super::testing::{TestChoice, WithTest};
use crate::counts::{CountingEngine, WeightedEngine};
use crate::data::MixedOptions;
use crate::independence::{
    IndependenceTest, Informative, MixedLrTest, Rules, Statistic, TestResult, TestSession, TestwiseTest,
};
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

/// What [`independence_test`] returns.
#[derive(IntoPyObject)]
pub(crate) struct Tested {
    statistic: f64,
    degrees_of_freedom: f64,
    log_p_value: f64,
    test: &'static str,
    /// Whether the least-sample rule decided.
    too_sparse: bool,
    /// Of categories, the rows that say anything.
    rows: Option<InformativeRows>,
}

/// Rows used, strata, those in which both variables vary, and the rows in these.
#[derive(IntoPyObject)]
struct InformativeRows {
    used: usize,
    strata: usize,
    informative_strata: usize,
    informative: usize,
}

/// Tests x ⫫ y | given. Fisher's z has n − |given| − 3 in place of degrees of freedom.
#[pyfunction]
#[pyo3(signature = (dataset, x, y, given, test))]
pub(crate) fn independence_test(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
    test: TestChoice,
) -> PyResult<Tested> {
    let data = dataset.data();
    let n_variables = data.n_variables();
    check(n_variables, given.iter().copied().chain([x, y]))?;
    let hypothesis = Hypothesis { x, y, given };
    let ((result, name, too_sparse), rows) = data.run_unopened(py, AT_ONCE, |run, calls| {
        if let Some(own) = test.called(n_variables, calls) {
            return Ok((hypothesis.with(&own)?, None));
        }
        match &data {
            // The columns of the test alone: counting prepares every column that it is given.
            AnyData::Categorical(data) => {
                let (variables, hypothesis) = hypothesis.alone();
                let data = data.select(&variables);
                let engine = data.engine();
                let rows = hypothesis.informative(&engine);
                Ok((
                    test.on(&OpenData::Categorical(Box::new(engine)), variables.len(), calls, &hypothesis)?,
                    Some(rows),
                ))
            }
            AnyData::Weighted(data) => {
                let (variables, hypothesis) = hypothesis.alone();
                let data = data.select(&variables);
                let rows = hypothesis.informative(&CountingEngine::new(data.data()));
                let engine = Box::new(WeightedEngine::new(&data));
                Ok((test.on(&OpenData::Weighted(engine), variables.len(), calls, &hypothesis)?, Some(rows)))
            }
            AnyData::Incomplete(data) => {
                let (variables, hypothesis) = hypothesis.alone();
                let data = data.select(&variables);
                let known = data.complete_rows();
                let rows = known.map(|known| hypothesis.informative(&CountingEngine::new(&known))).unwrap_or_default();
                Ok((test.on(&OpenData::Incomplete(&data), variables.len(), calls, &hypothesis)?, Some(rows)))
            }
            AnyData::Gaussian(_) | AnyData::Mixed(_) => {
                Ok((data.opened(run, calls, |data| test.on(data, n_variables, calls, &hypothesis))?, None))
            }
            AnyData::Elsewhere(_) => data.opened(run, calls, |data| {
                let rows = match data {
                    OpenData::Categorical(engine) => Some(hypothesis.informative(engine)),
                    &OpenData::IncompleteElsewhere(engine, known) => {
                        let test = TestwiseTest::over(engine, known, Statistic::G2, Rules::default());
                        Some(test.session().informative(hypothesis.x, hypothesis.y, &hypothesis.given))
                    }
                    _ => None,
                };
                Ok((test.on(data, n_variables, calls, &hypothesis)?, rows))
            }),
        }
    })?;
    Ok(Tested {
        statistic: result.statistic,
        degrees_of_freedom: result.degrees_of_freedom,
        log_p_value: result.log_p_value,
        test: name,
        too_sparse,
        rows: rows.map(|found| InformativeRows {
            used: found.rows,
            strata: found.strata,
            informative_strata: found.informative_strata,
            informative: found.informative_rows,
        }),
    })
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
pub(crate) fn distances<'py>(
    py: Python<'py>,
    dataset: AnyDataset<'_>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let data = dataset.data();
    let test = TestChoice::of_distances(&data);
    let found = data.run(py, Settings { threads, ..AT_ONCE }, |open, run, calls| {
        test.on(open, data.n_variables(), calls, &Distances(run))
    })?;
    Ok(PyArray1::from_vec(py, found.unwrap_or_default()))
}

/// The same of numbers (NaN where one is missing) beside categories (the number of states where one is missing): of each
/// pair those of the rows that are complete in it.
#[pyfunction]
#[pyo3(signature = (columns, arities, ranks, powers, threads, weights = None))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn distances_of_incomplete<'py>(
    py: Python<'py>,
    columns: Vec<Bound<'py, PyAny>>,
    arities: Vec<u32>,
    ranks: bool,
    powers: usize,
    threads: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let columns = mixed_columns(&columns, &arities)?;
    let options = MixedOptions { numbers: entering(ranks), powers, keep_rows: false };
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let settings = Settings { threads, ..AT_ONCE };
    let found =
        run_job(py, &settings, |run| MixedLrTest::distances_of_incomplete(&columns, weights.as_deref(), options, run))?;
    Ok(PyArray1::from_vec(py, found))
}
