//! Data: built once, checked once, never changed.

mod collinear;
mod continuous;
mod correlation;
mod discrete;
mod encode;
mod gaps;
mod incomplete;
mod mapped;
mod mixed;
mod order;
mod packed;
mod packer;
mod relations;
mod shape;
mod sums;
mod weighted;

pub(crate) use collinear::SINGULAR;
pub use continuous::ContinuousData;
pub use correlation::Correlation;
pub use discrete::{Codes, CodesView, DiscreteData, MAX_ARITY, SharedCodes};
pub(crate) use discrete::{with_codes, with_codes_of_rows};
pub use encode::{Encoded, encode, encode_bytes};
pub use gaps::Gaps;
pub use incomplete::IncompleteData;
pub use mapped::MappedFile;
pub use mixed::{MixedCategories, MixedColumn, MixedData, MixedOptions, Numbers};
pub(crate) use mixed::{for_each_number, power_of, rare_below};
pub(crate) use packed::{LINE_ROWS, Line, spread};
pub use packed::{MAX_PLANE_ARITY, PackedCodes};
pub use packer::Packer;
pub use relations::{copies, determined, determined_within};
pub use shape::Shape;
pub use sums::{CHUNK, Centring, ProductSums, Range, rows_at_once};
pub use weighted::{RowWeights, WeightedData};
