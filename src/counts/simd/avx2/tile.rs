//! 256 bits: population counts by carry-save adders over sixteen vectors (W. Muła, N. Kurz, D. Lemire, "Faster
//! population counts using AVX2 instructions", 2018).
//!
//! Two planes at a time, so that the adders stay in registers; masks are applied to a block of a plane once for all planes
//! that it is counted with.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_extract_epi64, _mm256_load_si256,
    _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi64, _mm256_srli_epi16, _mm256_store_si256, _mm256_xor_si256,
};
use std::mem::MaybeUninit;

use crate::counts::simd::registers::{Line, Tile};

/// Vectors taken at a time: eight lines.
const CHUNK: usize = 16;

/// Lines that are masked at a time: with four planes of them they fit the nearest cache.
const BLOCK: usize = 128;

/// [`Instructions::tile`](crate::counts::simd::Instructions::tile) with AVX2.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    let lines = b[0].len();
    assert!(masks.iter().chain(a).chain(b).all(|plane| plane.len() == lines));
    *counts = Tile::default();
    let mut masked = [const { MaybeUninit::uninit() }; BLOCK];
    let mut start = 0;
    while start < lines {
        let block = start..lines.min(start + BLOCK);
        for (plane_b, counts) in b.iter().zip(counts.iter_mut()) {
            let of_b = &plane_b[block.clone()];
            let of_b = match masks {
                [] => of_b,
                [m] => all_of(&mut masked, [of_b, &m[block.clone()]]),
                [m, n] => all_of(&mut masked, [of_b, &m[block.clone()], &n[block.clone()]]),
                [m, n, o] => all_of(&mut masked, [of_b, &m[block.clone()], &n[block.clone()], &o[block.clone()]]),
                _ => unreachable!("at most three masks"),
            };
            for (plane_a, count) in a.iter().zip(counts) {
                *count += both(of_b, &plane_a[block.clone()]);
            }
        }
        start = block.end;
    }
}

/// Writes which rows all of some planes have.
#[inline]
#[target_feature(enable = "avx2")]
fn all_of<'m, const K: usize>(masked: &'m mut [MaybeUninit<Line>; BLOCK], mut planes: [&[Line]; K]) -> &'m [Line] {
    let masked = &mut masked[..planes[0].len()];
    for plane in &mut planes {
        *plane = &plane[..masked.len()];
    }
    for (i, masked) in masked.iter_mut().enumerate() {
        for half in 0..2 {
            let mut all = load(&planes[0][i], half);
            for plane in &planes[1..] {
                all = _mm256_and_si256(all, load(&plane[i], half));
            }
            // SAFETY: a line has 64 bytes and is aligned to them.
            unsafe { _mm256_store_si256(masked.as_mut_ptr().cast::<__m256i>().add(half), all) };
        }
    }
    // SAFETY: both halves of every line were written; the slice borrows what it was made from.
    unsafe { std::slice::from_raw_parts(masked.as_ptr().cast::<Line>(), masked.len()) }
}

/// The number of rows that two planes share.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn both(a: &[Line], b: &[Line]) -> u32 {
    let zero = _mm256_setzero_si256();
    let (mut total, mut ones, mut twos, mut fours, mut eights) = (zero, zero, zero, zero, zero);
    let (chunks_a, rest_a) = a.as_chunks::<{ CHUNK / 2 }>();
    let (chunks_b, rest_b) = b.as_chunks::<{ CHUNK / 2 }>();
    for (a, b) in chunks_a.iter().zip(chunks_b) {
        let at = |i: usize| _mm256_and_si256(load(&a[i / 2], i % 2), load(&b[i / 2], i % 2));
        let mut pair_of_eights = [eights; 2];
        for (half, eights) in pair_of_eights.iter_mut().enumerate() {
            let mut pair_of_fours = [fours; 2];
            for (quarter, fours) in pair_of_fours.iter_mut().enumerate() {
                let i = 8 * half + 4 * quarter;
                let (ones_a, twos_a) = add(ones, at(i), at(i + 1));
                let (ones_b, twos_b) = add(ones_a, at(i + 2), at(i + 3));
                ones = ones_b;
                (twos, *fours) = add(twos, twos_a, twos_b);
            }
            (fours, *eights) = add(fours, pair_of_fours[0], pair_of_fours[1]);
        }
        let sixteens;
        (eights, sixteens) = add(eights, pair_of_eights[0], pair_of_eights[1]);
        total = _mm256_add_epi64(total, sums(bits(sixteens)));
    }
    if !chunks_a.is_empty() {
        total = _mm256_add_epi64(_mm256_slli_epi64::<1>(total), sums(bits(eights)));
        total = _mm256_add_epi64(_mm256_slli_epi64::<1>(total), sums(bits(fours)));
        total = _mm256_add_epi64(_mm256_slli_epi64::<1>(total), sums(bits(twos)));
        total = _mm256_add_epi64(_mm256_slli_epi64::<1>(total), sums(bits(ones)));
    }
    // At most 14 vectors: no byte overflows.
    let mut rest = zero;
    for (a, b) in rest_a.iter().zip(rest_b) {
        for half in 0..2 {
            rest = _mm256_add_epi8(rest, bits(_mm256_and_si256(load(a, half), load(b, half))));
        }
    }
    total = _mm256_add_epi64(total, sums(rest));
    let lanes = [
        _mm256_extract_epi64::<0>(total),
        _mm256_extract_epi64::<1>(total),
        _mm256_extract_epi64::<2>(total),
        _mm256_extract_epi64::<3>(total),
    ];
    lanes.iter().sum::<i64>() as u32
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(line: &Line, half: usize) -> __m256i {
    debug_assert!(half < 2);
    // SAFETY: a line has 64 bytes and is aligned to them.
    unsafe { _mm256_load_si256(line.0.as_ptr().cast::<__m256i>().add(half)) }
}

/// Adds three bits in each position: the sum and the carry.
#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let either = _mm256_xor_si256(a, b);
    (_mm256_xor_si256(either, c), _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, c)))
}

/// The number of bits in each byte, by a look-up of each half.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(vector: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low = _mm256_set1_epi8(15);
    let lows = _mm256_shuffle_epi8(table, _mm256_and_si256(vector, low));
    let highs = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(vector), low));
    _mm256_add_epi8(lows, highs)
}

/// The sum of the bytes of each 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn sums(bytes: __m256i) -> __m256i {
    _mm256_sad_epu8(bytes, _mm256_setzero_si256())
}
