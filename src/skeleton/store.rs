//! The store of maximum p-values (Φ) and separating sets (S) that a skeleton learner leaves.

use crate::graph::UndirectedGraph;
use crate::independence::Alpha;
use crate::{Variable, VariableSet};

/// What is known of one pair that was not separated by its marginal test.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRecord {
    /// The lower variable.
    pub x: Variable,
    /// The higher variable.
    pub y: Variable,
    /// Φ: the logarithm of the largest p-value of all tests of the pair.
    pub max_log_p_value: f64,
    /// S: the set that gave it, in increasing order. For an adjacent pair, the set that came closest to separating it.
    pub separating_set: VariableSet,
}

/// A learned skeleton, with Φ and S of the paper (equation "sep") for every pair that was tested beyond its marginal
/// test. A pair without a record was separated by its marginal test (S = ∅), or forbidden by knowledge.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    graph: UndirectedGraph,
    alpha: Alpha,
    /// By increasing (x, y); `starts[x]` is the first record of x.
    records: Vec<PairRecord>,
    starts: Vec<usize>,
}

impl Skeleton {
    /// Builds the store from records in any order, one for each pair. A pair is adjacent when its Φ is at most α.
    pub fn new(n_variables: usize, alpha: Alpha, mut records: Vec<PairRecord>) -> Self {
        records.sort_unstable_by_key(|r| (r.x, r.y));
        debug_assert!(records.windows(2).all(|w| (w[0].x, w[0].y) < (w[1].x, w[1].y)));
        let edges = records.iter().filter(|r| r.max_log_p_value <= alpha.log()).map(|r| (r.x, r.y));
        let graph = UndirectedGraph::from_edges(n_variables, edges);
        let starts = (0..=n_variables).map(|x| records.partition_point(|r| (r.x as usize) < x)).collect();
        Self { graph, alpha, records, starts }
    }

    /// The adjacent pairs at α.
    pub fn graph(&self) -> &UndirectedGraph {
        &self.graph
    }

    /// The significance level.
    pub fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// All records, by increasing (x, y).
    pub fn records(&self) -> &[PairRecord] {
        &self.records
    }

    /// The record of a pair, if it was tested beyond its marginal test.
    pub fn record(&self, x: Variable, y: Variable) -> Option<&PairRecord> {
        let (x, y) = (x.min(y), x.max(y));
        let of_x = &self.records[self.starts[x as usize]..self.starts[x as usize + 1]];
        of_x.binary_search_by_key(&y, |r| r.y).ok().map(|at| &of_x[at])
    }

    /// The set that separates a pair that is not adjacent: empty when the marginal test did.
    pub fn separating_set(&self, x: Variable, y: Variable) -> &[Variable] {
        self.record(x, y).map_or(&[], |r| &r.separating_set)
    }

    /// The adjacent pairs at a lower threshold: those whose Φ is at most `exp(log_threshold)`.
    pub fn graph_at(&self, log_threshold: f64) -> UndirectedGraph {
        let edges = self.records.iter().filter(|r| r.max_log_p_value <= log_threshold).map(|r| (r.x, r.y));
        UndirectedGraph::from_edges(self.graph.n_variables(), edges)
    }
}
