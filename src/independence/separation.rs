//! The search for a set that separates two variables.

use super::TestSession;
use crate::run::Run;
use crate::subsets::Subsets;
use crate::{Result, Variable, VariableSet};

/// The sets that a search for a separating set goes through: the subsets of one size of a pool, in lexicographic order of
/// positions, without those that were tested before.
///
/// Sets tested before come as families: each is known by its members among the pool, and all its subsets of the size at
/// hand were tested.
#[derive(Debug, Clone, Copy)]
pub struct ConditioningSets<'p> {
    pool: &'p [Variable],
    size: usize,
    families: &'p [u8],
    tested: u8,
}

impl<'p> ConditioningSets<'p> {
    /// All subsets of `size` of the variables of `pool` (distinct, in any order).
    pub fn new(pool: &'p [Variable], size: usize) -> Self {
        Self { pool, size, families: &[], tested: 0 }
    }

    /// The same without the subsets of families that were tested before: bit b of `families[i]` says that `pool[i]` is in
    /// family b, and bit b of `tested` that its subsets of this size were tested.
    pub fn without_families(self, families: &'p [u8], tested: u8) -> Self {
        Self { families, tested, ..self }
    }

    /// The variables that may condition.
    pub fn pool(&self) -> &'p [Variable] {
        self.pool
    }

    /// The number of variables in each set.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the set at these positions of the pool was tested before.
    #[inline]
    pub(crate) fn was_tested(&self, positions: &[usize]) -> bool {
        self.tested != 0 && positions.iter().fold(self.tested, |all, &at| all & self.families[at]) != 0
    }
}

/// What the tests of one pair have found.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// The largest log p-value so far.
    pub max_log_p_value: f64,
    /// The set that gave it, in the order of the pool; `None` while no test has raised it.
    pub set: Option<VariableSet>,
    /// Tests made.
    pub tests: u64,
}

impl Separation {
    /// Nothing tested yet, and a largest log p-value from before.
    pub fn new(max_log_p_value: f64) -> Self {
        Self { max_log_p_value, set: None, tests: 0 }
    }

    /// Takes the log p-value of one more set. Whether it raised the largest one.
    pub(super) fn raise(&mut self, log_p_value: f64, set: impl Iterator<Item = Variable>) -> bool {
        let raised = log_p_value > self.max_log_p_value;
        if raised {
            self.max_log_p_value = log_p_value;
            let own = self.set.get_or_insert_with(VariableSet::new);
            own.clear();
            own.extend(set);
        }
        raised
    }
}

/// Tests between two looks at whether the run was cancelled.
pub(super) const TESTS_BETWEEN_CHECKS: u64 = 1024;

/// [`TestSession::separate`] by one test after the other. A test is counted but not made where
/// `is_below(session, set, max_log_p_value)` tells that its p-value is below the largest one so far, and so changes nothing.
pub(super) fn separate_one_by_one<S: TestSession + ?Sized>(
    session: &mut S,
    x: Variable,
    y: Variable,
    sets: &ConditioningSets<'_>,
    log_alpha: f64,
    run: &Run,
    found: &mut Separation,
    mut is_below: impl FnMut(&mut S, &[Variable], f64) -> bool,
) -> Result<()> {
    let mut subsets = Subsets::default();
    let mut set = VariableSet::new();
    let mut steps = 0u64;
    let mut more = subsets.start(sets.pool.len(), sets.size);
    while more {
        steps += 1;
        if steps.is_multiple_of(TESTS_BETWEEN_CHECKS) {
            run.check()?;
        }
        if !sets.was_tested(subsets.positions()) {
            set.clear();
            set.extend(subsets.positions().iter().map(|&at| sets.pool[at]));
            found.tests += 1;
            if found.max_log_p_value > log_alpha || !is_below(session, &set, found.max_log_p_value) {
                let result = session.test(x, y, &set);
                found.raise(result.log_p_value, set.iter().copied());
                if result.is_independent(log_alpha) {
                    return Ok(());
                }
            }
        }
        more = subsets.advance();
    }
    Ok(())
}
