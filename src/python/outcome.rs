//! What learning leaves, as Python gets it: dictionaries with the keys of these structs, whose types are in `_core.pyi`.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::Variable;
use crate::hybrid::Learned;
use crate::run::{Ledger, Phase};
use crate::skeleton::Skeleton;

/// Edges as an array with one row for each: a dense graph has millions, of which a list of tuples takes seconds.
type EdgeArray = Py<PyArray2<Variable>>;

fn edge_array(py: Python<'_>, edges: impl Iterator<Item = (Variable, Variable)>) -> PyResult<EdgeArray> {
    let flat: Vec<Variable> = edges.flat_map(|(x, y)| [x, y]).collect();
    let n = flat.len() / 2;
    Ok(PyArray1::from_vec(py, flat).reshape([n, 2])?.unbind())
}

/// A result.
#[derive(IntoPyObject)]
pub(crate) struct Outcome {
    dag: Option<EdgeArray>,
    cpdag: (EdgeArray, EdgeArray),
    extendable: bool,
    directed: bool,
    score: Option<f64>,
    local_scores: Vec<f64>,
    path: Option<Vec<PathPoint>>,
    conflicts: Vec<Triple>,
    n_conflicts: usize,
    undecided: Vec<Triple>,
    n_undecided: usize,
    clusters: Option<Vec<u32>>,
    complete: bool,
    stages: Vec<Stage>,
    calls: ByPhase<u64>,
    seconds: ByPhase<f64>,
    separations: Option<Separations>,
    test: &'static str,
    decided_by_minimum_sample: u64,
}

/// An estimate along PATH.
#[derive(IntoPyObject)]
struct PathPoint {
    alpha: f64,
    edges: usize,
    score: f64,
    extendable: bool,
    selected: bool,
}

/// x − centre − y.
#[derive(IntoPyObject)]
struct Triple {
    x: Variable,
    centre: Variable,
    y: Variable,
}

/// What a stage did.
#[derive(IntoPyObject)]
struct Stage {
    name: &'static str,
    edges: usize,
    score: Option<f64>,
    seconds: f64,
}

/// A number for each phase of learning, by its name.
struct ByPhase<T>(Vec<(Phase, T)>);

impl<T> ByPhase<T> {
    fn of(value: impl Fn(Phase) -> T) -> Self {
        Self(Phase::ALL.into_iter().map(|phase| (phase, value(phase))).collect())
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for ByPhase<T> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let dict = PyDict::new(py);
        for (phase, value) in self.0 {
            dict.set_item(phase.name(), value)?;
        }
        Ok(dict)
    }
}

/// The pairs x < y that were tested, the logarithms of their largest p-values, and the sets that gave these: the set of
/// pair i is `members[starts[i]..starts[i + 1]]`.
#[derive(IntoPyObject)]
struct Separations {
    x: Py<PyArray1<Variable>>,
    y: Py<PyArray1<Variable>>,
    log_p: Py<PyArray1<f64>>,
    starts: Py<PyArray1<u64>>,
    members: Py<PyArray1<Variable>>,
}

impl Separations {
    fn new(py: Python<'_>, skeleton: &Skeleton) -> Self {
        let records = skeleton.records();
        let mut starts: Vec<u64> = Vec::with_capacity(records.len() + 1);
        let mut members: Vec<Variable> = Vec::new();
        starts.push(0);
        for record in records {
            members.extend_from_slice(&record.separating_set);
            starts.push(members.len() as u64);
        }
        Self {
            x: PyArray1::from_iter(py, records.iter().map(|r| r.x)).unbind(),
            y: PyArray1::from_iter(py, records.iter().map(|r| r.y)).unbind(),
            log_p: PyArray1::from_iter(py, records.iter().map(|r| r.max_log_p_value)).unbind(),
            starts: PyArray1::from_vec(py, starts).unbind(),
            members: PyArray1::from_vec(py, members).unbind(),
        }
    }
}

impl Outcome {
    /// The result, the name of the test, and how many tests its least-sample rule decided.
    pub(super) fn new(py: Python<'_>, learned: Learned, test: &'static str, decided: u64) -> PyResult<Self> {
        let triple = |(x, centre, y)| Triple { x, centre, y };
        let ledger: &Ledger = &learned.ledger;
        let (calls, seconds) = (ByPhase::of(|phase| ledger.calls(phase)), ByPhase::of(|phase| ledger.seconds(phase)));
        let point = |point: crate::orient::path::PathPoint| PathPoint {
            alpha: point.alpha.value(),
            edges: point.n_edges,
            score: point.score,
            extendable: point.extendable,
            selected: point.selected,
        };
        let stage = |stage: crate::hybrid::StageReport| Stage {
            name: stage.name,
            edges: stage.n_edges,
            score: stage.score,
            seconds: stage.seconds,
        };
        let cpdag = &learned.cpdag;
        Ok(Self {
            dag: learned.dag.as_ref().map(|dag| edge_array(py, dag.arcs())).transpose()?,
            cpdag: (edge_array(py, cpdag.directed_edges())?, edge_array(py, cpdag.undirected_edges())?),
            extendable: learned.extendable,
            directed: learned.directed,
            score: learned.score,
            local_scores: learned.local_scores,
            path: learned.path.map(|points| points.into_iter().map(point).collect()),
            conflicts: learned.conflicts.iter().map(|v| triple((v.x, v.centre, v.y))).collect(),
            n_conflicts: learned.n_conflicts,
            undecided: learned.undecided.into_iter().map(triple).collect(),
            n_undecided: learned.n_undecided,
            clusters: learned.clusters,
            complete: learned.complete,
            stages: learned.stages.into_iter().map(stage).collect(),
            calls,
            seconds,
            separations: learned.skeleton.as_ref().map(|skeleton| Separations::new(py, skeleton)),
            test,
            decided_by_minimum_sample: decided,
        })
    }
}
