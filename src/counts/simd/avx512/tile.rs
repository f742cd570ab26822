//! 512 bits with a population count of each 64: a tile of up to 4 × 4 counts stays in registers.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_storeu_si256, _mm512_add_epi64, _mm512_and_si512, _mm512_cvtepi64_epi32,
    _mm512_load_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use crate::counts::simd::registers::{Line, Tile};

/// [`Instructions::tile`](crate::counts::simd::Instructions::tile) with AVX-512.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    match masks {
        [] => with_masks(&[], a, b, counts),
        [m] => with_masks(&[m], a, b, counts),
        [m, n] => with_masks(&[m, n], a, b, counts),
        [m, n, o] => with_masks(&[m, n, o], a, b, counts),
        _ => unreachable!("at most three masks"),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn with_masks<const M: usize>(masks: &[&[Line]; M], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    macro_rules! sizes {
        ($($b:literal: $($a:literal)*;)*) => {
            match (b.len(), a.len()) {
                $($(($b, $a) => fixed::<M, $a, $b>(masks, sized(a), sized(b), counts),)*)*
                _ => unreachable!("a tile has one to four planes each way"),
            }
        };
    }
    sizes! { 1: 1 2 3 4; 2: 1 2 3 4; 3: 1 2 3 4; 4: 1 2 3 4; }
}

#[inline(always)]
fn sized<'s, 'p, const K: usize>(planes: &'s [&'p [Line]]) -> &'s [&'p [Line]; K] {
    planes.try_into().expect("the length was matched")
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn fixed<const M: usize, const A: usize, const B: usize>(
    masks: &[&[Line]; M],
    a: &[&[Line]; A],
    b: &[&[Line]; B],
    counts: &mut Tile,
) {
    let lines = b[0].len();
    assert!(masks.iter().chain(a).chain(b).all(|plane| plane.len() == lines));
    let mut sums = [[_mm512_setzero_si512(); A]; B];
    for line in 0..lines {
        // SAFETY: `line` is below the length of every plane, and lines are aligned to 64 bytes.
        let load = |plane: &[Line]| unsafe { _mm512_load_si512(plane.as_ptr().add(line).cast::<__m512i>()) };
        let mut of_a = a.map(load);
        if M > 0 {
            let mut mask = load(masks[0]);
            for more in &masks[1..] {
                mask = _mm512_and_si512(mask, load(more));
            }
            for plane in &mut of_a {
                *plane = _mm512_and_si512(*plane, mask);
            }
        }
        for (sums, plane_b) in sums.iter_mut().zip(b) {
            let of_b = load(plane_b);
            for (sum, &of_a) in sums.iter_mut().zip(&of_a) {
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(of_a, of_b)));
            }
        }
    }
    if A == 1 {
        for (counts, sums) in counts.iter_mut().zip(&sums) {
            counts[0] = _mm512_reduce_add_epi64(sums[0]) as u32;
        }
        return;
    }
    for (counts, sums) in counts.chunks_exact_mut(2).zip(sums.chunks(2)) {
        let zero = [_mm512_setzero_si512(); A];
        let totals = totals(&sums[0], sums.get(1).unwrap_or(&zero));
        // SAFETY: two rows of a tile are eight counts of four bytes side by side; the store is unaligned.
        unsafe { _mm256_storeu_si256(counts.as_mut_ptr().cast::<__m256i>(), _mm512_cvtepi64_epi32(totals)) };
    }
}

/// The totals of the lanes of up to four sums of each of two rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn totals<const A: usize>(first: &[__m512i; A], second: &[__m512i; A]) -> __m512i {
    let half = |row: &[__m512i; A]| {
        let at = |i: usize| if i < A { row[i] } else { _mm512_setzero_si512() };
        let two = |a, b| _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        quarters(two(at(0), at(1)), two(at(2), at(3)))
    };
    quarters(half(first), half(second))
}

/// Adds neighbouring quarters of two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi64(_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xDD>(a, b))
}
