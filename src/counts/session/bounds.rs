//! A lower bound of the information of two variables given others, from smaller tables.

use smallvec::SmallVec;

use crate::Variable;
use crate::counts::table::core::MAX_SET;
use crate::counts::{CountingSession, FixedSum};

impl CountingSession<'_, '_> {
    /// A lower bound of [`conditional_information`](Self::conditional_information) that needs no table of x, y and all of
    /// `given` (distinct, without x and y): with H for N times the conditional entropy,
    /// H(x | given) − min over z in `given` of H(x | y, given less z), since H(x | y, given) is below each of the latter. It may
    /// be negative. Not symmetric: the tables that it needs have x in them, or are one variable smaller.
    ///
    /// Each sum of `n ln n` is rounded (see [`FixedSum`]), so the bound holds but for that rounding.
    pub fn information_at_least(&mut self, x: Variable, y: Variable, given: &[Variable]) -> FixedSum {
        let mut set: SmallVec<[Variable; MAX_SET]> = SmallVec::new();
        let mut sum = |with: &[Variable], without: Option<Variable>| {
            set.clear();
            set.extend(given.iter().copied().filter(|&z| Some(z) != without));
            with.iter().for_each(|&variable| set.push(variable));
            set.sort_unstable();
            self.sum_n_log_n(&set)
        };
        let before = sum(&[], None) - sum(&[x], None);
        let after = given.iter().map(|&z| sum(&[y], Some(z)) - sum(&[x, y], Some(z))).min();
        before - after.unwrap_or(before)
    }
}
