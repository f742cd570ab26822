//! Skeleton learners: which pairs of variables are adjacent, and what separated the others.

mod store;

pub use store::{PairRecord, Skeleton};
