//! Learning: from data and a composition of stages to a result.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::calls::Calls;
use super::dataset::{AnyDataset, OpenData};
use super::knowledge::{self, KnowledgeFacts};
use super::outcome::Outcome;
use super::run::{AT_ONCE, Settings};
use super::scoring::{ScoreChoice, WithScore};
use super::stages::Composition;
use super::testing::{TestChoice, WithTest};
use crate::hybrid::{Hybrid, Learned};
use crate::independence::IndependenceTest;
use crate::knowledge::Scope;
use crate::run::Run;
use crate::score::LocalScore;
use crate::{Error, Result, Variable};

/// Learns a graph from data of any type.
///
/// Variables that are `isolated` have no edges; those that are `untested` are isolated where the method tests, not where it
/// scores all pairs. Data with missing values have no score of ours, and the composition must not ask for one: the facade sees to it.
/// `cluster` is called, where the composition asks for it, as `cluster(distances)` with the condensed distances of all
/// pairs and returns a label for each variable. Tests and scores that are functions are called on one thread.
#[pyfunction]
#[pyo3(signature = (dataset, *, test, score, composition, knowledge, isolated, untested, cluster, threads, time_limit, progress))]
pub(crate) fn learn(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    test: TestChoice,
    score: ScoreChoice,
    composition: Composition,
    knowledge: Option<KnowledgeFacts>,
    isolated: Vec<Variable>,
    untested: Vec<Variable>,
    cluster: Py<PyAny>,
    threads: usize,
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let data = dataset.data();
    let n_variables = data.n_variables();
    let hybrid = composition.into_core(n_variables)?;
    let knowledge = knowledge::of_facts(knowledge, n_variables)?;
    let untested = if untested.is_empty() { untested } else { [untested, isolated.clone()].concat() };
    let (isolated, untested) = (knowledge::marked(&isolated, n_variables)?, knowledge::marked(&untested, n_variables)?);
    let mut scope = Scope::new(&knowledge, &isolated)?;
    if !untested.is_empty() {
        scope = scope.leaving_to_scores(&untested);
    }
    let threads = if test.is_own() || score.is_own() { 1 } else { threads };
    let settings = Settings { threads, time_limit, progress, ..AT_ONCE };
    let (learned, name, decided) = data.run(py, settings, |data, run, calls| {
        let learning = Learning { hybrid: &hybrid, scope, cluster: &cluster, test: &test, data, calls };
        score.on(data, n_variables, calls, &learning, run)
    })?;
    Outcome::new(py, learned, name, decided)
}

/// What is learned and how: all but the score.
struct Learning<'a> {
    hybrid: &'a Hybrid,
    scope: Scope<'a>,
    cluster: &'a Py<PyAny>,
    test: &'a TestChoice,
    data: &'a OpenData<'a>,
    calls: &'a Calls<'a>,
}

/// The result, the name of the test, and how many tests its least-sample rule decided.
type Found = (Learned, &'static str, u64);

impl WithScore for Learning<'_> {
    type Output = Found;

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Found> {
        self.test.on(self.data, score.n_variables(), self.calls, &Scored { learning: self, score, run })
    }
}

struct Scored<'a, S> {
    learning: &'a Learning<'a>,
    score: &'a S,
    run: &'a Run,
}

impl<S: LocalScore> WithTest for Scored<'_, S> {
    type Output = Found;

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Found> {
        let &Learning { hybrid, scope, .. } = self.learning;
        let cluster = |distances| self.learning.labels(distances);
        let learned = crate::hybrid::learn(test, self.score, hybrid, cluster, scope, self.run)?;
        Ok((learned, test.name(), test.decided_by_minimum_sample()))
    }
}

impl Learning<'_> {
    /// The facade's clustering, called from the thread of the job.
    fn labels(&self, distances: Vec<f64>) -> Result<Vec<u32>> {
        let labels = self.calls.call(|py| {
            let labels = self.cluster.call1(py, (PyArray1::from_vec(py, distances),))?;
            labels.bind(py).call_method0("tolist")?.extract()
        });
        labels.ok_or(Error::Interrupted)
    }
}
