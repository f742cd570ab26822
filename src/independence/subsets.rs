//! Tests of one pair given every subset of a pool: the one place that enumerates subsets and tests.
//!
//! Who asks gives a family of sets ([`Subsets`]) and a visitor ([`SubsetVisitor`]) to
//! [`TestSession::test_subsets`], and never sees how the tests are made, nor the clock: every enumeration looks whether
//! the run was cancelled or is out of time before each test (or as often as tests are quick, see
//! [`TestSession::goes_on`]).

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::{TestResult, TestSession};
use crate::run::Run;
use crate::subsets::Combinations;
use crate::{Result, Variable, VariableSet};

/// A family of conditioning sets: the subsets of one size of a pool, in lexicographic order of positions, each with one
/// more variable if there is one.
#[derive(Debug, Clone, Copy)]
pub struct Subsets<'p> {
    /// The variables that the subsets are of: distinct, in any order, without `with`.
    pub pool: &'p [Variable],
    /// The number of variables of each subset, `with` not counted.
    pub size: usize,
    /// A variable that is in all sets.
    pub with: Option<Variable>,
}

impl<'p> Subsets<'p> {
    /// All subsets of `size` of the variables of `pool` (distinct, in any order).
    pub fn new(pool: &'p [Variable], size: usize) -> Self {
        Self { pool, size, with: None }
    }

    /// The set at these positions of the pool: `with` first, then in the order of the pool.
    pub fn set(&self, at: &[usize]) -> VariableSet {
        let mut set = VariableSet::new();
        self.write_set(at, &mut set);
        set
    }

    fn write_set(&self, at: &[usize], set: &mut VariableSet) {
        set.clear();
        set.extend(self.with);
        set.extend(at.iter().map(|&at| self.pool[at]));
    }

    fn positions(&self) -> Combinations {
        Combinations::new(self.pool.len(), self.size)
    }
}

/// What is done with the tests of a family.
pub trait SubsetVisitor {
    /// What log p-values are too small to matter: one below this may be given as −∞, so that its test need not be made. It may
    /// rise while tests are visited, but never falls. Without this method every p-value is exact.
    fn floor(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// Whether families of x and other variables given much the same pool come before or after, so that tables are shared
    /// with them. Only decides how tests are made.
    fn shares_tables(&self) -> bool {
        false
    }

    /// Whether the set at these positions of the pool is to be tested.
    fn wants(&mut self, at: &[usize]) -> bool {
        let _ = at;
        true
    }

    /// Takes the log p-value given the set at these positions of the pool (and `with`). Whether to go on.
    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()>;
}

/// [`SubsetVisitor`] for tests of one variable with several others, each given every set of one family.
pub trait EachVisitor {
    /// [`SubsetVisitor::floor`] for the other variable at this position.
    fn floor(&self, other: usize) -> f64 {
        let _ = other;
        f64::NEG_INFINITY
    }

    /// Takes the log p-value of the other variable at position `other`, given the set at the positions `at` of the pool.
    /// Whether this other variable is to be tested on.
    fn visit(&mut self, other: usize, at: &[usize], log_p_value: f64) -> ControlFlow<()>;
}

/// How an enumeration of tests ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "tests may be missing when the time is up"]
pub enum Tested {
    /// All that the visitor wanted was tested.
    All,
    /// The run is out of time; sets that the visitor wanted were left out.
    OutOfTime,
}

/// Sets passed over, or quick tests, between two looks at the run.
const MOST_BETWEEN_LOOKS: u32 = 1024;

/// How often a session looks at its run: that costs more than the quickest tests, and less than all others.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    between: u32,
    left: u32,
}

impl Pace {
    /// For tests that take at most so many nanoseconds, barring what else the machine does.
    pub(super) fn of_tests(nanoseconds: f64) -> Self {
        // Between two looks, at most.
        const NANOSECONDS: f64 = 50e6;
        Self { between: ((NANOSECONDS / nanoseconds) as u32).clamp(1, MOST_BETWEEN_LOOKS) - 1, left: 0 }
    }

    /// To be called before each test: whether the run goes on. Once its time is up, so it is for all later tests.
    #[inline]
    pub(super) fn goes_on(&mut self, run: &Run) -> Result<bool> {
        if self.left > 0 {
            self.left -= 1;
            return Ok(true);
        }
        self.look(run)
    }

    #[inline(never)]
    fn look(&mut self, run: &Run) -> Result<bool> {
        run.check()?;
        let goes_on = !run.out_of_time();
        if goes_on {
            self.left = self.between;
        }
        Ok(goes_on)
    }
}

/// How [`one_by_one`] ended.
pub(super) enum OneByOne {
    Ended(Tested),
    /// So many sets are done with, and others follow.
    Paused(u64),
}

/// [`TestSession::test_subsets`] by one test after the other, until `most` are made. A test is visited but not made where
/// `is_below(session, set, floor)` tells that its p-value is below the visitor's floor.
pub(super) fn one_by_one<S: TestSession + ?Sized>(
    session: &mut S,
    x: Variable,
    y: Variable,
    subsets: &Subsets<'_>,
    run: &Run,
    visitor: &mut impl SubsetVisitor,
    most: u64,
    mut is_below: impl FnMut(&mut S, &[Variable], f64) -> bool,
) -> Result<OneByOne> {
    let mut positions = subsets.positions();
    let mut set = VariableSet::new();
    let (mut sets, mut tests, mut passed_over) = (0u64, 0u64, 0u32);
    let mut ahead = session.asks().then(|| Ahead::new(subsets));
    while let Some(at) = positions.next() {
        if tests == most {
            return Ok(OneByOne::Paused(sets));
        }
        sets += 1;
        let wanted = visitor.wants(at);
        if !wanted {
            passed_over += 1;
            if !passed_over.is_multiple_of(MOST_BETWEEN_LOOKS) {
                continue;
            }
        }
        if !session.goes_on(run)? {
            return Ok(OneByOne::Ended(Tested::OutOfTime));
        }
        if !wanted {
            continue;
        }
        tests += 1;
        subsets.write_set(at, &mut set);
        let mut below =
            |session: &mut S, set: &[Variable], floor: f64| floor > f64::NEG_INFINITY && is_below(session, set, floor);
        let is_below = match &mut ahead {
            // The floor never falls, so that what was below it then is so now.
            Some(ahead) => ahead.is_below(session, (x, y), subsets, visitor, below),
            None => below(session, &set, visitor.floor()),
        };
        let log_p_value = if is_below { f64::NEG_INFINITY } else { session.test(x, y, &set).log_p_value };
        if visitor.visit(at, log_p_value).is_break() {
            break;
        }
    }
    Ok(OneByOne::Ended(Tested::All))
}

/// The variables of a test.
pub(super) fn family(x: Variable, y: Variable, given: &[Variable]) -> VariableSet {
    let mut all = VariableSet::from_slice(given);
    all.extend([x, y]);
    all
}

/// The sets of a family whose tables are asked for ahead of their tests: in growing chunks, since many families end soon.
struct Ahead {
    positions: Combinations,
    chunk: usize,
    /// Of the tests to come that were looked at, whether each need not be made.
    below: VecDeque<bool>,
}

impl Ahead {
    const FIRST: usize = 4;
    const MOST: usize = 256;
    /// Tests that are looked at together, most of which may be below the floor.
    const MOST_LOOKED_AT: usize = 4096;

    fn new(subsets: &Subsets<'_>) -> Self {
        Self { positions: subsets.positions(), chunk: Self::FIRST, below: VecDeque::new() }
    }

    /// To be called before each test: whether it need not be made, since its p-value is below the floor.
    fn is_below<S: TestSession + ?Sized, V: SubsetVisitor>(
        &mut self,
        session: &mut S,
        (x, y): (Variable, Variable),
        subsets: &Subsets<'_>,
        visitor: &mut V,
        mut below: impl FnMut(&mut S, &[Variable], f64) -> bool,
    ) -> bool {
        if let Some(below) = self.below.pop_front() {
            return below;
        }
        let floor = visitor.floor();
        let (mut sets, mut set) = (Vec::new(), VariableSet::new());
        while sets.len() < self.chunk
            && self.below.len() < Self::MOST_LOOKED_AT
            && let Some(at) = self.positions.next()
        {
            if visitor.wants(at) {
                subsets.write_set(at, &mut set);
                let is_below = below(session, &set, floor);
                if !is_below {
                    sets.push(family(x, y, &set));
                }
                self.below.push_back(is_below);
            }
        }
        self.chunk = (4 * self.chunk).min(Self::MOST);
        session.expect(sets);
        self.below.pop_front().unwrap_or(false)
    }
}

/// One other variable's part of an [`EachVisitor`].
struct OfOne<'v, V> {
    other: usize,
    visitor: &'v mut V,
}

impl<V: EachVisitor> SubsetVisitor for OfOne<'_, V> {
    fn floor(&self) -> f64 {
        self.visitor.floor(self.other)
    }

    fn shares_tables(&self) -> bool {
        true
    }

    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.visitor.visit(self.other, at, log_p_value)
    }
}

/// [`TestSession::test_subsets_each`] for one other variable after the other.
pub(super) fn other_by_other<S: TestSession + ?Sized>(
    session: &mut S,
    x: Variable,
    others: &[Variable],
    subsets: &Subsets<'_>,
    run: &Run,
    visitor: &mut impl EachVisitor,
) -> Result<Tested> {
    for (other, &y) in others.iter().enumerate() {
        let mut visitor = OfOne { other, visitor: &mut *visitor };
        if session.test_subsets(x, y, subsets, run, &mut visitor)? == Tested::OutOfTime {
            return Ok(Tested::OutOfTime);
        }
    }
    Ok(Tested::All)
}

/// [`TestSession::test_subsets_each`] for all others together, given one set after the other.
pub(super) fn set_by_set<S: TestSession + ?Sized>(
    session: &mut S,
    x: Variable,
    others: &[Variable],
    subsets: &Subsets<'_>,
    run: &Run,
    visitor: &mut impl EachVisitor,
) -> Result<Tested> {
    let mut left: Vec<usize> = (0..others.len()).collect();
    let (mut tested, mut results): (Vec<Variable>, Vec<TestResult>) = (Vec::new(), Vec::new());
    let mut set = VariableSet::new();
    let mut positions = subsets.positions();
    while let Some(at) = positions.next() {
        if left.is_empty() {
            break;
        }
        subsets.write_set(at, &mut set);
        tested.clear();
        tested.extend(left.iter().map(|&other| others[other]));
        let outcome = session.test_each(x, &tested, &set, run, &mut results)?;
        let mut of_next = results.iter();
        left.retain(|&other| of_next.next().is_none_or(|r| visitor.visit(other, at, r.log_p_value).is_continue()));
        if outcome == Tested::OutOfTime {
            return Ok(Tested::OutOfTime);
        }
    }
    Ok(Tested::All)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_tests_are_looked_after_one_by_one_and_quick_ones_by_the_thousand() {
        assert_eq!(Pace::of_tests(1e9).between, 0);
        assert_eq!(Pace::of_tests(50.0).between, MOST_BETWEEN_LOOKS - 1);
        let run = Run::new(1).unwrap().with_deadline(Some(std::time::Instant::now()));
        let mut pace = Pace::of_tests(50.0);
        assert_eq!((pace.goes_on(&run), pace.goes_on(&run)), (Ok(false), Ok(false)));
    }
}
