//! Conditional-independence tests: the trait that every constraint-based algorithm is written against.

use crate::run::Run;
use crate::{Result, Variable, VariableSet};

mod alpha;
mod bounds;
mod complete_rows;
mod distance;
mod effect;
mod fisher_z;
mod floors;
mod g2;
mod g2_subsets;
mod informative;
mod mixed_distances;
mod mixed_lr;
mod oracle;
mod pearson;
mod rules;
mod subsets;
mod testwise;
mod weighted;

use subsets::OneByOne;

pub use alpha::Alpha;
pub use effect::Effect;
pub use fisher_z::{FisherZSession, FisherZTest};
pub use g2::{G2Session, G2Test};
pub use informative::Informative;
pub use mixed_lr::{MixedLrSession, MixedLrTest};
pub use oracle::{DSeparationOracle, OracleSession};
pub use pearson::{PearsonSession, PearsonTest};
pub use rules::{DegreesOfFreedom, MinimumSample, Rules, Verdict};
pub use subsets::{EachVisitor, SubsetVisitor, Subsets, Tested};
pub use testwise::{Statistic, TestwiseSession, TestwiseTest};
pub use weighted::{WeightedTest, WeightedTestSession};

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
    /// [`crate::Error::Interrupted`] when the run is cancelled, [`crate::Error::OutOfTime`] when its deadline comes first.
    fn marginal_dependences(
        &self,
        run: &Run,
        log_alpha: f64,
        open: impl Fn(Variable, Variable) -> bool + Sync,
    ) -> Result<Vec<MarginalDependence>> {
        let p = self.n_variables() as Variable;
        let rows = run.try_map(
            p as usize,
            || self.session(),
            |session, x| {
                let x = x as Variable;
                session.next_neighbourhood();
                let mut dependent = Vec::new();
                for y in ((x + 1)..p).filter(|&y| open(x, y)) {
                    in_time(run)?;
                    let result = session.test(x, y, &[]);
                    if !result.is_independent(log_alpha) {
                        dependent.push(MarginalDependence { x, y, result });
                    }
                }
                Ok(dependent)
            },
        )?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Distances in \[0, 1\] between all pairs, for clustering: the upper triangle row by row (the condensed form).
    /// `None` where the test has no notion of distance.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled, [`crate::Error::OutOfTime`] when its deadline comes first.
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        let _ = run;
        Ok(None)
    }
}

/// The distances of all pairs x < y, each by a session: the condensed form.
fn pair_distances<'t, T: IndependenceTest>(
    test: &'t T,
    run: &Run,
    distance: impl Fn(&mut T::Session<'t>, Variable, Variable) -> f64 + Sync,
) -> Result<Vec<f64>> {
    let p = test.n_variables() as Variable;
    let rows = run.try_map(
        p as usize,
        || test.session(),
        |session, x| {
            let x = x as Variable;
            ((x + 1)..p).map(|y| in_time(run).map(|()| distance(session, x, y))).collect::<Result<Vec<f64>>>()
        },
    )?;
    Ok(rows.concat())
}

/// For what is of use only when it is whole: fails when the run is cancelled or out of time.
fn in_time(run: &Run) -> Result<()> {
    run.check()?;
    if run.out_of_time() { Err(crate::Error::OutOfTime) } else { Ok(()) }
}

/// One thread's access to an [`IndependenceTest`].
pub trait TestSession {
    /// Hints that the next tests are about another neighbourhood, so that a session may drop what it kept for the last one.
    /// Never changes a result.
    fn next_neighbourhood(&mut self) {}

    /// Tests x ⫫ y | given. `given` is in any order, without repetition, without x and y. Symmetric in x and y.
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult;

    /// Whether tables come from far away, so that those of several tests are better asked for together.
    fn asks(&self) -> bool {
        false
    }

    /// Hints that tests will need the tables of these sets of variables, each in any order. Never changes a result.
    fn expect(&mut self, sets: Vec<VariableSet>) {
        let _ = sets;
    }

    /// Whether the run goes on, to be asked before each test: a session whose tests are quick does not look each time, but at
    /// least every 1,024 tests and, as far as it can tell what a test takes, every tenth of a second. Once the time is up, the
    /// answer stays false.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn goes_on(&mut self, run: &Run) -> Result<bool> {
        run.check()?;
        Ok(!run.out_of_time())
    }

    /// Hints that [`test_each`](Self::test_each) will be called with these others many times, so that a session may prepare
    /// for it. Never changes a result.
    fn gather(&mut self, others: &[Variable]) {
        let _ = others;
    }

    /// Tests x ⫫ y | given for each y of `others` (none of them x or in `given`), written to `out` in the same order: the
    /// same results as [`test`](Self::test), with what is shared computed once. When the time is up `out` has only those of the
    /// first others.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn test_each(
        &mut self,
        x: Variable,
        others: &[Variable],
        given: &[Variable],
        run: &Run,
        out: &mut Vec<TestResult>,
    ) -> Result<Tested> {
        out.clear();
        if self.asks() {
            self.expect(others.iter().map(|&y| subsets::family(x, y, given)).collect());
        }
        for &y in others {
            if !self.goes_on(run)? {
                return Ok(Tested::OutOfTime);
            }
            out.push(self.test(x, y, given));
        }
        Ok(Tested::All)
    }

    /// Tests x ⫫ y | s for the sets s of a family, in their order, that `visitor` wants, until it has enough or the time is
    /// up: the same as [`test`](Self::test) for each, with what is shared computed once. A session may keep what such
    /// families of one x share.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    ///
    /// # Examples
    ///
    /// The largest p-value given two of three variables:
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use phgs::graph::Dag;
    /// use phgs::independence::{DSeparationOracle, IndependenceTest, SubsetVisitor, Subsets, TestSession, Tested};
    /// use phgs::run::Run;
    ///
    /// struct Largest(f64);
    ///
    /// impl SubsetVisitor for Largest {
    ///     fn floor(&self) -> f64 {
    ///         self.0
    ///     }
    ///     fn visit(&mut self, _at: &[usize], log_p_value: f64) -> ControlFlow<()> {
    ///         self.0 = self.0.max(log_p_value);
    ///         ControlFlow::Continue(())
    ///     }
    /// }
    ///
    /// let dag = Dag::from_arcs(5, [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)])?;
    /// let test = DSeparationOracle::new(&dag);
    /// let mut largest = Largest(f64::NEG_INFINITY);
    /// let tested = test.session().test_subsets(0, 3, &Subsets::new(&[1, 2, 4], 2), &Run::new(1)?, &mut largest)?;
    /// assert_eq!((tested, largest.0), (Tested::All, 0.0), "1 and 2 together separate 0 and 3");
    /// # Ok::<(), phgs::Error>(())
    /// ```
    fn test_subsets(
        &mut self,
        x: Variable,
        y: Variable,
        subsets: &Subsets<'_>,
        run: &Run,
        visitor: &mut impl SubsetVisitor,
    ) -> Result<Tested> {
        match subsets::one_by_one(self, x, y, subsets, run, visitor, u64::MAX, |_, _, _| false)? {
            OneByOne::Ended(tested) => Ok(tested),
            OneByOne::Paused(_) => unreachable!("there are fewer tests than that"),
        }
    }

    /// [`test_subsets`](Self::test_subsets) of x and each of `others`, whose tests may take turns.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    fn test_subsets_each(
        &mut self,
        x: Variable,
        others: &[Variable],
        subsets: &Subsets<'_>,
        run: &Run,
        visitor: &mut impl EachVisitor,
    ) -> Result<Tested> {
        subsets::other_by_other(self, x, others, subsets, run, visitor)
    }

    /// The average number of rows in a cell of the table of `variables`, for rules that ask whether data suffice; infinite
    /// where the test has no tables.
    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        let _ = variables;
        f64::INFINITY
    }
}
