//! F of a base set joined with each of the 128 variables of a block, from lines of rows sorted by stratum.
//!
//! A kernel counts, for 64 variables at a time, how many rows of a stratum have each state. What is summed of these counts
//! depends on the number m of rows. If m is small, each `n ln n` is a sum of steps, and how many cells reach each step is
//! counted with bytes like the rows themselves. Otherwise `n ln n` is looked up.

use std::marker::PhantomData;

use super::nibbles::WIDTH;
use crate::counts::FixedScale;
use crate::counts::fixed::Total;
use crate::counts::simd::{Counter, Counts, HALF, Instructions, Job, Line, MAX_ROWS, STATES};

/// The `n ln n` of strata of at most this many rows are summed by steps.
const SMALL: usize = 24;

/// What is added up for the variables of a block.
#[derive(Debug, Clone)]
pub(crate) struct Sums {
    /// Σ n ln n in fixed point.
    pub(crate) sums: [i64; WIDTH],
    /// Cells that occur, where they are counted.
    pub(crate) cells: [u32; WIDTH],
}

impl Default for Sums {
    fn default() -> Self {
        Self { sums: [0; WIDTH], cells: [0; WIDTH] }
    }
}

/// Rows sorted by stratum, without those that are alone in theirs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortedRows<'a> {
    pub(crate) rows: &'a [u32],
    /// Where each stratum ends in `rows`.
    pub(crate) ends: &'a [u32],
}

/// Variables that are counted together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    /// At least the states of any variable of the block, within 2 and 16.
    pub(crate) arity: u32,
    /// Only the first ones matter.
    pub(crate) lanes: usize,
    pub(crate) lines: &'a [Line],
}

/// Adds to each of `sums` the `n ln n` of all cells of the strata and a variable of the block, and how many of them occur
/// if `T` counts cells.
pub(crate) fn add<T: Total>(
    counter: Counter,
    block: Block<'_>,
    sorted: SortedRows<'_>,
    scale: &FixedScale,
    sums: &mut Sums,
) {
    counter.run(Add::<T> { block, sorted, scale, sums, total: PhantomData });
}

struct Add<'a, T> {
    block: Block<'a>,
    sorted: SortedRows<'a>,
    scale: &'a FixedScale,
    sums: &'a mut Sums,
    total: PhantomData<T>,
}

impl<T: Total> Job for Add<'_, T> {
    type Output = ();

    const ON_BYTES: bool = true;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) {
        let Self { block: Block { arity, lanes, lines }, sorted, scale, sums, total: _ } = self;
        // More states than a variable has cost time alone.
        match arity {
            ..=2 => with::<1, I, T>(instructions, lanes, lines, sorted, scale, sums),
            3 => with::<2, I, T>(instructions, lanes, lines, sorted, scale, sums),
            4 => with::<3, I, T>(instructions, lanes, lines, sorted, scale, sums),
            5 => with::<4, I, T>(instructions, lanes, lines, sorted, scale, sums),
            6..=7 => with::<6, I, T>(instructions, lanes, lines, sorted, scale, sums),
            8 => with::<7, I, T>(instructions, lanes, lines, sorted, scale, sums),
            9..=11 => with::<10, I, T>(instructions, lanes, lines, sorted, scale, sums),
            _ => with::<STATES, I, T>(instructions, lanes, lines, sorted, scale, sums),
        }
    }
}

/// How many cells of small strata reach each count from 2, for each variable of half a block.
struct Reached {
    cells: [Counts; SMALL - 1],
    /// No byte of `cells` is above this.
    most: usize,
}

/// How many cells of strata of at most 255 rows occur, for each variable of half a block.
struct Occupied {
    cells: Counts,
    /// No byte of `cells` is above this.
    most: usize,
}

#[inline(always)]
fn with<const S: usize, I: Instructions, T: Total>(
    instructions: I,
    lanes: usize,
    lines: &[Line],
    sorted: SortedRows<'_>,
    scale: &FixedScale,
    sums: &mut Sums,
) {
    let table = scale.table();
    let mut small_table = [0i64; MAX_ROWS + 1];
    let known = table.len().min(small_table.len());
    small_table[..known].copy_from_slice(&table[..known]);
    let mut reached = [const { Reached { cells: [[0; HALF]; SMALL - 1], most: 0 } }; 2];
    let mut occupied = [const { Occupied { cells: [0; HALF], most: 0 } }; 2];
    let mut counts = [[0u8; HALF]; STATES];
    let mut halves = in_halves(&mut sums.sums);
    let cells = in_halves(&mut sums.cells);
    let mut start = 0;
    for &end in sorted.ends {
        let rows = &sorted.rows[start..end as usize];
        let after = &sorted.rows[end as usize..];
        start = end as usize;
        for (half, sums) in halves.iter_mut().enumerate().take(lanes.div_ceil(HALF)) {
            if rows.len() > MAX_ROWS {
                add_large::<S, I, T>(instructions, lines, rows, after, half == 1, scale, sums, cells[half]);
                continue;
            }
            instructions.tally::<S>(lines, rows, after, half == 1, &mut counts);
            let counts = counts.first_chunk::<S>().expect("at most all states");
            if T::COUNTS_CELLS {
                let occupied = &mut occupied[half];
                let more = rows.len().min(S + 1);
                if occupied.most + more > usize::from(u8::MAX) {
                    flush_occupied(occupied, cells[half]);
                }
                occupied.most += more;
                occupy(counts, rows.len() as u8, occupied);
            }
            if rows.len() > SMALL {
                add_by_table(counts, rows.len() as u8, &small_table, sums);
            } else {
                let reached = &mut reached[half];
                // At most half of the rows are the second of a cell.
                let more = rows.len() / 2;
                if reached.most + more > usize::from(u8::MAX) {
                    flush(reached, &small_table, sums);
                }
                reached.most += more;
                reach(counts, rows.len() as u8, reached);
            }
        }
    }
    for (reached, sums) in reached.iter_mut().zip(halves) {
        flush(reached, &small_table, sums);
    }
    if T::COUNTS_CELLS {
        occupied.iter_mut().zip(cells).for_each(|(occupied, cells)| flush_occupied(occupied, cells));
    }
}

fn in_halves<T>(of_block: &mut [T; WIDTH]) -> [&mut [T; HALF]; 2] {
    let (low, high) = of_block.split_at_mut(HALF);
    [low.try_into().expect("half of a block"), high.try_into().expect("half of a block")]
}

/// Counts the cells of a stratum of at most 255 rows that occur.
#[inline(always)]
fn occupy<const S: usize>(counts: &[Counts; S], rows: u8, occupied: &mut Occupied) {
    let mut rest = [rows; HALF];
    for counts in counts {
        for i in 0..HALF {
            rest[i] = rest[i].wrapping_sub(counts[i]);
            occupied.cells[i] += u8::from(counts[i] > 0);
        }
    }
    for (cells, rest) in occupied.cells.iter_mut().zip(rest) {
        *cells += u8::from(rest > 0);
    }
}

/// Adds the cells that occur and forgets them.
#[inline(always)]
fn flush_occupied(occupied: &mut Occupied, cells: &mut [u32; HALF]) {
    for (cells, more) in cells.iter_mut().zip(&mut occupied.cells) {
        *cells += u32::from(std::mem::take(more));
    }
    occupied.most = 0;
}

/// Counts the cells of a small stratum that reach each count.
#[inline(always)]
fn reach<const S: usize>(counts: &[Counts; S], rows: u8, reached: &mut Reached) {
    let mut rest = [rows; HALF];
    for counts in counts {
        for (rest, count) in rest.iter_mut().zip(counts) {
            *rest = rest.wrapping_sub(*count);
        }
    }
    for (count, cells) in (2..=rows).zip(&mut reached.cells) {
        for i in 0..HALF {
            let mut n = u8::from(rest[i] >= count);
            for counts in counts {
                n += u8::from(counts[i] >= count);
            }
            cells[i] += n;
        }
    }
}

/// Adds the steps that cells have reached and forgets them.
#[inline(always)]
fn flush(reached: &mut Reached, table: &[i64; MAX_ROWS + 1], sums: &mut [i64; HALF]) {
    for (cells, step) in reached.cells.iter_mut().zip(table[1..].windows(2)) {
        let step = step[1].wrapping_sub(step[0]);
        for (sum, cells) in sums.iter_mut().zip(cells) {
            *sum = sum.wrapping_add(step.wrapping_mul(i64::from(*cells)));
            *cells = 0;
        }
    }
    reached.most = 0;
}

/// Adds the cells of a stratum of at most 255 rows.
#[inline(always)]
fn add_by_table<const S: usize>(counts: &[Counts; S], rows: u8, table: &[i64; MAX_ROWS + 1], sums: &mut [i64; HALF]) {
    for (i, sum) in sums.iter_mut().enumerate() {
        let mut rest = rows;
        let mut cells = 0i64;
        for counts in counts {
            rest = rest.wrapping_sub(counts[i]);
            cells = cells.wrapping_add(table[usize::from(counts[i])]);
        }
        *sum = sum.wrapping_add(cells).wrapping_add(table[usize::from(rest)]);
    }
}

/// Adds the cells of a stratum of more than 255 rows.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn add_large<const S: usize, I: Instructions, T: Total>(
    instructions: I,
    lines: &[Line],
    rows: &[u32],
    after: &[u32],
    high: bool,
    scale: &FixedScale,
    sums: &mut [i64; HALF],
    cells: &mut [u32; HALF],
) {
    let mut counts = [[0u8; HALF]; STATES];
    let mut totals = [[0u32; HALF]; S];
    let mut rest = rows;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(MAX_ROWS));
        instructions.tally::<S>(lines, now, if later.is_empty() { after } else { later }, high, &mut counts);
        for (totals, counts) in totals.iter_mut().zip(&counts) {
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += u32::from(*count);
            }
        }
        rest = later;
    }
    for (i, sum) in sums.iter_mut().enumerate() {
        let mut rest = rows.len() as u32;
        for totals in &totals {
            rest -= totals[i];
            *sum = sum.wrapping_add(scale.n_log_n(totals[i]).0);
            if T::COUNTS_CELLS {
                cells[i] += u32::from(totals[i] > 0);
            }
        }
        *sum = sum.wrapping_add(scale.n_log_n(rest).0);
        if T::COUNTS_CELLS {
            cells[i] += u32::from(rest > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::counts::Kernel;
    use crate::counts::{CellSum, FixedSum};
    use crate::random_numbers::{below, generator};

    /// Lines of random codes below `arity`.
    fn random_lines(n: usize, arity: usize, seed: u64) -> Vec<Line> {
        let mut random = generator(seed);
        // Skewed, so that some cells are large.
        let mut code = || below(&mut random, arity).min(below(&mut random, arity)) as u64;
        let mut word = || (0..16).fold(0, |word, _| word << 4 | code());
        (0..n).map(|_| Line(std::array::from_fn(|_| word()))).collect()
    }

    fn code(line: &Line, lane: usize) -> usize {
        (line.0[lane % HALF / 8] >> (8 * (lane % 8) + 4 * (lane / HALF)) & 15) as usize
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_kernel_sums_what_a_plain_table_does(
            arity in 2u32..=16,
            few in prop::collection::vec(2usize..40, 0..60),
            many in prop::collection::vec(prop_oneof![40usize..300, 500usize..800], 0..4),
            seed: u64,
        ) {
            let sizes = [few, many].concat();
            let n: usize = sizes.iter().sum();
            let lines = random_lines(n + 5, arity as usize, seed);
            // Rows in some order that leaves a few out.
            let step = (1..).map(|i| 7919 + i).find(|step| gcd(n + 5, *step) == 1).unwrap();
            let rows: Vec<u32> = (0..n).map(|i| (i * step % (n + 5)) as u32).collect();
            let mut ends = Vec::new();
            sizes.iter().fold(0, |end, size| { ends.push((end + size) as u32); end + size });
            let scale = FixedScale::new(n.max(1));
            let mut expected = [7i64; WIDTH];
            let mut expected_cells = [3u32; WIDTH];
            for (lane, (sum, cells)) in expected.iter_mut().zip(&mut expected_cells).enumerate() {
                let mut start = 0;
                for &end in &ends {
                    let mut table = [0; 16];
                    rows[start..end as usize].iter().for_each(|&row| table[code(&lines[row as usize], lane)] += 1);
                    *sum += scale.sum(&table).0;
                    *cells += table.iter().filter(|&&count| count > 0).count() as u32;
                    start = end as usize;
                }
            }
            for &kernel in Kernel::available() {
                for lanes in [HALF, WIDTH] {
                    let (mut sums, mut cell_sums) = (Sums::default(), Sums::default());
                    for sums in [&mut sums, &mut cell_sums] {
                        sums.sums.fill(7);
                        sums.cells.fill(3);
                    }
                    let sorted = SortedRows { rows: &rows, ends: &ends };
                    let counter = Counter::new(kernel).unwrap();
                    let block = Block { arity, lanes, lines: &lines };
                    add::<FixedSum>(counter, block, sorted, &scale, &mut sums);
                    prop_assert_eq!(&sums.sums[..lanes], &expected[..lanes], "{} {} {:?}", kernel, arity, &sizes);
                    prop_assert_eq!(&sums.cells, &[3; WIDTH]);
                    add::<CellSum>(counter, block, sorted, &scale, &mut cell_sums);
                    prop_assert_eq!(&cell_sums.sums[..lanes], &expected[..lanes], "{} {} {:?}", kernel, arity, &sizes);
                    prop_assert_eq!(
                        &cell_sums.cells[..lanes], &expected_cells[..lanes], "{} {} {:?}", kernel, arity, &sizes
                    );
                }
            }
        }
    }

    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }
}
