//! The search for a set that separates two variables.

use std::ops::ControlFlow;

use crate::VariableSet;
use crate::independence::{SubsetVisitor, Subsets};

/// Keeps the largest p-value of a pair and its set, and stops at the first set that separates it at level α.
///
/// Sets tested before are passed over. They come as families: each is known by its members among the pool, and all its
/// subsets of the size at hand were tested.
#[derive(Debug)]
pub(super) struct Separating<'a> {
    pub(super) subsets: Subsets<'a>,
    /// Bit b of `families[i]` says that `pool[i]` is in family b, and bit b of `tested` that its subsets of this size were
    /// tested.
    pub(super) families: &'a [u8],
    pub(super) tested: u8,
    pub(super) log_alpha: f64,
    /// The largest log p-value so far, of earlier tests too.
    pub(super) max_log_p_value: f64,
    /// The set that gave it, in the order of the pool; `None` while no test has raised it.
    pub(super) set: Option<VariableSet>,
    pub(super) tests: u64,
}

impl SubsetVisitor for Separating<'_> {
    #[inline]
    fn floor(&self) -> f64 {
        self.max_log_p_value.min(self.log_alpha)
    }

    #[inline]
    fn wants(&mut self, at: &[usize]) -> bool {
        self.tested == 0 || at.iter().fold(self.tested, |all, &at| all & self.families[at]) == 0
    }

    #[inline]
    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.tests += 1;
        if log_p_value > self.max_log_p_value {
            self.max_log_p_value = log_p_value;
            self.set = Some(self.subsets.set(at));
        }
        if log_p_value > self.log_alpha { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
