//! Places of nodes for drawings of graphs.
//!
//! * [`layered`] puts nodes in layers, so that arcs point down and edges cross little (Sugiyama, Tagawa and Toda 1981).
//! * [`force`] places many nodes by springs and repulsion (Hu 2005): a map of a large graph.
//! * [`separate`] moves boxes apart until none overlaps another.
//!
//! All are deterministic, and none takes longer than a few multiples of n log n for n nodes and edges (and, for layers,
//! the layers that edges pass).

mod coarsen;
mod crossings;
mod force;
mod layered;
mod order;
mod quadtree;
mod separate;

pub use crossings::count_crossings;
pub use force::force;
pub use layered::{Layered, layered};
pub use order::downward_order;
pub use separate::separate;

/// A point: x to the right, y upwards.
pub type Point = [f64; 2];
