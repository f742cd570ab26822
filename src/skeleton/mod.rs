//! Skeleton learners: which pairs of variables are adjacent, and what separated the others.

mod learner;
pub mod local;
mod neighbourhoods;
mod pc;
mod screen;
mod separating;
mod store;
mod sweep;
mod worker;

pub(crate) use pc::screened_pc;
pub use pc::{PcOptions, partitioned_pc, pc};
pub use store::{PairRecord, Skeleton};
