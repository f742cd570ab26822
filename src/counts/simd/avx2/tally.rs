//! Counting the states of many variables row by row, with AVX2: a table look-up within registers makes of each code a one in
//! one of several counters of four bits.

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_cvtsi32_si128, _mm_prefetch, _mm256_add_epi8, _mm256_and_si256, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srl_epi16,
    _mm256_srli_epi16, _mm256_storeu_si256,
};

use crate::counts::simd::registers::{Counts, HALF, Line, STATES};

/// Most counters of four bits side by side in bytes: two states each.
const PAIRS: usize = STATES.div_ceil(2);

/// Rows until a counter of four bits is full.
const FULL: usize = 15;

/// Rows between the one that is counted and the one that is fetched.
const AHEAD: usize = 32;

/// For each two states, what codes add: 1 in the low four bits for the first of them, in the high ones for the second.
const ONES: [[u8; 32]; PAIRS] = {
    let mut ones = [[0; 32]; PAIRS];
    let mut code = 1;
    while code < 16 {
        let one = if code % 2 == 1 { 1 } else { 16 };
        ones[(code - 1) / 2][code] = one;
        ones[(code - 1) / 2][code + 16] = one;
        code += 1;
    }
    ones
};

/// [`Instructions::tally`](crate::counts::simd::Instructions::tally) with AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn tally<const S: usize>(
    lines: &[Line],
    rows: &[u32],
    next: &[u32],
    high: bool,
    counts: &mut [Counts; STATES],
) {
    // SAFETY: each entry has 32 bytes; the load is unaligned.
    let ones = ONES.each_ref().map(|ones| unsafe { _mm256_loadu_si256(ones.as_ptr().cast::<__m256i>()) });
    let low = _mm256_set1_epi8(15);
    let shift = _mm_cvtsi32_si128(4 * i32::from(high));
    for quarter in 0..2 {
        let mut totals = [_mm256_setzero_si256(); S];
        let mut ahead = rows.iter().chain(next).skip(AHEAD);
        for rows in rows.chunks(FULL) {
            let mut pairs = [_mm256_setzero_si256(); PAIRS];
            for &row in rows {
                if quarter == 0
                    && !high
                    && let Some(&row) = ahead.next()
                {
                    fetch(lines, row);
                }
                let line = &lines[row as usize];
                // SAFETY: a line has 64 bytes and is aligned to them, so each half of it has 32.
                let codes = unsafe { _mm256_load_si256(line.0.as_ptr().cast::<__m256i>().add(quarter)) };
                let codes = _mm256_and_si256(_mm256_srl_epi16(codes, shift), low);
                for (pair, &ones) in pairs.iter_mut().zip(&ones).take(S.div_ceil(2)) {
                    *pair = _mm256_add_epi8(*pair, _mm256_shuffle_epi8(ones, codes));
                }
            }
            for (state, total) in totals.iter_mut().enumerate() {
                let pair = pairs[state / 2];
                let count = if state % 2 == 0 { pair } else { _mm256_srli_epi16::<4>(pair) };
                *total = _mm256_add_epi8(*total, _mm256_and_si256(count, low));
            }
        }
        for (counts, total) in counts.iter_mut().zip(totals) {
            let to = counts[quarter * HALF / 2..][..HALF / 2].as_mut_ptr();
            // SAFETY: half of the counts of a state have 32 bytes; the store is unaligned.
            unsafe { _mm256_storeu_si256(to.cast::<__m256i>(), total) };
        }
    }
}

/// Brings the line of a row into the cache.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unused_unsafe, reason = "newer compilers know that a prefetch is safe")]
fn fetch(lines: &[Line], row: u32) {
    let line: *const Line = &raw const lines[row as usize];
    // SAFETY: a prefetch reads nothing, and the address is that of a line.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast::<i8>()) };
}
