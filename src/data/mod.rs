//! Data: built once, checked once, never changed.

mod continuous;
mod correlation;
mod discrete;
mod incomplete;
mod mixed;
mod relations;
mod weighted;

pub use continuous::ContinuousData;
pub use correlation::Correlation;
pub(crate) use correlation::SINGULAR;
pub use discrete::{Codes, DiscreteData, MAX_ARITY};
pub use incomplete::IncompleteData;
pub use mixed::{MixedColumn, MixedData, MixedOptions, Numbers};
pub use relations::{copies, determined, determined_within};
pub use weighted::{RowWeights, WeightedData};
