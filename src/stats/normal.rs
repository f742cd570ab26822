//! Tails of the standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

use super::{erfc, erfcx};

/// ln P(Z > z) for a standard normal Z. NaN gives 0 (no evidence).
///
/// # Examples
///
/// ```
/// let p = phgs::stats::normal_log_upper_tail(1.96).exp();
/// assert!((p - 0.024997895148220435).abs() < 1e-16);
/// assert!(phgs::stats::normal_log_upper_tail(200.0) < -20_000.0);
/// ```
pub fn normal_log_upper_tail(z: f64) -> f64 {
    if z > 0.0 {
        -0.5 * z * z + (0.5 * erfcx(z * FRAC_1_SQRT_2)).ln()
    } else if z <= 0.0 {
        (-0.5 * erfc(-z * FRAC_1_SQRT_2)).ln_1p()
    } else {
        0.0
    }
}

/// ln P(|Z| > |z|) for a standard normal Z: the two-sided p-value of Fisher's z. NaN gives 0 (no evidence).
///
/// # Examples
///
/// ```
/// let p = phgs::stats::normal_log_two_sided(-1.96).exp();
/// assert!((p - 0.04999579029644087).abs() < 1e-16);
/// ```
pub fn normal_log_two_sided(z: f64) -> f64 {
    if z.is_nan() {
        return 0.0;
    }
    let z = z.abs();
    if z.is_infinite() { f64::NEG_INFINITY } else { (-0.5 * z * z + erfcx(z * FRAC_1_SQRT_2).ln()).min(0.0) }
}
