//! Exponentials of many numbers at once.

/// 1.5 · 2⁵²: added to a number of moderate size it leaves the nearest whole number in the last bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// The logarithm of 2, as a number of few bits and the rest.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// Below this an exponential counts as that of this.
const LEAST: f64 = -700.0;

/// The exponential of a number in [−700, 700], to a few units of the last place. It has no branches and no table, so that
/// loops over it work on several numbers at once, and gives the same bits on all machines.
#[inline]
fn exponential(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let rest = (x - whole * LN_2[0]) - whole * LN_2[1];
    // Taylor's series: of at most half of ln 2 the first term left out is below 4e-18.
    let mut sum = 1.0 / 6_227_020_800.0;
    for factorial in
        [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
    {
        sum = sum * rest + 1.0 / factorial;
    }
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// Puts exponentials of numbers of at most 0 in their places; what is below −700 counts as −700.
pub(crate) fn exponentials_below(numbers: &mut [f64]) {
    for number in numbers {
        *number = exponential(number.max(LEAST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        let numbers: Vec<f64> = (0..70_001).map(|i| -f64::from(i) * 0.01).chain([-0.0, -1e-300, -1e-17]).collect();
        let mut found = numbers.clone();
        exponentials_below(&mut found);
        for (x, found) in numbers.iter().zip(found) {
            assert!((found / x.exp() - 1.0).abs() < 1e-15 * 5.0, "{x}");
        }
        let mut ends = [0.0, -1e9, f64::NEG_INFINITY];
        exponentials_below(&mut ends);
        assert_eq!(ends[0], 1.0);
        assert!(ends[1] > 0.0 && ends[1] < 1e-300 && ends[2] == ends[1]);
    }
}
