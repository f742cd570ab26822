//! Data: built once, checked once, never changed.

mod continuous;
mod discrete;
mod incomplete;

pub(crate) use continuous::SINGULAR;
pub use continuous::{ContinuousData, Correlation};
pub use discrete::{Codes, DiscreteData, MAX_ARITY};
pub use incomplete::IncompleteData;
