//! The neighbourhood of one variable.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition;
use super::dataset::Dataset;
use super::gaussian::Gaussian;
use super::graph::check;
use super::incomplete::{IncompleteDataset, testwise};
use super::run::{Settings, run_job};
use crate::counts::CountingEngine;
use crate::independence::{FisherZTest, G2Test, IndependenceTest, PearsonTest};
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Run};
use crate::skeleton::local::{LocalLearner, LocalNeighbour, LocalOptions, local_neighbourhood};
use crate::{Result, Variable};

/// Data of any type.
#[derive(FromPyObject)]
pub(crate) enum Data<'py> {
    Discrete(PyRef<'py, Dataset>),
    Gaussian(PyRef<'py, Gaussian>),
    Incomplete(PyRef<'py, IncompleteDataset>),
}

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
    let search = Search { learner, options, target };
    match dataset {
        Data::Discrete(dataset) => {
            let data = dataset.data();
            check(data.n_variables(), [target])?;
            let knowledge = composition::knowledge(knowledge.as_ref(), data.n_variables())?;
            let test = composition::test(&test)?;
            run_job(py, &settings, |run| {
                let engine = CountingEngine::new(&data);
                if test.name == "g2" {
                    let test = G2Test::with_rules(&engine, test.degrees_of_freedom, test.minimum_sample)?;
                    search.run(&test, &knowledge, run)
                } else {
                    let test = PearsonTest::with_rules(&engine, test.degrees_of_freedom, test.minimum_sample)?;
                    search.run(&test, &knowledge, run)
                }
            })
        }
        Data::Incomplete(dataset) => {
            let data = dataset.data();
            check(data.n_variables(), [target])?;
            let knowledge = composition::knowledge(knowledge.as_ref(), data.n_variables())?;
            let choice = composition::test(&test)?;
            run_job(py, &settings, |run| search.run(&testwise(&data, &choice)?, &knowledge, run))
        }
        Data::Gaussian(dataset) => {
            let correlation = dataset.correlation();
            check(correlation.n_variables(), [target])?;
            let knowledge = composition::knowledge(knowledge.as_ref(), correlation.n_variables())?;
            run_job(py, &settings, |run| search.run(&FisherZTest::new(&correlation), &knowledge, run))
        }
    }
}

struct Search {
    learner: LocalLearner,
    options: LocalOptions,
    target: Variable,
}

impl Search {
    fn run<T: IndependenceTest>(
        &self,
        test: &T,
        knowledge: &Knowledge,
        run: &Run,
    ) -> Result<(Vec<Found>, u64, &'static str)> {
        let mut ledger = Ledger::new();
        let found = local_neighbourhood(self.learner, test, self.target, &self.options, knowledge, run, &mut ledger)?;
        let plain = |n: LocalNeighbour| (n.variable, n.max_log_p_value, n.closest_set.to_vec());
        Ok((found.into_iter().map(plain).collect(), ledger.total_calls(), test.name()))
    }
}
