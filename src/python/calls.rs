//! Python functions that a job calls: tests and scores of a user's own, and the facade's clustering.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use super::run::{Settings, run_job};
use crate::independence::{IndependenceTest, TestResult, TestSession};
use crate::run::{Canceller, Run};
use crate::score::{LocalScore, ScoreSession};
use crate::{Result, Variable, VariableSet};

/// How a job calls Python: the first exception is kept for the caller of the job, and cancels its run.
pub(super) struct Calls<'r> {
    canceller: Canceller,
    raised: &'r Mutex<Option<PyErr>>,
}

impl Calls<'_> {
    /// What ends the run.
    pub(super) fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Ends the run with an exception.
    pub(super) fn fail(&self, error: PyErr) {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.canceller.cancel();
    }

    /// What a call returns; `None` when it raises, or when the run is cancelled already: the run then stops at its next
    /// check, whatever it is told until then.
    pub(super) fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.canceller.is_cancelled() {
            return None;
        }
        match Python::attach(call) {
            Ok(value) => Some(value),
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }
}

/// [`run_job`] for a job that calls Python functions.
///
/// # Errors
///
/// Those of `run_job`, and what a function raised.
pub(super) fn run_calling_job<T: Send>(
    py: Python<'_>,
    settings: &Settings,
    job: impl FnOnce(&Run, &Calls<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let outcome = run_job(py, settings, |run| job(run, &Calls { canceller: run.canceller(), raised: &raised }));
    match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => outcome,
    }
}

/// An independence test that calls `function(x, y, given)`, with x < y and the positions of `given` sorted; it returns
/// statistic, degrees of freedom and logarithm of the p-value, which the facade has checked.
pub(super) struct CalledTest<'a> {
    pub(super) function: &'a Py<PyAny>,
    pub(super) n_variables: usize,
    pub(super) calls: &'a Calls<'a>,
}

impl IndependenceTest for CalledTest<'_> {
    type Session<'t>
        = CalledTestSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.n_variables
    }

    fn session(&self) -> CalledTestSession<'_> {
        CalledTestSession(self)
    }

    fn name(&self) -> &'static str {
        "own"
    }
}

pub(super) struct CalledTestSession<'t>(&'t CalledTest<'t>);

impl TestSession for CalledTestSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let mut sorted = given.to_vec();
        sorted.sort_unstable();
        let called: Option<(f64, f64, f64)> =
            self.0.calls.call(|py| self.0.function.call1(py, (x.min(y), x.max(y), sorted))?.extract(py));
        called.map_or(TestResult::NO_INFORMATION, |(statistic, degrees_of_freedom, log_p_value)| TestResult {
            statistic,
            degrees_of_freedom,
            log_p_value,
        })
    }
}

/// Local scores kept before the memory starts anew.
const CAPACITY: usize = 1 << 20;

/// A score that calls `function(child, parents)`, with positions and the parents sorted, once for each of these; it
/// returns a finite number, which the facade has checked.
pub(super) struct CalledScore<'a> {
    pub(super) function: &'a Py<PyAny>,
    /// Whether the user says, by the choice of a method that needs it, that equivalent DAGs score alike.
    pub(super) equivalent: bool,
    pub(super) n_variables: usize,
    pub(super) calls: &'a Calls<'a>,
    known: Mutex<FxHashMap<(Variable, VariableSet), f64>>,
}

impl<'a> CalledScore<'a> {
    pub(super) fn new(function: &'a Py<PyAny>, equivalent: bool, n_variables: usize, calls: &'a Calls<'a>) -> Self {
        Self { function, equivalent, n_variables, calls, known: Mutex::default() }
    }
}

impl LocalScore for CalledScore<'_> {
    type Session<'s>
        = CalledScoreSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.n_variables
    }

    fn session(&self) -> CalledScoreSession<'_> {
        CalledScoreSession(self)
    }

    fn name(&self) -> &'static str {
        "own"
    }

    fn is_score_equivalent(&self) -> bool {
        self.equivalent
    }
}

pub(super) struct CalledScoreSession<'s>(&'s CalledScore<'s>);

impl ScoreSession for CalledScoreSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let score = self.0;
        let key = (child, VariableSet::from_slice(parents));
        let lock = || score.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = lock().get(&key) {
            return known;
        }
        let called = score.calls.call(|py| score.function.call1(py, (child, parents.to_vec()))?.extract(py));
        let Some(value) = called else { return 0.0 };
        let mut known = lock();
        if known.len() >= CAPACITY {
            known.clear();
        }
        known.insert(key, value);
        value
    }
}
