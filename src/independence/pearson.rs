//! Pearson's X² test.

use super::rules::{Decided, DegreesOfFreedom, Rules, rows_per_cell};
use super::{IndependenceTest, TestResult, TestSession, distance};
use crate::counts::{CountingEngine, CountingSession};
use crate::run::Run;
use crate::stats::chi_squared_log_upper_tail;
use crate::{Result, Variable, VariableSet};

/// Pearson's X² test of conditional independence: Σ (n_xyz − e)² / e with e = n_xz n_yz / n_z, against χ².
///
/// Cells with e = 0 (an empty margin or stratum) contribute 0; there is no continuity correction. Rules and degenerate
/// tables are those of [`G2Test`](super::G2Test).
///
/// # Examples
///
/// ```
/// use phgs::{counts::CountingEngine, data::DiscreteData, independence::{IndependenceTest, PearsonTest, TestSession}};
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1, 0, 1], vec![0, 0, 1, 1, 1, 0]])?;
/// let engine = CountingEngine::new(&data);
/// let result = PearsonTest::new(&engine).session().test(0, 1, &[]);
/// assert!((result.statistic - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct PearsonTest<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    rules: Rules,
    decided: Decided,
}

impl<'e, 'd> PearsonTest<'e, 'd> {
    /// The test with classical degrees of freedom, applied to every table.
    pub fn new(engine: &'e CountingEngine<'d>) -> Self {
        Self { engine, rules: Rules::default(), decided: Decided::default() }
    }

    /// The test with chosen rules.
    pub fn with_rules(engine: &'e CountingEngine<'d>, rules: Rules) -> Self {
        Self { engine, rules, decided: Decided::default() }
    }
}

impl IndependenceTest for PearsonTest<'_, '_> {
    type Session<'t>
        = PearsonSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.engine.shape().n_variables()
    }

    fn session(&self) -> PearsonSession<'_> {
        PearsonSession { test: self, counting: self.engine.session(), table: StratumTable::default() }
    }

    fn name(&self) -> &'static str {
        match self.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => "x2",
            DegreesOfFreedom::Adjusted => "x2-adjusted",
        }
    }

    fn decided_by_minimum_sample(&self) -> u64 {
        self.decided.count()
    }

    /// Those of the G² test: 1 − I(x, y) / H(x, y).
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        distance::information_distances(self.engine, run).map(Some)
    }
}

/// One thread's access to a [`PearsonTest`].
#[derive(Debug)]
pub struct PearsonSession<'t> {
    test: &'t PearsonTest<'t, 't>,
    counting: CountingSession<'t, 't>,
    table: StratumTable,
}

impl TestSession for PearsonSession<'_> {
    fn next_neighbourhood(&mut self) {
        self.counting.next_neighbourhood();
    }

    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, sets: Vec<VariableSet>) {
        self.counting.expect(sets.into_iter());
    }

    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let shape = self.test.engine.shape();
        // One order of summation for a pair and a set, whatever order they come in.
        let (x, y) = (x.min(y), x.max(y));
        let mut given = VariableSet::from_slice(given);
        given.sort_unstable();
        let (rules, counting) = (&self.test.rules, &mut self.counting);
        let df = rules.count(counting, x, y, &given);
        if df <= 0.0 {
            return TestResult::NO_INFORMATION;
        }
        if let Some(refused) = rules.refuse(shape, x, y, &given, df, &self.test.decided) {
            return refused;
        }
        let (r_x, r_y) = (shape.arity(x) as usize, shape.arity(y) as usize);
        self.table.reserve(r_x, r_y);
        let mut set = VariableSet::from_slice(&[x, y]);
        set.extend_from_slice(&given);
        let mut statistic = 0.0;
        if let Some(counts) = counting.table(&set) {
            for stratum in counts.chunks_exact(r_x * r_y) {
                let cells = stratum.iter().enumerate().filter(|&(_, &n)| n > 0).map(|(cell, &n)| (cell as u32, n));
                statistic += self.table.statistic(r_x, cells);
            }
        } else {
            counting.for_each_stratum(&[x, y], &given, |cells| {
                statistic += self.table.statistic(r_x, cells.iter().copied());
            });
        }
        TestResult { statistic, degrees_of_freedom: df, log_p_value: chi_squared_log_upper_tail(statistic, df) }
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        rows_per_cell(self.test.engine.shape(), variables)
    }
}

/// Scratch memory for the table of one stratum: its margins.
#[derive(Debug, Default)]
pub(super) struct StratumTable {
    of_x: Vec<u32>,
    of_y: Vec<u32>,
}

impl StratumTable {
    pub(super) fn reserve(&mut self, r_x: usize, r_y: usize) {
        self.of_x.resize(self.of_x.len().max(r_x), 0);
        self.of_y.resize(self.of_y.len().max(r_y), 0);
    }

    /// X² of one stratum, from its cells (x + r_x y, count) that have a count.
    pub(super) fn statistic(&mut self, r_x: usize, cells: impl Iterator<Item = (u32, u32)> + Clone) -> f64 {
        let place = |cell: u32| (cell as usize % r_x, cell as usize / r_x);
        let mut total = 0u64;
        for (cell, count) in cells.clone() {
            let (i, j) = place(cell);
            self.of_x[i] += count;
            self.of_y[j] += count;
            total += u64::from(count);
        }
        let mut statistic = 0.0;
        // A cell without a count contributes its expectation; all of those together, times n: an exact integer.
        let mut unmatched = total * total;
        for (cell, count) in cells.clone() {
            let (i, j) = place(cell);
            let product = u64::from(self.of_x[i]) * u64::from(self.of_y[j]);
            unmatched -= product;
            let expected = product as f64 / total as f64;
            let gap = f64::from(count) - expected;
            statistic += gap * gap / expected;
        }
        if unmatched > 0 {
            statistic += unmatched as f64 / total as f64;
        }
        for (cell, _) in cells {
            let (i, j) = place(cell);
            self.of_x[i] = 0;
            self.of_y[j] = 0;
        }
        statistic
    }
}
