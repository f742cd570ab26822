//! The logarithm of the gamma function.

/// ½ ln 2π.
pub(super) const HALF_LN_2_PI: f64 = 0.918_938_533_204_672_8;

/// ln Γ(x) of x > 0, to 5e-15 of the larger of 1 and the value.
///
/// # Examples
///
/// ```
/// assert!((phgs::stats::ln_gamma(0.5) - 0.5723649429247001).abs() < 5e-15);
/// assert!((phgs::stats::ln_gamma(11.0) - 3628800f64.ln()).abs() < 5e-14);
/// ```
pub fn ln_gamma(x: f64) -> f64 {
    debug_assert!(x > 0.0);
    if x >= 10.0 {
        return (x - 0.5) * (x.ln() - 1.0) + (HALF_LN_2_PI - 0.5) + stirling_error(x);
    }
    if x < 1e-20 {
        return -x.ln();
    }
    // Γ(x) = Γ(x + k) / (x (x + 1) … (x + k − 1)).
    let mut product = x;
    let mut shifted = x + 1.0;
    while shifted < 10.0 {
        product *= shifted;
        shifted += 1.0;
    }
    (shifted - 0.5) * shifted.ln() - shifted + HALF_LN_2_PI + stirling_error(shifted) - product.ln()
}

/// ln Γ(x + k) − ln Γ(x) of x > 0 and k ≥ 0, without the cancellation of two large logarithms where k is small beside x.
pub(crate) fn ln_gamma_ratio(x: f64, k: f64) -> f64 {
    if x < 10.0 {
        return ln_gamma(x + k) - ln_gamma(x);
    }
    k * x.ln() + (x + k - 0.5) * (k / x).ln_1p() - k + (stirling_error(x + k) - stirling_error(x))
}

/// What Stirling's formula lacks: ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, for x ≥ 10.
pub(super) fn stirling_error(x: f64) -> f64 {
    const C: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    C.iter().rev().fold(0.0, |sum, c| sum * square + c) * inverse
}
