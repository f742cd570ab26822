//! The G² (likelihood-ratio) test.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::bounds::{Bounds, is_known_below};
use super::floors::Floors;
use super::g2_subsets::{Judge, Sharing};
use super::rules::{Decided, DegreesOfFreedom, Rules, rows_per_cell};
use super::subsets::{self, OneByOne, Pace};
use super::{
    EachVisitor, IndependenceTest, MarginalDependence, SubsetVisitor, Subsets, TestResult, TestSession, Tested,
    distance,
};
use crate::counts::{CountingEngine, CountingSession, FixedSum};
use crate::run::Run;
use crate::stats::chi_squared_log_upper_tail;
use crate::subsets::binomial;
use crate::{Error, Result, Variable, VariableSet};

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
    pub(super) rules: Rules,
    decided: Decided,
}

impl<'e, 'd> G2Test<'e, 'd> {
    /// The test with classical degrees of freedom, applied to every table.
    pub fn new(engine: &'e CountingEngine<'d>) -> Self {
        Self { engine, rules: Rules::default(), decided: Decided::default() }
    }

    /// The test with chosen rules.
    pub fn with_rules(engine: &'e CountingEngine<'d>, rules: Rules) -> Self {
        Self { engine, rules, decided: Decided::default() }
    }

    /// The result for N times the (conditional) mutual information of x and y.
    pub(super) fn result(&self, information: f64, x: Variable, y: Variable, given: &[Variable], df: f64) -> TestResult {
        if df <= 0.0 {
            return TestResult::NO_INFORMATION;
        }
        if let Some(refused) = self.rules.refuse(self.engine.shape(), x, y, given, df, &self.decided) {
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
        self.engine.shape().n_variables()
    }

    fn session(&self) -> G2Session<'_> {
        G2Session {
            test: self,
            counting: self.engine.session(),
            bounds: Bounds::default(),
            sharing: Sharing::default(),
            pace: Pace::of_tests(ROW_NANOSECONDS * self.engine.shape().n_rows() as f64),
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
        self.decided.count()
    }

    fn marginal_dependences(
        &self,
        run: &Run,
        log_alpha: f64,
        open: impl Fn(Variable, Variable) -> bool + Sync,
    ) -> Result<Vec<MarginalDependence>> {
        let (engine, scale) = (self.engine, self.engine.scale());
        let states = self.marginal_states(run)?;
        let total = scale.n_log_n(engine.shape().n_rows() as u32);
        // A rule that refuses tests looks at each of them.
        let floors = if self.rules.may_refuse() { Floors::none() } else { Floors::new(&states, log_alpha) };
        let found = AtomicUsize::new(0);
        let parts = engine.visit_pairs(run, Vec::new, |dependences, x, y, pair| {
            let information = scale.value(pair + total - engine.single(x) - engine.single(y));
            let df = (states[x as usize] - 1.0) * (states[y as usize] - 1.0);
            if information < floors.of(df) || !open(x, y) {
                return;
            }
            let result = self.result(information, x, y, &[], df);
            // All are counted, so that an error can tell.
            if !result.is_independent(log_alpha) && found.fetch_add(1, Ordering::Relaxed) < MOST_DEPENDENT {
                dependences.push(MarginalDependence { x, y, result });
            }
        })?;
        too_many(found.into_inner(), log_alpha)?;
        let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for mut part in parts {
            part.sort_unstable_by_key(|pair| (pair.x, pair.y));
            all.append(&mut part);
        }
        Ok(all)
    }

    /// 1 − I(x, y) / H(x, y) of the empirical distribution: 0 for columns that determine each other, 1 for independent
    /// ones (and where both are constant).
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        distance::information_distances(self.engine, run).map(Some)
    }
}

/// Up to so many dependent pairs are kept: 4 GiB here, and 5 GiB in the store of a skeleton learner.
const MOST_DEPENDENT: usize = 1 << 27;

/// Refuses more pairs than can be kept.
fn too_many(n_dependent: usize, log_alpha: f64) -> Result<()> {
    if n_dependent <= MOST_DEPENDENT {
        return Ok(());
    }
    let problem = format!(
        "{n_dependent} pairs of variables depend on each other at level {:.3e}, which is more than the {MOST_DEPENDENT} \
         that are kept. Lower it, or take out of the data what all variables share (a batch, a year) first",
        log_alpha.exp()
    );
    Err(Error::parameter("alpha", problem))
}

impl G2Test<'_, '_> {
    /// The number of states of each variable that counts for a marginal test.
    fn marginal_states(&self, run: &Run) -> Result<Vec<f64>> {
        let shape = self.engine.shape();
        match self.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => Ok(shape.arities().iter().map(|&r| f64::from(r)).collect()),
            DegreesOfFreedom::Adjusted => run.map(
                shape.n_variables(),
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
    pace: Pace,
    with_x: Vec<FixedSum>,
    without_x: Vec<FixedSum>,
}

/// What a row takes in the slowest of tests, in which rows are sorted; large tables have few cells for each row.
const ROW_NANOSECONDS: f64 = 100.0;

/// Fewer tests than this of one variable and one set share too little to be made together.
const BATCH: usize = 64;

/// Families of binary variables with so many sets are made together even where their tables are shared with others.
const LARGE_FAMILY: u64 = 256;

impl TestSession for G2Session<'_> {
    fn next_neighbourhood(&mut self) {
        self.counting.next_neighbourhood();
    }

    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, sets: Vec<VariableSet>) {
        self.counting.expect(sets.into_iter());
    }

    #[inline]
    fn goes_on(&mut self, run: &Run) -> Result<bool> {
        self.pace.goes_on(run)
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

    fn test_each(
        &mut self,
        x: Variable,
        others: &[Variable],
        given: &[Variable],
        run: &Run,
        out: &mut Vec<TestResult>,
    ) -> Result<Tested> {
        out.clear();
        let few = others.len() < BATCH && !self.counting.has_gathered(others);
        if few || given.is_empty() {
            if self.asks() {
                self.expect(others.iter().map(|&y| subsets::family(x, y, given)).collect());
            }
            for &y in others {
                if !self.pace.goes_on(run)? {
                    return Ok(Tested::OutOfTime);
                }
                out.push(self.test(x, y, given));
            }
            return Ok(Tested::All);
        }
        run.check()?;
        if run.out_of_time() {
            return Ok(Tested::OutOfTime);
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
        Ok(Tested::All)
    }

    /// Binary variables and small sets have a way of their own; variables with many neighbours share much among their
    /// tests; all others are made one by one, unless a bound decides them.
    fn test_subsets(
        &mut self,
        x: Variable,
        y: Variable,
        subsets: &Subsets<'_>,
        run: &Run,
        visitor: &mut impl SubsetVisitor,
    ) -> Result<Tested> {
        let &Subsets { pool, size, with } = subsets;
        let binary = self.counting.are_binary(x, y, with, pool, size);
        let alone = binary && !visitor.shares_tables();
        let worth = if alone { None } else { self.worth_sharing(x, y, subsets) };
        // What tables of other families spare is worth more than this way, unless the family is large.
        if alone || (binary && worth.is_none() && binomial(pool.len(), size) >= LARGE_FAMILY) {
            let mut judge = Judge::of_binary(self.test, x, y, subsets, run, visitor, &mut self.pace);
            self.counting.visit_binary(x, y, with, pool, size, &mut judge);
            return judge.end();
        }
        let patience = worth.map_or(u64::MAX, |worth| self.sharing.patience(x, worth));
        let skipped = match self.one_by_one(x, y, subsets, run, visitor, patience)? {
            OneByOne::Ended(tested) => {
                if worth.is_some() {
                    self.sharing.note(x, true);
                }
                return Ok(tested);
            }
            OneByOne::Paused(sets) => sets,
        };
        let mut judge = Judge::of_hub(self.test, x, y, subsets, run, visitor, &mut self.pace, skipped);
        self.counting.visit_around(x, y, with, pool, size, &mut judge);
        let ended_soon = patience == 0 && worth.is_some_and(|worth| judge.tests < worth);
        let tested = judge.end()?;
        self.sharing.note(x, ended_soon);
        Ok(tested)
    }

    fn test_subsets_each(
        &mut self,
        x: Variable,
        others: &[Variable],
        subsets: &Subsets<'_>,
        run: &Run,
        visitor: &mut impl EachVisitor,
    ) -> Result<Tested> {
        // Many others share the sums of each set, unless the sets of each share more.
        let alone = |y: &&Variable| self.worth_sharing(x, **y, subsets).is_some();
        if others.len() >= BATCH && 2 * others.iter().filter(alone).count() <= others.len() {
            subsets::set_by_set(self, x, others, subsets, run, visitor)
        } else {
            subsets::other_by_other(self, x, others, subsets, run, visitor)
        }
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        rows_per_cell(self.test.engine.shape(), variables)
    }
}

impl G2Session<'_> {
    /// See [`Sharing::worth`].
    fn worth_sharing(&self, x: Variable, y: Variable, subsets: &Subsets<'_>) -> Option<u64> {
        let rules = &self.test.rules;
        let applies = rules.degrees_of_freedom() == DegreesOfFreedom::Classical && !rules.may_refuse();
        if applies { Sharing::worth(&self.counting, x, y, subsets) } else { None }
    }

    fn one_by_one(
        &mut self,
        x: Variable,
        y: Variable,
        subsets: &Subsets<'_>,
        run: &Run,
        visitor: &mut impl SubsetVisitor,
        most: u64,
    ) -> Result<OneByOne> {
        // A rule that refuses tests looks at each of them.
        let bounded = !self.test.rules.may_refuse();
        let degrees = self.test.rules.degrees_of_freedom();
        let asks = self.counting.asks();
        subsets::one_by_one(self, x, y, subsets, run, visitor, most, |session, set, floor| {
            let counting = &mut session.counting;
            if asks {
                // Where tables come from far, to ask for the smaller ones of a bound would take as long as the test.
                bounded && is_known_below(counting, x, y, set, floor)
            } else {
                bounded && session.bounds.is_below(counting, degrees, x, y, set, floor)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_dependence_is_refused_with_the_number_and_a_remedy() {
        assert!(too_many(MOST_DEPENDENT, -1.0).is_ok());
        let error = too_many(200_000_000, 0.05f64.ln()).unwrap_err().to_string();
        assert!(error.starts_with("alpha: 200000000 pairs") && error.contains("5.000e-2"), "{error}");
    }
}
