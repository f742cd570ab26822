//! The unit that discrete scores are multiples of.

use crate::counts::{FixedScale, FixedSum};

/// Bits of a sum that a score drops, so that a score and the difference of a few scores are exact in an `f64`.
const DROPPED_BITS: u32 = 11;

/// A power of two of which scores are whole multiples, about 2⁻⁵⁰ of the largest score there can be.
///
/// Sums and differences of a few such scores are exact in floating point. So changes of a DAG that lead to equivalent
/// DAGs have *equal* score differences, bit for bit, and not equal ones up to rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreUnit {
    unit: f64,
}

impl ScoreUnit {
    /// The unit for differences of sums of `n ln n`.
    pub(super) fn of_sums(scale: &FixedScale) -> Self {
        Self { unit: scale.value(FixedSum(1 << DROPPED_BITS)) }
    }

    /// The unit for scores whose magnitude is at most `largest`.
    pub(super) fn for_magnitude(largest: f64) -> Self {
        Self { unit: (largest.log2().ceil() - 50.0).exp2() }
    }

    /// A sum in whole units, to the nearest.
    #[inline]
    pub(super) fn units_of_sum(sum: FixedSum) -> i64 {
        (sum.0 + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS
    }

    /// The nearest number of whole units.
    #[inline]
    pub(super) fn units(self, value: f64) -> i64 {
        (value / self.unit).round() as i64
    }

    /// The value of a number of units: exact below 2⁵³ units.
    #[inline]
    pub(super) fn value(self, units: i64) -> f64 {
        units as f64 * self.unit
    }

    /// A value rounded to whole units.
    pub(super) fn round(self, value: f64) -> f64 {
        (value / self.unit).round() * self.unit
    }
}
