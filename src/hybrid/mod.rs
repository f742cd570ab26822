//! Composition: every method of the package is a choice for each of five stages.
//!
//! restrict (which pairs may be connected) × select (PATH) × initialise (empty, oriented, HGI or given) × maximise
//! (hill-climbing, tabu, GES or nothing) × refine (over all pairs). The paper's pHGS (algorithm 5) is partitioned PC, PATH,
//! HGI and tabu search; MMHC is MMPC, the empty graph and hill-climbing; see [`learn`].
//!
//! What no stage may break, knowledge and the limit of parents, is one value
//! ([`Constraints`](crate::knowledge::Constraints)). Graphs go from stage to stage, and to the caller, through one function that
//! repairs what does not keep it.

mod any_test;
mod config;
mod estimate;
mod learn;
mod learned;
mod pef;
mod searches;
mod state;

pub use config::{
    Adaptive, Equivalence, Hybrid, Initialise, Maximise, Order, Partition, Refine, Restrict, VStructureRule,
};
pub use learn::learn;
pub use learned::{Learned, StageReport};
pub use pef::{Fused, partition_estimation_fusion};
