//! Comparing state codes with a state.

/// Which of the codes are `state`, one bit each.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn equal(codes: &[u8; 16], state: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    let codes = u128::from_le_bytes(*codes);
    // SAFETY: every x86-64 processor has SSE2, and no memory is touched.
    let bits = unsafe {
        let codes = _mm_set_epi64x((codes >> 64) as i64, codes as i64);
        _mm_movemask_epi8(_mm_cmpeq_epi8(codes, _mm_set1_epi8(state as i8)))
    };
    u64::from(bits as u16)
}

/// Which of the codes are `state`, one bit each.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[inline]
pub(crate) fn equal(codes: &[u8; 16], state: u8) -> u64 {
    use std::arch::aarch64::{vaddv_u8, vandq_u8, vceqq_u8, vdupq_n_u8, vget_high_u8, vget_low_u8, vld1q_u8};
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: every 64-bit ARM processor has NEON; both loads are of sixteen bytes.
    unsafe {
        let equal = vceqq_u8(vld1q_u8(codes.as_ptr()), vdupq_n_u8(state));
        let bits = vandq_u8(equal, vld1q_u8(BITS.as_ptr()));
        u64::from(vaddv_u8(vget_low_u8(bits))) | u64::from(vaddv_u8(vget_high_u8(bits))) << 8
    }
}

/// The same in words of 64 bits, for other processors.
#[cfg(any(test, not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))))]
mod words {
    pub(crate) fn equal(codes: &[u8; 16], state: u8) -> u64 {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        codes.as_chunks::<8>().0.iter().rev().fold(0, |bits, &eight| {
            let bytes = u64::from_le_bytes(eight) ^ (u64::from(state) * LOW);
            // The high bit of each byte that is not zero; then its complement, gathered by a product.
            let other = ((bytes & !HIGH) + !HIGH) | bytes;
            let equal = (!other & HIGH) >> 7;
            bits << 8 | equal.wrapping_mul(0x0102_0408_1020_4080) >> 56
        })
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
pub(crate) use words::equal;

#[cfg(test)]
mod tests {
    #[test]
    fn bits_are_those_of_equal_codes() {
        for seed in 0..200u32 {
            let codes: [u8; 16] =
                std::array::from_fn(|i| ((i as u32 + seed * 16).wrapping_mul(2_654_435_761) >> (24 + seed % 6)) as u8);
            for state in [0, 1, 3, 7, 128, 255] {
                let expected = codes.iter().rev().fold(0u64, |bits, &code| bits << 1 | u64::from(code == state));
                assert_eq!(super::equal(&codes, state), expected);
                assert_eq!(super::words::equal(&codes, state), expected);
            }
        }
    }
}
