//! Words of 64 bits.

#[cfg(target_arch = "x86_64")]
use std::ops::ControlFlow;

use super::Tile;
use crate::counts::session::information::InformationVisitor;
#[cfg(target_arch = "x86_64")]
use crate::counts::subsets::binary::{BinaryScratch, BinarySubsets, Plain};
#[cfg(target_arch = "x86_64")]
use crate::counts::subsets::target::{PlainLines, Records, Split};
use crate::counts::table::planes::Line;

/// Lines taken at a time: a masked plane of them stays in registers or the first-level cache.
const CHUNK: usize = 8;

/// [`Counter::tile`](super::Counter::tile) in plain Rust.
pub(super) fn tile(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    count(masks, a, b, counts);
}

/// The same, compiled for processors with a population count.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
pub(super) fn tile_popcnt(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    count(masks, a, b, counts);
}

/// All subsets, see [`BinarySubsets::enumerate`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
pub(super) fn binary_subsets_popcnt(
    subsets: &BinarySubsets<'_>,
    scratch: &mut BinaryScratch,
    visitor: &mut impl InformationVisitor,
) -> ControlFlow<()> {
    subsets.enumerate(Plain, scratch, visitor)
}

#[inline(always)]
fn count(masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
    let mut sums = [[0u64; 4]; 4];
    let lines = b[0].len();
    let mut start = 0;
    while start < lines {
        let end = (start + CHUNK).min(lines);
        for (plane_b, sums) in b.iter().zip(&mut sums) {
            let mut masked = [Line::default(); CHUNK];
            let masked = &mut masked[..end - start];
            masked.copy_from_slice(&plane_b[start..end]);
            for mask in masks {
                for (into, from) in masked.iter_mut().zip(&mask[start..end]) {
                    for (into, from) in into.0.iter_mut().zip(&from.0) {
                        *into &= from;
                    }
                }
            }
            for (plane_a, sum) in a.iter().zip(sums) {
                for (x, y) in masked.iter().zip(&plane_a[start..end]) {
                    for (x, y) in x.0.iter().zip(&y.0) {
                        *sum += u64::from((x & y).count_ones());
                    }
                }
            }
        }
        start = end;
    }
    for (counts, sums) in counts.iter_mut().zip(sums) {
        *counts = sums.map(|sum| sum as u32);
    }
}

/// The entropy of a target given a prefix and three variables, see [`Split::entropy`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
pub(super) fn entropy_popcnt(split: &mut Split, records: &Records, n_log_n: &[i64], last: [usize; 3]) -> i64 {
    split.entropy(PlainLines, records, n_log_n, last)
}
