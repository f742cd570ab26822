//! The upper tail of the χ² distribution.

use super::gamma::{HALF_LN_2_PI, stirling_error};
use super::temme::{self, deviance};
use super::{erfcx, ln_gamma};

/// Integer degrees of freedom below this have a finite sum; above it an expansion is faster.
const CLOSED_FORM_LIMIT: f64 = 256.0;

/// Beyond this statistic (halved) the p-value of a closed form is below 1e-1000 and its plain sum could overflow.
const FAR: f64 = 5000.0;

/// ln P(χ²_df > x): the logarithm of the p-value of a χ² statistic.
///
/// The p-value is right to 1e-12 of itself wherever it is above 1e-300 and `degrees_of_freedom` is an integer (any
/// size) or a half-integer above 128; its logarithm is right to about 1e-15 of itself below. It costs 10 to 100 ns:
/// a finite sum below 256 degrees of freedom, an asymptotic expansion above. Fractional degrees of freedom are
/// accepted.
///
/// A statistic or degrees of freedom that are not above 0 (or NaN) are no evidence: the result is 0, that is p = 1.
/// Never NaN.
///
/// # Examples
///
/// ```
/// use phgs::stats::chi_squared_log_upper_tail;
/// let p = chi_squared_log_upper_tail(3.841458820694124, 1.0).exp();
/// assert!((p - 0.05).abs() < 1e-15);
/// assert_eq!(chi_squared_log_upper_tail(7.0, 0.0), 0.0);
/// // p-values that underflow still rank.
/// assert!(chi_squared_log_upper_tail(30_000.0, 4.0) < chi_squared_log_upper_tail(29_000.0, 4.0));
/// ```
pub fn chi_squared_log_upper_tail(statistic: f64, degrees_of_freedom: f64) -> f64 {
    if statistic.is_nan() || statistic <= 0.0 || degrees_of_freedom.is_nan() || degrees_of_freedom <= 0.0 {
        return 0.0;
    }
    if degrees_of_freedom.is_infinite() {
        return 0.0;
    }
    if statistic.is_infinite() {
        return f64::NEG_INFINITY;
    }
    let (a, y) = (0.5 * degrees_of_freedom, 0.5 * statistic);
    let log = if degrees_of_freedom >= CLOSED_FORM_LIMIT {
        large(a, y)
    } else if degrees_of_freedom.fract() == 0.0 {
        if y < FAR { closed_form(degrees_of_freedom as usize, y) } else { far_tail(a, y) }
    } else {
        fractional(a, y)
    };
    // Rounding can leave a p-value of 1 + 1e-16.
    log.min(0.0)
}

/// 1, 1/2, 1/3, … and 1/1.5, 1/2.5, …: the ratios of successive terms of the closed forms, divided by y.
struct Reciprocals {
    integer: [f64; 128],
    half_integer: [f64; 128],
}

static RECIPROCALS: Reciprocals = {
    let mut table = Reciprocals { integer: [0.0; 128], half_integer: [0.0; 128] };
    let mut k = 0;
    while k < 128 {
        table.integer[k] = 1.0 / (k + 1) as f64;
        table.half_integer[k] = 1.0 / (k as f64 + 1.5);
        k += 1;
    }
    table
};

/// Even df = 2m: e⁻ʸ Σ_{k<m} yᵏ/k!. Odd df = 2m + 1: e⁻ʸ (erfcx(√y) + Σ_{k<m} y^(k+½)/Γ(k + 3/2)).
fn closed_form(df: usize, y: f64) -> f64 {
    let m = df / 2;
    if df.is_multiple_of(2) {
        sum_of_terms(1.0, y, &RECIPROCALS.integer[..m - 1]).ln() - y
    } else {
        let root = y.sqrt();
        let scaled = erfcx(root);
        if m == 0 {
            return scaled.ln() - y;
        }
        // y^½ / Γ(3/2)
        let first = root * std::f64::consts::FRAC_2_SQRT_PI;
        (scaled + sum_of_terms(first, y, &RECIPROCALS.half_integer[..m - 1])).ln() - y
    }
}

/// first · (1 + y r₀ (1 + y r₁ (1 + …))): every term is positive.
#[inline]
fn sum_of_terms(first: f64, y: f64, ratios: &[f64]) -> f64 {
    let (mut term, mut sum) = (first, first);
    for block in ratios.chunks(8) {
        for ratio in block {
            term *= y * ratio;
            sum += term;
        }
        // Terms fall once y r < 1, and ever faster.
        if term < 1e-18 * sum && y * block[block.len() - 1] < 0.5 {
            break;
        }
    }
    sum
}

/// A tail so far out that the terms fall from the first by less than (a − 1) / y < 1/30 each.
fn far_tail(a: f64, y: f64) -> f64 {
    (a - 1.0) * y.ln() - y - ln_gamma(a) + falling_sum(a, y).ln()
}

/// 1 + (a − 1)/y + (a − 1)(a − 2)/y² + …, up to the first term that does not matter, for y well above a.
///
/// Q(a, y) is y^(a−1) e⁻ʸ / Γ(a) times this sum: exactly for integers, asymptotically (with an error below the first term
/// left out) for other a.
fn falling_sum(a: f64, y: f64) -> f64 {
    let inverse = 1.0 / y;
    let (mut term, mut sum, mut factor) = (1.0f64, 1.0, a - 1.0);
    while term.abs() > 1e-17 * sum {
        term *= factor * inverse;
        sum += term;
        factor -= 1.0;
    }
    sum
}

/// 1 + y/(a + 1) + y²/((a + 1)(a + 2)) + …, as long as a term times `weight` matters beside 1 (and at least to a
/// millionth of itself). P(a, y) is yᵃ e⁻ʸ / Γ(a + 1) times this sum.
fn rising_sum(a: f64, y: f64, weight: f64) -> f64 {
    let (mut term, mut sum, mut divisor) = (1.0, 1.0, a + 1.0);
    while (term * weight > 1e-18 || term > 1e-7 * sum) && term > 1e-18 * sum {
        term *= y / divisor;
        sum += term;
        divisor += 1.0;
    }
    sum
}

/// a ≥ 128: an expansion around the middle of the distribution, sums outside.
fn large(a: f64, y: f64) -> f64 {
    let mu = (y - a) / a;
    if mu.abs() <= 0.4 {
        return temme::log_upper(a, mu);
    }
    // Loader's form of ln[yᵃ e⁻ʸ / Γ(a + 1)]: no cancellation between large terms.
    let exponent = a * if mu.abs() < 0.42 { deviance(mu) } else { mu - (y / a).ln() };
    let log_front = -exponent - HALF_LN_2_PI - 0.5 * a.ln() - stirling_error(a);
    if mu > 0.0 {
        log_front + (a / y * falling_sum(a, y)).ln()
    } else {
        let front = log_front.exp();
        (-front * rising_sum(a, y, front)).ln_1p()
    }
}

/// Fractional degrees of freedom below 256: the textbook series and continued fraction.
fn fractional(a: f64, y: f64) -> f64 {
    if y < a + 1.0 {
        let front = (a * y.ln() - y - ln_gamma(a + 1.0)).exp();
        return (-(front * rising_sum(a, y, 1.0)).min(1.0)).ln_1p();
    }
    // Lentz's evaluation of y^a e^−y / Γ(a) · 1/(y + 1 − a − 1 (1 − a)/(y + 3 − a − …)).
    let mut b = y + 1.0 - a;
    let mut d = 1.0 / b;
    let mut c = f64::INFINITY;
    let mut fraction = d;
    for i in 1..100_000 {
        let numerator = -(i as f64) * (i as f64 - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    a * y.ln() - y - ln_gamma(a) + fraction.ln()
}
