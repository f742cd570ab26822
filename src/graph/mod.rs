//! Graphs over variables: undirected graphs, DAGs and partially directed graphs, d-separation and
//! metrics.

mod blanket;
mod dag;
mod metrics;
mod pdag;
mod reach;
mod separation;
mod undirected;

pub use dag::Dag;
pub use metrics::{Comparison, KindCounts, compare};
pub use pdag::{EdgeMark, Pdag};
pub(crate) use reach::Reach;
pub use separation::DSeparation;
pub use undirected::UndirectedGraph;

use crate::Variable;

/// Inserts into a sorted list; false when it was there.
fn insert_sorted(list: &mut Vec<Variable>, variable: Variable) -> bool {
    match list.binary_search(&variable) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, variable);
            true
        }
    }
}

/// Removes from a sorted list; false when it was not there.
fn remove_sorted(list: &mut Vec<Variable>, variable: Variable) -> bool {
    match list.binary_search(&variable) {
        Ok(at) => {
            list.remove(at);
            true
        }
        Err(_) => false,
    }
}
