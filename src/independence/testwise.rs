//! G² and Pearson's X² on incomplete data: each test uses the rows that are complete in its own columns.

use super::complete_rows::{CompleteCounts, Rows, n_complete};
use super::informative::Informative;
use super::pearson::StratumTable;
use super::rules::{Decided, DegreesOfFreedom, Rules};
use super::{IndependenceTest, TestResult, TestSession, pair_distances};
use crate::counts::{CountingEngine, CountingSession, FixedScale, FixedSum};
use crate::data::IncompleteData;
use crate::run::Run;
use crate::stats::chi_squared_log_upper_tail;
use crate::{Result, Variable, VariableSet};

/// The statistic of a test over a contingency table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// G², the likelihood ratio: that of [`G2Test`](super::G2Test).
    G2,
    /// Pearson's X²: that of [`PearsonTest`](super::PearsonTest).
    X2,
}

impl Statistic {
    /// The name of its test with a rule for degrees of freedom.
    pub(super) fn name(self, rule: DegreesOfFreedom) -> &'static str {
        match (self, rule) {
            (Self::G2, DegreesOfFreedom::Classical) => "g2",
            (Self::G2, DegreesOfFreedom::Adjusted) => "g2-adjusted",
            (Self::X2, DegreesOfFreedom::Classical) => "x2",
            (Self::X2, DegreesOfFreedom::Adjusted) => "x2-adjusted",
        }
    }
}

/// A test of conditional independence by test-wise deletion: rows in which x, y or a conditioning variable is missing are
/// left out of that test, and of no other.
///
/// On rows that are complete it is [`G2Test`](super::G2Test) or [`PearsonTest`](super::PearsonTest). Classical degrees
/// of freedom and the least-sample rule, too, look at the rows that a test uses: they count the states that a column
/// shows in them. A test without such rows is [`TestResult::NO_INFORMATION`].
///
/// Deleting rows by test is right where values are missing completely at random; p-values of different tests then come from
/// different samples.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, IncompleteData};
/// use phgs::independence::{IndependenceTest, Rules, Statistic, TestSession, TestwiseTest};
/// // Code 2 is missing: the last row counts in no test of column 0.
/// let columns = vec![Codes::Narrow(vec![0, 0, 1, 1, 0, 1, 2]), Codes::Narrow(vec![0, 0, 1, 1, 1, 0, 1])];
/// let data = IncompleteData::new(columns, vec![2, 2])?;
/// let test = TestwiseTest::new(&data, Statistic::X2, Rules::default());
/// let (result, n_rows) = test.session().test_with_rows(0, 1, &[]);
/// assert!((result.statistic - 2.0 / 3.0).abs() < 1e-12);
/// assert_eq!(n_rows, 6);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct TestwiseTest<'d> {
    rows: Rows<'d>,
    statistic: Statistic,
    scale: FixedScale,
    rules: Rules,
    decided: Decided,
}

impl<'d> TestwiseTest<'d> {
    /// The test with chosen rules.
    pub fn new(data: &'d IncompleteData, statistic: Statistic, rules: Rules) -> Self {
        let scale = FixedScale::new(data.n_rows());
        Self { rows: Rows::Here(data), statistic, scale, rules, decided: Decided::default() }
    }

    /// The test over tables of an engine. A code of `arities[v]` or above stands for a missing value of variable v, so that the
    /// results are those of the test of the rows themselves.
    pub fn over(engine: &'d CountingEngine<'d>, arities: &'d [u32], statistic: Statistic, rules: Rules) -> Self {
        let scale = FixedScale::new(engine.shape().n_rows());
        Self { rows: Rows::Elsewhere(engine, arities), statistic, scale, rules, decided: Decided::default() }
    }

    fn cells(&self, variables: impl IntoIterator<Item = Variable>) -> f64 {
        variables.into_iter().map(|v| f64::from(self.rows.arity(v))).product::<f64>().min(f64::MAX)
    }
}

impl IndependenceTest for TestwiseTest<'_> {
    type Session<'t>
        = TestwiseSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.rows.n_variables()
    }

    fn session(&self) -> TestwiseSession<'_> {
        TestwiseSession {
            test: self,
            counting: match self.rows {
                Rows::Here(_) => None,
                Rows::Elsewhere(engine, _) => Some(engine.session()),
            },
            counts: CompleteCounts::default(),
            table: StratumTable::default(),
            sums: Sums::default(),
        }
    }

    fn name(&self) -> &'static str {
        self.statistic.name(self.rules.degrees_of_freedom())
    }

    fn decided_by_minimum_sample(&self) -> u64 {
        self.decided.count()
    }

    /// 1 − I(x, y) / H(x, y) of the rows in which both are known; 1 where H = 0.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        let p = self.n_variables() as Variable;
        let mut session = self.session();
        if session.asks() {
            session.expect((0..p).flat_map(|x| (x + 1..p).map(move |y| VariableSet::from_slice(&[x, y]))).collect());
        }
        pair_distances(self, run, TestwiseSession::distance).map(Some)
    }
}

/// One thread's access to a [`TestwiseTest`].
#[derive(Debug)]
pub struct TestwiseSession<'t> {
    test: &'t TestwiseTest<'t>,
    counting: Option<CountingSession<'t, 't>>,
    counts: CompleteCounts,
    table: StratumTable,
    sums: Sums,
}

impl TestwiseSession<'_> {
    /// [`test`](TestSession::test), and the number of rows that it used.
    pub fn test_with_rows(&mut self, x: Variable, y: Variable, given: &[Variable]) -> (TestResult, usize) {
        // One order for a pair and a set, whatever order they come in.
        let (x, y) = (x.min(y), x.max(y));
        let mut given = VariableSet::from_slice(given);
        given.sort_unstable();
        let Self { test, counting, counts, table, sums } = self;
        let (r_x, r_y) = (test.rows.arity(x) as usize, test.rows.arity(y) as usize);
        table.reserve(r_x, r_y);
        sums.reserve(r_x, r_y);
        let (mut statistic, mut information, mut observed) = (0.0, FixedSum::default(), 0.0);
        let n_rows = counts.for_each_stratum(test.rows, counting, x, y, &given, |cells| {
            let stratum = sums.of(r_x, cells, &test.scale);
            observed += stratum.degrees_of_freedom;
            match test.statistic {
                Statistic::G2 => information += stratum.joint + stratum.all - stratum.of_x - stratum.of_y,
                Statistic::X2 => statistic += table.statistic(r_x, cells.iter().copied()),
            }
        });
        if test.statistic == Statistic::G2 {
            statistic = (2.0 * test.scale.value(information)).max(0.0);
        }
        let strata = counts.states[..given.len()].iter().product::<f64>().min(f64::MAX);
        let df = match test.rules.degrees_of_freedom() {
            DegreesOfFreedom::Adjusted => observed,
            DegreesOfFreedom::Classical => {
                let (of_y, of_x) = (counts.states[given.len()], counts.states[given.len() + 1]);
                (strata * ((of_x - 1.0) * (of_y - 1.0))).min(f64::MAX)
            }
        };
        if df <= 0.0 || n_rows == 0 {
            return (TestResult::NO_INFORMATION, n_rows);
        }
        let cells = counts.states.iter().product::<f64>().min(f64::MAX);
        let result = test.rules.refuse_table(n_rows as f64, cells, df, &test.decided).unwrap_or_else(|| TestResult {
            statistic,
            degrees_of_freedom: df,
            log_p_value: chi_squared_log_upper_tail(statistic, df),
        });
        (result, n_rows)
    }

    fn distance(&mut self, x: Variable, y: Variable) -> f64 {
        let Self { test, counting, counts, sums, .. } = self;
        let (r_x, r_y) = (test.rows.arity(x) as usize, test.rows.arity(y) as usize);
        sums.reserve(r_x, r_y);
        let mut distance = 1.0;
        counts.for_each_stratum(test.rows, counting, x, y, &[], |cells| {
            let stratum = sums.of(r_x, cells, &test.scale);
            let information = test.scale.value(stratum.joint + stratum.all - stratum.of_x - stratum.of_y);
            let entropy = test.scale.value(stratum.all - stratum.joint);
            if entropy > 0.0 {
                distance = (1.0 - information / entropy).clamp(0.0, 1.0);
            }
        });
        distance
    }
}

impl TestwiseSession<'_> {
    /// The strata of complete rows of a test of x ⫫ y | given, and those in which both variables vary.
    pub fn informative(&mut self, x: Variable, y: Variable, given: &[Variable]) -> Informative {
        let Self { test, counting, counts, .. } = self;
        let mut found = Informative::default();
        counts.for_each_stratum(test.rows, counting, x, y, given, |cells| found.add(cells, test.rows.arity(x)));
        found
    }
}

impl TestSession for TestwiseSession<'_> {
    fn next_neighbourhood(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.next_neighbourhood();
        }
    }

    fn asks(&self) -> bool {
        self.counting.as_ref().is_some_and(CountingSession::asks)
    }

    fn expect(&mut self, sets: Vec<VariableSet>) {
        if let Some(counting) = &self.counting {
            counting.expect(sets.into_iter());
        }
    }

    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.test_with_rows(x, y, given).0
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        let complete = match self.test.rows {
            Rows::Here(data) => data.n_complete(variables),
            Rows::Elsewhere(engine, arities) => n_complete(&mut engine.session(), arities, variables),
        };
        complete as f64 / self.test.cells(variables.iter().copied())
    }
}

/// The sums of `n ln n` of a stratum.
struct StratumSums {
    joint: FixedSum,
    of_x: FixedSum,
    of_y: FixedSum,
    all: FixedSum,
    /// (states of x that occur − 1)(states of y that occur − 1).
    degrees_of_freedom: f64,
}

/// Scratch memory for the margins of a stratum; all zero between strata.
#[derive(Debug, Default)]
struct Sums {
    of_x: Vec<u32>,
    of_y: Vec<u32>,
}

impl Sums {
    fn reserve(&mut self, r_x: usize, r_y: usize) {
        self.of_x.resize(self.of_x.len().max(r_x), 0);
        self.of_y.resize(self.of_y.len().max(r_y), 0);
    }

    fn of(&mut self, r_x: usize, cells: &[(u32, u32)], scale: &FixedScale) -> StratumSums {
        let (mut joint, mut all) = (FixedSum::default(), 0);
        for &(cell, count) in cells {
            joint += scale.n_log_n(count);
            all += count;
            self.of_x[cell as usize % r_x] += count;
            self.of_y[cell as usize / r_x] += count;
        }
        let (mut of_x, mut states_x) = (FixedSum::default(), 0.0);
        let (mut of_y, mut states_y) = (FixedSum::default(), 0.0);
        for &(cell, _) in cells {
            let count = std::mem::take(&mut self.of_x[cell as usize % r_x]);
            of_x += scale.n_log_n(count);
            states_x += f64::from(u32::from(count > 0));
            let count = std::mem::take(&mut self.of_y[cell as usize / r_x]);
            of_y += scale.n_log_n(count);
            states_y += f64::from(u32::from(count > 0));
        }
        let degrees_of_freedom = (states_x - 1.0) * (states_y - 1.0);
        StratumSums { joint, of_x, of_y, all: scale.n_log_n(all), degrees_of_freedom }
    }
}
