//! An independence test that is a Python function.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

use crate::Variable;
use crate::independence::{IndependenceTest, TestResult, TestSession};

/// What the function raised, for the thread that waits.
pub(super) type Raised = Mutex<Option<PyErr>>;

/// Calls `function(x, y, given)` for each test, with x < y and the positions of `given` sorted; it returns statistic,
/// degrees of freedom and logarithm of the p-value, which the facade has checked.
pub(super) struct CalledTest<'a> {
    pub(super) function: &'a Py<PyAny>,
    pub(super) n_variables: usize,
    /// Cancels the run that tests.
    pub(super) canceller: &'a AtomicBool,
    pub(super) raised: &'a Raised,
}

impl CalledTest<'_> {
    fn call(&self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        // A cancelled run asks on until its next check; what it is told does not matter.
        if self.canceller.load(Ordering::Relaxed) {
            return TestResult::NO_INFORMATION;
        }
        let mut sorted = given.to_vec();
        sorted.sort_unstable();
        let called: PyResult<(f64, f64, f64)> =
            Python::attach(|py| self.function.call1(py, (x.min(y), x.max(y), sorted))?.extract(py));
        match called {
            Ok((statistic, degrees_of_freedom, log_p_value)) => {
                TestResult { statistic, degrees_of_freedom, log_p_value }
            }
            Err(error) => {
                *self.raised.lock().expect("nobody panics with this lock") = Some(error);
                self.canceller.store(true, Ordering::Relaxed);
                TestResult::NO_INFORMATION
            }
        }
    }
}

impl IndependenceTest for CalledTest<'_> {
    type Session<'t>
        = CalledSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.n_variables
    }

    fn session(&self) -> CalledSession<'_> {
        CalledSession(self)
    }

    fn name(&self) -> &'static str {
        "own"
    }
}

pub(super) struct CalledSession<'t>(&'t CalledTest<'t>);

impl TestSession for CalledSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.0.call(x, y, given)
    }
}
