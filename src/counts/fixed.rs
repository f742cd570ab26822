//! Exact sums of `n ln n` in fixed point.
//!
//! `n ln n` of every count from 0 to the number of rows is tabulated as a 64-bit integer in units of 2⁻ᵇ, where b is
//! as large as the total N ln N allows (44 bits at 25,000 rows, so that one cell is rounded by at most 3e-14). The
//! logarithms themselves are summed in 128-bit integer arithmetic and do not depend on the platform's library.

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

/// The table of `n ln n` and its unit.
#[derive(Debug, Clone)]
pub struct FixedScale {
    n_log_n: Vec<i64>,
    unit: f64,
}

/// Fractional bits of the 128-bit logarithms.
const LOG_BITS: u32 = 100;

impl FixedScale {
    /// Tabulates `n ln n` for counts up to `n_rows`.
    pub fn new(n_rows: usize) -> Self {
        let total = (n_rows as f64) * (n_rows.max(2) as f64).ln();
        // Two bits of room: a difference of four sums of at most N ln N each must fit.
        let bits = 61 - (total.log2().ceil() as u32).max(1);
        let shift = LOG_BITS - bits;
        let mut n_log_n = Vec::with_capacity(n_rows + 1);
        n_log_n.push(0);
        // ln n − ln(n − 1) = 2 artanh(1 / (2n − 1)) = 2 Σ t^(2k+1) / (2k + 1).
        let mut log: i128 = 0;
        for n in 1..=n_rows as i128 {
            if n > 1 {
                let odd = 2 * n - 1;
                let square = odd * odd;
                let mut power = (1i128 << (LOG_BITS + 1)) / odd;
                log += power;
                power /= square;
                let mut k = 3;
                while power > i128::from(u64::MAX) {
                    log += power / k;
                    power /= square;
                    k += 2;
                }
                // What is left fits 64 bits, which divide faster; a square that does not leaves nothing.
                let (mut power, mut k) = (power as u64, k as u64);
                let square = u64::try_from(square).unwrap_or(u64::MAX);
                if k == 3 {
                    // The most terms that there are mostly, with divisors that the compiler knows.
                    log += i128::from(power / 3);
                    power /= square;
                    log += i128::from(power / 5);
                    power /= square;
                    k = 7;
                }
                while power != 0 {
                    log += i128::from(power / k);
                    power /= square;
                    k += 2;
                }
            }
            // n × ln n: 32 + 5 + 100 bits would overflow 128, so bring the logarithm down to 90 bits first.
            let scaled = n * (log >> 10);
            let round = 1i128 << (shift - 11);
            n_log_n.push(((scaled + round) >> (shift - 10)) as i64);
        }
        Self { n_log_n, unit: (-f64::from(bits)).exp2() }
    }

    /// The number of rows that it was made for.
    pub fn n_rows(&self) -> usize {
        self.n_log_n.len() - 1
    }

    /// `n ln n` of a count.
    #[inline]
    pub fn n_log_n(&self, count: u32) -> FixedSum {
        FixedSum(self.n_log_n[count as usize])
    }

    /// Σ n ln n over counts.
    #[inline]
    pub fn sum(&self, counts: &[u32]) -> FixedSum {
        let table = self.n_log_n.as_slice();
        let (fours, rest) = counts.as_chunks::<4>();
        let mut sums = [0i64; 4];
        for four in fours {
            for (sum, &count) in sums.iter_mut().zip(four) {
                *sum = sum.wrapping_add(table[count as usize]);
            }
        }
        for &count in rest {
            sums[0] = sums[0].wrapping_add(table[count as usize]);
        }
        FixedSum(sums.into_iter().fold(0, i64::wrapping_add))
    }

    /// The table itself, for kernels that gather from it.
    pub fn table(&self) -> &[i64] {
        &self.n_log_n
    }

    /// The value of a sum (or of a difference of sums) in nats.
    #[inline]
    pub fn value(&self, sum: FixedSum) -> f64 {
        sum.0 as f64 * self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_log_n_is_right() {
        for n_rows in [1usize, 2, 3, 100, 25_000, 1_000_000] {
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
}
