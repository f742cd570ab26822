//! G² and Pearson's X² on incomplete data: each test uses the rows that are complete in its own columns.

use rustc_hash::FxHashMap;

use super::pearson::StratumTable;
use super::rules::{Decided, DegreesOfFreedom, Rules};
use super::{IndependenceTest, TestResult, TestSession, pair_distances};
use crate::counts::{FixedScale, FixedSum};
use crate::data::{IncompleteData, with_codes};
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
    data: &'d IncompleteData,
    statistic: Statistic,
    scale: FixedScale,
    rules: Rules,
    decided: Decided,
}

impl<'d> TestwiseTest<'d> {
    /// The test with chosen rules.
    pub fn new(data: &'d IncompleteData, statistic: Statistic, rules: Rules) -> Self {
        Self { data, statistic, scale: FixedScale::new(data.n_rows()), rules, decided: Decided::default() }
    }

    fn cells(&self, variables: impl IntoIterator<Item = Variable>) -> f64 {
        variables.into_iter().map(|v| f64::from(self.data.arity(v))).product::<f64>().min(f64::MAX)
    }
}

impl IndependenceTest for TestwiseTest<'_> {
    type Session<'t>
        = TestwiseSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    fn session(&self) -> TestwiseSession<'_> {
        TestwiseSession {
            test: self,
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
        pair_distances(self, run, TestwiseSession::distance).map(Some)
    }
}

/// One thread's access to a [`TestwiseTest`].
#[derive(Debug)]
pub struct TestwiseSession<'t> {
    test: &'t TestwiseTest<'t>,
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
        let Self { test, counts, table, sums } = self;
        let (r_x, r_y) = (test.data.arity(x) as usize, test.data.arity(y) as usize);
        table.reserve(r_x, r_y);
        sums.reserve(r_x, r_y);
        let (mut statistic, mut information, mut observed) = (0.0, FixedSum::default(), 0.0);
        let n_rows = counts.for_each_stratum(test.data, x, y, &given, |cells| {
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
        let Self { test, counts, sums, .. } = self;
        let (r_x, r_y) = (test.data.arity(x) as usize, test.data.arity(y) as usize);
        sums.reserve(r_x, r_y);
        let mut distance = 1.0;
        counts.for_each_stratum(test.data, x, y, &[], |cells| {
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

impl TestSession for TestwiseSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.test_with_rows(x, y, given).0
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        self.test.data.n_complete(variables) as f64 / self.test.cells(variables.iter().copied())
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

/// Counts the complete rows of a few columns, stratum by stratum.
#[derive(Debug, Default)]
struct CompleteCounts {
    /// The cell of each row.
    ids: Vec<u64>,
    table: Vec<u32>,
    cells: Vec<(u32, u32)>,
    numbers: FxHashMap<u64, u64>,
    /// How many states each column shows in the complete rows: those of the conditioning set, then y, then x.
    states: Vec<f64>,
    seen: Vec<bool>,
}

/// The cell of a row in which a value is missing.
const MISSING: u64 = u64::MAX;

impl CompleteCounts {
    /// Calls `visit` with the cells (x + r_x y, count) that have a count, by increasing cell, of each stratum of `given` that
    /// occurs; returns the number of complete rows.
    fn for_each_stratum(
        &mut self,
        data: &IncompleteData,
        x: Variable,
        y: Variable,
        given: &[Variable],
        mut visit: impl FnMut(&[(u32, u32)]),
    ) -> usize {
        const MANY: u64 = 1 << 31;
        self.ids.clear();
        self.ids.resize(data.n_rows(), 0);
        let mut size = 1;
        for &z in given {
            if size * u64::from(data.arity(z)) > MANY {
                size = self.renumber();
            }
            size *= self.refine(data, z);
        }
        if size > MANY {
            size = self.renumber();
        }
        let block = self.refine(data, y) * self.refine(data, x);
        let n_cells = size.saturating_mul(block);
        self.states.clear();
        for &variable in given.iter().chain([&y, &x]) {
            let shown = self.shown(data, variable);
            self.states.push(f64::from(shown));
        }
        if n_cells <= (4 * data.n_rows() as u64).max(1 << 12) {
            self.table.clear();
            self.table.resize(n_cells as usize, 0);
            for &id in self.ids.iter().filter(|&&id| id != MISSING) {
                self.table[id as usize] += 1;
            }
            let mut n_rows = 0;
            for stratum in self.table.chunks_exact(block as usize) {
                self.cells.clear();
                let counted = stratum.iter().enumerate().filter(|(_, count)| **count > 0);
                self.cells.extend(counted.map(|(cell, &count)| (cell as u32, count)));
                n_rows += self.cells.iter().map(|&(_, count)| count as usize).sum::<usize>();
                if !self.cells.is_empty() {
                    visit(&self.cells);
                }
            }
            return n_rows;
        }
        self.ids.retain(|&id| id != MISSING);
        self.ids.sort_unstable();
        for stratum in self.ids.chunk_by(|a, b| a / block == b / block) {
            self.cells.clear();
            self.cells.extend(stratum.chunk_by(|a, b| a == b).map(|run| ((run[0] % block) as u32, run.len() as u32)));
            visit(&self.cells);
        }
        self.ids.len()
    }

    /// Refines the cells by a column, and returns its arity.
    fn refine(&mut self, data: &IncompleteData, variable: Variable) -> u64 {
        fn by<T: Copy + Into<u64>>(ids: &mut [u64], codes: &[T], arity: u64) {
            for (id, &code) in ids.iter_mut().zip(codes) {
                let code = code.into();
                *id = if code == arity || *id == MISSING { MISSING } else { *id * arity + code };
            }
        }
        let arity = u64::from(data.arity(variable));
        with_codes!(data.column(variable), |codes| by(&mut self.ids, codes, arity));
        arity
    }

    /// How many states of a column the complete rows show.
    fn shown(&mut self, data: &IncompleteData, variable: Variable) -> u32 {
        fn count<T: Copy + Into<usize>>(ids: &[u64], codes: &[T], seen: &mut [bool]) -> u32 {
            let mut shown = 0;
            for (&id, &code) in ids.iter().zip(codes) {
                let code = code.into();
                if id != MISSING && !seen[code] {
                    seen[code] = true;
                    shown += 1;
                    // Mostly a few rows show all states.
                    if shown as usize == seen.len() {
                        break;
                    }
                }
            }
            shown
        }
        self.seen.clear();
        self.seen.resize(data.arity(variable) as usize, false);
        with_codes!(data.column(variable), |codes| count(&self.ids, codes, &mut self.seen))
    }

    /// Numbers the cells that occur, by first appearance, and returns how many there are.
    fn renumber(&mut self) -> u64 {
        self.numbers.clear();
        for id in self.ids.iter_mut().filter(|id| **id != MISSING) {
            let next = self.numbers.len() as u64;
            *id = *self.numbers.entry(*id).or_insert(next);
        }
        self.numbers.len() as u64
    }
}
