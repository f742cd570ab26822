//! Data: built once, checked once, never changed.

mod continuous;
mod discrete;

pub(crate) use continuous::SINGULAR;
pub use continuous::{ContinuousData, Correlation};
pub use discrete::{Codes, DiscreteData, MAX_ARITY};
