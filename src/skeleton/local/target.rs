//! The state of one variable's search: its tests, their count, and the largest p-value of each pair.

use rustc_hash::FxHashMap;

use super::LocalOptions;
use super::marginals::Marginals;
use super::separating::{Separating, SeparatingEach};
use crate::independence::{Subsets, TestResult, TestSession, Tested};
use crate::knowledge::Scope;
use crate::run::Run;
use crate::{Result, Variable, VariableSet};

/// What one variable's search says of another.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) other: Variable,
    pub(super) is_neighbour: bool,
    /// The largest log p-value of the pair, and its set.
    pub(super) max_log_p_value: f64,
    pub(super) set: VariableSet,
}

/// One variable's search.
pub(super) struct Target<'a, S> {
    session: &'a mut S,
    variable: Variable,
    n_variables: usize,
    marginals: &'a Marginals,
    log_alpha: f64,
    max_size: usize,
    scope: Scope<'a>,
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
        options: &LocalOptions,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Self {
        let largest = marginals.of(variable).expect("the target's list is known").iter();
        let largest = largest.map(|&(y, log_p)| (y, (log_p, VariableSet::new()))).collect();
        Self {
            session,
            variable,
            n_variables,
            marginals,
            log_alpha: options.alpha.log(),
            max_size: options.max_conditioning_size.unwrap_or(usize::MAX),
            scope,
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
        strongest_first(&mut dependent);
        dependent
    }

    /// The neighbours that knowledge requires, by index.
    pub(super) fn required(&self) -> Vec<Variable> {
        if self.scope.is_all() {
            return Vec::new();
        }
        (0..self.n_variables as Variable)
            .filter(|&y| y != self.variable && self.scope.requires_edge(self.variable, y))
            .collect()
    }

    /// All variables whose adjacency with `x` is to be tested, by index.
    pub(super) fn testable(&self, x: Variable) -> Vec<Variable> {
        let all = (0..self.n_variables as Variable).filter(|&y| y != x);
        if self.scope.is_all() { all.collect() } else { all.filter(|&y| self.scope.leaves_open(x, y)).collect() }
    }

    /// Whether knowledge leaves it to tests whether x and y are adjacent.
    pub(super) fn is_testable(&self, x: Variable, y: Variable) -> bool {
        self.scope.is_all() || self.scope.leaves_open(x, y)
    }

    pub(super) fn requires(&self, x: Variable, y: Variable) -> bool {
        self.scope.requires_edge(x, y)
    }

    /// Hints that the next tests are about other variables.
    pub(super) fn move_on(&mut self) {
        self.session.next_neighbourhood();
    }

    /// Takes note of how tests ended. Whether the search goes on.
    fn went_on(&mut self, outcome: Result<Tested>) -> bool {
        self.interrupted |= outcome != Ok(Tested::All);
        !self.interrupted
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
    /// [`separates`](Self::separates) or [`separated`](Self::separated).
    pub(super) fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> f64 {
        self.tests += 1;
        self.interrupted |= self.session.goes_on(self.run) != Ok(true);
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

    /// Hints that many calls of [`test_each`](Self::test_each) or [`weigh_each`](Self::weigh_each) with these others follow.
    pub(super) fn gather(&mut self, others: &[Variable]) {
        self.session.gather(others);
    }

    /// [`test_each`](Self::test_each), of which [`note_each`](Self::note_each) takes note later.
    pub(super) fn weigh_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<f64>) {
        out.clear();
        if !self.interrupted {
            let mut results = std::mem::take(&mut self.results);
            let outcome = self.session.test_each(x, others, given, self.run, &mut results);
            self.tests += results.len() as u64;
            out.extend(results.iter().map(|result| result.log_p_value));
            self.results = results;
            self.went_on(outcome);
        }
        out.resize(others.len(), 0.0);
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

    fn may_separate(&self, x: Variable, y: Variable, given: &[Variable]) -> bool {
        self.scope.is_all() || given.iter().all(|&z| self.scope.may_separate(x, y, z))
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
        (from..=pool.len().min(self.max_size - fixed))
            .any(|size| self.separated_by(x, y, Subsets { pool: &pool, size, with }))
    }

    /// Whether a set of the family, all of whose members may separate them, separates x from y. Stops at the first one found.
    fn separated_by(&mut self, x: Variable, y: Variable, subsets: Subsets<'_>) -> bool {
        if self.interrupted {
            return true;
        }
        let largest = if x == self.variable {
            self.largest.get_mut(&y)
        } else if y == self.variable {
            self.largest.get_mut(&x)
        } else {
            None
        };
        let log_alpha = self.log_alpha;
        let mut search = Separating { subsets, log_alpha, tests: &mut self.tests, largest, separated: false };
        let outcome = self.session.test_subsets(x, y, &subsets, self.run, &mut search);
        let separated = search.separated;
        !self.went_on(outcome) || separated
    }

    /// Of `candidates` (each with the largest log p-value of the pair), drops those that a set of the family separates from the
    /// target, and brings the log p-values of the others up to date.
    pub(super) fn drop_separated(&mut self, candidates: &mut Vec<(Variable, f64)>, subsets: Subsets<'_>) {
        let x = self.variable;
        if self.interrupted {
            candidates.clear();
            return;
        }
        let others: Vec<Variable> = candidates.iter().map(|&(y, _)| y).collect();
        let separated: Vec<bool> = if self.scope.is_all() {
            let mut search = SeparatingEach {
                subsets,
                log_alpha: self.log_alpha,
                others: &others,
                tests: &mut self.tests,
                largest: &mut self.largest,
                separated: vec![false; others.len()],
            };
            let outcome = self.session.test_subsets_each(x, &others, &subsets, self.run, &mut search);
            let separated = search.separated;
            if self.went_on(outcome) { separated } else { vec![true; others.len()] }
        } else {
            // Each other variable has a pool of its own.
            let mut of_other = |y: Variable| {
                let pool = self.separators(x, y, subsets.pool);
                let admissible = subsets.with.is_none_or(|z| self.may_separate(x, y, &[z]));
                admissible && self.separated_by(x, y, Subsets { pool: &pool, ..subsets })
            };
            others.iter().map(|&y| of_other(y)).collect()
        };
        let mut separated = separated.into_iter();
        candidates.retain_mut(|(y, log_p)| {
            *log_p = self.largest.get(y).map_or(*log_p, |largest| largest.0);
            !separated.next().expect("one answer for each candidate")
        });
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
        if self.scope.is_all() {
            return VariableSet::from_slice(given);
        }
        given.iter().copied().filter(|&z| self.scope.may_separate(x, y, z)).collect()
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
        by_other(&mut findings);
        (findings, self.tests)
    }
}

// Sorting code is large; in functions that are not generic it is compiled once, not for each test.

/// By increasing p-value, ties as they come.
pub(super) fn strongest_first(tested: &mut [(Variable, f64)]) {
    tested.sort_by(|a, b| a.1.total_cmp(&b.1));
}

fn by_other(findings: &mut [Finding]) {
    findings.sort_unstable_by_key(|finding| finding.other);
}
