//! Seeded random numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::Variable;

/// A generator for a seed.
pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// One of many independent generators for a seed.
pub(crate) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// A uniform integer below `n` (with a bias below n · 2⁻⁶⁴).
pub(crate) fn below(rng: &mut impl RngCore, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// Puts a list in random order.
pub(crate) fn shuffle<T>(rng: &mut impl RngCore, list: &mut [T]) {
    for i in (1..list.len()).rev() {
        list.swap(i, below(rng, i + 1));
    }
}

/// A random order of `0..n`.
pub(crate) fn permutation(rng: &mut impl RngCore, n: usize) -> Vec<Variable> {
    let mut order: Vec<Variable> = (0..n as Variable).collect();
    shuffle(rng, &mut order);
    order
}

/// A uniform number in [0, 1).
pub(crate) fn uniform(rng: &mut impl RngCore) -> f64 {
    (rng.next_u64() >> 11) as f64 * (-53f64).exp2()
}

/// A standard normal number (Marsaglia's polar method).
pub(crate) fn normal(rng: &mut impl RngCore) -> f64 {
    loop {
        let (x, y) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

/// A gamma-distributed number of unit scale (Marsaglia and Tsang 2000).
pub(crate) fn gamma(rng: &mut impl RngCore, shape: f64) -> f64 {
    if shape < 1.0 {
        // 1 − u is never 0.
        return gamma(rng, shape + 1.0) * (1.0 - uniform(rng)).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - uniform(rng)).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A point of the simplex, Dirichlet-distributed with equal concentrations.
pub(crate) fn dirichlet(rng: &mut impl RngCore, n: usize, concentration: f64) -> Vec<f64> {
    let mut point: Vec<f64> = (0..n).map(|_| gamma(rng, concentration)).collect();
    let total: f64 = point.iter().sum();
    if total > 0.0 {
        for value in &mut point {
            *value /= total;
        }
    } else {
        // Concentrations so small that all draws underflow put all weight on one state.
        point[below(rng, n)] = 1.0;
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_right() {
        let mut rng = generator(1);
        let n = 200_000;
        for shape in [0.3, 0.5, 1.0, 4.5] {
            let draws: Vec<f64> = (0..n).map(|_| gamma(&mut rng, shape)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
            // Standard errors: √(shape / n) and √((2 shape² + 6 shape) / n).
            assert!((mean - shape).abs() < 5.0 * (shape / f64::from(n)).sqrt(), "{shape}: {mean}");
            let error = ((2.0 * shape * shape + 6.0 * shape) / f64::from(n)).sqrt();
            assert!((variance - shape).abs() < 5.0 * error, "{shape}: {variance}");
        }
        let point = dirichlet(&mut rng, 5, 1e-9);
        assert!((point.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
