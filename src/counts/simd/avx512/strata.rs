//! Eight strata side by side with AVX-512: a line is a register.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_load_si256, _mm256_store_si256, _mm512_add_epi64, _mm512_and_si512, _mm512_cvtepi64_epi32,
    _mm512_i32gather_epi64, _mm512_load_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
};

use crate::counts::simd::portable;
use crate::counts::simd::registers::{Eight, Line};

#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn shared<const A: usize, const B: usize>(a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
    let lines = a[0].len();
    assert!(a.iter().chain(&b).all(|plane| plane.len() == lines));
    let mut sums = [[_mm512_setzero_si512(); B]; A];
    for line in 0..lines {
        // SAFETY: `line` is below the length of every plane, and lines are aligned to 64 bytes.
        let load = |plane: &[Line]| unsafe { _mm512_load_si512(plane.as_ptr().add(line).cast::<__m512i>()) };
        let of_b = b.map(load);
        for (sums, plane) in sums.iter_mut().zip(&a) {
            let of_a = load(plane);
            for (sum, &of_b) in sums.iter_mut().zip(&of_b) {
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(of_a, of_b)));
            }
        }
    }
    let mut counts = [[Eight::default(); B]; A];
    for (counts, sums) in counts.iter_mut().zip(&sums) {
        for (count, &sum) in counts.iter_mut().zip(sums) {
            // SAFETY: eight counts have 32 bytes and are aligned to them.
            unsafe { _mm256_store_si256(count.0.as_mut_ptr().cast::<__m256i>(), _mm512_cvtepi64_epi32(sum)) };
        }
    }
    counts
}

#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn sum(n_log_n: &[i64], counts: &[Eight]) -> i64 {
    let mut most = Eight::default();
    for eight in counts {
        for (most, &count) in most.0.iter_mut().zip(&eight.0) {
            *most = (*most).max(count);
        }
    }
    let length = n_log_n.len().min(i32::MAX as usize);
    assert!(most.0.iter().all(|&count| (count as usize) < length));
    let mut sum = _mm512_setzero_si512();
    for eight in counts {
        // SAFETY: eight counts have 32 bytes and are aligned to them; as indices they are in the table, as was just seen, and
        // fit 31 bits.
        let n_log_n = unsafe {
            let at = _mm256_load_si256(eight.0.as_ptr().cast::<__m256i>());
            _mm512_i32gather_epi64::<8>(at, n_log_n.as_ptr())
        };
        sum = _mm512_add_epi64(sum, n_log_n);
    }
    _mm512_reduce_add_epi64(sum)
}

/// The plain transposition, compiled for wide registers.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn transpose(square: &mut [Line; 64]) {
    portable::transpose(square);
}
