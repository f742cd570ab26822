//! 128 bits, of any 64-bit ARM processor: a population count of each byte, and look-ups of sixteen bytes in a register.

use std::arch::aarch64::{uint8x16_t, vld1q_u8};

mod bits;
mod tally;

use super::instructions::Instructions;
use super::registers::{Counts, Eight, Line, Quad, STATES, Tile};

/// The architecture has the instructions, so that no check is needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon;

impl Instructions for Neon {
    #[inline(always)]
    fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        // SAFETY: every 64-bit ARM processor has NEON.
        unsafe { bits::tile(masks, a, b, counts) }
    }

    #[inline(always)]
    fn quad(self, masks: &[[Line; 4]], plane: &[Line]) -> Quad {
        // SAFETY: as above.
        unsafe { bits::quad(masks, plane) }
    }

    #[inline(always)]
    fn shared<const A: usize, const B: usize>(self, a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
        // SAFETY: as above.
        unsafe { bits::shared(a, b) }
    }

    #[inline(always)]
    fn tally<const S: usize>(
        self,
        lines: &[Line],
        rows: &[u32],
        _next: &[u32],
        high: bool,
        counts: &mut [Counts; STATES],
    ) {
        // SAFETY: as above.
        unsafe { tally::tally::<S>(lines, rows, high, counts) }
    }
}

/// A quarter of a line.
#[inline]
#[target_feature(enable = "neon")]
fn load(line: &Line, quarter: usize) -> uint8x16_t {
    assert!(quarter < 4);
    // SAFETY: a line has 64 bytes, four times sixteen; the load is unaligned.
    unsafe { vld1q_u8(line.0.as_ptr().cast::<u8>().add(16 * quarter)) }
}
