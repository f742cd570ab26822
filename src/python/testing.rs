//! The choice of an independence test, in one place for all that test.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition::{item, unknown};
use super::data::Table;
use crate::counts::CountingEngine;
use crate::data::{Correlation, IncompleteData};
use crate::independence::{
    DegreesOfFreedom, FisherZTest, G2Test, IndependenceTest, MinimumSample, PearsonTest, Rules, Statistic,
    TestwiseTest, Verdict,
};
use crate::{Error, Result};

/// What is to be done with a test, whatever its type.
pub(super) trait WithTest {
    type Output;

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output>;
}

/// An independence test, without the data.
#[derive(Clone, Copy)]
pub(super) enum TestChoice {
    Contingency { statistic: Statistic, degrees_of_freedom: DegreesOfFreedom, minimum_sample: MinimumSample },
    FisherZ,
}

impl TestChoice {
    /// The test by which the distances of data of categories are made; they depend on no rule.
    pub(super) const PLAIN: Self = Self::Contingency {
        statistic: Statistic::G2,
        degrees_of_freedom: DegreesOfFreedom::Classical,
        minimum_sample: MinimumSample::Off,
    };

    /// The test that a dictionary describes: `name`, and for categories `degrees_of_freedom` and `minimum_sample`, the
    /// last `None` or (rows, `"cell"` or `"df"`, `"independent"` or `"dependent"`).
    pub(super) fn new(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        let statistic = match item::<String>(dict, "name")?.as_str() {
            "g2" => Statistic::G2,
            "x2" => Statistic::X2,
            "fisher-z" => return Ok(Self::FisherZ),
            other => return unknown("test", other),
        };
        let degrees_of_freedom = match item::<String>(dict, "degrees_of_freedom")?.as_str() {
            "classical" => DegreesOfFreedom::Classical,
            "adjusted" => DegreesOfFreedom::Adjusted,
            other => return unknown("degrees_of_freedom", other),
        };
        let minimum_sample = match item::<Option<(f64, String, String)>>(dict, "minimum_sample")? {
            None => MinimumSample::Off,
            Some((rows, per, verdict)) => {
                let verdict = match verdict.as_str() {
                    "independent" => Verdict::Independent,
                    "dependent" => Verdict::Dependent,
                    other => return unknown("minimum_sample", other),
                };
                match per.as_str() {
                    "cell" => MinimumSample::RowsPerCell(rows, verdict),
                    "df" => MinimumSample::RowsPerDegree(rows, verdict),
                    other => return unknown("minimum_sample", other),
                }
            }
        };
        Ok(Self::Contingency { statistic, degrees_of_freedom, minimum_sample })
    }

    /// Refuses a test of data of another type.
    pub(super) fn check(self, table: &Table) -> PyResult<()> {
        match (self, table) {
            (Self::FisherZ, Table::Gaussian(_))
            | (Self::Contingency { .. }, Table::Discrete(_) | Table::Incomplete(_)) => Ok(()),
            _ => Err(PyValueError::new_err("test: not one for data of this type")),
        }
    }

    fn rules(self) -> Result<(Statistic, Rules)> {
        match self {
            Self::Contingency { statistic, degrees_of_freedom, minimum_sample } => {
                Ok((statistic, Rules::new(degrees_of_freedom, minimum_sample)?))
            }
            Self::FisherZ => Err(Error::parameter("test", "Fisher's z is for Gaussian data")),
        }
    }

    pub(super) fn on_counts<J: WithTest>(self, engine: &CountingEngine<'_>, job: &J) -> Result<J::Output> {
        match self.rules()? {
            (Statistic::G2, rules) => job.with(&G2Test::with_rules(engine, rules)),
            (Statistic::X2, rules) => job.with(&PearsonTest::with_rules(engine, rules)),
        }
    }

    pub(super) fn on_incomplete<J: WithTest>(self, data: &IncompleteData, job: &J) -> Result<J::Output> {
        let (statistic, rules) = self.rules()?;
        job.with(&TestwiseTest::new(data, statistic, rules))
    }

    pub(super) fn on<J: WithTest>(self, table: &Table, job: &J) -> Result<J::Output> {
        match table {
            Table::Discrete(data) => self.on_counts(&data.engine(), job),
            Table::Incomplete(data) => self.on_incomplete(data, job),
            Table::Gaussian(correlation) => on_correlation(correlation, job),
        }
    }
}

pub(super) fn on_correlation<J: WithTest>(correlation: &Correlation, job: &J) -> Result<J::Output> {
    job.with(&FisherZTest::new(correlation))
}
