//! 512 bits with a population count of each 64: a tile of up to 4 × 4 counts stays in registers.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_load_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64,
    _mm512_setzero_si512,
};

use super::Tile;
use crate::counts::planes::Line;

/// [`Counter::tile`](super::Counter::tile) with AVX-512.
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
    for (counts, sums) in counts.iter_mut().zip(&sums) {
        for (count, &sum) in counts.iter_mut().zip(sums) {
            *count = _mm512_reduce_add_epi64(sum) as u32;
        }
    }
}
