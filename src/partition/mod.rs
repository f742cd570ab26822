//! The partition of variables into clusters: average linkage, then the cut of the paper (section 3.2, "Clustering").
//!
//! Distances are 1 − I(x, y)/H(x, y) for discrete data and 1 − |r| for Gaussian data; see
//! [`IndependenceTest::distances`](crate::independence::IndependenceTest::distances). A cluster is *large* when it has at
//! least max(3, ⌈p/20⌉) members (with more than 20 clusters allowed, ⌈p/κ⌉ in place of ⌈p/20⌉). The cut is the highest
//! one that has the most large clusters; small clusters are then merged, closest pair first, until all are large. κ, the
//! paper's number of clusters, is at most `max_clusters`.

mod cut;
mod linkage;

pub use cut::partition;
pub use linkage::{Merge, average_linkage};
