//! The complementary error function and its scaled form.

use super::erfcx_table::ERFCX;

/// The scaled complementary error function `exp(x²) erfc(x)` of x ≥ 0, to a few units in the last place.
///
/// # Examples
///
/// ```
/// assert_eq!(phgs::stats::erfcx(0.0), 1.0);
/// let far = phgs::stats::erfcx(1e9) * 1e9 * std::f64::consts::PI.sqrt();
/// assert!((far - 1.0).abs() < 1e-15);
/// ```
#[inline]
pub fn erfcx(x: f64) -> f64 {
    debug_assert!(x >= 0.0);
    // erfcx is smooth in t = 4 / (4 + x) from t = 0 (x infinite) to t = 1, and about t / (4 √π) near 0.
    let t = 4.0 / (4.0 + x);
    let scaled = t * ERFCX.len() as f64;
    let interval = (scaled as usize).min(ERFCX.len() - 1);
    let u = 2.0 * (scaled - interval as f64) - 1.0;
    let c = &ERFCX[interval];
    // Pairs first: shorter chains than Horner's rule.
    let u2 = u * u;
    let u4 = u2 * u2;
    let low = (c[0] + c[1] * u) + (c[2] + c[3] * u) * u2;
    let high = (c[4] + c[5] * u) + (c[6] + c[7] * u) * u2;
    t * (low + (high + (c[8] + c[9] * u) * u4) * u4)
}

/// The complementary error function.
///
/// # Examples
///
/// ```
/// assert!((phgs::stats::erfc(0.5) - 0.4795001221869535).abs() < 5e-16);
/// assert!((phgs::stats::erfc(-0.5) - 1.5204998778130465).abs() < 5e-16);
/// ```
pub fn erfc(x: f64) -> f64 {
    let magnitude = x.abs();
    let tail = if magnitude > 28.0 { 0.0 } else { (-magnitude * magnitude).exp() * erfcx(magnitude) };
    if x < 0.0 { 2.0 - tail } else { tail }
}
