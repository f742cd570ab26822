//! The neighbourhood and the Markov blanket of one variable.

use pyo3::prelude::*;

use super::dataset::AnyDataset;
use super::graph::check;
use super::knowledge::{self, KnowledgeFacts};
use super::run::{AT_ONCE, Settings};
use super::stages::Neighbourhoods;
use super::testing::{TestChoice, WithTest};
use crate::independence::IndependenceTest;
use crate::knowledge::Scope;
use crate::run::{Ledger, Run};
use crate::skeleton::local::{LocalNeighbour, LocalOptions, local_neighbourhood, markov_blanket as blanket};
use crate::{Result, Variable};

/// What [`neighbourhood`] returns.
#[derive(IntoPyObject)]
pub(crate) struct Neighbourhood {
    neighbours: Vec<Neighbour>,
    /// Number of tests.
    calls: u64,
    /// Name of the test.
    test: &'static str,
}

/// A neighbour, the logarithm of the largest p-value of all tests of the pair, and the set that gave it.
#[derive(IntoPyObject)]
struct Neighbour {
    variable: Variable,
    log_p_value: f64,
    weakest_set: Vec<Variable>,
}

/// What [`markov_blanket`] returns.
#[derive(IntoPyObject)]
pub(crate) struct Blanket {
    variables: Vec<Variable>,
    /// Number of tests.
    calls: u64,
    /// Name of the test.
    test: &'static str,
}

/// Learns the neighbours of one variable.
#[pyfunction]
#[pyo3(signature = (dataset, target, *, test, local, knowledge, isolated, threads, progress))]
pub(crate) fn neighbourhood(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    target: Variable,
    test: TestChoice,
    local: Neighbourhoods,
    knowledge: Option<KnowledgeFacts>,
    isolated: Vec<Variable>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Neighbourhood> {
    let (found, calls, test) =
        search(py, &dataset, target, &test, &local, (knowledge, isolated), threads, progress, Neighbours)?;
    let plain = |n: LocalNeighbour| Neighbour {
        variable: n.variable,
        log_p_value: n.max_log_p_value,
        weakest_set: n.closest_set.to_vec(),
    };
    Ok(Neighbourhood { neighbours: found.into_iter().map(plain).collect(), calls, test })
}

/// Learns the Markov blanket of one variable; the same arguments.
#[pyfunction]
#[pyo3(signature = (dataset, target, *, test, local, knowledge, isolated, threads, progress))]
pub(crate) fn markov_blanket(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    target: Variable,
    test: TestChoice,
    local: Neighbourhoods,
    knowledge: Option<KnowledgeFacts>,
    isolated: Vec<Variable>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Blanket> {
    let (variables, calls, test) =
        search(py, &dataset, target, &test, &local, (knowledge, isolated), threads, progress, Members)?;
    Ok(Blanket { variables, calls, test })
}

fn search<W: What>(
    py: Python<'_>,
    dataset: &AnyDataset<'_>,
    target: Variable,
    test: &TestChoice,
    local: &Neighbourhoods,
    known: (Option<KnowledgeFacts>, Vec<Variable>),
    threads: usize,
    progress: Option<Py<PyAny>>,
    what: W,
) -> PyResult<(W::Found, u64, &'static str)> {
    let data = dataset.data();
    let n_variables = data.n_variables();
    check(n_variables, [target])?;
    let knowledge = knowledge::of_facts(known.0, n_variables)?;
    let isolated = knowledge::marked(&known.1, n_variables)?;
    let scope = Scope::new(&knowledge, &isolated)?;
    let threads = if test.is_own() { 1 } else { threads };
    data.run(py, Settings { threads, progress, ..AT_ONCE }, |data, run, calls| {
        let options = &local.options();
        let around = Around { local, options, target, scope, run, what: &what };
        test.on(data, n_variables, calls, &around)
    })
}

/// What is looked for around a variable.
trait What: Sync {
    type Found: Send;

    fn find<T: IndependenceTest>(
        &self,
        around: &Around<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Self::Found>
    where
        Self: Sized;
}

struct Neighbours;

impl What for Neighbours {
    type Found = Vec<LocalNeighbour>;

    fn find<T: IndependenceTest>(
        &self,
        around: &Around<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Vec<LocalNeighbour>> {
        let &Around { local, options, target, scope, run, .. } = around;
        local_neighbourhood(local.learner, test, target, options, scope, run, ledger)
    }
}

struct Members;

impl What for Members {
    type Found = Vec<Variable>;

    fn find<T: IndependenceTest>(
        &self,
        around: &Around<'_, Self>,
        test: &T,
        ledger: &mut Ledger,
    ) -> Result<Vec<Variable>> {
        let &Around { local, options, target, scope, run, .. } = around;
        blanket(local.learner, test, target, options, scope, run, ledger)
    }
}

struct Around<'a, W> {
    local: &'a Neighbourhoods,
    options: &'a LocalOptions,
    target: Variable,
    scope: Scope<'a>,
    run: &'a Run,
    what: &'a W,
}

impl<W: What> WithTest for Around<'_, W> {
    type Output = (W::Found, u64, &'static str);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let mut ledger = Ledger::new();
        let found = self.what.find(self, test, &mut ledger)?;
        Ok((found, ledger.total_calls(), test.name()))
    }
}
