//! The state of one variable's search: its tests, their count, and the largest p-value of each pair.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::marginals::Marginals;
use crate::independence::{SetFamily, SetVisitor, TestResult, TestSession};
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::subsets::Subsets;
use crate::{Variable, VariableSet};

/// What one variable's search says of another.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) other: Variable,
    pub(super) is_neighbour: bool,
    /// The largest log p-value of the pair, and its set.
    pub(super) max_log_p_value: f64,
    pub(super) set: VariableSet,
}

/// The search for a set of a family that separates a pair.
struct FamilySearch<'a> {
    family: &'a SetFamily<'a>,
    log_alpha: f64,
    run: &'a Run,
    tests: &'a mut u64,
    interrupted: &'a mut bool,
    /// The largest log p-value of the pair so far, and its set, if that is kept.
    largest: Option<&'a mut (f64, VariableSet)>,
    /// The largest of this family.
    of_family: f64,
    separated: bool,
}

impl SetVisitor for FamilySearch<'_> {
    const LARGEST_ONLY: bool = true;

    #[inline]
    fn visit(&mut self, positions: &[usize], log_p_value: f64) -> ControlFlow<()> {
        *self.tests += 1;
        if self.tests.is_multiple_of(TESTS_BETWEEN_CHECKS) {
            *self.interrupted |= ends(self.run);
        }
        self.of_family = self.of_family.max(log_p_value);
        if let Some(largest) = &mut self.largest
            && log_p_value > largest.0
        {
            let mut set = self.family.set(positions);
            set.sort_unstable();
            **largest = (log_p_value, set);
        }
        self.separated = log_p_value > self.log_alpha || *self.interrupted;
        if self.separated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Tests between two looks at whether the run ends.
const TESTS_BETWEEN_CHECKS: u64 = 256;

fn ends(run: &Run) -> bool {
    run.check().is_err() || run.out_of_time()
}

/// One variable's search.
pub(super) struct Target<'a, S> {
    session: &'a mut S,
    variable: Variable,
    n_variables: usize,
    marginals: &'a Marginals,
    log_alpha: f64,
    max_size: usize,
    knowledge: &'a Knowledge,
    run: &'a Run,
    /// The run was cancelled or is out of time: every test now says independent without being made, so that the search
    /// ends at once.
    interrupted: bool,
    tests: u64,
    /// The largest log p-value with each other variable, and its set.
    largest: FxHashMap<Variable, (f64, VariableSet)>,
    results: Vec<TestResult>,
}

impl<'a, S: TestSession> Target<'a, S> {
    pub(super) fn new(
        session: &'a mut S,
        variable: Variable,
        n_variables: usize,
        marginals: &'a Marginals,
        log_alpha: f64,
        max_size: usize,
        knowledge: &'a Knowledge,
        run: &'a Run,
    ) -> Self {
        let largest = marginals.of(variable).expect("the target's list is known").iter();
        let largest = largest.map(|&(y, log_p)| (y, (log_p, VariableSet::new()))).collect();
        Self {
            session,
            variable,
            n_variables,
            marginals,
            log_alpha,
            max_size,
            knowledge,
            run,
            interrupted: false,
            tests: 0,
            largest,
            results: Vec::new(),
        }
    }

    /// Whether the run was cancelled or its deadline passed, so that what the search found is of no worth.
    pub(super) fn interrupted(&self) -> bool {
        self.interrupted
    }

    pub(super) fn variable(&self) -> Variable {
        self.variable
    }

    pub(super) fn log_alpha(&self) -> f64 {
        self.log_alpha
    }

    pub(super) fn max_size(&self) -> usize {
        self.max_size
    }

    /// The marginally dependent variables, strongest first (smallest p-value; exact ties by index).
    pub(super) fn dependent(&self) -> Vec<(Variable, f64)> {
        let mut dependent = self.marginals.of(self.variable).expect("the target's list is known").to_vec();
        dependent.sort_by(|a, b| a.1.total_cmp(&b.1));
        dependent
    }

    /// The neighbours that knowledge requires, by index.
    pub(super) fn required(&self) -> Vec<Variable> {
        if self.knowledge.is_empty() {
            return Vec::new();
        }
        (0..self.n_variables as Variable)
            .filter(|&y| y != self.variable && self.knowledge.requires_edge(self.variable, y))
            .collect()
    }

    /// All variables whose adjacency with `x` is to be tested, by index.
    pub(super) fn testable(&self, x: Variable) -> Vec<Variable> {
        let all = (0..self.n_variables as Variable).filter(|&y| y != x);
        if self.knowledge.is_empty() {
            all.collect()
        } else {
            all.filter(|&y| self.knowledge.leaves_open(x, y)).collect()
        }
    }

    /// Whether knowledge leaves it to tests whether x and y are adjacent.
    pub(super) fn is_testable(&self, x: Variable, y: Variable) -> bool {
        self.knowledge.is_empty() || self.knowledge.leaves_open(x, y)
    }

    pub(super) fn requires(&self, x: Variable, y: Variable) -> bool {
        self.knowledge.requires_edge(x, y)
    }

    /// Says which variables the next tests are about.
    pub(super) fn focus(&mut self, around: &[Variable]) {
        let mut neighbourhood = vec![self.variable];
        neighbourhood.extend_from_slice(around);
        self.session.focus(&neighbourhood);
    }

    /// The average number of rows in a cell of a table of these variables.
    pub(super) fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        self.session.rows_per_cell(variables)
    }

    /// Whether x and y are marginally independent; tested (and counted) only where the list of neither is known.
    pub(super) fn marginally_independent(&mut self, x: Variable, y: Variable) -> bool {
        match self.marginals.depend(x, y) {
            Some(depend) => !depend,
            None => self.test(x, y, &[]) > self.log_alpha,
        }
    }

    /// The log p-value of x ⫫ y | given.
    ///
    /// Blankets are learned by such tests, and their sets may hold variables that separate nothing of the pair: a spouse is
    /// found by conditioning on a common child, whatever its tier. Where a set is to *separate* a pair, use
    /// [`separates`](Self::separates), [`separated`](Self::separated) or [`test_separators`](Self::test_separators).
    pub(super) fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> f64 {
        self.tests += 1;
        if self.tests.is_multiple_of(TESTS_BETWEEN_CHECKS) {
            self.interrupted |= ends(self.run);
        }
        if self.interrupted {
            return 0.0;
        }
        let log_p = self.session.test(x, y, given).log_p_value;
        self.note(x, y, given, log_p);
        log_p
    }

    /// [`test`](Self::test) of x with each of `others`: log p-values in their order.
    pub(super) fn test_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<f64>) {
        self.weigh_each(x, others, given, out);
        self.note_each(x, others, given, out);
    }

    /// Says that many calls of [`test_each`](Self::test_each) or [`weigh_each`](Self::weigh_each) with these others follow.
    pub(super) fn gather(&mut self, others: &[Variable]) {
        self.session.gather(others);
    }

    /// [`test_each`](Self::test_each), of which [`note_each`](Self::note_each) takes note later.
    pub(super) fn weigh_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<f64>) {
        out.clear();
        self.interrupted |= ends(self.run);
        if self.interrupted {
            out.resize(others.len(), 0.0);
            return;
        }
        let mut results = std::mem::take(&mut self.results);
        self.session.test_each(x, others, given, &mut results);
        self.tests += others.len() as u64;
        out.extend(results.iter().map(|result| result.log_p_value));
        self.results = results;
    }

    /// Takes note of log p-values of x with each of `others`.
    pub(super) fn note_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], log_p: &[f64]) {
        if self.interrupted {
            return;
        }
        for (&y, &log_p) in others.iter().zip(log_p) {
            self.note(x, y, given, log_p);
        }
    }

    /// Whether z alone separates x from y.
    pub(super) fn separates(&mut self, x: Variable, y: Variable, z: Variable) -> bool {
        self.may_separate(x, y, &[z]) && self.test(x, y, &[z]) > self.log_alpha
    }

    /// [`test_each`](Self::test_each) for sets that are to separate: a pair of which a member of `given` may separate
    /// nothing is not tested, and its log p-value is −∞.
    fn test_separators(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<f64>) {
        if self.knowledge.is_empty() {
            self.test_each(x, others, given, out);
            return;
        }
        out.clear();
        for &y in others {
            let tested = self.may_separate(x, y, given);
            out.push(if tested { self.test(x, y, given) } else { f64::NEG_INFINITY });
        }
    }

    fn may_separate(&self, x: Variable, y: Variable, given: &[Variable]) -> bool {
        self.knowledge.is_empty() || given.iter().all(|&z| self.knowledge.may_separate(x, y, z))
    }

    /// Looks for a set that separates x from y: `with` (if any) and at most m (− 1) of `pool`, by increasing size, then in
    /// the order of the pool. Sizes start at `from`. Stops at the first one found.
    pub(super) fn separated(
        &mut self,
        x: Variable,
        y: Variable,
        pool: &[Variable],
        with: Option<Variable>,
        from: usize,
    ) -> bool {
        let pool = self.separators(x, y, pool);
        if with.is_some_and(|z| !self.may_separate(x, y, &[z])) {
            return false;
        }
        let fixed = usize::from(with.is_some());
        if self.max_size < fixed {
            return false;
        }
        (from..=pool.len().min(self.max_size - fixed)).any(|size| {
            let family = SetFamily { with, pool: &pool, size };
            self.separated_by(x, y, &family).is_none()
        })
    }

    /// The largest log p-value of x ⫫ y given a set of the family, all of whose members may separate them; `None` when one
    /// does. Stops at the first one found.
    fn separated_by(&mut self, x: Variable, y: Variable, family: &SetFamily<'_>) -> Option<f64> {
        if self.interrupted {
            return None;
        }
        let largest = if x == self.variable {
            self.largest.get_mut(&y)
        } else if y == self.variable {
            self.largest.get_mut(&x)
        } else {
            None
        };
        let mut search = FamilySearch {
            family,
            log_alpha: self.log_alpha,
            run: self.run,
            tests: &mut self.tests,
            interrupted: &mut self.interrupted,
            largest,
            of_family: f64::NEG_INFINITY,
            separated: false,
        };
        self.session.test_family(x, y, family, &mut search);
        (!search.separated).then_some(search.of_family)
    }

    /// Of `candidates` (each with its largest log p-value), drops those that a set of the family separates from the target,
    /// and keeps the largest log p-values of the others: one candidate after the other where the tests of one share much,
    /// else all of them given one set after the other.
    pub(super) fn drop_separated(&mut self, candidates: &mut Vec<(Variable, f64)>, family: &SetFamily<'_>) {
        let x = self.variable;
        let shared = candidates.iter().filter(|&&(y, _)| self.session.shares_family(x, y, family)).count();
        if 2 * shared > candidates.len() {
            candidates.retain_mut(|(y, largest)| {
                let pool = self.separators(x, *y, family.pool);
                if family.with.is_some_and(|z| !self.may_separate(x, *y, &[z])) {
                    return true;
                }
                let of_family = self.separated_by(x, *y, &SetFamily { pool: &pool, ..*family });
                *largest = of_family.map_or(*largest, |value| largest.max(value));
                of_family.is_some()
            });
            return;
        }
        let mut subsets = Subsets::default();
        let (mut others, mut log_p) = (Vec::new(), Vec::new());
        let mut more = subsets.start(family.pool.len(), family.size);
        while more && !candidates.is_empty() {
            let set = family.set(subsets.positions());
            others.clear();
            others.extend(candidates.iter().map(|&(y, _)| y));
            self.test_separators(x, &others, &set, &mut log_p);
            let mut results = log_p.iter();
            candidates.retain_mut(|(_, largest)| {
                let &value = results.next().expect("one result for each candidate");
                *largest = largest.max(value);
                value <= self.log_alpha
            });
            more = subsets.advance();
        }
    }

    /// Drops from `members` (in the order in which they were taken in) those that a set with a *later* member separates:
    /// the sets of earlier members were tested when they came. The last first, so that the weakest go before the strong.
    pub(super) fn prune(&mut self, members: &mut Vec<Variable>, n_required: usize) {
        for i in (n_required..members.len()).rev() {
            let x = members[i];
            let separated = ((i + 1)..members.len()).any(|j| {
                let pool: Vec<Variable> = members[..j].iter().copied().filter(|&v| v != x).collect();
                self.separated(self.variable, x, &pool, Some(members[j]), 0)
            });
            if separated {
                members.remove(i);
            }
        }
    }

    /// The members of `given` that may be in a separating set of x and y.
    fn separators(&self, x: Variable, y: Variable, given: &[Variable]) -> VariableSet {
        if self.knowledge.is_empty() {
            return VariableSet::from_slice(given);
        }
        given.iter().copied().filter(|&z| self.knowledge.may_separate(x, y, z)).collect()
    }

    fn note(&mut self, x: Variable, y: Variable, given: &[Variable], log_p: f64) {
        let other = if x == self.variable {
            y
        } else if y == self.variable {
            x
        } else {
            return;
        };
        if self.largest.get(&other).is_some_and(|largest| log_p > largest.0) && self.may_separate(x, y, given) {
            let mut set = VariableSet::from_slice(given);
            set.sort_unstable();
            self.largest.insert(other, (log_p, set));
        }
    }

    /// The findings about all marginally dependent variables and all neighbours, by index, and the number of tests.
    pub(super) fn into_findings(mut self, mut neighbours: Vec<Variable>) -> (Vec<Finding>, u64) {
        neighbours.sort_unstable();
        for &y in &neighbours {
            // Required pairs; and HPC can keep a variable that depends only given others.
            self.largest.entry(y).or_insert((f64::NEG_INFINITY, VariableSet::new()));
        }
        let mut findings: Vec<Finding> = self
            .largest
            .into_iter()
            .map(|(other, (max_log_p_value, set))| Finding {
                other,
                is_neighbour: neighbours.binary_search(&other).is_ok(),
                max_log_p_value,
                set,
            })
            .collect();
        findings.sort_unstable_by_key(|finding| finding.other);
        (findings, self.tests)
    }
}
