//! Logarithms of whole numbers in 128-bit integers, which do not depend on the platform's library.

/// Fractional bits of a logarithm.
pub(super) const LOG_BITS: u32 = 100;

/// Bits that logarithms which others are made of have more.
const MORE_BITS: u32 = 16;

/// `ln n` of one number after another, each from that before.
#[derive(Debug, Clone)]
pub(super) struct RunningLog {
    n: u32,
    log: i128,
}

impl RunningLog {
    pub(super) fn new() -> Self {
        Self { n: 1, log: 0 }
    }

    /// Adds ln n − ln(n − 1) = 2 artanh(1 / (2n − 1)) = 2 Σ t^(2k+1) / (2k + 1).
    pub(super) fn next(&mut self) -> i128 {
        self.n += 1;
        let odd = 2 * i128::from(self.n) - 1;
        let square = odd * odd;
        let mut power = (1i128 << (LOG_BITS + 1)) / odd;
        self.log += power;
        power /= square;
        let mut k = 3;
        while power > i128::from(u64::MAX) {
            self.log += power / k;
            power /= square;
            k += 2;
        }
        // What is left fits 64 bits, which divide faster; a square that does not leaves nothing.
        let (mut power, mut k) = (power as u64, k as u64);
        let square = u64::try_from(square).unwrap_or(u64::MAX);
        if k == 3 {
            // The most terms that there are mostly, with divisors that the compiler knows.
            self.log += i128::from(power / 3);
            power /= square;
            self.log += i128::from(power / 5);
            power /= square;
            k = 7;
        }
        while power != 0 {
            self.log += i128::from(power / k);
            power /= square;
            k += 2;
        }
        self.log
    }
}

/// `ln n` of any number from [`HEADS`] on, by itself: the logarithm of its first bits from a table, and a short series for
/// the others.
///
/// It goes on where a [`RunningLog`] ends and gives what that would: each of its steps drops the fractions of two terms, half
/// a unit each on average, and so much is taken off here. `n ln n` is rounded so much more coarsely that the two agree for
/// every n up to 10⁸ (which tests look at, one by one).
#[derive(Debug, Clone)]
pub(super) struct DirectLog {
    /// Logarithms of [`HEADS`] to 2 [`HEADS`] − 1, with [`MORE_BITS`] more bits.
    heads: Vec<i128>,
    two: i128,
    start: u32,
    /// What the running logarithm had lost at the start.
    lost: i128,
}

/// Numbers are looked up by their first thirteen bits.
const HEADS: u32 = 1 << 12;

impl DirectLog {
    /// Goes on after a running logarithm, which must have come to [`HEADS`].
    pub(super) fn after(running: &RunningLog) -> Self {
        let two = twice_artanh(3);
        let mut log = i128::from(HEADS.ilog2()) * two;
        let mut heads = vec![log];
        for head in HEADS + 1..2 * HEADS {
            log += twice_artanh(2 * i128::from(head) - 1);
            heads.push(log);
        }
        let mut direct = Self { heads, two, start: running.n, lost: 0 };
        direct.lost = direct.exact(running.n) - running.log;
        direct
    }

    /// ln n of a number that is not below the start.
    pub(super) fn log(&self, n: u32) -> i128 {
        self.exact(n) - self.lost - i128::from(n - self.start)
    }

    /// ln n, to a few units.
    fn exact(&self, n: u32) -> i128 {
        let shift = n.ilog2() - HEADS.ilog2();
        let head = n >> shift;
        let rest = n - (head << shift);
        // n = h (1 + x) with h the head and its zeros: ln(1 + x) = 2 artanh(t), t = (n − h) / (n + h) < 2⁻¹³.
        let sum = 2 * u64::from(n) - u64::from(rest);
        let first = (u128::from(rest) << (LOG_BITS + 1)) / u128::from(sum);
        // 2t with 75 bits, t² with 88; then 2t³, 2t⁵ and 2t⁷ with 100. All are below 2⁶⁴.
        let twice = (first >> (LOG_BITS - 75)) as u64;
        let times = |a: u64, b: u64, bits: u32| ((u128::from(a) * u128::from(b)) >> bits) as u64;
        let square = times(twice, twice, 2 * 75 + 2 - 88);
        let third = times(twice, square, 75 + 88 - LOG_BITS);
        let fifth = times(third, square, 88);
        let seventh = times(fifth, square, 88);
        let head = self.heads[(head - HEADS) as usize] + i128::from(shift) * self.two;
        (head >> MORE_BITS) + first as i128 + i128::from(third / 3 + fifth / 5 + seventh / 7)
    }
}

/// 2 artanh(1 / odd), with [`MORE_BITS`] more bits.
fn twice_artanh(odd: i128) -> i128 {
    let mut power = (1i128 << (LOG_BITS + MORE_BITS + 1)) / odd;
    let (mut sum, mut k) = (0, 1);
    while power != 0 {
        sum += power / k;
        power /= odd * odd;
        k += 2;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        let mut running = RunningLog::new();
        let logs: Vec<i128> = (2..=2 * HEADS).map(|_| running.next()).collect();
        let direct = DirectLog::after(&running);
        // ln 2 = 0.b17217f7 d1cf79ab c9e3b398 0… in hexadecimal digits, of which 2⁻¹⁰⁰ is the 25th.
        let two = 0xb_1721_7f7d_1cf7_9abc_9e3b_3980_i128;
        assert!((logs[0] - two).abs() < 1 << 8);
        assert!((direct.exact(1 << 31) - 31 * two).abs() < 1 << 12);
        for n in HEADS..=2 * HEADS {
            assert!((direct.exact(n) - logs[n as usize - 2] - direct.lost).abs() < 1 << 16, "{n}");
        }
        for n in [8_193u32, 1_000_003, 123_456_789, u32::MAX] {
            let value = direct.exact(n) as f64 / (-f64::from(LOG_BITS)).exp2().recip();
            assert!((value - f64::from(n).ln()).abs() <= 4.0 * f64::EPSILON * value, "{n}: {value}");
        }
        // ln(a b) = ln a + ln b.
        for (a, b) in [(8_191u32, 8_193u32), (5_003, 700_001), (65_521, 65_519)] {
            assert!((direct.exact(a * b) - direct.exact(a) - direct.exact(b)).abs() < 64, "{a} {b}");
        }
    }
}
