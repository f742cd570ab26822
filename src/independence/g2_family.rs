//! Families of G² tests from entropies of the target that many tests share.

use std::ops::ControlFlow;

use super::G2Test;
use super::family::{SetFamily, SetVisitor};
use super::rules::classical;
use crate::Variable;
use crate::counts::{CountingSession, FamilyVisitor, FixedSum};
use crate::subsets::binomial;

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
        &SetFamily { with, pool, size }: &SetFamily<'_>,
    ) -> Option<u64> {
        // Sorting takes as long as to count so many cells test by test; and counting together saves little before that.
        const CELLS: f64 = 20_000.0;
        const LEAST: u64 = 16;
        if pool.len() < 6 || !counting.applies_around(x, y, with, pool, size) {
            return None;
        }
        let arity = |variable: Variable| f64::from(counting.engine().data().arity(variable));
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

/// Makes p-values of what is counted.
pub(super) struct Tester<'a, V> {
    test: &'a G2Test<'a, 'a>,
    x: Variable,
    y: Variable,
    family: &'a SetFamily<'a>,
    visitor: &'a mut V,
    /// Numbers of degrees of freedom that were met, each with an information from which on a p-value is below one that was
    /// visited.
    known: Vec<(f64, i64)>,
    /// The degrees of freedom where all variables of the pool have as many states.
    uniform: Option<f64>,
    /// Sets that were tested before, the first ones.
    skipped: u64,
    pub(super) tests: u64,
}

impl<'a, V: SetVisitor> Tester<'a, V> {
    pub(super) fn new(
        test: &'a G2Test<'a, 'a>,
        x: Variable,
        y: Variable,
        family: &'a SetFamily<'a>,
        visitor: &'a mut V,
        skipped: u64,
    ) -> Self {
        let data = test.engine.data();
        let alike = family.pool.windows(2).all(|pair| data.arity(pair[0]) == data.arity(pair[1]));
        let first: Vec<usize> = (0..family.size).collect();
        let uniform = (alike && family.size <= family.pool.len()).then(|| classical(data, x, y, &family.set(&first)));
        Self { test, x, y, family, visitor, known: Vec::new(), uniform, skipped, tests: 0 }
    }
}

impl<V: SetVisitor> FamilyVisitor for Tester<'_, V> {
    #[inline]
    fn wants(&mut self, positions: &[usize]) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return false;
        }
        self.visitor.wants(positions)
    }

    #[inline]
    fn visit(&mut self, positions: &[usize], information: i64) -> ControlFlow<()> {
        // Below this the p-value falls by far more than its rounding where the information rises by the margin.
        const CLEARLY_BELOW_ONE: f64 = -1e-3;
        const MARGIN: f64 = 1.0 + 1e-6;
        self.tests += 1;
        let data = self.test.engine.data();
        let degrees = self.uniform.unwrap_or_else(|| classical(data, self.x, self.y, &self.family.set(positions)));
        let at = self.known.iter().position(|&(of, _)| of == degrees);
        if V::LARGEST_ONLY && at.is_some_and(|at| information >= self.known[at].1) {
            return self.visitor.visit(positions, f64::NEG_INFINITY);
        }
        let value = self.test.engine.scale().value(FixedSum(information));
        let log_p_value = self.test.result(value, self.x, self.y, &[], degrees).log_p_value;
        if log_p_value < CLEARLY_BELOW_ONE {
            let known = (information as f64 * MARGIN) as i64 + 1024;
            match at {
                Some(at) => self.known[at].1 = self.known[at].1.min(known),
                None => self.known.push((degrees, known)),
            }
        }
        self.visitor.visit(positions, log_p_value)
    }
}
