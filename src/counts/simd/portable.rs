//! Words of 64 bits, in plain Rust.

use super::instructions::Instructions;
#[cfg(target_arch = "x86_64")]
use super::instructions::Job;
use super::registers::{Cells, Counts, Eight, HALF, Line, Quad, STATES, Tile};
use crate::data::spread;

/// Everything in plain Rust.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl Instructions for Portable {}

/// Does a job in plain Rust, compiled for processors with a population count.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
pub(super) fn run_with_popcnt<J: Job>(job: J) -> J::Output {
    job.with(Portable)
}

/// Lines taken at a time: a masked plane of them stays in registers or the first-level cache.
const CHUNK: usize = 8;

#[inline(always)]
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    let mut sums = [[0u64; 4]; 4];
    let lines = b[0].len();
    let mut start = 0;
    while start < lines {
        let end = (start + CHUNK).min(lines);
        for (plane_b, sums) in b.iter().zip(&mut sums) {
            let mut masked = [Line::default(); CHUNK];
            let masked = &mut masked[..end - start];
            masked.copy_from_slice(&plane_b[start..end]);
            for mask in masks {
                for (into, from) in masked.iter_mut().zip(&mask[start..end]) {
                    for (into, from) in into.0.iter_mut().zip(&from.0) {
                        *into &= from;
                    }
                }
            }
            for (plane_a, sum) in a.iter().zip(sums) {
                for (x, y) in masked.iter().zip(&plane_a[start..end]) {
                    for (x, y) in x.0.iter().zip(&y.0) {
                        *sum += u64::from((x & y).count_ones());
                    }
                }
            }
        }
        start = end;
    }
    for (counts, sums) in counts.iter_mut().zip(sums) {
        *counts = sums.map(|sum| sum as u32);
    }
}

#[inline(always)]
pub(super) fn quad(masks: &[[Line; 4]], plane: &[Line]) -> Quad {
    let mut counts = Quad::default();
    for (masks, line) in masks.iter().zip(plane) {
        for (count, mask) in counts.iter_mut().zip(masks) {
            *count += mask.0.iter().zip(line.0).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        }
    }
    counts
}

#[inline(always)]
pub(super) fn information<const G: usize>(n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32) {
    let (first, second) = halves(groups, below);
    let f = |count: u32| n_log_n[count as usize];
    let (mut sum, mut degrees) = (0i64, 0);
    for half in [&first, &second] {
        for stratum in &half.as_chunks::<4>().0[..G] {
            let &[a, b, c, d] = stratum;
            sum = sum.wrapping_add(f(a) + f(b) + f(c) + f(d));
            sum = sum.wrapping_sub(f(a + b) + f(c + d) + f(a + c) + f(b + d));
            sum = sum.wrapping_add(f(a + b + c + d));
            degrees += u32::from((a + b != 0) & (c + d != 0) & (a + c != 0) & (b + d != 0));
        }
    }
    (sum, degrees)
}

/// The cells in which the last variable is in its first state, and those in which it is in its second.
#[inline(always)]
pub(crate) fn halves<const G: usize>(groups: [&Quad; G], below: &Cells) -> (Cells, Cells) {
    let mut second = Cells::default();
    for (into, group) in second.as_chunks_mut::<4>().0.iter_mut().zip(groups) {
        *into = *group;
    }
    // From "at least these variables" to "exactly these", one variable at a time.
    let mut step = 1;
    while step < 4 * G {
        for cell in 0..4 * G {
            if cell & step == 0 {
                second[cell] = second[cell].wrapping_sub(second[cell | step]);
            }
        }
        step *= 2;
    }
    (std::array::from_fn(|cell| below[cell].wrapping_sub(second[cell])), second)
}

#[inline(always)]
pub(super) fn shared<const A: usize, const B: usize>(a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
    let mut counts = [[Eight::default(); B]; A];
    for i in 0..A {
        for j in 0..B {
            for (x, y) in a[i].iter().zip(b[j]) {
                for lane in 0..8 {
                    counts[i][j].0[lane] += (x.0[lane] & y.0[lane]).count_ones();
                }
            }
        }
    }
    counts
}

#[inline(always)]
pub(super) fn sum(n_log_n: &[i64], counts: &[Eight]) -> i64 {
    let mut sums = [0i64; 4];
    for eight in counts {
        for (lane, &count) in eight.0.iter().enumerate() {
            sums[lane % 4] = sums[lane % 4].wrapping_add(n_log_n[count as usize]);
        }
    }
    sums.iter().fold(0, |sum, &part| sum.wrapping_add(part))
}

/// Transposes 64 × 64 bits in each of eight words side by side: bit j of line i becomes bit i of line j.
#[inline(always)]
pub(super) fn transpose(square: &mut [Line; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        for low in (0..64).filter(|low| low & width == 0) {
            let (mut a, mut b) = (square[low].0, square[low + width].0);
            for (a, b) in a.iter_mut().zip(&mut b) {
                let swap = ((*a >> width) ^ *b) & mask;
                *b ^= swap;
                *a ^= swap << width;
            }
            (square[low].0, square[low + width].0) = (a, b);
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[inline(always)]
pub(super) fn tally<const S: usize>(lines: &[Line], rows: &[u32], high: bool, counts: &mut [Counts; STATES]) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let shift = 4 * u32::from(high);
    // Eight counts in a word.
    let mut of_states = [[0u64; HALF / 8]; S];
    for &row in rows {
        let codes = lines[row as usize].0.map(|word| (word >> shift) & (15 * ONES));
        for (state, counts) in (1u64..).zip(&mut of_states) {
            for (count, code) in counts.iter_mut().zip(codes) {
                // The high bit of each byte that is in another state: at most 15 + 127 fits the byte.
                let other = (code ^ (state * ONES)) + 127 * ONES;
                *count += (!other >> 7) & ONES;
            }
        }
    }
    for (counts, words) in counts.iter_mut().zip(of_states) {
        for (counts, word) in counts.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *counts = word.to_le_bytes();
        }
    }
}

/// [`Instructions::states`](super::Instructions::states) in plain Rust.
#[inline(always)]
pub(super) fn states(words: &[u64], states: &mut [u8; 64]) {
    *states = [0; 64];
    for (state, &word) in (1..).zip(words) {
        spread(word, state, states);
    }
}
