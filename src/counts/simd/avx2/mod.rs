//! 256 bits.

mod states;
mod tally;
mod tile;

use super::instructions::{Instructions, Job};
use super::registers::{Counts, Line, STATES, Tile};

/// Made only where the instructions are known to be there.
#[derive(Debug, Clone, Copy)]
struct Avx2(());

/// Does a job with AVX2.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn run<J: Job>(job: J) -> J::Output {
    job.with(Avx2(()))
}

impl Instructions for Avx2 {
    #[inline(always)]
    fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        // SAFETY: `run`, which makes this type, is called only where the processor has the instructions.
        unsafe { tile::tile(masks, a, b, counts) }
    }

    #[inline(always)]
    fn tally<const S: usize>(
        self,
        lines: &[Line],
        rows: &[u32],
        next: &[u32],
        high: bool,
        counts: &mut [Counts; STATES],
    ) {
        // SAFETY: as above.
        unsafe { tally::tally::<S>(lines, rows, next, high, counts) }
    }

    #[inline(always)]
    fn states(self, words: &[u64], states: &mut [u8; 64]) {
        // SAFETY: as above.
        unsafe { states::states(words, states) }
    }
}
