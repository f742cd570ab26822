//! The neighbourhood and the Markov blanket of one variable.

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
use crate::skeleton::local::{
    LocalLearner, LocalNeighbour, LocalOptions, local_neighbourhood, markov_blanket as blanket,
};
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
    search(py, &dataset, target, &test, &local, knowledge.as_ref(), threads, progress, Neighbours)
}

/// Learns the Markov blanket of one variable; the same arguments.
#[pyfunction]
#[pyo3(signature = (dataset, target, *, test, local, knowledge, threads, progress))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn markov_blanket(
    py: Python<'_>,
    dataset: Data<'_>,
    target: Variable,
    test: Bound<'_, PyDict>,
    local: Bound<'_, PyDict>,
    knowledge: Option<Bound<'_, PyDict>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<Variable>, u64, &'static str)> {
    search(py, &dataset, target, &test, &local, knowledge.as_ref(), threads, progress, Blanket)
}

fn search<W: What>(
    py: Python<'_>,
    dataset: &Data<'_>,
    target: Variable,
    test: &Bound<'_, PyDict>,
    local: &Bound<'_, PyDict>,
    knowledge: Option<&Bound<'_, PyDict>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    what: W,
) -> PyResult<(W::Found, u64, &'static str)> {
    let (learner, options) = composition::local(local)?;
    let settings = Settings { threads, time_limit: None, progress };
    let table = dataset.table();
    check(table.n_variables(), [target])?;
    let test = TestChoice::new(test)?;
    test.check(&table)?;
    let knowledge = composition::knowledge(knowledge, table.n_variables())?;
    run_job(py, &settings, |run| {
        test.on(&table, &Search { learner, options: &options, target, knowledge: &knowledge, run, what: &what })
    })
}

/// What is looked for around a variable.
trait What: Sync {
    type Found: Send;

    fn find<T: IndependenceTest>(
        &self,
        search: &Search<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Self::Found>
    where
        Self: Sized;
}

struct Neighbours;

impl What for Neighbours {
    type Found = Vec<Found>;

    fn find<T: IndependenceTest>(
        &self,
        search: &Search<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Vec<Found>> {
        let &Search { learner, options, target, knowledge, run, .. } = search;
        let found = local_neighbourhood(learner, test, target, options, knowledge, run, ledger)?;
        let plain = |n: LocalNeighbour| (n.variable, n.max_log_p_value, n.closest_set.to_vec());
        Ok(found.into_iter().map(plain).collect())
    }
}

struct Blanket;

impl What for Blanket {
    type Found = Vec<Variable>;

    fn find<T: IndependenceTest>(
        &self,
        search: &Search<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Vec<Variable>> {
        let &Search { learner, options, target, knowledge, run, .. } = search;
        blanket(learner, test, target, options, knowledge, run, ledger)
    }
}

struct Search<'a, W> {
    learner: LocalLearner,
    options: &'a LocalOptions,
    target: Variable,
    knowledge: &'a Knowledge,
    run: &'a Run,
    what: &'a W,
}

impl<W: What> WithTest for Search<'_, W> {
    type Output = (W::Found, u64, &'static str);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let mut ledger = Ledger::new();
        let found = self.what.find(self, test, &mut ledger)?;
        Ok((found, ledger.total_calls(), test.name()))
    }
}
