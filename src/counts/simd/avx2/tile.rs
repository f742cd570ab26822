//! 256 bits: population counts by carry-save adders over sixteen vectors (W. Muła, N. Kurz, D. Lemire, "Faster
//! population counts using AVX2 instructions", 2018).

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_extract_epi64, _mm256_load_si256,
    _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi64, _mm256_srli_epi16, _mm256_xor_si256,
};

use crate::counts::simd::registers::{Line, TILE, Tile};

/// Vectors taken at a time: eight lines.
const CHUNK: usize = 16;

/// [`Instructions::tile`](crate::counts::simd::Instructions::tile) with AVX2.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    let lines = b[0].len();
    assert!(masks.iter().chain(a).chain(b).all(|plane| plane.len() == lines));
    let vectors = 2 * lines;
    let zero = _mm256_setzero_si256();
    let mut sums = [[Sum { total: zero, ones: zero, twos: zero, fours: zero, eights: zero }; TILE]; TILE];
    let mut masked = [zero; CHUNK];
    let mut start = 0;
    while start < vectors {
        let length = CHUNK.min(vectors - start);
        for (plane_b, sums) in b.iter().zip(&mut sums) {
            for (i, masked) in masked[..length].iter_mut().enumerate() {
                // SAFETY: `start + i < vectors`, and all planes have that many vectors.
                *masked = unsafe { load(plane_b, start + i) };
                for mask in masks {
                    // SAFETY: as above.
                    *masked = _mm256_and_si256(*masked, unsafe { load(mask, start + i) });
                }
            }
            for (plane_a, sum) in a.iter().zip(sums) {
                if length == CHUNK {
                    // SAFETY: `start + CHUNK` is at most `vectors`, the number of vectors of the plane.
                    unsafe { add_chunk(sum, &masked, plane_a, start) };
                } else {
                    for (i, &masked) in masked[..length].iter().enumerate() {
                        // SAFETY: `start + i < vectors`.
                        let both = _mm256_and_si256(masked, unsafe { load(plane_a, start + i) });
                        sum.total = _mm256_add_epi64(sum.total, bits(both));
                    }
                }
            }
        }
        start += length;
    }
    for (counts, sums) in counts.iter_mut().zip(&sums).take(b.len()) {
        for (count, sum) in counts.iter_mut().zip(sums).take(a.len()) {
            *count = finish(sum, vectors >= CHUNK);
        }
    }
}

/// A running count: whole vectors of sixteen counted in `total`, the rest in carry-save form.
#[derive(Clone, Copy)]
struct Sum {
    total: __m256i,
    ones: __m256i,
    twos: __m256i,
    fours: __m256i,
    eights: __m256i,
}

/// # Safety
///
/// `vector` is below twice the length of the plane.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(plane: &[Line], vector: usize) -> __m256i {
    // SAFETY: within the plane by the caller's promise; lines are aligned to 64 bytes.
    unsafe { _mm256_load_si256(plane.as_ptr().cast::<__m256i>().add(vector)) }
}

/// # Safety
///
/// `start + CHUNK` is at most twice the length of the plane.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_chunk(sum: &mut Sum, masked: &[__m256i; CHUNK], plane: &[Line], start: usize) {
    // SAFETY: `i < CHUNK`, hence within the plane by the caller's promise.
    let at = |i: usize| _mm256_and_si256(masked[i], unsafe { load(plane, start + i) });
    let (mut ones, mut twos, mut fours) = (sum.ones, sum.twos, sum.fours);
    let mut eights = [sum.eights; 2];
    for (half, eights) in eights.iter_mut().enumerate() {
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
    (sum.eights, sixteens) = add(sum.eights, eights[0], eights[1]);
    (sum.ones, sum.twos, sum.fours) = (ones, twos, fours);
    sum.total = _mm256_add_epi64(sum.total, _mm256_slli_epi64::<4>(bits(sixteens)));
}

/// Adds three bits in each position: the sum and the carry.
#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let either = _mm256_xor_si256(a, b);
    (_mm256_xor_si256(either, c), _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, c)))
}

/// The number of bits in each 64, by a look-up of each half byte.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(vector: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low = _mm256_set1_epi8(15);
    let lows = _mm256_shuffle_epi8(table, _mm256_and_si256(vector, low));
    let highs = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(vector), low));
    _mm256_sad_epu8(_mm256_add_epi8(lows, highs), _mm256_setzero_si256())
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn finish(sum: &Sum, carried: bool) -> u32 {
    let mut total = sum.total;
    if carried {
        total = _mm256_add_epi64(total, _mm256_slli_epi64::<3>(bits(sum.eights)));
        total = _mm256_add_epi64(total, _mm256_slli_epi64::<2>(bits(sum.fours)));
        total = _mm256_add_epi64(total, _mm256_slli_epi64::<1>(bits(sum.twos)));
        total = _mm256_add_epi64(total, bits(sum.ones));
    }
    let lanes = [
        _mm256_extract_epi64::<0>(total),
        _mm256_extract_epi64::<1>(total),
        _mm256_extract_epi64::<2>(total),
        _mm256_extract_epi64::<3>(total),
    ];
    lanes.iter().sum::<i64>() as u32
}
