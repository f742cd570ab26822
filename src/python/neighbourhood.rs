//! The neighbourhood of one variable.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition;
use super::data::Data;
use super::graph::check;
use super::run::{Settings, run_job};
use super::testing::{TestChoice, WithTest};
use crate::independence::IndependenceTest;
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Run};
use crate::skeleton::local::{LocalLearner, LocalNeighbour, LocalOptions, local_neighbourhood};
use crate::{Result, Variable};

/// A neighbour, the logarithm of the largest p-value of all tests of the pair, and the set that gave it.
type Found = (Variable, f64, Vec<Variable>);

/// Learns the neighbours of one variable; `local` describes a learner of neighbourhoods. Returns them with the number of
/// tests and the name of the test.
#[pyfunction]
#[pyo3(signature = (dataset, target, *, test, local, knowledge, threads, progress))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn neighbourhood(
    py: Python<'_>,
    dataset: Data<'_>,
    target: Variable,
    test: Bound<'_, PyDict>,
    local: Bound<'_, PyDict>,
    knowledge: Option<Bound<'_, PyDict>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<Found>, u64, &'static str)> {
    let (learner, options) = composition::local(&local)?;
    let settings = Settings { threads, time_limit: None, progress };
    let table = dataset.table();
    check(table.n_variables(), [target])?;
    let test = TestChoice::new(&test)?;
    test.check(&table)?;
    let knowledge = composition::knowledge(knowledge.as_ref(), table.n_variables())?;
    run_job(py, &settings, |run| {
        test.on(&table, &Search { learner, options: &options, target, knowledge: &knowledge, run })
    })
}

struct Search<'a> {
    learner: LocalLearner,
    options: &'a LocalOptions,
    target: Variable,
    knowledge: &'a Knowledge,
    run: &'a Run,
}

impl WithTest for Search<'_> {
    type Output = (Vec<Found>, u64, &'static str);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let &Self { learner, options, target, knowledge, run } = self;
        let mut ledger = Ledger::new();
        let found = local_neighbourhood(learner, test, target, options, knowledge, run, &mut ledger)?;
        let plain = |n: LocalNeighbour| (n.variable, n.max_log_p_value, n.closest_set.to_vec());
        Ok((found.into_iter().map(plain).collect(), ledger.total_calls(), test.name()))
    }
}
