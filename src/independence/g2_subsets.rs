//! Families of G² tests whose tables the counts make together: when that pays, and their p-values.

use std::ops::ControlFlow;

use super::G2Test;
use super::rules::{DegreesOfFreedom, classical};
use super::subsets::{Pace, SubsetVisitor, Subsets, Tested};
use crate::counts::{CountingSession, FixedSum, InformationVisitor};
use crate::run::Run;
use crate::subsets::binomial;
use crate::{Result, Variable, VariableSet};

/// Whether families of tests are to be made together, which pays where many of their tests are made.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// The last variable whose family went beyond its first tests, as the next one of it is likely to.
    lasting: Option<Variable>,
}

impl Sharing {
    /// So many tests take as long one by one as the rows to sort, which is done once for each prefix of the sets, that is, for
    /// all of a set but its last three variables; `None` where the family, or its sets, are too small for that to pay.
    pub(super) fn worth(
        counting: &CountingSession<'_, '_>,
        x: Variable,
        y: Variable,
        &Subsets { with, pool, size }: &Subsets<'_>,
    ) -> Option<u64> {
        // Sorting takes as long as to count so many cells test by test; and counting together saves little before that.
        const CELLS: f64 = 20_000.0;
        const LEAST: u64 = 16;
        if pool.len() < 6 || !counting.applies_around(x, y, with, pool, size) {
            return None;
        }
        let arity = |variable: Variable| f64::from(counting.engine().shape().arity(variable));
        let mean = pool.iter().map(|&variable| arity(variable)).sum::<f64>() / pool.len() as f64;
        let cells = mean.powi(size as i32) * arity(x) * arity(y) * with.map_or(1.0, arity);
        let sort = ((CELLS / cells) as u64).max(LEAST);
        let prefixes = binomial(pool.len(), size.saturating_sub(3));
        (binomial(pool.len(), size) >= prefixes.saturating_mul(sort)).then_some(sort)
    }

    /// How many tests of a family of x to make one by one at first, since many families end soon.
    pub(super) fn patience(&self, x: Variable, worth: u64) -> u64 {
        if self.lasting == Some(x) { 0 } else { worth }
    }

    /// Takes note of how a family of x ended.
    pub(super) fn note(&mut self, x: Variable, ended_soon: bool) {
        self.lasting = (!ended_soon).then_some(x);
    }
}

/// Makes p-values of what is counted, for a visitor.
pub(super) struct Judge<'a, V> {
    test: &'a G2Test<'a, 'a>,
    x: Variable,
    y: Variable,
    subsets: &'a Subsets<'a>,
    run: &'a Run,
    visitor: &'a mut V,
    pace: &'a mut Pace,
    /// The degrees of freedom of all tests, where they are the same.
    degrees: Option<f64>,
    /// For each number of degrees of freedom: a test with this much information or more has a p-value below the visitor's
    /// floor, so that it need not be computed.
    known: [i64; FEW_DEGREES],
    known_of_more: Vec<(f64, i64)>,
    /// Sets that were tested before, the first ones.
    skipped: u64,
    passed_over: u32,
    pub(super) tests: u64,
    /// Why to stop, if not for the visitor.
    stopped: Option<Result<Tested>>,
}

/// Numbers of degrees of freedom below this are looked up by index.
const FEW_DEGREES: usize = 17;

impl<'a, V: SubsetVisitor> Judge<'a, V> {
    /// For tests of binary variables.
    #[inline]
    pub(super) fn of_binary(
        test: &'a G2Test<'a, 'a>,
        x: Variable,
        y: Variable,
        subsets: &'a Subsets<'a>,
        run: &'a Run,
        visitor: &'a mut V,
        pace: &'a mut Pace,
    ) -> Self {
        let size = subsets.size + usize::from(subsets.with.is_some());
        let degrees = match test.rules.degrees_of_freedom() {
            DegreesOfFreedom::Classical => Some(f64::from(1u32 << size)),
            DegreesOfFreedom::Adjusted => None,
        };
        Self {
            test,
            x,
            y,
            subsets,
            run,
            visitor,
            pace,
            degrees,
            known: [i64::MAX; FEW_DEGREES],
            known_of_more: Vec::new(),
            skipped: 0,
            passed_over: 0,
            tests: 0,
            stopped: None,
        }
    }

    /// For tests around x of which the first `skipped` sets are done with; with classical degrees of freedom.
    pub(super) fn of_hub(
        test: &'a G2Test<'a, 'a>,
        x: Variable,
        y: Variable,
        subsets: &'a Subsets<'a>,
        run: &'a Run,
        visitor: &'a mut V,
        pace: &'a mut Pace,
        skipped: u64,
    ) -> Self {
        let shape = test.engine.shape();
        let alike = subsets.pool.windows(2).all(|pair| shape.arity(pair[0]) == shape.arity(pair[1]));
        let first: Vec<usize> = (0..subsets.size).collect();
        let degrees =
            (alike && subsets.size <= subsets.pool.len()).then(|| classical(shape, x, y, &subsets.set(&first)));
        Self { degrees, skipped, ..Self::of_binary(test, x, y, subsets, run, visitor, pace) }
    }

    /// How the enumeration ended.
    pub(super) fn end(self) -> Result<Tested> {
        self.stopped.unwrap_or(Ok(Tested::All))
    }

    #[inline]
    fn looks(&mut self) {
        match self.pace.goes_on(self.run) {
            Ok(true) => {}
            Ok(false) => self.stopped = Some(Ok(Tested::OutOfTime)),
            Err(error) => self.stopped = Some(Err(error)),
        }
    }

    /// The information from which on a p-value at these degrees of freedom is known to be below the floor.
    #[inline]
    fn known(&mut self, degrees: f64) -> &mut i64 {
        let whole = degrees as usize;
        if whole < FEW_DEGREES {
            return &mut self.known[whole];
        }
        let at = self.known_of_more.iter().position(|&(of, _)| of == degrees).unwrap_or_else(|| {
            self.known_of_more.push((degrees, i64::MAX));
            self.known_of_more.len() - 1
        });
        &mut self.known_of_more[at].1
    }

    /// Makes the test itself. Whether to go on.
    fn judge(&mut self, at: &[usize], information: i64, degrees: f64) -> ControlFlow<()> {
        // Below this the p-value falls by far more than its rounding where the information rises by the margin.
        const CLEARLY_BELOW_ONE: f64 = -1e-3;
        const MARGIN: f64 = 1.0 + 1e-6;
        let may_refuse = self.test.rules.may_refuse();
        // Only a rule that refuses tests asks for the set.
        let set = if may_refuse { self.subsets.set(at) } else { VariableSet::new() };
        let value = self.test.engine.scale().value(FixedSum(information));
        let log_p_value = self.test.result(value, self.x, self.y, &set, degrees).log_p_value;
        let flow = self.visitor.visit(at, log_p_value);
        if log_p_value < CLEARLY_BELOW_ONE && !may_refuse && log_p_value <= self.visitor.floor() {
            let from = (information as f64 * MARGIN) as i64 + 1024;
            let known = self.known(degrees);
            *known = from.min(*known);
        }
        flow
    }
}

impl<V: SubsetVisitor> InformationVisitor for Judge<'_, V> {
    #[inline]
    fn wants(&mut self, at: &[usize]) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return false;
        }
        if self.visitor.wants(at) {
            self.looks();
            return true;
        }
        self.passed_over = self.passed_over.wrapping_add(1);
        if self.passed_over.is_multiple_of(1024) {
            self.looks();
        }
        // Where it is time to stop, a visit does so.
        self.stopped.is_some()
    }

    #[inline]
    fn visit(&mut self, at: &[usize], information: i64, observed_degrees: Option<u32>) -> ControlFlow<()> {
        if self.stopped.is_some() {
            return ControlFlow::Break(());
        }
        self.tests += 1;
        let degrees = self
            .degrees
            .or(observed_degrees.map(f64::from))
            .unwrap_or_else(|| classical(self.test.engine.shape(), self.x, self.y, &self.subsets.set(at)));
        if information >= *self.known(degrees) {
            self.visitor.visit(at, f64::NEG_INFINITY)
        } else {
            self.judge(at, information, degrees)
        }
    }
}
