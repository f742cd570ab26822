//! Tails of distributions against values computed with mpmath at 50 digits.

use phgs::stats::{chi_squared_log_upper_tail, ln_gamma, normal_log_two_sided, normal_log_upper_tail};
use proptest::prelude::*;

use crate::support::read_csv;

fn numbers(file: &str) -> Vec<Vec<f64>> {
    read_csv(file).1.iter().map(|row| row.iter().map(|v| v.parse().expect("a number")).collect()).collect()
}

/// p to 1e-12 of itself (its logarithm to 1e-12) down to 1e-300, and the logarithm to 1e-15 or so of itself beyond.
fn assert_log_tail(value: f64, expected: f64, what: &str) {
    let tolerance = if expected > -691.0 { 1e-12 } else { 2e-15 * -expected };
    assert!((value - expected).abs() <= tolerance, "{what}: {value} {expected} {:e}", value - expected);
}

#[test]
fn chi_squared_tails_are_right() {
    let rows = numbers("chi_squared_tails.csv");
    assert!(rows.len() > 700);
    for row in rows {
        let value = chi_squared_log_upper_tail(row[0], row[1]);
        assert_log_tail(value, row[2], &format!("x = {}, df = {}", row[0], row[1]));
    }
}

#[test]
fn normal_tails_are_right() {
    for row in numbers("normal_tails.csv") {
        assert_log_tail(normal_log_upper_tail(row[0]), row[1], &format!("z = {}", row[0]));
        if row[0] >= 0.0 {
            let two_sided = row[1] + std::f64::consts::LN_2;
            assert_log_tail(normal_log_two_sided(-row[0]), two_sided, &format!("two-sided z = {}", row[0]));
        }
    }
}

#[test]
fn log_gamma_is_right() {
    for row in numbers("log_gammas.csv") {
        let value = ln_gamma(row[0]);
        assert!((value - row[1]).abs() <= 5e-15 * row[1].abs().max(1.0), "{}: {value} {}", row[0], row[1]);
    }
}

#[test]
fn extremes_are_numbers() {
    let values =
        [0.0, 1e-300, 1e-10, 0.5, 1.0, 7.0, 1e3, 1e6, 1e12, 1e100, 1e300, f64::MAX, f64::INFINITY, f64::NAN, -1.0];
    for x in values {
        for df in values {
            let log = chi_squared_log_upper_tail(x, df);
            assert!(log <= 0.0, "x = {x}, df = {df}: {log}");
        }
    }
    assert_eq!(chi_squared_log_upper_tail(1e6, 1e300), 0.0);
    assert_eq!(chi_squared_log_upper_tail(f64::NAN, 3.0), 0.0);
    assert_eq!(chi_squared_log_upper_tail(f64::INFINITY, 3.0), f64::NEG_INFINITY);
    assert!(chi_squared_log_upper_tail(1e300, 1e299).is_finite());
}

proptest! {
    /// Monotone in both arguments (up to the rounding of a p-value near 1), and the closed forms of integer df agree with
    /// the series and continued fraction of the fractional df beside them.
    #[test]
    fn the_tail_is_monotone_and_smooth(df in 1u32..600, ratio in 0.01f64..8.0) {
        let df = f64::from(df);
        let x = df * ratio;
        let here = chi_squared_log_upper_tail(x, df);
        prop_assert!(chi_squared_log_upper_tail(x * 1.001, df) <= here + 1e-14);
        prop_assert!(chi_squared_log_upper_tail(x, df + 1.0) >= here - 1e-14);
        let beside = chi_squared_log_upper_tail(x, df + 1e-9);
        prop_assert!((beside - here).abs() < 1e-6 * (1.0 + here.abs()), "{} {}", beside, here);
    }
}
