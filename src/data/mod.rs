//! Data: built once, checked once, never changed.

mod continuous;
mod correlation;
mod discrete;
mod incomplete;
mod relations;

pub use continuous::ContinuousData;
pub use correlation::Correlation;
pub(crate) use correlation::SINGULAR;
pub use discrete::{Codes, DiscreteData, MAX_ARITY};
pub use incomplete::IncompleteData;
pub use relations::{copies, determined, determined_within};
