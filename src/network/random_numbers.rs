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
