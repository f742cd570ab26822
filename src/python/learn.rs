//! Learning: from a data set and a composition to a result as plain Python values.

use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::called_test::{CalledTest, Raised};
use super::composition;
use super::data::{Data, Table};
use super::run::{Settings, run_job};
use super::scoring::ScoreChoice;
use super::testing::{TestChoice, WithTest, on_correlation};
use crate::hybrid::{Hybrid, Learned};
use crate::independence::IndependenceTest;
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Phase, Run};
use crate::score::{LocalScore, NoScore};
use crate::{Error, Result, Variable};

/// Learns a graph from data of any type.
///
/// `test`, `score` and `composition` are dictionaries that the facade makes, `knowledge` one or `None`. Data with missing
/// values have no score, and the composition must not ask for one: the facade sees to it. `cluster` is called, where the
/// composition asks for it, as `cluster(distances)` with the condensed distances of all pairs and returns a label for
/// each variable. A `function` in `test` is called for each test in place of one of ours, on one thread. Returns a
/// dictionary.
#[pyfunction]
#[pyo3(signature = (dataset, *, test, score, composition, knowledge, cluster, threads, time_limit, progress))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn learn<'py>(
    py: Python<'py>,
    dataset: Data<'py>,
    test: Bound<'py, PyDict>,
    score: Option<Bound<'py, PyDict>>,
    composition: Bound<'py, PyDict>,
    knowledge: Option<Bound<'py, PyDict>>,
    cluster: Py<PyAny>,
    threads: usize,
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let table = dataset.table();
    let called: Option<Py<PyAny>> = test.get_item("function")?.map(Bound::unbind);
    let test = if called.is_some() { TestChoice::PLAIN } else { TestChoice::new(&test)? };
    if called.is_none() {
        test.check(&table)?;
    }
    let threads = if called.is_some() { 1 } else { threads };
    let raised = Raised::default();
    let score = score.as_ref().map(ScoreChoice::new).transpose()?;
    let hybrid = composition::hybrid(&composition, table.n_variables())?;
    let knowledge = composition::knowledge(knowledge.as_ref(), table.n_variables())?;
    let clustering = Clustering::new(cluster);
    let scored = || score.ok_or_else(|| Error::parameter("score", "these data need one"));
    let learning = Learning { hybrid: &hybrid, clustering: &clustering, knowledge: &knowledge };
    let n_variables = table.n_variables();
    let job = |run: &Run| {
        let canceller = run.canceller();
        let own = called.as_ref().map(|function| CalledTest {
            function,
            n_variables,
            canceller: &canceller,
            raised: &raised,
        });
        match &table {
            Table::Discrete(data) => {
                let engine = data.engine();
                let score = scored()?.on_counts(&engine)?;
                let job = learning.by(&score, run);
                own.map_or_else(|| test.on_counts(&engine, &job), |own| job.with(&own))
            }
            Table::Incomplete(data) => {
                let score = NoScore::new(n_variables);
                let job = learning.by(&score, run);
                own.map_or_else(|| test.on_incomplete(data, &job), |own| job.with(&own))
            }
            Table::Gaussian(correlation) => {
                let score = scored()?.on_correlation(correlation)?;
                let job = learning.by(&score, run);
                own.map_or_else(|| on_correlation(correlation, &job), |own| job.with(&own))
            }
        }
    };
    let outcome = run_job(py, &Settings { threads, time_limit, progress }, job);
    if let Some(error) = raised.into_inner().expect("nobody panics with this lock") {
        return Err(error);
    }
    let (learned, test_name, decided) = clustering.raised(outcome)?;
    let result = result(py, learned)?;
    result.set_item("test", test_name)?;
    result.set_item("decided_by_minimum_sample", decided)?;
    Ok(result)
}

/// What is learned and how, for data of any type.
#[derive(Clone, Copy)]
struct Learning<'a> {
    hybrid: &'a Hybrid,
    clustering: &'a Clustering,
    knowledge: &'a Knowledge,
}

impl<'a> Learning<'a> {
    fn by<S: LocalScore>(self, score: &'a S, run: &'a Run) -> Scored<'a, S> {
        Scored { learning: self, score, run }
    }
}

struct Scored<'a, S> {
    learning: Learning<'a>,
    score: &'a S,
    run: &'a Run,
}

impl<S: LocalScore> WithTest for Scored<'_, S> {
    type Output = (Learned, &'static str, u64);

    fn with<T: IndependenceTest>(&self, test: &T) -> Result<Self::Output> {
        let Learning { hybrid, clustering, knowledge } = self.learning;
        let cluster = |distances| clustering.labels(distances);
        let learned = crate::hybrid::learn(test, self.score, hybrid, cluster, knowledge, self.run)?;
        Ok((learned, test.name(), test.decided_by_minimum_sample()))
    }
}

/// The facade's clustering, called from the thread of a job.
struct Clustering {
    cluster: Py<PyAny>,
    /// What it raised.
    error: Mutex<Option<PyErr>>,
}

impl Clustering {
    fn new(cluster: Py<PyAny>) -> Self {
        Self { cluster, error: Mutex::new(None) }
    }

    fn labels(&self, distances: Vec<f64>) -> Result<Vec<u32>> {
        Python::attach(|py| {
            let called = self
                .cluster
                .call1(py, (PyArray1::from_vec(py, distances),))
                .and_then(|labels| labels.bind(py).call_method0("tolist")?.extract());
            called.map_err(|error| {
                *self.error.lock().expect("nobody panics with this lock") = Some(error);
                Error::Data("the variables could not be clustered".into())
            })
        })
    }

    /// The outcome of the job, or what clustering raised in it.
    fn raised<T>(self, outcome: PyResult<T>) -> PyResult<T> {
        match self.error.into_inner().expect("nobody panics with this lock") {
            Some(error) => Err(error),
            None => outcome,
        }
    }
}

/// The result as a dictionary of plain values; see `_core.pyi`.
fn result(py: Python<'_>, learned: Learned) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("dag", learned.dag.as_ref().map(|dag| pairs(py, dag.arcs())).transpose()?)?;
    let cpdag = &learned.cpdag;
    dict.set_item("cpdag", (pairs(py, cpdag.directed_edges())?, pairs(py, cpdag.undirected_edges())?))?;
    dict.set_item("extendable", learned.extendable)?;
    dict.set_item("directed", learned.directed)?;
    dict.set_item("score", learned.score)?;
    dict.set_item("local_scores", learned.local_scores)?;
    let path = learned.path.map(|points| {
        points.iter().map(|p| (p.log_alpha.exp(), p.n_edges, p.score, p.extendable, p.selected)).collect::<Vec<_>>()
    });
    dict.set_item("path", path)?;
    let conflicts: Vec<_> = learned.conflicts.iter().map(|v| (v.x, v.centre, v.y)).collect();
    dict.set_item("conflicts", conflicts)?;
    dict.set_item("n_conflicts", learned.n_conflicts)?;
    dict.set_item("undecided", learned.undecided)?;
    dict.set_item("n_undecided", learned.n_undecided)?;
    dict.set_item("clusters", learned.clusters)?;
    dict.set_item("complete", learned.complete)?;
    let stages: Vec<_> = learned.stages.iter().map(|s| (s.name, s.n_edges, s.score, s.seconds)).collect();
    dict.set_item("stages", stages)?;
    dict.set_item("calls", phases(py, |phase| learned.ledger.calls(phase))?)?;
    dict.set_item("seconds", seconds(py, &learned.ledger)?)?;
    dict.set_item("separations", None::<()>)?;
    if let Some(skeleton) = learned.skeleton {
        let records = skeleton.records();
        let mut starts: Vec<u64> = Vec::with_capacity(records.len() + 1);
        let mut members: Vec<u32> = Vec::new();
        starts.push(0);
        for record in records {
            members.extend_from_slice(&record.separating_set);
            starts.push(members.len() as u64);
        }
        let separations = PyDict::new(py);
        separations.set_item("x", PyArray1::from_iter(py, records.iter().map(|r| r.x)))?;
        separations.set_item("y", PyArray1::from_iter(py, records.iter().map(|r| r.y)))?;
        separations.set_item("log_p", PyArray1::from_iter(py, records.iter().map(|r| r.max_log_p_value)))?;
        separations.set_item("starts", PyArray1::from_vec(py, starts))?;
        separations.set_item("members", PyArray1::from_vec(py, members))?;
        dict.set_item("separations", separations)?;
    }
    Ok(dict)
}

/// Edges as an array with one row for each: a dense graph has millions, of which a list of tuples takes seconds.
fn pairs<'py>(
    py: Python<'py>,
    edges: impl Iterator<Item = (Variable, Variable)>,
) -> PyResult<Bound<'py, PyArray2<Variable>>> {
    let flat: Vec<Variable> = edges.flat_map(|(x, y)| [x, y]).collect();
    let n = flat.len() / 2;
    PyArray1::from_vec(py, flat).reshape([n, 2])
}

fn phases<'py, V: IntoPyObject<'py>>(py: Python<'py>, value: impl Fn(Phase) -> V) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for phase in Phase::ALL {
        dict.set_item(phase.name(), value(phase))?;
    }
    Ok(dict)
}

fn seconds<'py>(py: Python<'py>, ledger: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    phases(py, |phase| ledger.seconds(phase))
}
