//! Tables of binary variables with AVX-512: sixteen cells in a register.

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi32, _mm256_shuffle_epi32,
    _mm512_add_epi32, _mm512_add_epi64, _mm512_and_si512, _mm512_castsi512_si128, _mm512_castsi512_si256,
    _mm512_cmplt_epu32_mask, _mm512_cmpneq_epu32_mask, _mm512_cvtepi64_epi32, _mm512_extracti64x4_epi64,
    _mm512_inserti32x4, _mm512_inserti64x4, _mm512_load_si512, _mm512_loadu_si512, _mm512_mask_i32gather_epi64,
    _mm512_mask_sub_epi32, _mm512_permutexvar_epi32, _mm512_permutexvar_epi64, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi64, _mm512_set_epi32, _mm512_set_epi64, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_shuffle_epi32, _mm512_shuffle_i32x4, _mm512_shuffle_i64x2, _mm512_sub_epi32, _mm512_sub_epi64,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_zextsi128_si512, _mm512_zextsi256_si512,
};

use crate::counts::simd::registers::{Cells, Line, Quad};

#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn quad(masks: &[[Line; 4]], plane: &[Line]) -> Quad {
    let mut sums = [_mm512_setzero_si512(); 4];
    for (masks, line) in masks.iter().zip(plane) {
        // SAFETY: a line has 64 bytes and is aligned to them.
        let line = unsafe { _mm512_load_si512(line.0.as_ptr().cast::<__m512i>()) };
        for (sum, mask) in sums.iter_mut().zip(masks) {
            // SAFETY: as above.
            let mask = unsafe { _mm512_load_si512(mask.0.as_ptr().cast::<__m512i>()) };
            *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(mask, line)));
        }
    }
    let two = |a, b| _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (low, high) = (two(sums[0], sums[1]), two(sums[2], sums[3]));
    let halves = _mm512_add_epi64(_mm512_shuffle_i64x2::<0x44>(low, high), _mm512_shuffle_i64x2::<0xEE>(low, high));
    let totals = _mm512_add_epi64(halves, _mm512_shuffle_i64x2::<0xB1>(halves, halves));
    // The totals are in lanes 0, 1, 4 and 5 of 64 bits.
    let picked = _mm512_permutexvar_epi32(_mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 8, 2, 0), totals);
    let mut counts = Quad::default();
    // SAFETY: four counts have 16 bytes; the store is unaligned.
    unsafe { _mm_storeu_si128(counts.as_mut_ptr().cast::<__m128i>(), _mm512_castsi512_si128(picked)) };
    counts
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_quad(quad: &Quad) -> __m128i {
    // SAFETY: four counts have 16 bytes; the load is unaligned.
    unsafe { _mm_loadu_si128(quad.as_ptr().cast::<__m128i>()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn information<const G: usize>(n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32) {
    // SAFETY: sixteen cells have 64 bytes; the load is unaligned.
    let below = unsafe { _mm512_loadu_si512(below.as_ptr().cast::<__m512i>()) };
    let mut second = _mm512_zextsi128_si512(load_quad(groups[0]));
    if G > 1 {
        second = _mm512_inserti32x4::<1>(second, load_quad(groups[1]));
    }
    if G > 2 {
        second = _mm512_inserti32x4::<2>(second, load_quad(groups[2]));
        second = _mm512_inserti32x4::<3>(second, load_quad(groups[3]));
    }
    // From "at least these variables" to "exactly these", one variable at a time.
    second = _mm512_mask_sub_epi32(second, 0x5555, second, _mm512_shuffle_epi32::<0xB1>(second));
    second = _mm512_mask_sub_epi32(second, 0x3333, second, _mm512_shuffle_epi32::<0x4E>(second));
    if G > 1 {
        second = _mm512_mask_sub_epi32(second, 0x0F0F, second, _mm512_shuffle_i32x4::<0xB1>(second, second));
    }
    if G > 2 {
        second = _mm512_mask_sub_epi32(second, 0x00FF, second, _mm512_shuffle_i32x4::<0x4E>(second, second));
    }
    let first = _mm512_sub_epi32(below, second);
    if G == 4 {
        let (sum_of_first, of_first) = strata::<true>(n_log_n, first);
        let (sum_of_second, of_second) = strata::<true>(n_log_n, second);
        return (_mm512_reduce_add_epi64(_mm512_add_epi64(sum_of_first, sum_of_second)), of_first + of_second);
    }
    let (sum, degrees) = if G == 2 {
        strata::<true>(n_log_n, _mm512_inserti64x4::<1>(first, _mm512_castsi512_si256(second)))
    } else {
        strata::<false>(n_log_n, _mm512_inserti32x4::<1>(first, _mm512_castsi512_si128(second)))
    };
    (_mm512_reduce_add_epi64(sum), degrees)
}

/// The parts of the information of four strata, or two, and the number of them in which both variables vary.
#[inline]
#[target_feature(enable = "avx512f")]
fn strata<const FOUR: bool>(n_log_n: &[i64], cells: __m512i) -> (__m512i, u32) {
    // Each cell and its neighbour along x, and along y.
    let over_x = _mm512_add_epi32(cells, _mm512_shuffle_epi32::<0xB1>(cells));
    let over_y = _mm512_add_epi32(cells, _mm512_shuffle_epi32::<0x4E>(cells));
    // Nibbles 0 and 2 of each four, and lanes 0 and 1.
    let of_y = _mm512_cvtepi64_epi32(over_x);
    let of_x = _mm512_castsi512_si256(_mm512_permutexvar_epi64(_mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0), over_y));
    // Of each two lanes the first.
    let totals = _mm256_add_epi32(of_y, _mm256_shuffle_epi32::<0xB1>(of_y));
    let mut sum = gather(n_log_n, _mm512_castsi512_si256(cells), 0xFF);
    if FOUR {
        sum = _mm512_add_epi64(sum, gather(n_log_n, _mm512_extracti64x4_epi64::<1>(cells), 0xFF));
    }
    let lanes = if FOUR { 0xFF } else { 0x0F };
    sum = _mm512_sub_epi64(sum, gather(n_log_n, of_y, lanes));
    sum = _mm512_sub_epi64(sum, gather(n_log_n, of_x, lanes));
    sum = _mm512_add_epi64(sum, gather(n_log_n, totals, lanes & 0x55));
    let zero = _mm512_setzero_si512();
    let x_occurs = _mm512_cmpneq_epu32_mask(over_y, zero);
    let y_occurs = _mm512_cmpneq_epu32_mask(over_x, zero);
    let varies = x_occurs & (x_occurs >> 1) & y_occurs & (y_occurs >> 2) & 0x1111;
    (sum, varies.count_ones())
}

/// The entries of a table at eight places; 0 for lanes that are not in `lanes` and for places that it does not have.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(table: &[i64], at: __m256i, lanes: u8) -> __m512i {
    let length = _mm512_set1_epi32(table.len().min(i32::MAX as usize) as i32);
    let within = _mm512_cmplt_epu32_mask(_mm512_zextsi256_si512(at), length) as u8 & lanes;
    // SAFETY: only lanes whose place lies in the table are read.
    unsafe { _mm512_mask_i32gather_epi64::<8>(_mm512_setzero_si512(), within, at, table.as_ptr()) }
}
