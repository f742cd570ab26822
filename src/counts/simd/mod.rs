//! Kernels: counting the rows that several bit planes have in common, with the widest instructions there are.
//!
//! All kernels give the same integers. This module and its children are the only place with `unsafe` code.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use crate::counts::FixedScale;
use crate::counts::extend::tally::{self, PlainTally, SortedRows, Sums};
use crate::counts::fixed::Total;
use crate::counts::session::information::InformationVisitor;
use crate::counts::subsets::binary::{self, BinaryScratch, BinarySubsets};
use crate::counts::subsets::target::{PlainLines, Records, Split};
use crate::counts::table::planes::Line;
use crate::counts::table::row_scan;
use crate::data::DiscreteData;
use crate::{Error, Result, Variable};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_tally;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_binary;
#[cfg(target_arch = "x86_64")]
mod avx512_lines;
mod equal;
mod portable;

pub(crate) use equal::equal;

/// The instructions that count bits.
///
/// An engine takes the best that the processor has. The environment variable `PHGS_KERNEL` (`portable`, `avx2`,
/// `avx512`), read when an engine is built, or [`CountingEngine::with_kernel`](crate::counts::CountingEngine::with_kernel)
/// chooses another; results are the same bit for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kernel {
    /// Words of 64 bits; the population count is one instruction where the processor has it. On 64-bit ARM the compiler
    /// makes NEON's `cnt` of it (seen in the assembler; it has not run on such a processor).
    Portable,
    /// 256 bits, carry-save adders (x86-64 with AVX2).
    Avx2,
    /// 512 bits with a population count of each 64 (x86-64 with AVX-512 F and VPOPCNTDQ).
    Avx512,
}

impl Kernel {
    /// The kernels that this processor can run, the best last.
    pub fn available() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                return &[Self::Portable, Self::Avx2, Self::Avx512];
            }
            if avx2 {
                return &[Self::Portable, Self::Avx2];
            }
        }
        &[Self::Portable]
    }

    /// The best kernel that this processor can run.
    pub fn best() -> Self {
        Self::available()[Self::available().len() - 1]
    }

    /// The kernel that the environment variable `PHGS_KERNEL` names; `None` when it is not set or empty.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when it names no kernel or one that this processor cannot run.
    pub fn from_environment() -> Result<Option<Self>> {
        match std::env::var("PHGS_KERNEL") {
            Ok(name) if !name.is_empty() => name.parse::<Self>()?.supported("PHGS_KERNEL").map(Some),
            _ => Ok(None),
        }
    }

    /// The name, as `PHGS_KERNEL` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    pub(crate) fn supported(self, parameter: &'static str) -> Result<Self> {
        if Self::available().contains(&self) {
            Ok(self)
        } else {
            let names: Vec<_> = Self::available().iter().map(|k| k.name()).collect();
            let names = names.join(", ");
            Err(Error::parameter(parameter, format!("this processor cannot run {self}; it can run {names}")))
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
            Error::parameter("kernel", format!("'{name}' is no kernel; choose portable, avx2 or avx512"))
        })
    }
}

/// Planes in a tile, each way.
pub(crate) const TILE: usize = 4;

/// Most masks of a tile.
pub(crate) const MASKS: usize = 3;

/// Counts of a tile: `[b][a]`.
pub(crate) type Tile = [[u32; TILE]; TILE];

/// A kernel that this processor is known to run; made once an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counter {
    kernel: Kernel,
    #[cfg(target_arch = "x86_64")]
    has_popcnt: bool,
}

impl Counter {
    /// # Errors
    ///
    /// [`Error::Parameter`] when the processor cannot run the kernel.
    pub(crate) fn new(kernel: Kernel) -> Result<Self> {
        Ok(Self {
            kernel: kernel.supported("kernel")?,
            #[cfg(target_arch = "x86_64")]
            has_popcnt: is_x86_feature_detected!("popcnt"),
        })
    }

    pub(crate) fn kernel(self) -> Kernel {
        self.kernel
    }

    /// For each of at most [`TILE`] planes `a` and `b`, the number of rows in a, b and all of at most [`MASKS`] masks.
    /// Counts of planes that are not there are left as they are or set to 0.
    ///
    /// All planes have the same number of lines, at most 2²³ − 1 (2³² rows).
    #[inline]
    pub(crate) fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks.
            Kernel::Avx512 => unsafe { avx512::tile(masks, a, b, counts) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::tile(masks, a, b, counts) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instruction was looked for in `new`.
            _ if self.has_popcnt => unsafe { portable::tile_popcnt(masks, a, b, counts) },
            _ => portable::tile(masks, a, b, counts),
        }
    }

    /// All conditional tests of a pair of binary variables, see [`BinarySubsets::enumerate`].
    #[inline]
    pub(crate) fn binary_subsets(
        self,
        subsets: &BinarySubsets<'_>,
        scratch: &mut BinaryScratch,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks.
            Kernel::Avx512 => unsafe { avx512_binary::enumerate(subsets, scratch, visitor) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::binary_subsets(subsets, scratch, visitor) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instruction was looked for in `new`.
            _ if self.has_popcnt => unsafe { portable::binary_subsets_popcnt(subsets, scratch, visitor) },
            _ => subsets.enumerate(binary::Plain, scratch, visitor),
        }
    }

    /// The entropy of a target given a prefix and three variables, see [`Split::entropy`].
    #[inline]
    pub(crate) fn entropy(self, split: &mut Split, records: &Records, n_log_n: &[i64], last: [usize; 3]) -> i64 {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks.
            Kernel::Avx512 => unsafe { avx512_lines::entropy(split, records, n_log_n, last) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::entropy(split, records, n_log_n, last) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instruction was looked for in `new`.
            _ if self.has_popcnt => unsafe { portable::entropy_popcnt(split, records, n_log_n, last) },
            _ => split.entropy(PlainLines, records, n_log_n, last),
        }
    }

    /// Adds the counts of a dense table row by row, see [`row_scan::count`].
    #[inline]
    pub(crate) fn count_rows(
        self,
        data: &DiscreteData,
        variables: &[Variable],
        table: &mut [u32],
        scratch: &mut Vec<u32>,
    ) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks; both have AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe { avx2::count_rows(data, variables, table, scratch) },
            _ => row_scan::count(data, variables, table, scratch),
        }
    }

    /// Adds the sums of strata and each of the first `lanes` variables of a block, see [`tally::add`].
    #[inline]
    pub(crate) fn add_block<T: Total>(
        self,
        arity: u32,
        lanes: usize,
        lines: &[Line],
        sorted: SortedRows<'_>,
        scale: &FixedScale,
        sums: &mut Sums,
    ) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks; both have AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe { avx2_tally::add::<T>(arity, lanes, lines, sorted, scale, sums) },
            _ => tally::add::<_, T>(PlainTally, arity, lanes, lines, sorted, scale, sums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_count_the_same() {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.rotate_left(32)
        };
        for lines in [0usize, 1, 2, 7, 8, 9, 16, 23, 49, 200] {
            let planes: Vec<Vec<Line>> =
                (0..11).map(|_| (0..lines).map(|_| Line(std::array::from_fn(|_| word() | word()))).collect()).collect();
            let planes: Vec<&[Line]> = planes.iter().map(Vec::as_slice).collect();
            for masks in 0..=MASKS {
                for a in 1..=TILE {
                    for b in 1..=TILE {
                        let (masks, a, b) = (&planes[..masks], &planes[3..3 + a], &planes[7..7 + b]);
                        for &kernel in Kernel::available() {
                            let mut counts = Tile::default();
                            Counter::new(kernel).unwrap().tile(masks, a, b, &mut counts);
                            for (j, b) in b.iter().enumerate() {
                                for (i, a) in a.iter().enumerate() {
                                    let expected: u32 = (0..lines * 8)
                                        .map(|w| {
                                            let all = |plane: &[Line]| plane[w / 8].0[w % 8];
                                            masks.iter().fold(all(a) & all(b), |m, p| m & all(p)).count_ones()
                                        })
                                        .sum();
                                    assert_eq!(counts[j][i], expected, "{kernel} {lines} {} {i} {j}", masks.len());
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn kernels_are_named() {
        for &kernel in Kernel::available() {
            assert_eq!(kernel.name().parse::<Kernel>(), Ok(kernel));
        }
        assert!("sse".parse::<Kernel>().is_err());
    }
}
