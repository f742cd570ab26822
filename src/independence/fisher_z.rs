//! Fisher's z test of partial correlation, for Gaussian data.

use smallvec::SmallVec;

use super::subsets::Pace;
use super::{IndependenceTest, MarginalDependence, TestResult, TestSession, in_time};
use crate::data::{Correlation, SINGULAR};
use crate::run::Run;
use crate::stats::normal_log_two_sided;
use crate::{Result, Variable, VariableSet};

/// Fisher's z test that the partial correlation r of x and y given z is 0: the statistic √(n − |z| − 3) · |atanh r| is
/// standard normal under independence (Fisher 1924), and the p-value two-sided.
///
/// What cannot be computed is never NaN:
///
/// * n − |z| − 3 ≤ 0 leaves no information: p-value 1 ([`TestResult::NO_INFORMATION`]).
/// * A conditioning variable that is a linear combination of those before it adds nothing: it is skipped, and |z| counts
///   the others.
/// * A variable that the conditioning set determines has nothing left to correlate: no information.
///
/// Of weighted rows n is the effective number of rows, [`Correlation::effective_rows`].
///
/// Pairs of identical columns are refused when the [`Correlation`] is made. `degrees_of_freedom` of a result is
/// n − |z| − 3. The last bits of a result depend on the order of the conditioning set, not on the order of the columns.
///
/// # Examples
///
/// ```
/// use phgs::data::Correlation;
/// use phgs::independence::{FisherZTest, IndependenceTest, TestSession};
/// let matrix = [vec![1.0, 0.5, 0.25], vec![0.5, 1.0, 0.5], vec![0.25, 0.5, 1.0]];
/// let correlation = Correlation::from_matrix(&matrix, 103)?;
/// let test = FisherZTest::new(&correlation);
/// let mut session = test.session();
/// assert!((session.test(0, 1, &[]).statistic - 10.0 * 0.5f64.atanh()).abs() < 1e-12);
/// assert!(session.test(0, 2, &[1]).log_p_value > -1e-12, "1 separates 0 and 2");
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FisherZTest<'c> {
    correlation: &'c Correlation,
}

impl<'c> FisherZTest<'c> {
    /// The test on a correlation matrix.
    pub fn new(correlation: &'c Correlation) -> Self {
        Self { correlation }
    }

    /// The test of a correlation that `rank` variables were taken out of.
    fn result(&self, r: f64, rank: usize) -> TestResult {
        let rows = self.correlation.effective_rows() - rank as f64 - 3.0;
        if rows <= 0.0 {
            return TestResult::NO_INFORMATION;
        }
        let statistic = rows.sqrt() * r.abs().min(1.0).atanh();
        TestResult { statistic, degrees_of_freedom: rows, log_p_value: normal_log_two_sided(statistic) }
    }
}

impl IndependenceTest for FisherZTest<'_> {
    type Session<'t>
        = FisherZSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.correlation.n_variables()
    }

    fn session(&self) -> FisherZSession<'_> {
        FisherZSession {
            test: *self,
            given: VariableSet::new(),
            factor: SmallVec::new(),
            inverse_pivots: SmallVec::new(),
            pair: None,
            of_x: SmallVec::new(),
            of_y: SmallVec::new(),
            pace: Pace::of_tests(TEST_NANOSECONDS),
        }
    }

    fn name(&self) -> &'static str {
        "fisher-z"
    }

    fn marginal_dependences(
        &self,
        run: &Run,
        log_alpha: f64,
        open: impl Fn(Variable, Variable) -> bool + Sync,
    ) -> Result<Vec<MarginalDependence>> {
        // Correlations that are surely too small need no p-value: bisect for the one at α, and leave a margin.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.result(middle, 0).is_independent(log_alpha) { low = middle } else { high = middle }
        }
        let surely_independent = low * (1.0 - 1e-9);
        let p = self.n_variables() as Variable;
        let rows = run.try_map(
            p as usize,
            || (),
            |(), x| {
                in_time(run)?;
                let x = x as Variable;
                Ok(((x + 1)..p)
                    .map(|y| (y, self.correlation.get(x, y)))
                    .filter(|&(y, r)| r.abs() >= surely_independent && open(x, y))
                    .map(|(y, r)| MarginalDependence { x, y, result: self.result(r, 0) })
                    .filter(|pair| !pair.result.is_independent(log_alpha))
                    .collect::<Vec<_>>())
            },
        )?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// 1 − |r|.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        let p = self.n_variables() as Variable;
        let rows = run.try_map(
            p as usize,
            || (),
            |(), x| {
                in_time(run)?;
                let x = x as Variable;
                Ok(((x + 1)..p).map(|y| 1.0 - self.correlation.get(x, y).abs()).collect::<Vec<_>>())
            },
        )?;
        Ok(Some(rows.concat()))
    }
}

/// What a test of a set of twenty variables takes, about.
const TEST_NANOSECONDS: f64 = 100_000.0;

/// One thread's access to a [`FisherZTest`]. It keeps Cholesky's factor of the last conditioning set, of which the rows
/// that the next set shares from its start are not computed again; they would come out the same.
#[derive(Debug)]
pub struct FisherZSession<'t> {
    test: FisherZTest<'t>,
    given: VariableSet,
    /// Below the diagonal, row by row.
    factor: SmallVec<[f64; 8]>,
    /// 0 for a variable that is a combination of earlier ones.
    inverse_pivots: SmallVec<[f64; 4]>,
    pair: Option<(Variable, Variable)>,
    of_x: SmallVec<[f64; 4]>,
    of_y: SmallVec<[f64; 4]>,
    pace: Pace,
}

/// Sum of products, in order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl FisherZSession<'_> {
    /// Makes the factor that of `given`; returns how many of its rows were there before.
    fn factorise(&mut self, given: &[Variable]) -> usize {
        let kept = self.given.iter().zip(given).take_while(|(a, b)| a == b).count();
        self.given.truncate(kept);
        self.factor.truncate(kept * kept.saturating_sub(1) / 2);
        self.inverse_pivots.truncate(kept);
        for &z in &given[kept..] {
            let start = self.factor.len();
            for j in 0..self.given.len() {
                let earlier = &self.factor[j * j.saturating_sub(1) / 2..][..j];
                let rest = self.test.correlation.get(z, self.given[j]) - dot(earlier, &self.factor[start..]);
                self.factor.push(rest * self.inverse_pivots[j]);
            }
            let row = &self.factor[start..];
            let left = 1.0 - dot(row, row);
            self.inverse_pivots.push(if left > SINGULAR { left.sqrt().recip() } else { 0.0 });
            self.given.push(z);
        }
        kept
    }

    /// Completes the coordinates of x in the factor's orthogonal frame.
    fn project(&self, x: Variable, coordinates: &mut SmallVec<[f64; 4]>) {
        for j in coordinates.len()..self.given.len() {
            let row = &self.factor[j * j.saturating_sub(1) / 2..][..j];
            let rest = self.test.correlation.get(x, self.given[j]) - dot(row, coordinates);
            coordinates.push(rest * self.inverse_pivots[j]);
        }
    }
}

impl TestSession for FisherZSession<'_> {
    fn goes_on(&mut self, run: &Run) -> Result<bool> {
        self.pace.goes_on(run)
    }

    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let correlation = self.test.correlation;
        if given.is_empty() {
            return self.test.result(correlation.get(x, y), 0);
        }
        let kept = self.factorise(given);
        let (x, y) = (x.min(y), x.max(y));
        let kept = if self.pair == Some((x, y)) { kept } else { 0 };
        self.pair = Some((x, y));
        let (mut of_x, mut of_y) = (std::mem::take(&mut self.of_x), std::mem::take(&mut self.of_y));
        of_x.truncate(kept);
        of_y.truncate(kept);
        self.project(x, &mut of_x);
        self.project(y, &mut of_y);
        let left_x = 1.0 - dot(&of_x, &of_x);
        let left_y = 1.0 - dot(&of_y, &of_y);
        let shared = correlation.get(x, y) - dot(&of_x, &of_y);
        self.of_x = of_x;
        self.of_y = of_y;
        if left_x <= SINGULAR || left_y <= SINGULAR {
            return TestResult::NO_INFORMATION;
        }
        let rank = self.inverse_pivots.iter().filter(|&&pivot| pivot > 0.0).count();
        self.test.result(shared / (left_x * left_y).sqrt(), rank)
    }
}
