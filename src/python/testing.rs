//! The choice of an independence test, in one place for all that test.

use pyo3::prelude::*;

use super::calls::{CalledTest, Calls};
use super::dataset::{AnyData, OpenData};
use super::described::{item, unknown};
use crate::independence::{
    DegreesOfFreedom, FisherZTest, G2Test, IndependenceTest, MinimumSample, MixedLrTest, PearsonTest, Rules, Statistic,
    TestwiseTest, Verdict, WeightedTest,
};
use crate::{Error, Result};

/// What is to be done with a test, whatever its type.
pub(super) trait WithTest {
    type Output;

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output>;
}

/// An independence test, without the data.
pub(super) enum TestChoice {
    Contingency {
        statistic: Statistic,
        options: ContingencyOptions,
    },
    FisherZ,
    MixedLr,
    /// A Python function.
    Own(Py<PyAny>),
}

/// What tests of contingency tables have.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct ContingencyOptions {
    #[pyo3(from_py_with = degrees_of_freedom)]
    degrees_of_freedom: DegreesOfFreedom,
    #[pyo3(from_py_with = minimum_sample)]
    minimum_sample: MinimumSample,
}

impl<'py> FromPyObject<'_, 'py> for TestChoice {
    type Error = PyErr;

    fn extract(test: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let statistic = match item::<String>(&test, "name")?.as_str() {
            "g2" => Statistic::G2,
            "x2" => Statistic::X2,
            "fisher-z" => return Ok(Self::FisherZ),
            "mixed-lr" => return Ok(Self::MixedLr),
            "own" => return Ok(Self::Own(item(&test, "function")?)),
            other => return unknown("test", other),
        };
        Ok(Self::Contingency { statistic, options: test.extract()? })
    }
}

fn degrees_of_freedom(name: &Bound<'_, PyAny>) -> PyResult<DegreesOfFreedom> {
    match name.extract::<String>()?.as_str() {
        "classical" => Ok(DegreesOfFreedom::Classical),
        "adjusted" => Ok(DegreesOfFreedom::Adjusted),
        other => unknown("degrees_of_freedom", other),
    }
}

/// A least-sample rule: `None`, or so many `rows` for each `per` ("cell" or "df"), and else a `verdict`.
fn minimum_sample(rule: &Bound<'_, PyAny>) -> PyResult<MinimumSample> {
    if rule.is_none() {
        return Ok(MinimumSample::Off);
    }
    let verdict = match item::<String>(rule, "verdict")?.as_str() {
        "independent" => Verdict::Independent,
        "dependent" => Verdict::Dependent,
        other => return unknown("minimum_sample", other),
    };
    let rows = item(rule, "rows")?;
    match item::<String>(rule, "per")?.as_str() {
        "cell" => Ok(MinimumSample::RowsPerCell(rows, verdict)),
        "df" => Ok(MinimumSample::RowsPerDegree(rows, verdict)),
        other => unknown("minimum_sample", other),
    }
}

impl TestChoice {
    /// The test by which the distances of data of any type are made; they depend on no rule.
    pub(super) fn of_distances(data: &AnyData) -> Self {
        match data {
            AnyData::Gaussian(_) => Self::FisherZ,
            AnyData::Mixed(_) => Self::MixedLr,
            AnyData::Categorical(_) | AnyData::Elsewhere(_) | AnyData::Weighted(_) | AnyData::Incomplete(_) => {
                Self::Contingency {
                    statistic: Statistic::G2,
                    options: ContingencyOptions {
                        degrees_of_freedom: DegreesOfFreedom::Classical,
                        minimum_sample: MinimumSample::Off,
                    },
                }
            }
        }
    }

    /// Whether it is a Python function, which is called on one thread.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// The test that is a function, over so many variables; `None` for the others.
    pub(super) fn called<'a>(&'a self, n_variables: usize, calls: &'a Calls<'a>) -> Option<CalledTest<'a>> {
        match self {
            Self::Own(function) => Some(CalledTest { function, n_variables, calls }),
            Self::Contingency { .. } | Self::FisherZ | Self::MixedLr => None,
        }
    }

    /// Does a job with the test of some data; refuses data of another type.
    pub(super) fn on<J: WithTest>(
        &self,
        data: &OpenData<'_>,
        n_variables: usize,
        calls: &Calls<'_>,
        job: &J,
    ) -> Result<J::Output> {
        match (self, data) {
            (Self::Own(function), _) => job.with(&CalledTest { function, n_variables, calls }),
            (Self::Contingency { statistic, options }, OpenData::Categorical(engine)) => match statistic {
                Statistic::G2 => job.with(&G2Test::with_rules(engine, options.rules()?)),
                Statistic::X2 => job.with(&PearsonTest::with_rules(engine, options.rules()?)),
            },
            (Self::Contingency { statistic, options }, OpenData::Incomplete(data)) => {
                job.with(&TestwiseTest::new(data, *statistic, options.rules()?))
            }
            (Self::Contingency { statistic, options }, &OpenData::IncompleteElsewhere(engine, known)) => {
                job.with(&TestwiseTest::over(engine, known, *statistic, options.rules()?))
            }
            (Self::Contingency { statistic, options }, OpenData::Weighted(engine)) => {
                job.with(&WeightedTest::new(engine, *statistic, options.rules()?))
            }
            (Self::FisherZ, OpenData::Gaussian(correlation)) => job.with(&FisherZTest::new(correlation)),
            (Self::MixedLr, OpenData::Mixed(data, _)) => job.with(&MixedLrTest::new(data)),
            (Self::MixedLr, _) => Err(Error::parameter("test", "'mixed-lr' needs mixed data")),
            (Self::FisherZ, _) => Err(Error::parameter("test", "'fisher-z' needs Gaussian data")),
            (Self::Contingency { .. }, _) => Err(Error::parameter("test", "'g2' and 'x2' need categories")),
        }
    }
}

impl ContingencyOptions {
    fn rules(self) -> Result<Rules> {
        Rules::new(self.degrees_of_freedom, self.minimum_sample)
    }
}
