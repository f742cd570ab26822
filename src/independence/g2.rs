//! The G² (likelihood-ratio) test.

use std::ops::ControlFlow;

use super::bounds::Bounds;
use super::family::{SetFamily, SetVisitor, test_one_by_one};
use super::g2_family::{Sharing, Tester};
use super::rules::{DegreesOfFreedom, Rules, rows_per_cell};
use super::separation::{TESTS_BETWEEN_CHECKS, separate_one_by_one};
use super::{ConditioningSets, IndependenceTest, MarginalDependence, Separation, TestResult, TestSession, distance};
use crate::counts::{CountingEngine, CountingSession, FixedSum, SubsetVisitor};
use crate::run::Run;
use crate::stats::chi_squared_log_upper_tail;
use crate::{Result, Variable, VariableSet};

/// The G² test of conditional independence: 2 Σ n_xyz ln(n_xyz n_z / (n_xz n_yz)) against χ².
///
/// The statistic is twice a difference of exact sums of `n ln n`, so it is the same bit for bit however it was counted.
/// Empty cells, margins and strata contribute 0. A test without degrees of freedom (a constant column, or no stratum
/// in which both variables vary under [`DegreesOfFreedom::Adjusted`]) is [`TestResult::NO_INFORMATION`]. There is no
/// continuity correction.
///
/// Conditioning on a constant column changes nothing. Conditioning on a copy of a variable that is conditioned on
/// already leaves the statistic; the classical degrees of freedom grow by the factor of its arity (so the test
/// becomes too mild), the adjusted ones do not.
///
/// # Examples
///
/// ```
/// use phgs::{counts::CountingEngine, data::DiscreteData, independence::{G2Test, IndependenceTest, TestSession}};
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1, 0, 1], vec![0, 0, 1, 1, 1, 0]])?;
/// let engine = CountingEngine::new(&data);
/// let result = G2Test::new(&engine).session().test(0, 1, &[]);
/// assert!((result.statistic - 4.0 * (2.0 * (4f64 / 3.0).ln() + (2f64 / 3.0).ln())).abs() < 1e-12);
/// assert_eq!(result.degrees_of_freedom, 1.0);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct G2Test<'e, 'd> {
    pub(super) engine: &'e CountingEngine<'d>,
    rules: Rules,
}

impl<'e, 'd> G2Test<'e, 'd> {
    /// The test with classical degrees of freedom, applied to every table.
    pub fn new(engine: &'e CountingEngine<'d>) -> Self {
        Self { engine, rules: Rules::default() }
    }

    /// The test with chosen rules.
    pub fn with_rules(engine: &'e CountingEngine<'d>, rules: Rules) -> Self {
        Self { engine, rules }
    }

    /// The result for N times the (conditional) mutual information of x and y.
    pub(super) fn result(&self, information: f64, x: Variable, y: Variable, given: &[Variable], df: f64) -> TestResult {
        if df <= 0.0 {
            return TestResult::NO_INFORMATION;
        }
        if let Some(refused) = self.rules.refuse(self.engine.data(), x, y, given, df) {
            return refused;
        }
        let statistic = (2.0 * information).max(0.0);
        TestResult { statistic, degrees_of_freedom: df, log_p_value: chi_squared_log_upper_tail(statistic, df) }
    }
}

impl IndependenceTest for G2Test<'_, '_> {
    type Session<'t>
        = G2Session<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.engine.data().n_variables()
    }

    fn session(&self) -> G2Session<'_> {
        G2Session {
            test: self,
            counting: self.engine.session(),
            bounds: Bounds::default(),
            sharing: Sharing::default(),
            with_x: Vec::new(),
            without_x: Vec::new(),
        }
    }

    fn name(&self) -> &'static str {
        match self.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => "g2",
            DegreesOfFreedom::Adjusted => "g2-adjusted",
        }
    }

    fn decided_by_minimum_sample(&self) -> u64 {
        self.rules.decided()
    }

    fn marginal_dependences(
        &self,
        run: &Run,
        log_alpha: f64,
        open: impl Fn(Variable, Variable) -> bool + Sync,
    ) -> Result<Vec<MarginalDependence>> {
        let pairwise = self.engine.pairwise(run)?;
        let scale = self.engine.scale();
        let states = self.marginal_states(run)?;
        let rows = run.map(
            self.n_variables(),
            || (),
            |(), i| {
                let x = i as Variable;
                let of_x = pairwise.total() - pairwise.single(x);
                let mut dependences = Vec::new();
                for (y, &pair) in ((x + 1)..).zip(pairwise.row(x)) {
                    if !open(x, y) {
                        continue;
                    }
                    let information = scale.value(pair + of_x - pairwise.single(y));
                    let df = (states[i] - 1.0) * (states[y as usize] - 1.0);
                    let result = self.result(information, x, y, &[], df);
                    if !result.is_independent(log_alpha) {
                        dependences.push(MarginalDependence { x, y, result });
                    }
                }
                dependences
            },
        )?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// 1 − I(x, y) / H(x, y) of the empirical distribution: 0 for columns that determine each other, 1 for independent
    /// ones (and where both are constant).
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        distance::information_distances(self.engine, run).map(Some)
    }
}

impl G2Test<'_, '_> {
    /// The number of states of each variable that counts for a marginal test.
    fn marginal_states(&self, run: &Run) -> Result<Vec<f64>> {
        let data = self.engine.data();
        match self.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => Ok(data.arities().iter().map(|&r| f64::from(r)).collect()),
            DegreesOfFreedom::Adjusted => run.map(
                data.n_variables(),
                || self.engine.session(),
                |counting, x| {
                    let mut states = 0.0;
                    counting.for_each_stratum(&[x as Variable], &[], |cells| states = cells.len() as f64);
                    states
                },
            ),
        }
    }
}

/// One thread's access to a [`G2Test`].
#[derive(Debug)]
pub struct G2Session<'t> {
    test: &'t G2Test<'t, 't>,
    counting: CountingSession<'t, 't>,
    bounds: Bounds,
    sharing: Sharing,
    with_x: Vec<FixedSum>,
    without_x: Vec<FixedSum>,
}

/// Fewer tests than this of one variable and one set share too little to be made together.
const BATCH: usize = 64;

impl TestSession for G2Session<'_> {
    fn focus(&mut self, neighbourhood: &[Variable]) {
        self.counting.focus(neighbourhood);
    }

    fn gather(&mut self, others: &[Variable]) {
        self.counting.gather(others);
    }

    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let (information, df) = match self.test.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => {
                let df = self.test.rules.count(&mut self.counting, x, y, given);
                (self.counting.conditional_information(x, y, given), df)
            }
            DegreesOfFreedom::Adjusted => {
                let (information, df) = self.counting.information_and_degrees(x, y, given);
                (information, df as f64)
            }
        };
        self.test.result(self.test.engine.scale().value(information), x, y, given, df)
    }

    fn test_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<TestResult>) {
        out.clear();
        let few = others.len() < BATCH && !self.counting.has_gathered(others);
        if few || given.is_empty() {
            out.extend(others.iter().map(|&y| self.test(x, y, given)));
            return;
        }
        let mut base = VariableSet::from_slice(given);
        base.sort_unstable();
        let with_x = base.binary_search(&x).expect_err("x is not in its conditioning set");
        let alone = self.counting.sum_n_log_n(&base);
        self.counting.sums_with_each(&base, others, &mut self.without_x);
        base.insert(with_x, x);
        let of_x = self.counting.sum_n_log_n(&base);
        self.counting.sums_with_each(&base, others, &mut self.with_x);
        let (test, scale) = (self.test, self.test.engine.scale());
        for (i, &y) in others.iter().enumerate() {
            let df = test.rules.count(&mut self.counting, x, y, given);
            let information = scale.value(self.with_x[i] + alone - of_x - self.without_x[i]);
            out.push(test.result(information, x, y, given, df));
        }
    }

    fn separate(
        &mut self,
        x: Variable,
        y: Variable,
        sets: &ConditioningSets<'_>,
        log_alpha: f64,
        run: &Run,
        found: &mut Separation,
    ) -> Result<()> {
        let mut search = SeparationSearch {
            test: self.test,
            x,
            y,
            sets,
            log_alpha,
            run,
            found,
            known: [i64::MAX; MAX_DEGREES + 1],
            outcome: Ok(()),
        };
        if self.counting.visit_subsets(x, y, sets.pool(), sets.size(), &mut search) {
            return search.outcome;
        }
        if self.test.rules.may_refuse() {
            return separate_one_by_one(self, x, y, sets, log_alpha, run, found, |_, _, _| false);
        }
        let degrees = self.test.rules.degrees_of_freedom();
        separate_one_by_one(self, x, y, sets, log_alpha, run, found, |session, set, max_log_p_value| {
            session.bounds.is_below(&mut session.counting, degrees, x, y, set, max_log_p_value)
        })
    }

    fn test_family(&mut self, x: Variable, y: Variable, family: &SetFamily<'_>, visitor: &mut impl SetVisitor) {
        let worth = self.worth_sharing(x, y, family);
        let patience = worth.map_or(u64::MAX, |worth| self.sharing.patience(x, worth));
        let Some(skipped) = test_one_by_one(self, x, y, family, visitor, patience) else {
            if worth.is_some() {
                self.sharing.note(x, true);
            }
            return;
        };
        let mut tester = Tester::new(self.test, x, y, family, visitor, skipped);
        let &SetFamily { with, pool, size } = family;
        assert!(
            self.counting.visit_around(x, y, with, pool, size, &mut tester),
            "a family that is shared is one it takes"
        );
        let ended_soon = patience == 0 && worth.is_some_and(|worth| tester.tests < worth);
        self.sharing.note(x, ended_soon);
    }

    fn shares_family(&self, x: Variable, y: Variable, family: &SetFamily<'_>) -> bool {
        self.worth_sharing(x, y, family).is_some()
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        rows_per_cell(self.test.engine.data(), variables)
    }
}

impl G2Session<'_> {
    /// See [`Sharing::worth`].
    fn worth_sharing(&self, x: Variable, y: Variable, family: &SetFamily<'_>) -> Option<u64> {
        let rules = &self.test.rules;
        let applies = rules.degrees_of_freedom() == DegreesOfFreedom::Classical && !rules.may_refuse();
        if applies { Sharing::worth(&self.counting, x, y, family) } else { None }
    }
}

/// The degrees of freedom of binary variables given three others.
const MAX_DEGREES: usize = 8;

/// The tests of a pair of binary variables given subsets of binary variables.
struct SeparationSearch<'a> {
    test: &'a G2Test<'a, 'a>,
    x: Variable,
    y: Variable,
    sets: &'a ConditioningSets<'a>,
    log_alpha: f64,
    run: &'a Run,
    found: &'a mut Separation,
    /// For each number of degrees of freedom: a test with this much information or more has a p-value below the largest
    /// one so far, so that it need not be computed.
    known: [i64; MAX_DEGREES + 1],
    outcome: Result<()>,
}

impl SubsetVisitor for SeparationSearch<'_> {
    #[inline]
    fn wants(&mut self, positions: &[usize]) -> bool {
        !self.sets.was_tested(positions)
    }

    #[inline]
    fn visit(&mut self, positions: &[usize], information: i64, observed_degrees: u32) -> ControlFlow<()> {
        self.found.tests += 1;
        if self.found.tests.is_multiple_of(TESTS_BETWEEN_CHECKS) {
            self.outcome = self.run.check();
            if self.outcome.is_err() {
                return ControlFlow::Break(());
            }
        }
        let degrees = match self.test.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => 1 << positions.len(),
            DegreesOfFreedom::Adjusted => observed_degrees as usize,
        };
        if information >= self.known[degrees] {
            ControlFlow::Continue(())
        } else {
            self.judge(positions, information, degrees)
        }
    }
}

impl SeparationSearch<'_> {
    /// Makes the test itself. Whether to go on.
    fn judge(&mut self, positions: &[usize], information: i64, degrees: usize) -> ControlFlow<()> {
        // Below this the p-value falls by far more than its rounding where the information rises by the margin.
        const CLEARLY_BELOW_ONE: f64 = -1e-3;
        const MARGIN: f64 = 1.0 + 1e-6;
        let set: VariableSet = positions.iter().map(|&at| self.sets.pool()[at]).collect();
        let value = self.test.engine.scale().value(FixedSum(information));
        let result = self.test.result(value, self.x, self.y, &set, degrees as f64);
        self.found.raise(result.log_p_value, set.into_iter());
        if result.is_independent(self.log_alpha) {
            return ControlFlow::Break(());
        }
        if result.log_p_value < CLEARLY_BELOW_ONE && !self.test.rules.may_refuse() {
            let known = (information as f64 * MARGIN) as i64 + 1024;
            self.known[degrees] = self.known[degrees].min(known);
        }
        ControlFlow::Continue(())
    }
}
