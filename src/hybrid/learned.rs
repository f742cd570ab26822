//! What learning leaves.

use crate::graph::{Dag, Pdag};
use crate::orient::path::PathPoint;
use crate::orient::{Triple, VStructure};
use crate::run::Ledger;
use crate::skeleton::Skeleton;

/// A stage that has been run, for those who want to see how the result came about.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// Name of the stage.
    pub name: &'static str,
    /// Number of edges after it.
    pub n_edges: usize,
    /// Score of its DAG; `None` where it leaves no DAG.
    pub score: Option<f64>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// The result of [`super::learn`].
#[derive(Debug, Clone)]
pub struct Learned {
    /// The DAG; `None` where the method learns none.
    pub dag: Option<Dag>,
    /// Its CPDAG (with background knowledge: the maximally directed graph), or the estimate of a constraint-based method.
    pub cpdag: Pdag,
    /// Whether `cpdag` has a consistent extension; always when there is a DAG.
    pub extendable: bool,
    /// Score of the DAG.
    pub score: Option<f64>,
    /// Local score of every variable with its parents in the DAG; empty where there is none.
    pub local_scores: Vec<f64>,
    /// The solution path, where PATH was asked for.
    pub path: Option<Vec<PathPoint>>,
    /// Whether the skeleton was directed, where orientation directs one: false when the time limit left it as it was.
    pub directed: bool,
    /// V-structures that orientation skipped because they conflict with others: the first
    /// [`MOST_CONFLICTS`](crate::orient::MOST_CONFLICTS) of them.
    pub conflicts: Vec<VStructure>,
    /// How many were skipped in all.
    pub n_conflicts: usize,
    /// Unshielded triples that a cautious collider rule could not decide: as many of them as of conflicts.
    pub undecided: Vec<Triple>,
    /// How many there are in all.
    pub n_undecided: usize,
    /// The skeleton with its maximum p-values and separating sets, where PC or pPC learned one.
    pub skeleton: Option<Skeleton>,
    /// The cluster of every variable, where they were partitioned.
    pub clusters: Option<Vec<u32>>,
    /// The stages in order.
    pub stages: Vec<StageReport>,
    /// Statistical calls and seconds by phase.
    pub ledger: Ledger,
    /// Whether every stage came to its own end (false: the time limit cut one short).
    pub complete: bool,
}
