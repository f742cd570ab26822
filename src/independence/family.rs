//! Tests of one pair given a whole family of conditioning sets.

use std::ops::ControlFlow;

use super::TestSession;
use crate::subsets::Subsets;
use crate::{Variable, VariableSet};

/// Conditioning sets: the subsets of one size of a pool, in lexicographic order of positions, each with one more variable
/// if there is one.
#[derive(Debug, Clone, Copy)]
pub struct SetFamily<'p> {
    /// A variable that is in all sets.
    pub with: Option<Variable>,
    /// The variables that the subsets are of: distinct, in any order, without `with`.
    pub pool: &'p [Variable],
    /// The number of variables of each subset.
    pub size: usize,
}

impl SetFamily<'_> {
    /// The set at these positions of the pool: `with` first, then in the order of the pool.
    pub fn set(&self, positions: &[usize]) -> VariableSet {
        self.with.into_iter().chain(positions.iter().map(|&at| self.pool[at])).collect()
    }
}

/// What is done with the tests of a family.
pub trait SetVisitor {
    /// Whether all that matters of tests is the largest p-value of those that were visited in this call. A log p-value that
    /// is below an earlier one may then be given as −∞.
    const LARGEST_ONLY: bool;

    /// Whether the set at these positions is to be tested.
    fn wants(&mut self, positions: &[usize]) -> bool {
        let _ = positions;
        true
    }

    /// Takes the log p-value given the set at these positions. Whether to go on.
    fn visit(&mut self, positions: &[usize], log_p_value: f64) -> ControlFlow<()>;
}

/// [`TestSession::test_family`] by one test after the other, until so many are made: the number of sets that are then
/// done with, or `None` when the family is.
pub(super) fn test_one_by_one<S: TestSession + ?Sized>(
    session: &mut S,
    x: Variable,
    y: Variable,
    family: &SetFamily<'_>,
    visitor: &mut impl SetVisitor,
    most: u64,
) -> Option<u64> {
    let mut subsets = Subsets::default();
    let mut set = VariableSet::new();
    let mut more = subsets.start(family.pool.len(), family.size);
    let (mut sets, mut tests) = (0, 0);
    while more {
        if tests == most {
            return Some(sets);
        }
        sets += 1;
        let positions = subsets.positions();
        if visitor.wants(positions) {
            tests += 1;
            set.clear();
            set.extend(family.with);
            set.extend(positions.iter().map(|&at| family.pool[at]));
            let log_p_value = session.test(x, y, &set).log_p_value;
            if visitor.visit(positions, log_p_value).is_break() {
                return None;
            }
        }
        more = subsets.advance();
    }
    None
}
