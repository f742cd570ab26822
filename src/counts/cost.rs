//! When one way of counting costs less than another: every number that only speed depends on.
//!
//! All ways give the same counts, so nothing here changes a result. The numbers were chosen on a server processor of 2023
//! with AVX-512 (Sapphire Rapids), on data of 25,000 rows, and hold for any number of rows where both costs grow with it.
//! `cargo bench --bench counting` shows both sides of each crossover, for each kernel that the processor has: the group
//! `one_set` that of planes and rows, `sums_with_each` those of a base with many candidates, and `million_tests` and
//! `all_pairs` what comes of all of them. The crossovers are flat: with half or twice the limit of planes a million tests
//! take at most 8 % longer.
//!
//! NEON has the numbers of AVX2, which has as many bits in each instruction of two: its counts are tested, its speed has not
//! been measured.

use super::simd::Kernel;

/// Largest table, in cells that are counted, that is cheaper to make from bit planes than row by row.
pub(crate) fn most_cells_from_planes(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Avx512 => 500,
        Kernel::Avx2 | Kernel::Neon => 240,
        Kernel::Portable => 120,
    }
}

/// A table with fewer counted cells than this is made about as fast as its sum is looked up among earlier ones.
pub(crate) const CHEAP: usize = 32;

/// Tables of this many variables and more are kept only when a table of more variables is made from them: a caller who
/// asks for sums alone rarely comes back with a larger set.
pub(crate) const TOP: usize = 5;

/// With so many rows a table takes longer to count than to fetch from memory, so that it is kept when the focus moves.
pub(crate) const MANY_ROWS: usize = 100_000;

/// Sorting all rows by the cells of a base set takes about as long as counting this many sets one by one.
pub(crate) const FEW: usize = 64;

/// That beside a base of so many variables: tables of more variables take longer, since they need those of all their parts.
pub(crate) const FEW_OF_LARGE: usize = 16;
pub(crate) const LARGE_BASE: usize = 6;

/// That of variables that were brought together is done sooner.
pub(crate) const FEW_GATHERED: usize = 16;

/// Fewer candidates than this are not worth strata sorted for them alone.
pub(crate) const FEW_ALIKE: usize = 64;

/// A row of sums is shared where it has those of at least one in so many variables.
pub(crate) const SHARED_PART: usize = 4;

/// How many rows counted one by one cost as much as one line of a plane joined with another.
pub(crate) fn rows_of_line(kernel: Kernel) -> f32 {
    match kernel {
        Kernel::Avx512 => 0.4,
        Kernel::Avx2 | Kernel::Neon => 1.2,
        Kernel::Portable => 2.5,
    }
}

/// Cost of one row counted for one candidate, in nanoseconds; only ratios of this and those below matter.
pub(crate) const ROW: f32 = 2.0;

/// Cost of completing and summing the cells of one stratum with a plane, for each state of the candidate.
pub(crate) const CELL: f32 = 0.3;

/// Cost of one row of a block of variables with `states` states but the first.
pub(crate) fn row_of_block(kernel: Kernel, states: f32) -> f32 {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 | Kernel::Neon => 2.3 + 0.7 * states,
        Kernel::Portable => 17.0 * states,
    }
}

/// Cost of summing one stratum of a block, for each state.
pub(crate) const CELL_OF_BLOCK: f32 = 32.0;
