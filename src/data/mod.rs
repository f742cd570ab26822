//! Data: built once, checked once, never changed.

mod discrete;

pub use discrete::{Codes, DiscreteData, MAX_ARITY};
