//! The likelihood-ratio test of the embedding of numbers and categories.

use super::{IndependenceTest, TestResult, TestSession, in_time};
use crate::data::MixedData;
use crate::run::Run;
use crate::score::BlockFactor;
use crate::stats::chi_squared_log_upper_tail;
use crate::{Result, Variable};

/// The likelihood-ratio test of x ⫫ y | Z in the embedding of a [`MixedData`] (Andrews, Ramsey and Cooper 2019), with
/// Bartlett's factor: with |R_V| determinants of blocks and w their widths,
///
/// ```text
/// T = (n − w_Z − 1 − (w_x + w_y + 1)/2) · ln( |R_xZ| |R_yZ| / (|R_xyZ| |R_Z|) )
/// ```
///
/// is χ² with w_x w_y degrees of freedom under independence. A constant, or no more rows than columns, leaves no
/// information. It over-rejects where a conditioning variable acts in a way that the embedding does not hold.
#[derive(Debug, Clone, Copy)]
pub struct MixedLrTest<'a> {
    data: &'a MixedData,
}

impl<'a> MixedLrTest<'a> {
    /// The test on an embedding.
    pub fn new(data: &'a MixedData) -> Self {
        Self { data }
    }
}

impl IndependenceTest for MixedLrTest<'_> {
    type Session<'t>
        = MixedLrSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    fn session(&self) -> MixedLrSession<'_> {
        MixedLrSession { data: self.data, given: Vec::new(), given_width: 0, factor: BlockFactor::default() }
    }

    fn name(&self) -> &'static str {
        "mixed-lr"
    }

    /// 1 − √(1 − Λ^(1/w)) with Λ = |R_xy| / (|R_x| |R_y|) and w the smaller width: 1 − |r| where both are 1.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        let data = self.data;
        let p = self.n_variables() as Variable;
        let alone: Vec<f64> = (0..p).map(|x| BlockFactor::default().push(data, x)).collect();
        let rows = run.try_map(p as usize, BlockFactor::default, |factor, x| {
            in_time(run)?;
            let x = x as Variable;
            factor.clear();
            factor.push(data, x);
            Ok(((x + 1)..p)
                .map(|y| {
                    let width = data.width(x).min(data.width(y));
                    if width == 0 {
                        return 1.0;
                    }
                    factor.truncate(1);
                    let log = factor.push(data, y) - alone[y as usize];
                    (1.0 - (-(log / width as f64).exp_m1()).max(0.0).sqrt()).clamp(0.0, 1.0)
                })
                .collect::<Vec<_>>())
        })?;
        Ok(Some(rows.concat()))
    }
}

/// One thread's access to a [`MixedLrTest`]. It keeps the factor of the last conditioning set.
#[derive(Debug)]
pub struct MixedLrSession<'t> {
    data: &'t MixedData,
    given: Vec<Variable>,
    given_width: usize,
    factor: BlockFactor,
}

impl TestSession for MixedLrSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let (data, x, y) = (self.data, x.min(y), x.max(y));
        let mut sorted = given.to_vec();
        sorted.sort_unstable();
        let kept = self.given.iter().zip(&sorted).take_while(|(a, b)| a == b).count();
        self.factor.truncate(kept);
        for &z in &sorted[kept..] {
            self.factor.push(data, z);
        }
        self.given_width = sorted.iter().map(|&z| data.width(z)).sum();
        self.given = sorted;
        let (of_x, of_y) = (data.width(x) as f64, data.width(y) as f64);
        let rows = data.effective_rows() - self.given_width as f64 - 1.0 - 0.5 * (of_x + of_y + 1.0);
        if rows <= 0.0 || of_x * of_y == 0.0 {
            return TestResult::NO_INFORMATION;
        }
        let k = self.given.len();
        self.factor.truncate(k);
        let alone = self.factor.push(data, y);
        self.factor.truncate(k);
        self.factor.push(data, x);
        let with_x = self.factor.push(data, y);
        self.factor.truncate(k);
        let statistic = (rows * (alone - with_x)).max(0.0);
        let degrees_of_freedom = of_x * of_y;
        let log_p_value = chi_squared_log_upper_tail(statistic, degrees_of_freedom);
        TestResult { statistic, degrees_of_freedom, log_p_value }
    }
}
