//! Regrets of the normalized maximum likelihood of multinomials, and binomial coefficients, as logarithms.

use crate::Variable;
use crate::data::Shape;
use crate::stats::{ln_gamma, ln_gamma_increase};

/// The number of cells of the table of a set of variables: the product of their arities, which may be more than any
/// floating-point number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cells {
    /// The number, exact below 2⁵³; infinite above 1.8e308.
    pub(crate) number: f64,
    /// Its natural logarithm.
    pub(crate) ln: f64,
}

impl Cells {
    /// Of a set in increasing order, so that it depends on the set alone to the bit.
    pub(crate) fn of(shape: &Shape, set: &[Variable]) -> Self {
        let arity = |&v: &Variable| f64::from(shape.arity(v));
        let number: f64 = set.iter().map(arity).product();
        // The sum of logarithms depends on their order; it is needed only where the product is no number.
        let ln = if number < f64::MAX { number.ln() } else { set.iter().map(|v| arity(v).ln()).sum() };
        Self { number, ln }
    }

    /// Of a number that is known.
    pub(crate) fn exactly(number: f64) -> Self {
        Self { number, ln: number.ln() }
    }
}

/// Multinomials with more states than e to this have a number of states that is taken as infinite beside any number of rows.
const HUGE: f64 = 600.0;

/// ln C(n, r), the logarithm of the regret of n draws from r states:
/// C(n, r) = Σ over counts n₁ + … + nᵣ = n of n! / Π nᵢ! · Π (nᵢ / n)^nᵢ.
///
/// It equals Σₖ tₖ with tₖ = n (n − 1) ⋯ (n − k + 1) / nᵏ · (r − 1) r ⋯ (r + k − 2) / k!, k from 0 to n (Mononen and Myllymäki
/// 2008). All terms are positive and the ratios of neighbours fall, so about √n of them around the largest make up the sum to
/// the precision of floating-point numbers, for any r: no approximation is needed where the recurrence over r is long.
pub(crate) fn ln_regret(n_rows: usize, states: Cells) -> f64 {
    let (n, r) = (n_rows as f64, states.number);
    if n_rows == 0 || r <= 1.0 {
        return 0.0;
    }
    if states.ln > HUGE {
        // Only t_n = rⁿ / nⁿ is left.
        return n * (states.ln - n.ln());
    }
    // tₖ₊₁ / tₖ
    let ratio = |k: f64| (n - k) / n * ((r - 1.0 + k) / (k + 1.0));
    // The ratio is 1 at the positive root of k² + (r − 1) k − n (r − 2).
    let share = n * ((r - 2.0) / (r - 1.0));
    let root = 2.0 * share / (1.0 + (1.0 + 4.0 * (share / (r - 1.0))).sqrt());
    let largest = root.floor().clamp(0.0, n);
    let falling = ln_gamma_increase(n - largest + 1.0, largest) - largest * n.ln();
    let rising = ln_gamma_increase(r - 1.0, largest) - ln_gamma(largest + 1.0);
    const LEAST: f64 = 1e-20;
    let mut sum = 1.0;
    let (mut term, mut k) = (1.0, largest);
    while k < n && term > LEAST {
        term *= ratio(k);
        sum += term;
        k += 1.0;
    }
    let (mut term, mut k) = (1.0, largest);
    while k > 0.0 && term > LEAST {
        k -= 1.0;
        term /= ratio(k);
        sum += term;
    }
    falling + rising + sum.ln()
}

/// ln binomial(cells, occupied): the logarithm of the number of ways in which so many of the cells occur.
pub(crate) fn ln_binomial(cells: Cells, occupied: u32) -> f64 {
    let chosen = f64::from(occupied);
    if chosen >= cells.number {
        return 0.0;
    }
    if cells.ln > HUGE {
        return chosen * cells.ln - ln_gamma(chosen + 1.0);
    }
    ln_gamma_increase(cells.number - chosen + 1.0, chosen) - ln_gamma(chosen + 1.0)
}

/// Most numbers of states that are tabulated.
const TABULATED: usize = 1 << 16;

/// ln C(n, r) for one n: a table of few states by the recurrence, the sum for more.
#[derive(Debug)]
pub(crate) struct Regrets {
    n_rows: usize,
    /// ln C(n, r) at r.
    table: Vec<f64>,
}

impl Regrets {
    /// Tabulates at most as many states as there are rows: C(n, r + 2) = C(n, r + 1) + n / r · C(n, r) (Kontkanen and
    /// Myllymäki 2007), as ratios of neighbours so that nothing overflows; what rounding does to a ratio fades in the next ones.
    pub(crate) fn new(n_rows: usize) -> Self {
        let n = n_rows as f64;
        let len = n_rows.min(TABULATED) + 1;
        let mut table = vec![0.0; len.max(2)];
        let mut ratio = ln_regret(n_rows, Cells::exactly(2.0)).exp();
        for r in 1..table.len() - 1 {
            table[r + 1] = table[r] + ratio.ln();
            ratio = 1.0 + n / r as f64 / ratio;
        }
        Self { n_rows, table }
    }

    /// ln C(n, r).
    pub(crate) fn of(&self, states: Cells) -> f64 {
        if states.number < self.table.len() as f64 {
            self.table[states.number as usize]
        } else {
            ln_regret(self.n_rows, states)
        }
    }

    /// What a code of rows takes that first says which cells of a table occur: ln C(n, occupied) + ln binomial(cells, occupied).
    pub(crate) fn of_support(&self, cells: Cells, occupied: u32) -> f64 {
        self.of(Cells::exactly(f64::from(occupied))) + ln_binomial(cells, occupied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C(n, r) computed with 60 digits from definitions; see `tests/data/PROVENANCE.md`.
    fn golden() -> Vec<(usize, Cells, f64)> {
        let lines = include_str!("../../tests/data/quotient_nml/regrets.csv").lines().skip(1);
        lines
            .map(|line| {
                let mut numbers = line.split(',').map(|number| number.parse::<f64>().unwrap());
                let mut next = || numbers.next().unwrap();
                (next() as usize, Cells::exactly(next()), next())
            })
            .collect()
    }

    #[test]
    fn regrets_are_right() {
        let golden = golden();
        assert!(golden.len() > 150);
        for (n, states, expected) in golden {
            let tolerance = 1e-13 * expected.max(10.0);
            for value in [ln_regret(n, states), Regrets::new(n).of(states)] {
                assert!((value - expected).abs() <= tolerance, "{n} {states:?}: {value} {expected}");
            }
        }
    }

    /// The sum against the recurrence, to far more states than are tabulated, where the approximation of Szpankowski and
    /// Weinberger (2012) is wrong by more than 1e-6: it is not used.
    #[test]
    fn the_sum_is_the_recurrence() {
        let mut worst_approximation = 0.0f64;
        for n_rows in [1usize, 2, 10, 1000, 25_000, 1_000_000] {
            let n = n_rows as f64;
            let (mut ln, mut compensation) = (0.0, 0.0);
            let mut ratio = ln_regret(n_rows, Cells::exactly(2.0)).exp();
            for r in 1..=200_000u32 {
                let states = f64::from(r);
                if r < 50 || r % 9973 == 0 {
                    let value = ln_regret(n_rows, Cells::exactly(states));
                    assert!((value - ln).abs() <= 1e-12 * n.max(1000.0) + 1e-12 * ln, "{n} {r}: {value} {ln}");
                    if r > 1 {
                        let (a, b) = (states / n, 0.5 + 0.5 * (1.0 + 4.0 * n / states).sqrt());
                        let leading = n * (a.ln() + (a + 2.0) * b.ln() - 1.0 / b);
                        worst_approximation = worst_approximation.max((leading - 0.5 * (b + 2.0 / a).ln() - ln).abs());
                    }
                }
                // Compensated, so that the recurrence is the better of the two.
                let step = ratio.ln() - compensation;
                let next = ln + step;
                compensation = (next - ln) - step;
                ln = next;
                ratio = 1.0 + n / states / ratio;
            }
        }
        assert!(worst_approximation > 1e-4);
    }

    #[test]
    fn binomials_are_right() {
        // Pascal's triangle.
        let mut row = vec![1.0f64];
        for cells in 1..60u32 {
            let next = |k: usize| row.get(k).copied().unwrap_or(0.0) + if k > 0 { row[k - 1] } else { 0.0 };
            row = (0..=row.len()).map(next).collect();
            for (occupied, &ways) in row.iter().enumerate() {
                let value = ln_binomial(Cells::exactly(f64::from(cells)), occupied as u32);
                assert!((value - ways.ln()).abs() < 1e-12 * ways.ln().max(1.0), "{cells} {occupied}: {value}");
            }
        }
        // One of many cells, two of them, and more cells than a number can have.
        for exponent in [3.0f64, 17.0, 155.0, 259.0, 261.0, 300.0] {
            let ln = exponent * std::f64::consts::LN_10;
            let cells = Cells::exactly(10f64.powf(exponent));
            assert!((ln_binomial(cells, 1) - ln).abs() < 1e-12 * ln);
            let two = 2.0 * ln - std::f64::consts::LN_2 + (-(-ln).exp()).ln_1p();
            assert!((ln_binomial(cells, 2) - two).abs() < 1e-12 * two);
        }
        let cells = Cells { number: f64::INFINITY, ln: 5000.0 };
        assert!((ln_binomial(cells, 3) - (15_000.0 - 6f64.ln())).abs() < 1e-9);
        assert!((ln_regret(100, cells) - 100.0 * (5000.0 - 100f64.ln())).abs() < 1e-6);
    }

    /// Both sides of the number of states from which it is taken as infinite.
    #[test]
    fn nothing_jumps_where_tables_become_huge() {
        for n in [1u32, 30, 25_000] {
            let (below, above) = ((HUGE - 1e-9).exp(), (HUGE + 1e-9).exp());
            let (below, above) = (Cells::exactly(below), Cells::exactly(above));
            let (one, other) = (ln_regret(n as usize, below), ln_regret(n as usize, above));
            assert!((other - one - f64::from(n) * (above.ln - below.ln)).abs() < 1e-12 * one, "{n}: {one} {other}");
            let (one, other) = (ln_binomial(below, n), ln_binomial(above, n));
            assert!((other - one - f64::from(n) * (above.ln - below.ln)).abs() < 1e-12 * one, "{n}: {one} {other}");
        }
    }
}
