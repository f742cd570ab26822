//! Exact sums of `n ln n` in fixed point.
//!
//! `n ln n` of a count is a 64-bit integer in units of 2⁻ᵇ, where b is as large as the total N ln N allows (44 bits at
//! 25,000 rows, so that one cell is rounded by at most 3e-14). It is tabulated for counts up to 2²⁰ and computed for larger
//! ones. The logarithms are computed in 128-bit integers and do not depend on the platform's library.

use super::logarithm::{DirectLog, LOG_BITS, RunningLog};

/// A sum of `n ln n` over cells, in the units of a [`FixedScale`]. Additions wrap, so that differences are right even
/// where an intermediate sum overflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct FixedSum(pub i64);

impl std::ops::Add for FixedSum {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl std::ops::Sub for FixedSum {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl std::ops::AddAssign for FixedSum {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// F of a set of variables with K, the number of cells of its table that occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSum {
    /// Σ n ln n.
    pub sum: FixedSum,
    /// Number of cells that have a count.
    pub occupied: u32,
}

/// What is added up over the cells of a table: `n ln n` alone, or also how many of the cells occur.
pub(crate) trait Total: Copy + Default + std::fmt::Debug {
    /// Whether cells are counted.
    const COUNTS_CELLS: bool;

    /// A total of a part of a table: its sum and, where they are counted, its cells.
    fn new(sum: FixedSum, occupied: u32) -> Self;

    /// The sum.
    fn sum(self) -> FixedSum;

    /// The number of cells that occur; 0 where they are not counted.
    fn occupied(self) -> u32;

    /// Adds another part of the table.
    #[inline(always)]
    fn add(&mut self, sum: FixedSum, occupied: u32) {
        *self = Self::new(self.sum() + sum, self.occupied().wrapping_add(occupied));
    }

    /// The total over counts.
    #[inline(always)]
    fn of(scale: &FixedScale, counts: &[u32]) -> Self {
        let occupied = if Self::COUNTS_CELLS { counts.iter().map(|&count| u32::from(count > 0)).sum() } else { 0 };
        Self::new(scale.sum(counts), occupied)
    }
}

impl Total for FixedSum {
    const COUNTS_CELLS: bool = false;

    #[inline(always)]
    fn new(sum: FixedSum, _occupied: u32) -> Self {
        sum
    }

    #[inline(always)]
    fn sum(self) -> FixedSum {
        self
    }

    #[inline(always)]
    fn occupied(self) -> u32 {
        0
    }
}

impl Total for CellSum {
    const COUNTS_CELLS: bool = true;

    #[inline(always)]
    fn new(sum: FixedSum, occupied: u32) -> Self {
        Self { sum, occupied }
    }

    #[inline(always)]
    fn sum(self) -> FixedSum {
        self.sum
    }

    #[inline(always)]
    fn occupied(self) -> u32 {
        self.occupied
    }
}

/// The largest count whose `n ln n` is tabulated. A count above it is in a table of more rows, which take far longer to count
/// than one logarithm.
pub(crate) const MOST_TABULATED: usize = 1 << 20;

/// `n ln n` of counts, and their unit. Of large counts it is computed when asked for: memory does not grow with rows.
#[derive(Debug, Clone)]
pub struct FixedScale {
    n_rows: usize,
    n_log_n: Vec<i64>,
    beyond: Option<DirectLog>,
    bits: u32,
    unit: f64,
}

impl FixedScale {
    /// A scale for counts up to `n_rows`.
    pub fn new(n_rows: usize) -> Self {
        Self::tabulated(n_rows, MOST_TABULATED)
    }

    /// A scale that tabulates counts up to `most`.
    fn tabulated(n_rows: usize, most: usize) -> Self {
        let bits = bits_of(n_rows);
        let mut n_log_n = vec![0, 0];
        let mut running = RunningLog::new();
        n_log_n.extend((2..=n_rows.min(most)).map(|n| rounded(n as u32, running.next(), bits)));
        n_log_n.truncate(n_rows + 1);
        let beyond = (n_rows > most).then(|| DirectLog::after(&running));
        Self { n_rows, n_log_n, beyond, bits, unit: (-f64::from(bits)).exp2() }
    }

    /// The number of rows that it was made for.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// `n ln n` of a count.
    #[inline]
    pub fn n_log_n(&self, count: u32) -> FixedSum {
        FixedSum(self.of(count))
    }

    #[inline(always)]
    fn of(&self, count: u32) -> i64 {
        match self.n_log_n.get(count as usize) {
            Some(&value) => value,
            None => self.computed(count),
        }
    }

    /// `n ln n` of a count that is not in the table.
    #[cold]
    #[inline(never)]
    fn computed(&self, count: u32) -> i64 {
        let direct =
            self.beyond.as_ref().filter(|_| count as usize <= self.n_rows).expect("no count is above the rows");
        rounded(count, direct.log(count), self.bits)
    }

    /// Σ n ln n over counts.
    #[inline]
    pub fn sum(&self, counts: &[u32]) -> FixedSum {
        let table = self.n_log_n.as_slice();
        let of = |count: u32| table.get(count as usize).copied().unwrap_or_else(|| self.computed(count));
        let (fours, rest) = counts.as_chunks::<4>();
        let mut sums = [0i64; 4];
        for four in fours {
            for (sum, &count) in sums.iter_mut().zip(four) {
                *sum = sum.wrapping_add(of(count));
            }
        }
        for &count in rest {
            sums[0] = sums[0].wrapping_add(of(count));
        }
        FixedSum(sums.into_iter().fold(0, i64::wrapping_add))
    }

    /// The table, for kernels that gather from it: every count up to the number of rows is in it where that is at most
    /// 1,048,576.
    pub(crate) fn table(&self) -> &[i64] {
        &self.n_log_n
    }

    /// The value of a sum (or of a difference of sums) in nats.
    #[inline]
    pub fn value(&self, sum: FixedSum) -> f64 {
        sum.0 as f64 * self.unit
    }
}

/// The fractional bits of sums over so many rows. Fewer than nine count as nine: charges for parents do not shrink with the
/// rows, and differences of scores that hold them must be exact as well.
fn bits_of(n_rows: usize) -> u32 {
    let rows = n_rows.max(9) as f64;
    let total = rows * rows.ln();
    // Two bits of room: a difference of four sums of at most N ln N each must fit.
    61 - (total.log2().ceil() as u32).max(1)
}

/// n × ln n in units of 2⁻ᵇ.
fn rounded(n: u32, log: i128, bits: u32) -> i64 {
    // 32 + 5 + 100 bits would overflow 128, so bring the logarithm down to 90 bits first.
    let scaled = i128::from(n) * (log >> 10);
    let shift = LOG_BITS - bits;
    let round = 1i128 << (shift - 11);
    ((scaled + round) >> (shift - 10)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_log_n_is_right() {
        for n_rows in [1usize, 2, 3, 100, 25_000, 1_000_000, 30_000_000, u32::MAX as usize] {
            let scale = FixedScale::new(n_rows);
            for n in [0, 1, 2, 3, n_rows / 2, n_rows].into_iter().filter(|&n| n <= n_rows) {
                let expected = if n == 0 { 0.0 } else { n as f64 * (n as f64).ln() };
                let value = scale.value(scale.n_log_n(n as u32));
                // Half a unit of the fixed point, and the rounding of the expected value.
                let tolerance = 0.5 * scale.unit + 4e-16 * expected;
                assert!((value - expected).abs() <= tolerance, "{n} of {n_rows}: {value} {expected}");
            }
        }
    }
    /// Whether values are the same with a table of few counts and with one of all, in each unit that a number of rows up to
    /// `n_rows` has.
    fn agree(n_rows: u32, most: u32) {
        // Of each unit that of the most rows, from the most to the fewest.
        let mut scales: Vec<FixedScale> = Vec::new();
        for rows in (most as usize + 1..=n_rows as usize).rev() {
            if scales.last().is_none_or(|scale| scale.bits != bits_of(rows)) {
                scales.push(FixedScale::tabulated(rows, most as usize));
            }
        }
        let mut running = RunningLog::new();
        for n in 2..=n_rows {
            let log = running.next();
            for scale in scales.iter().take_while(|scale| n as usize <= scale.n_rows) {
                assert_eq!(scale.of(n), rounded(n, log, scale.bits), "{n} of {}", scale.n_rows);
            }
        }
    }

    #[test]
    fn computed_values_are_those_of_a_table() {
        agree(1_000_000, 1 << 14);
    }

    #[test]
    #[ignore = "takes ten seconds"]
    fn computed_values_are_those_of_a_table_up_to_a_hundred_million() {
        agree(100_000_000, MOST_TABULATED as u32);
    }
}
