//! The states of rows from their planes, with AVX2: a bit becomes a byte by a look-up of the byte that it is in and a comparison.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

/// [`Instructions::states`](crate::counts::simd::Instructions::states) with AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn states(words: &[u64], states: &mut [u8; 64]) {
    // The byte of 32 bits that each row is in: in either half of a register all four bytes are there.
    let byte = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    for (half, states) in states.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let mut found = _mm256_setzero_si256();
        for (state, &word) in (1..).zip(words) {
            let rows = _mm256_shuffle_epi8(_mm256_set1_epi32((word >> (32 * half)) as i32), byte);
            let has = _mm256_cmpeq_epi8(_mm256_and_si256(rows, bit), bit);
            found = _mm256_or_si256(found, _mm256_and_si256(has, _mm256_set1_epi8(state)));
        }
        // SAFETY: half of the states have 32 bytes; the store is unaligned.
        unsafe { _mm256_storeu_si256(states.as_mut_ptr().cast::<__m256i>(), found) };
    }
}
