//! Counting the states of many variables row by row: a look-up within a register makes of each code a one in one of several
//! counters of four bits, as with AVX2.

use std::arch::aarch64::{uint8x16_t, vaddq_u8, vandq_u8, vdupq_n_u8, vld1q_u8, vqtbl1q_u8, vshrq_n_u8, vst1q_u8};

use super::load;
use crate::counts::simd::registers::{Counts, Line, STATES};

/// Most counters of four bits side by side in bytes: two states each.
const PAIRS: usize = STATES.div_ceil(2);

/// Rows until a counter of four bits is full.
const FULL: usize = 15;

/// For each two states, what codes add: 1 in the low four bits for the first of them, in the high ones for the second.
const ONES: [[u8; 16]; PAIRS] = {
    let mut ones = [[0; 16]; PAIRS];
    let mut code = 1;
    while code < 16 {
        ones[(code - 1) / 2][code] = if code % 2 == 1 { 1 } else { 16 };
        code += 1;
    }
    ones
};

/// [`Instructions::tally`](crate::counts::simd::Instructions::tally).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn tally<const S: usize>(lines: &[Line], rows: &[u32], high: bool, counts: &mut [Counts; STATES]) {
    // SAFETY: each entry has 16 bytes; the load is unaligned.
    let ones: [uint8x16_t; PAIRS] = ONES.each_ref().map(|ones| unsafe { vld1q_u8(ones.as_ptr()) });
    let low = vdupq_n_u8(15);
    for quarter in 0..4 {
        let mut totals = [vdupq_n_u8(0); S];
        for rows in rows.chunks(FULL) {
            let mut pairs = [vdupq_n_u8(0); PAIRS];
            for &row in rows {
                let codes = load(&lines[row as usize], quarter);
                let codes = if high { vshrq_n_u8::<4>(codes) } else { vandq_u8(codes, low) };
                for (pair, &ones) in pairs.iter_mut().zip(&ones).take(S.div_ceil(2)) {
                    *pair = vaddq_u8(*pair, vqtbl1q_u8(ones, codes));
                }
            }
            for (state, total) in totals.iter_mut().enumerate() {
                let pair = pairs[state / 2];
                let count = if state % 2 == 0 { vandq_u8(pair, low) } else { vshrq_n_u8::<4>(pair) };
                *total = vaddq_u8(*total, count);
            }
        }
        for (counts, total) in counts.iter_mut().zip(totals) {
            let to = counts[16 * quarter..][..16].as_mut_ptr();
            // SAFETY: a quarter of the counts of a state has 16 bytes; the store is unaligned.
            unsafe { vst1q_u8(to, total) };
        }
    }
}
