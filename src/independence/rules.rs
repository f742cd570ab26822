//! Rules that the tests over contingency tables share: degrees of freedom and the least sample size.

use std::sync::atomic::{AtomicU64, Ordering};

use super::TestResult;
use crate::counts::CountingSession;
use crate::data::Shape;
use crate::{Result, Variable};

/// How the degrees of freedom of a test over a contingency table are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DegreesOfFreedom {
    /// (r_x − 1)(r_y − 1) Π r_z over the states of the columns, whatever cells are empty: the paper's rule.
    #[default]
    Classical,
    /// The sum over the strata of (states of x that occur in the stratum − 1)(states of y that occur in it − 1): an empty
    /// margin is structural and carries no degree of freedom. Better calibrated on sparse tables.
    Adjusted,
}

/// What a test says when the least-sample rule refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The pair counts as independent: statistic 0, p-value 1. The edge goes.
    Independent,
    /// The pair counts as dependent: infinite statistic, p-value 0. Such a test separates nothing and leaves the largest
    /// p-value of the pair alone, as if it had not been made.
    Dependent,
}

/// A rule for tables too sparse to test.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MinimumSample {
    /// Every table is tested.
    #[default]
    Off,
    /// A table with fewer than this many rows a cell (r_x r_y Π r_z cells) is not tested.
    RowsPerCell(f64, Verdict),
    /// A table with fewer than this many rows a degree of freedom, by the test's own rule, is not tested.
    RowsPerDegree(f64, Verdict),
}

/// The two rules together. By default classical degrees of freedom, and every table is tested.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    degrees_of_freedom: DegreesOfFreedom,
    minimum_sample: MinimumSample,
}

/// The tests that a least-sample rule has decided, counted for all sessions of a test.
#[derive(Debug, Default)]
pub(super) struct Decided(AtomicU64);

impl Decided {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Rules {
    /// Puts the two together.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] when `minimum_sample` requires no positive finite number of rows.
    pub fn new(degrees_of_freedom: DegreesOfFreedom, minimum_sample: MinimumSample) -> Result<Self> {
        if let MinimumSample::RowsPerCell(rows, _) | MinimumSample::RowsPerDegree(rows, _) = minimum_sample
            && !(rows > 0.0 && rows.is_finite())
        {
            let problem = format!("{rows} rows is no requirement; give a positive number or turn the rule off");
            return Err(crate::Error::parameter("minimum_sample", problem));
        }
        Ok(Self { degrees_of_freedom, minimum_sample })
    }

    pub(super) fn degrees_of_freedom(&self) -> DegreesOfFreedom {
        self.degrees_of_freedom
    }

    /// Whether there is a least-sample rule.
    pub(super) fn may_refuse(&self) -> bool {
        self.minimum_sample != MinimumSample::Off
    }

    /// The degrees of freedom of x ⫫ y | given.
    pub(super) fn count(
        &self,
        counting: &mut CountingSession<'_, '_>,
        x: Variable,
        y: Variable,
        given: &[Variable],
    ) -> f64 {
        match self.degrees_of_freedom {
            DegreesOfFreedom::Classical => classical(counting.engine().shape(), x, y, given),
            DegreesOfFreedom::Adjusted => counting.observed_degrees_of_freedom(x, y, given) as f64,
        }
    }

    /// The result of a test that the least-sample rule refuses, which is counted; `None` when the test is to be made.
    #[inline]
    pub(super) fn refuse(
        &self,
        shape: &Shape,
        x: Variable,
        y: Variable,
        given: &[Variable],
        degrees_of_freedom: f64,
        decided: &Decided,
    ) -> Option<TestResult> {
        if self.minimum_sample == MinimumSample::Off {
            return None;
        }
        let cells: f64 = given.iter().chain([&x, &y]).map(|&v| f64::from(shape.arity(v))).product();
        self.refuse_table(shape.n_rows() as f64, cells, degrees_of_freedom, decided)
    }

    /// [`refuse`](Self::refuse) for a table of so many rows and cells.
    pub(super) fn refuse_table(
        &self,
        n_rows: f64,
        cells: f64,
        degrees_of_freedom: f64,
        decided: &Decided,
    ) -> Option<TestResult> {
        let (needed, verdict) = match self.minimum_sample {
            MinimumSample::Off => return None,
            MinimumSample::RowsPerCell(rows, verdict) => (rows * cells, verdict),
            MinimumSample::RowsPerDegree(rows, verdict) => (rows * degrees_of_freedom, verdict),
        };
        if n_rows >= needed {
            return None;
        }
        decided.0.fetch_add(1, Ordering::Relaxed);
        Some(match verdict {
            Verdict::Independent => TestResult { statistic: 0.0, degrees_of_freedom, log_p_value: 0.0 },
            Verdict::Dependent => {
                TestResult { statistic: f64::INFINITY, degrees_of_freedom, log_p_value: f64::NEG_INFINITY }
            }
        })
    }
}

/// Rows a cell of the table of these variables.
pub(super) fn rows_per_cell(shape: &Shape, variables: &[Variable]) -> f64 {
    shape.n_rows() as f64 / variables.iter().map(|&v| f64::from(shape.arity(v))).product::<f64>()
}

/// (r_x − 1)(r_y − 1) Π r_z in floating point, which does not overflow: at most `f64::MAX`.
pub(super) fn classical(shape: &Shape, x: Variable, y: Variable, given: &[Variable]) -> f64 {
    let arity = |v: Variable| f64::from(shape.arity(v));
    let strata: f64 = given.iter().map(|&z| arity(z)).product();
    // 0 × ∞ would not be a number.
    (strata.min(f64::MAX) * ((arity(x) - 1.0) * (arity(y) - 1.0))).min(f64::MAX)
}
