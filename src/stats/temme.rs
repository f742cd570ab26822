//! The incomplete gamma function of a large first argument near its second: Temme's uniform expansion
//! (N. M. Temme, *The asymptotic expansion of the incomplete gamma functions*, 1979; DLMF 8.12).

use super::temme_table::{C0, C1, C2, C3, C4, C5, C6, C7};
use super::{erfc, erfcx};

/// ln(y/a) − type deviance: μ − ln(1 + μ) for |μ| ≤ 0.42, without cancellation.
pub(super) fn deviance(mu: f64) -> f64 {
    // With s = μ / (2 + μ): ln(1 + μ) = 2 (s + s³/3 + s⁵/5 + …) and μ − 2 s = μ s.
    let s = mu / (2.0 + mu);
    let square = s * s;
    const TERMS: usize = 14;
    let mut sum = 0.0;
    for k in (1..=TERMS).rev() {
        sum = (sum + 1.0 / (2 * k + 1) as f64) * square;
    }
    s * (mu - 2.0 * sum)
}

/// ln Q(a, y) for a ≥ 128 and μ = (y − a) / a in \[−0.4, 0.4\].
pub(super) fn log_upper(a: f64, mu: f64) -> f64 {
    let half_square = deviance(mu);
    let eta = (2.0 * half_square).sqrt().copysign(mu);
    let inverse = 1.0 / a;
    let series = [
        horner(&C0, eta),
        horner(&C1, eta),
        horner(&C2, eta),
        horner(&C3, eta),
        horner(&C4, eta),
        horner(&C5, eta),
        horner(&C6, eta),
        horner(&C7, eta),
    ];
    let remainder = horner(&series, inverse) / (std::f64::consts::TAU * a).sqrt();
    // Both terms of Q = ½ erfc(η √(a/2)) + remainder · exp(−a η²/2) share the exponential.
    let exponent = a * half_square;
    let argument = exponent.sqrt();
    if eta >= 0.0 {
        (0.5 * erfcx(argument) + remainder).ln() - exponent
    } else {
        // Here Q is above one half; the lower tail is the small one.
        let lower = if exponent > 740.0 { 0.0 } else { 0.5 * erfc(argument) - remainder * (-exponent).exp() };
        (-lower.max(0.0)).ln_1p()
    }
}

fn horner<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}
