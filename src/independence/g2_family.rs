//! Families of G² tests from entropies of the target that many tests share.

use std::ops::ControlFlow;

use super::G2Test;
use super::family::{SetFamily, SetVisitor};
use super::rules::classical;
use super::subsets::binomial;
use crate::Variable;
use crate::counts::{CountingSession, FamilyVisitor, FixedSum};

/// Whether the tests of a family are enough to pay for sorting the rows, once for each prefix of its sets, that is, for all
/// but the last three variables of a set.
pub(super) fn pays(counting: &CountingSession<'_, '_>, x: Variable, y: Variable, family: &SetFamily<'_>) -> bool {
    // Sorting takes as long as so many tests one by one, with binary variables and with others.
    const BINARY: u64 = 128;
    const OTHERS: u64 = 16;
    let &SetFamily { with, pool, size } = family;
    if pool.len() < 6 || !counting.applies_around(x, y, with, pool, size) {
        return false;
    }
    let data = counting.engine().data();
    let binary = pool.iter().chain(&with).chain([&x, &y]).all(|&variable| data.arity(variable) <= 2);
    let prefixes = binomial(pool.len(), size.saturating_sub(3));
    binomial(pool.len(), size) >= prefixes.saturating_mul(if binary { BINARY } else { OTHERS })
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
}

impl<'a, V: SetVisitor> Tester<'a, V> {
    pub(super) fn new(
        test: &'a G2Test<'a, 'a>,
        x: Variable,
        y: Variable,
        family: &'a SetFamily<'a>,
        visitor: &'a mut V,
    ) -> Self {
        let data = test.engine.data();
        let alike = family.pool.windows(2).all(|pair| data.arity(pair[0]) == data.arity(pair[1]));
        let first: Vec<usize> = (0..family.size).collect();
        let uniform = (alike && family.size <= family.pool.len()).then(|| classical(data, x, y, &family.set(&first)));
        Self { test, x, y, family, visitor, known: Vec::new(), uniform }
    }
}

impl<V: SetVisitor> FamilyVisitor for Tester<'_, V> {
    #[inline]
    fn wants(&mut self, positions: &[usize]) -> bool {
        self.visitor.wants(positions)
    }

    #[inline]
    fn visit(&mut self, positions: &[usize], information: i64) -> ControlFlow<()> {
        // Below this the p-value falls by far more than its rounding where the information rises by the margin.
        const CLEARLY_BELOW_ONE: f64 = -1e-3;
        const MARGIN: f64 = 1.0 + 1e-6;
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
