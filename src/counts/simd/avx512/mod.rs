//! 512 bits: a line is a register.

mod binary;
mod strata;
mod tile;

use super::instructions::{Instructions, Job};
use super::registers::{Cells, Eight, Line, Quad, Tile};

/// Made only where the instructions are known to be there.
#[derive(Debug, Clone, Copy)]
struct Avx512(());

/// Does a job with AVX-512.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn run<J: Job>(job: J) -> J::Output {
    job.with(Avx512(()))
}

impl Instructions for Avx512 {
    #[inline(always)]
    fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        // SAFETY: `run`, which makes this type, is called only where the processor has the instructions.
        unsafe { tile::tile(masks, a, b, counts) }
    }

    #[inline(always)]
    fn quad(self, masks: &[[Line; 4]], plane: &[Line]) -> Quad {
        // SAFETY: as above.
        unsafe { binary::quad(masks, plane) }
    }

    #[inline(always)]
    fn information<const G: usize>(self, n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32) {
        // SAFETY: as above.
        unsafe { binary::information(n_log_n, groups, below) }
    }

    #[inline(always)]
    fn shared<const A: usize, const B: usize>(self, a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
        // SAFETY: as above.
        unsafe { strata::shared(a, b) }
    }

    #[inline(always)]
    fn sum(self, n_log_n: &[i64], counts: &[Eight]) -> i64 {
        // SAFETY: as above.
        unsafe { strata::sum(n_log_n, counts) }
    }

    #[inline(always)]
    fn transpose(self, square: &mut [Line; 64]) {
        // SAFETY: as above.
        unsafe { strata::transpose(square) }
    }
}
