//! Packed codes, unpacked by a kernel.

use smallvec::SmallVec;

use crate::counts::simd::{Instructions, Line};
use crate::data::{LINE_ROWS, PackedCodes};

/// Writes the codes of as many rows as there is room for, from `start` on, a multiple of 64.
#[inline(always)]
pub(super) fn unpack<I: Instructions>(instructions: I, codes: &PackedCodes, start: usize, out: &mut [u8]) {
    debug_assert!(start.is_multiple_of(64));
    let planes: SmallVec<[&[Line]; 8]> = codes.planes().collect();
    let mut words: SmallVec<[u64; 8]> = SmallVec::from_elem(0, planes.len());
    let mut states = [0; 64];
    for (row, out) in (start..).step_by(64).zip(out.chunks_mut(64)) {
        let (line, word) = (row / LINE_ROWS, row % LINE_ROWS / 64);
        words.iter_mut().zip(&planes).for_each(|(of_row, plane)| *of_row = plane[line].0[word]);
        match <&mut [u8; 64]>::try_from(&mut *out) {
            Ok(out) => instructions.states(&words, out),
            Err(_) => {
                instructions.states(&words, &mut states);
                out.copy_from_slice(&states[..out.len()]);
            }
        }
    }
}
