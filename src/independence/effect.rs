//! How strongly two variables depend on each other given others, from a table of counts of any size.

use super::DegreesOfFreedom;
use crate::stats::chi_squared_log_upper_tail;

/// The effect of one variable on another within strata, and the G² test of it.
///
/// Tests of ours count rows of one table by [`CountingEngine`](crate::CountingEngine). This takes counts from anywhere:
/// sums over parts of the data that were never together, so 64 bits each.
///
/// # Examples
///
/// ```
/// use phgs::independence::{DegreesOfFreedom, Effect};
/// // Two binary variables that are equal in all of 10¹⁰ rows share one bit.
/// let effect = Effect::of_table(&[5_000_000_000, 0, 0, 5_000_000_000], 2, 2, DegreesOfFreedom::Classical);
/// assert_eq!(effect.rows, 10_000_000_000);
/// assert!((effect.bits - 1.0).abs() < 1e-15);
/// assert_eq!(effect.degrees_of_freedom, 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Rows.
    pub rows: u64,
    /// The conditional mutual information of the empirical distribution, in bits.
    pub bits: f64,
    /// G²: 2 n ln 2 times that.
    pub statistic: f64,
    /// Its degrees of freedom; 0 where the table says nothing, and then the p-value is 1.
    pub degrees_of_freedom: f64,
    /// Natural logarithm of the p-value.
    pub log_p_value: f64,
}

impl Effect {
    /// The effect in a table whose cell of the states (i, j, stratum) is i + `states_x` (j + `states_y` · stratum).
    ///
    /// # Panics
    ///
    /// When the table is not whole strata.
    pub fn of_table(counts: &[u64], states_x: usize, states_y: usize, rule: DegreesOfFreedom) -> Self {
        let block = states_x * states_y;
        assert!(block > 0 && counts.len().is_multiple_of(block), "whole strata");
        let (mut of_x, mut of_y) = (vec![0u64; states_x], vec![0u64; states_y]);
        let (mut rows, mut information, mut adjusted) = (0u64, 0.0, 0.0);
        for stratum in counts.chunks_exact(block) {
            of_x.fill(0);
            of_y.fill(0);
            for (cell, &count) in stratum.iter().enumerate() {
                of_x[cell % states_x] += count;
                of_y[cell / states_x] += count;
            }
            let total: u64 = of_y.iter().sum();
            rows += total;
            let occurring = |margin: &[u64]| margin.iter().filter(|&&count| count > 0).count() as f64;
            if total > 0 {
                adjusted += (occurring(&of_x) - 1.0) * (occurring(&of_y) - 1.0);
            }
            for (cell, &count) in stratum.iter().enumerate().filter(|(_, count)| **count > 0) {
                let expected = of_x[cell % states_x] as f64 * of_y[cell / states_x] as f64 / total as f64;
                information += count as f64 * (count as f64 / expected).ln();
            }
        }
        let degrees_of_freedom = match rule {
            DegreesOfFreedom::Classical => {
                let strata = (counts.len() / block) as f64;
                (states_x as f64 - 1.0) * (states_y as f64 - 1.0) * strata
            }
            DegreesOfFreedom::Adjusted => adjusted,
        };
        // The sum is not negative but for rounding.
        let information = information.max(0.0);
        let (statistic, log_p_value) = if degrees_of_freedom > 0.0 {
            (2.0 * information, chi_squared_log_upper_tail(2.0 * information, degrees_of_freedom))
        } else {
            (0.0, 0.0)
        };
        let bits = if rows > 0 { information / rows as f64 / std::f64::consts::LN_2 } else { 0.0 };
        Self { rows, bits, statistic, degrees_of_freedom, log_p_value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_strata_and_constants_say_nothing() {
        let constant = Effect::of_table(&[3, 4], 1, 2, DegreesOfFreedom::Classical);
        assert_eq!((constant.rows, constant.bits, constant.degrees_of_freedom), (7, 0.0, 0.0));
        assert_eq!((constant.statistic, constant.log_p_value), (0.0, 0.0));
        // The second stratum has no row, and in the third y is constant.
        let table = [10, 5, 5, 10, 0, 0, 0, 0, 7, 8, 0, 0];
        let effect = |rule| Effect::of_table(&table, 2, 2, rule).degrees_of_freedom;
        assert_eq!((effect(DegreesOfFreedom::Classical), effect(DegreesOfFreedom::Adjusted)), (3.0, 1.0));
        let empty = Effect::of_table(&[0; 4], 2, 2, DegreesOfFreedom::Adjusted);
        assert_eq!((empty.rows, empty.bits, empty.log_p_value), (0, 0.0, 0.0));
    }

    #[test]
    fn a_table_by_hand() {
        // G² = 2 (20 ln (10 / 7.5) + 10 ln (5 / 7.5)) over 30 rows.
        let effect = Effect::of_table(&[10, 5, 5, 10], 2, 2, DegreesOfFreedom::Classical);
        let expected = 2.0 * (20.0 * (4f64 / 3.0).ln() + 10.0 * (2f64 / 3.0).ln());
        assert!((effect.statistic - expected).abs() < 1e-12);
        assert!((effect.bits - expected / 60.0 / std::f64::consts::LN_2).abs() < 1e-14);
    }
}
