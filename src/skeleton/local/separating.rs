//! The search for sets that separate a variable from others, and the largest p-values on the way.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::independence::{EachVisitor, SubsetVisitor, Subsets};
use crate::{Variable, VariableSet};

/// The search for a set of a family that separates a pair.
pub(super) struct Separating<'a> {
    pub(super) subsets: Subsets<'a>,
    pub(super) log_alpha: f64,
    pub(super) tests: &'a mut u64,
    /// The largest log p-value of the pair so far, and its set, if that is kept.
    pub(super) largest: Option<&'a mut (f64, VariableSet)>,
    pub(super) separated: bool,
}

/// Keeps the larger log p-value and its set.
fn keep_largest(largest: &mut (f64, VariableSet), log_p_value: f64, set: impl FnOnce() -> VariableSet) {
    if log_p_value > largest.0 {
        let mut set = set();
        set.sort_unstable();
        *largest = (log_p_value, set);
    }
}

impl SubsetVisitor for Separating<'_> {
    fn shares_tables(&self) -> bool {
        true
    }

    #[inline]
    fn floor(&self) -> f64 {
        self.largest.as_ref().map_or(self.log_alpha, |largest| largest.0.min(self.log_alpha))
    }

    #[inline]
    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        *self.tests += 1;
        if let Some(largest) = &mut self.largest {
            keep_largest(largest, log_p_value, || self.subsets.set(at));
        }
        self.separated = log_p_value > self.log_alpha;
        if self.separated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The same for several variables, each paired with one.
pub(super) struct SeparatingEach<'a> {
    pub(super) subsets: Subsets<'a>,
    pub(super) log_alpha: f64,
    pub(super) others: &'a [Variable],
    pub(super) tests: &'a mut u64,
    pub(super) largest: &'a mut FxHashMap<Variable, (f64, VariableSet)>,
    pub(super) separated: Vec<bool>,
}

impl EachVisitor for SeparatingEach<'_> {
    fn floor(&self, other: usize) -> f64 {
        self.largest.get(&self.others[other]).map_or(self.log_alpha, |largest| largest.0.min(self.log_alpha))
    }

    fn visit(&mut self, other: usize, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        *self.tests += 1;
        if let Some(largest) = self.largest.get_mut(&self.others[other]) {
            keep_largest(largest, log_p_value, || self.subsets.set(at));
        }
        self.separated[other] = log_p_value > self.log_alpha;
        if self.separated[other] { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
