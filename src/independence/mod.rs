//! Conditional-independence tests: the trait that every constraint-based algorithm is written against.

use crate::run::Run;
use crate::{Result, Variable};

mod bounds;
mod distance;
mod family;
mod fisher_z;
mod g2;
mod g2_family;
mod informative;
mod oracle;
mod pearson;
mod rules;
mod separation;
mod testwise;

pub use family::{SetFamily, SetVisitor};
pub use fisher_z::{FisherZSession, FisherZTest};
pub use g2::{G2Session, G2Test};
pub use informative::Informative;
pub use oracle::{DSeparationOracle, OracleSession};
pub use pearson::{PearsonSession, PearsonTest};
pub use rules::{DegreesOfFreedom, MinimumSample, Rules, Verdict};
pub use separation::{ConditioningSets, Separation};
pub use testwise::{Statistic, TestwiseSession, TestwiseTest};

/// What a test says of one hypothesis x ⫫ y | z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// The test statistic, at least 0.
    pub statistic: f64,
    /// Degrees of freedom; a float because products of arities overflow integers. 0 means that the table carries no
    /// information: the statistic is then 0 and the p-value 1.
    pub degrees_of_freedom: f64,
    /// Natural logarithm of the p-value, so that p-values below 1e-308 still rank. Never NaN.
    pub log_p_value: f64,
}

impl TestResult {
    /// The result of a test that has no information: statistic 0, 0 degrees of freedom, p-value 1.
    pub const NO_INFORMATION: Self = Self { statistic: 0.0, degrees_of_freedom: 0.0, log_p_value: 0.0 };

    /// Whether the test calls the two variables independent at level α: p > α.
    pub fn is_independent(&self, log_alpha: f64) -> bool {
        self.log_p_value > log_alpha
    }
}

/// A pair of variables that depend on each other marginally.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginalDependence {
    /// The lower variable.
    pub x: Variable,
    /// The higher variable.
    pub y: Variable,
    /// Its marginal test.
    pub result: TestResult,
}

/// A conditional-independence test over fixed variables. Shared by all threads; each thread tests through its own
/// session, and the result of a test does not depend on what its session has done before.
pub trait IndependenceTest: Sync {
    /// One thread's scratch memory and memo.
    type Session<'t>: TestSession
    where
        Self: 't;

    /// Number of variables.
    fn n_variables(&self) -> usize;

    /// A session for one thread.
    fn session(&self) -> Self::Session<'_>;

    /// The name of the test and of its rule for degrees of freedom, as results report it.
    fn name(&self) -> &'static str;

    /// How many tests a least-sample rule has decided so far; 0 where there is no such rule.
    fn decided_by_minimum_sample(&self) -> u64 {
        0
    }

    /// Those of the pairs x < y that `open` says to test that are dependent marginally at level α, by increasing (x, y).
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn marginal_dependences(
        &self,
        run: &Run,
        log_alpha: f64,
        open: impl Fn(Variable, Variable) -> bool + Sync,
    ) -> Result<Vec<MarginalDependence>> {
        let p = self.n_variables() as Variable;
        let rows = run.map(
            p as usize,
            || self.session(),
            |session, x| {
                let x = x as Variable;
                session.focus(&[x]);
                ((x + 1)..p)
                    .filter(|&y| open(x, y))
                    .map(|y| MarginalDependence { x, y, result: session.test(x, y, &[]) })
                    .filter(|pair| !pair.result.is_independent(log_alpha))
                    .collect::<Vec<_>>()
            },
        )?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Distances in \[0, 1\] between all pairs, for clustering: the upper triangle row by row (the condensed form).
    /// `None` where the test has no notion of distance.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        let _ = run;
        Ok(None)
    }
}

/// One thread's access to an [`IndependenceTest`].
pub trait TestSession {
    /// Says that the tests that follow lie within this neighbourhood (a focal variable first, then its neighbours), so
    /// that a session may share work among them. It changes no result.
    fn focus(&mut self, neighbourhood: &[Variable]) {
        let _ = neighbourhood;
    }

    /// Tests x ⫫ y | given. `given` is in any order, without repetition, without x and y. Symmetric in x and y.
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult;

    /// Says that [`test_each`](Self::test_each) will be called with these others many times, so that a session may prepare for
    /// it. It changes no result.
    fn gather(&mut self, others: &[Variable]) {
        let _ = others;
    }

    /// Tests x ⫫ y | given for each y of `others` (none of them x or in `given`), written to `out` in the same order: the
    /// same results as [`test`](Self::test), with what is shared computed once.
    fn test_each(&mut self, x: Variable, others: &[Variable], given: &[Variable], out: &mut Vec<TestResult>) {
        out.clear();
        out.extend(others.iter().map(|&y| self.test(x, y, given)));
    }

    /// Tests x ⫫ y | s for each set s of `sets` until one separates them at level α, and adds to `found`: the same as
    /// [`test`](Self::test) for each, with what is shared computed once.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn separate(
        &mut self,
        x: Variable,
        y: Variable,
        sets: &ConditioningSets<'_>,
        log_alpha: f64,
        run: &Run,
        found: &mut Separation,
    ) -> Result<()> {
        separation::separate_one_by_one(self, x, y, sets, log_alpha, run, found, |_, _, _| false)
    }

    /// Tests x ⫫ y | s for the sets s of a family, in their order, that `visitor` wants, until it has enough: the same as
    /// [`test`](Self::test) for each. A session may keep what such families of one x share.
    fn test_family(&mut self, x: Variable, y: Variable, family: &SetFamily<'_>, visitor: &mut impl SetVisitor) {
        family::test_one_by_one(self, x, y, family, visitor, u64::MAX);
    }

    /// Whether [`test_family`](Self::test_family) takes much less than its tests one by one.
    fn shares_family(&self, x: Variable, y: Variable, family: &SetFamily<'_>) -> bool {
        let _ = (x, y, family);
        false
    }

    /// The average number of rows in a cell of the table of `variables`, for rules that ask whether data suffice; infinite
    /// where the test has no tables.
    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        let _ = variables;
        f64::INFINITY
    }
}
