//! The least information that a dependent pair has, so that most pairs need no p-value.

use crate::stats::chi_squared_log_upper_tail;

/// For numbers of degrees of freedom, the information (N times the mutual information) below which a pair is independent
/// beyond doubt.
#[derive(Debug)]
pub(super) struct Floors(Vec<f64>);

/// Pairs with this many degrees of freedom, or more, are all tested.
const MOST_DEGREES: usize = 1 << 12;

/// Far above the rounding of p-values: a floor is this much below the critical value, and none is given where that is small.
const MARGIN: f64 = 1e-6;
const LEAST: f64 = 1e-3;

impl Floors {
    /// Every pair is tested.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// The floors of pairs of variables with these numbers of states, at a level.
    pub(super) fn new(states: &[f64], log_alpha: f64) -> Self {
        let mut degrees: Vec<usize> = states.iter().map(|&states| (states - 1.0).max(0.0) as usize).collect();
        degrees.sort_unstable();
        degrees.dedup();
        let mut floors = Vec::new();
        for (i, &of_x) in degrees.iter().enumerate() {
            for product in degrees[i..].iter().map(|of_y| of_x * of_y).filter(|&df| df < MOST_DEGREES) {
                if product >= floors.len() {
                    floors.resize(product + 1, f64::NEG_INFINITY);
                }
                floors[product] = floor(product as f64, log_alpha);
            }
        }
        Self(floors)
    }

    /// The floor of a number of degrees of freedom; −∞ where every pair is tested.
    #[inline]
    pub(super) fn of(&self, degrees_of_freedom: f64) -> f64 {
        self.0.get(degrees_of_freedom as usize).copied().unwrap_or(f64::NEG_INFINITY)
    }
}

/// Half the critical value of χ², and a little less.
fn floor(degrees_of_freedom: f64, log_alpha: f64) -> f64 {
    let is_dependent = |statistic: f64| chi_squared_log_upper_tail(statistic, degrees_of_freedom) <= log_alpha;
    if degrees_of_freedom == 0.0 || is_dependent(0.0) {
        return f64::NEG_INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while !is_dependent(high) {
        (low, high) = (high, 2.0 * high);
        if high > 1e12 {
            return f64::NEG_INFINITY;
        }
    }
    while high - low > 0.01 * MARGIN * high {
        let middle = 0.5 * (low + high);
        if is_dependent(middle) { high = middle } else { low = middle }
    }
    let information = 0.5 * low;
    if information > LEAST { information * (1.0 - MARGIN) } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_just_below_the_critical_value() {
        // Critical values of χ² at 0.05 from tables: 3.841 (1), 5.991 (2), 9.488 (4).
        let floors = Floors::new(&[2.0, 3.0, 1.0], 0.05f64.ln());
        for (df, critical) in [(1.0, 3.841_458_820_694), (2.0, 5.991_464_547_108), (4.0, 9.487_729_036_781)] {
            let floor = floors.of(df);
            assert!(floor < critical / 2.0 && floor > critical / 2.0 * (1.0 - 2e-6), "{df}: {floor}");
            let log_p = |information: f64| chi_squared_log_upper_tail(2.0 * information, df);
            assert!(log_p(floor) > 0.05f64.ln() && log_p(floor * (1.0 + 3e-6)) < 0.05f64.ln());
        }
        assert_eq!([0.0, 3.0, 5000.0].map(|df| floors.of(df)), [f64::NEG_INFINITY; 3]);
    }

    #[test]
    fn levels_at_which_all_or_nothing_depends_have_no_floor_or_a_high_one() {
        assert_eq!(Floors::new(&[2.0], 0.0).of(1.0), f64::NEG_INFINITY);
        assert_eq!(Floors::new(&[2.0], -1e-17).of(1.0), f64::NEG_INFINITY);
        let log_alpha = -1e6;
        let floor = Floors::new(&[2.0], log_alpha).of(1.0);
        assert!(floor < 1e6 && floor > 0.99e6, "{floor}");
    }
}
