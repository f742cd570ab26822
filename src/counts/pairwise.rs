//! F of every variable and of every pair of variables.

use super::{CountingEngine, FixedSum};
use crate::run::Run;
use crate::{Result, Variable};

/// F(S) = Σ n ln n for every set of at most two variables: 8 bytes for each pair.
///
/// With N rows, the entropy of x is ln N − F(x) / N, and N times the mutual information of x and y is
/// F(x, y) + F(∅) − F(x) − F(y).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairwiseSums {
    n_variables: usize,
    total: FixedSum,
    singles: Vec<FixedSum>,
    pairs: Vec<FixedSum>,
}

impl PairwiseSums {
    pub(super) fn compute(engine: &CountingEngine<'_>, run: &Run) -> Result<Self> {
        let p = engine.data().n_variables();
        let mut session = engine.session();
        let singles = (0..p as Variable).map(|x| session.sum_n_log_n(&[x])).collect();
        let rows = run.map(
            p,
            || engine.session(),
            |session, x| {
                let mut sums = Vec::new();
                let others: Vec<Variable> = ((x + 1)..p).map(|y| y as Variable).collect();
                session.sums_with_each(&[x as Variable], &others, &mut sums);
                sums
            },
        )?;
        let total = engine.scale().n_log_n(engine.data().n_rows() as u32);
        Ok(Self { n_variables: p, total, singles, pairs: rows.concat() })
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// F(∅) = N ln N with N the number of rows.
    pub fn total(&self) -> FixedSum {
        self.total
    }

    /// F of one variable.
    pub fn single(&self, x: Variable) -> FixedSum {
        self.singles[x as usize]
    }

    /// F of two different variables, in either order.
    pub fn pair(&self, x: Variable, y: Variable) -> FixedSum {
        let (x, y) = (x.min(y), x.max(y));
        self.row(x)[(y - x - 1) as usize]
    }

    /// F(x, y) for y = x + 1, x + 2, …, by increasing y.
    pub fn row(&self, x: Variable) -> &[FixedSum] {
        let (x, p) = (x as usize, self.n_variables);
        let start = x * (2 * p - x - 1) / 2;
        &self.pairs[start..start + p - x - 1]
    }
}
