//! Counts of bits: bytes are counted each by itself and added in bytes as long as these hold them.

use std::arch::aarch64::{
    uint8x16_t, vaddlvq_u8, vaddlvq_u16, vaddq_u8, vaddq_u32, vandq_u8, vcntq_u8, vdupq_n_u8, vdupq_n_u16, vdupq_n_u32,
    vpadalq_u8, vpaddlq_u8, vpaddlq_u16, vpaddq_u32, vst1q_u32,
};

use super::load;
use crate::counts::simd::registers::{Eight, Line, Quad, TILE, Tile};

/// Lines taken at a time: a byte counts at most eight bits of each of two quarters.
const CHUNK: usize = 8;

/// Lines whose counts of bits, at most 64 in each 16 bits, are added before they are summed.
const LONG_CHUNK: usize = 512;

/// Lines of which a byte counts eight bits each.
const BYTE_CHUNK: usize = 31;

/// [`Instructions::tile`](crate::counts::simd::Instructions::tile).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    let lines = b[0].len();
    assert!(masks.iter().chain(a).chain(b).all(|plane| plane.len() == lines));
    let mut sums = [[0u32; TILE]; TILE];
    let mut masked = [[vdupq_n_u8(0); 4]; CHUNK];
    for start in (0..lines).step_by(CHUNK) {
        let length = CHUNK.min(lines - start);
        for (plane_b, sums) in b.iter().zip(&mut sums) {
            for (i, masked) in masked[..length].iter_mut().enumerate() {
                for (quarter, masked) in masked.iter_mut().enumerate() {
                    *masked = load(&plane_b[start + i], quarter);
                    for mask in masks {
                        *masked = vandq_u8(*masked, load(&mask[start + i], quarter));
                    }
                }
            }
            for (plane_a, sum) in a.iter().zip(sums) {
                let mut bits = [vdupq_n_u8(0); 2];
                for (masked, line) in masked[..length].iter().zip(&plane_a[start..]) {
                    for (quarter, &masked) in masked.iter().enumerate() {
                        bits[quarter % 2] = vaddq_u8(bits[quarter % 2], both(masked, load(line, quarter)));
                    }
                }
                *sum += bits.into_iter().map(|bits| u32::from(vaddlvq_u8(bits))).sum::<u32>();
            }
        }
    }
    *counts = sums;
}

/// How many bits two vectors have in common, in each byte.
#[inline]
#[target_feature(enable = "neon")]
fn both(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    vcntq_u8(vandq_u8(a, b))
}

/// [`Instructions::quad`](crate::counts::simd::Instructions::quad).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn quad(masks: &[[Line; 4]], plane: &[Line]) -> Quad {
    let mut counts = Quad::default();
    for (masks, plane) in masks.chunks(LONG_CHUNK).zip(plane.chunks(LONG_CHUNK)) {
        let mut sums = [vdupq_n_u16(0); 4];
        for (masks, line) in masks.iter().zip(plane) {
            let line: [uint8x16_t; 4] = std::array::from_fn(|quarter| load(line, quarter));
            for (sum, mask) in sums.iter_mut().zip(masks) {
                let of = |quarter| both(load(mask, quarter), line[quarter]);
                *sum = vpadalq_u8(*sum, vaddq_u8(vaddq_u8(of(0), of(1)), vaddq_u8(of(2), of(3))));
            }
        }
        counts.iter_mut().zip(sums).for_each(|(count, sum)| *count += vaddlvq_u16(sum));
    }
    counts
}

/// [`Instructions::shared`](crate::counts::simd::Instructions::shared).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn shared<const A: usize, const B: usize>(a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
    a.map(|plane_a| b.map(|plane_b| words(plane_a, plane_b)))
}

/// How many bits two planes have in common in each word of a line.
#[inline]
#[target_feature(enable = "neon")]
fn words(a: &[Line], b: &[Line]) -> Eight {
    let mut sums = [vdupq_n_u32(0); 2];
    for (a, b) in a.chunks(BYTE_CHUNK).zip(b.chunks(BYTE_CHUNK)) {
        let mut bits = [vdupq_n_u8(0); 4];
        for (a, b) in a.iter().zip(b) {
            for (quarter, bits) in bits.iter_mut().enumerate() {
                *bits = vaddq_u8(*bits, both(load(a, quarter), load(b, quarter)));
            }
        }
        // Two words of each vector, each in two halves.
        let halves = bits.map(|bits| vpaddlq_u16(vpaddlq_u8(bits)));
        for (sum, halves) in sums.iter_mut().zip(halves.as_chunks::<2>().0) {
            *sum = vaddq_u32(*sum, vpaddq_u32(halves[0], halves[1]));
        }
    }
    let mut counts = Eight::default();
    for (counts, sum) in counts.0.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: four counts have 16 bytes; the store is unaligned.
        unsafe { vst1q_u32(counts.as_mut_ptr(), sum) };
    }
    counts
}
