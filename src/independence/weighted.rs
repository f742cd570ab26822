//! G² and Pearson's X² of rows with sampling weights.

use super::rules::{Decided, DegreesOfFreedom, Rules, classical};
use super::{IndependenceTest, Statistic, TestResult, TestSession, pair_distances};
use crate::counts::{FixedSum, WeightedEngine, WeightedSession};
use crate::data::WeightedData;
use crate::run::Run;
use crate::stats::chi_squared_log_upper_tail;
use crate::{Result, Variable, VariableSet};

/// A test of conditional independence of rows that weigh differently: that of the table of weights, scaled to sum to the
/// effective number of rows.
///
/// With equal weights it is [`G2Test`](super::G2Test) or [`PearsonTest`](super::PearsonTest). The scaling keeps the level
/// whatever the weights are, as long as they have nothing to do with the variables (see
/// [`RowWeights`](crate::data::RowWeights)). Degrees of freedom count states and strata as without weights; the least-sample
/// rule looks at effective rows.
///
/// # Examples
///
/// ```
/// use phgs::counts::WeightedEngine;
/// use phgs::data::{DiscreteData, WeightedData};
/// use phgs::independence::{IndependenceTest, Rules, Statistic, TestSession, WeightedTest};
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1], vec![0, 1, 0, 1]])?;
/// // Twice as many rows where both agree, of 36 / 10 effective ones: X² = n φ².
/// let data = WeightedData::new(data, &[2.0, 1.0, 1.0, 2.0])?;
/// let engine = WeightedEngine::new(&data);
/// let result = WeightedTest::new(&engine, Statistic::X2, Rules::default()).session().test(0, 1, &[]);
/// assert!((result.statistic - 3.6 / 9.0).abs() < 1e-8);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct WeightedTest<'e, 'd> {
    engine: &'e WeightedEngine<'d>,
    statistic: Statistic,
    rules: Rules,
    decided: Decided,
}

impl<'e, 'd> WeightedTest<'e, 'd> {
    /// The test with chosen rules.
    pub fn new(engine: &'e WeightedEngine<'d>, statistic: Statistic, rules: Rules) -> Self {
        Self { engine, statistic, rules, decided: Decided::default() }
    }
}

impl IndependenceTest for WeightedTest<'_, '_> {
    type Session<'t>
        = WeightedTestSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.engine.data().data().n_variables()
    }

    fn session(&self) -> WeightedTestSession<'_> {
        WeightedTestSession { test: self, counting: self.engine.session(), margins: Margins::default() }
    }

    fn name(&self) -> &'static str {
        self.statistic.name(self.rules.degrees_of_freedom())
    }

    fn decided_by_minimum_sample(&self) -> u64 {
        self.decided.count()
    }

    /// 1 − I(x, y) / H(x, y) of the weighted distribution; 1 where H = 0.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        pair_distances(self, run, WeightedTestSession::distance).map(Some)
    }
}

/// One thread's access to a [`WeightedTest`].
#[derive(Debug)]
pub struct WeightedTestSession<'t> {
    test: &'t WeightedTest<'t, 't>,
    counting: WeightedSession<'t, 't>,
    margins: Margins,
}

impl WeightedTestSession<'_> {
    fn distance(&mut self, x: Variable, y: Variable) -> f64 {
        let Self { test, counting, margins } = self;
        let data = test.engine.data().data();
        margins.reserve(data.arity(x) as usize, data.arity(y) as usize);
        let mut distance = 1.0;
        counting.for_each_stratum(x, y, &[], |cells| {
            let stratum = margins.sums(data.arity(x) as usize, cells, test.engine);
            let value = |sum| test.engine.scale().value(sum);
            let entropy = value(stratum.all - stratum.joint);
            if entropy > 0.0 {
                distance = (1.0 - value(stratum.information()) / entropy).clamp(0.0, 1.0);
            }
        });
        distance
    }
}

impl TestSession for WeightedTestSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        // One order for a pair and a set, whatever order they come in.
        let (x, y) = (x.min(y), x.max(y));
        let mut given = VariableSet::from_slice(given);
        given.sort_unstable();
        let Self { test, counting, margins } = self;
        let data = test.engine.data().data();
        let (r_x, r_y) = (data.arity(x) as usize, data.arity(y) as usize);
        margins.reserve(r_x, r_y);
        let (mut statistic, mut information, mut observed) = (0.0, FixedSum::default(), 0.0);
        counting.for_each_stratum(x, y, &given, |cells| {
            let stratum = margins.sums(r_x, cells, test.engine);
            observed += stratum.degrees_of_freedom;
            match test.statistic {
                Statistic::G2 => information += stratum.information(),
                Statistic::X2 => statistic += margins.pearson(r_x, cells),
            }
        });
        if test.statistic == Statistic::G2 {
            statistic = (2.0 * test.engine.scale().value(information)).max(0.0);
        }
        let df = match test.rules.degrees_of_freedom() {
            DegreesOfFreedom::Adjusted => observed,
            DegreesOfFreedom::Classical => classical(data.shape(), x, y, &given),
        };
        if df <= 0.0 {
            return TestResult::NO_INFORMATION;
        }
        let cells: f64 = given.iter().chain([&x, &y]).map(|&v| f64::from(data.arity(v))).product();
        test.rules.refuse_table(test.engine.data().effective_rows(), cells, df, &test.decided).unwrap_or_else(|| {
            TestResult { statistic, degrees_of_freedom: df, log_p_value: chi_squared_log_upper_tail(statistic, df) }
        })
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        let data = self.test.engine.data();
        data.effective_rows() / variables.iter().map(|&v| f64::from(data.data().arity(v))).product::<f64>()
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

impl StratumSums {
    fn information(&self) -> FixedSum {
        self.joint + self.all - self.of_x - self.of_y
    }
}

/// The margins of a stratum, in units of weight; all zero between strata.
#[derive(Debug, Default)]
struct Margins {
    of_x: Vec<u64>,
    of_y: Vec<u64>,
}

impl Margins {
    fn reserve(&mut self, r_x: usize, r_y: usize) {
        self.of_x.resize(self.of_x.len().max(r_x), 0);
        self.of_y.resize(self.of_y.len().max(r_y), 0);
    }

    /// Fills the margins, and returns their total.
    fn fill(&mut self, r_x: usize, cells: &[(u32, u64)]) -> u64 {
        for &(cell, units) in cells {
            self.of_x[cell as usize % r_x] += units;
            self.of_y[cell as usize / r_x] += units;
        }
        cells.iter().map(|&(_, units)| units).sum()
    }

    fn sums(&mut self, r_x: usize, cells: &[(u32, u64)], engine: &WeightedEngine<'_>) -> StratumSums {
        let all = engine.n_log_n(self.fill(r_x, cells));
        let mut joint = FixedSum::default();
        let (mut of_x, mut states_x) = (FixedSum::default(), 0.0);
        let (mut of_y, mut states_y) = (FixedSum::default(), 0.0);
        for &(cell, units) in cells {
            joint += engine.n_log_n(units);
            let units = std::mem::take(&mut self.of_x[cell as usize % r_x]);
            if units > 0 {
                of_x += engine.n_log_n(units);
                states_x += 1.0;
            }
            let units = std::mem::take(&mut self.of_y[cell as usize / r_x]);
            if units > 0 {
                of_y += engine.n_log_n(units);
                states_y += 1.0;
            }
        }
        StratumSums { joint, of_x, of_y, all, degrees_of_freedom: (states_x - 1.0) * (states_y - 1.0) }
    }

    /// X² of the stratum.
    fn pearson(&mut self, r_x: usize, cells: &[(u32, u64)]) -> f64 {
        let total = self.fill(r_x, cells);
        let mut statistic = 0.0;
        // Cells without rows contribute their expectation; all of those together, times n: an exact integer.
        let mut unmatched = u128::from(total) * u128::from(total);
        for &(cell, units) in cells {
            let product = u128::from(self.of_x[cell as usize % r_x]) * u128::from(self.of_y[cell as usize / r_x]);
            unmatched -= product;
            let expected = product as f64 / total as f64;
            let gap = units as f64 - expected;
            statistic += gap * gap / expected;
        }
        statistic += unmatched as f64 / total as f64;
        for &(cell, _) in cells {
            self.of_x[cell as usize % r_x] = 0;
            self.of_y[cell as usize / r_x] = 0;
        }
        statistic / WeightedData::UNIT as f64
    }
}
