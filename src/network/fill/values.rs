//! The known values of a number, each with its score.

use super::rows::weight_of;
use super::scale::Scale;
use crate::data::{Numbers, RowWeights};
use crate::stats::normal_quantile;

/// The known values of a number in increasing order, each with its score. Scores are drawn; the value of a score is the
/// one whose interval it falls into, so that whole numbers stay whole, and a value is drawn as often as it is known.
pub(super) struct KnownValues {
    values: Vec<f64>,
    scores: Vec<f64>,
    /// Where the interval of each value ends, but the last.
    ends: Vec<f64>,
}

impl KnownValues {
    /// The values of a column that are not NaN; a column without any counts as 0 alone.
    pub(super) fn of(column: &[f64], numbers: Numbers, weights: Option<&RowWeights>) -> Self {
        let weighed = column.iter().enumerate().map(|(row, &value)| (value, weight_of(weights, row)));
        let mut known: Vec<(f64, f64)> = weighed.filter(|(value, _)| !value.is_nan()).collect();
        known.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let n: f64 = known.iter().map(|(_, weight)| weight).sum();
        let (mut values, mut scores, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = 0.0;
        // 0 and −0 are one value.
        for same in known.chunk_by(|(a, _), (b, _)| a == b) {
            let own: f64 = same.iter().map(|(_, weight)| weight).sum();
            let rank = before + 0.5 * (own + 1.0);
            before += own;
            values.push(same[0].0);
            scores.push(normal_quantile(rank / (n + 1.0)));
            ends.push(normal_quantile((before + 0.5) / (n + 1.0)));
        }
        if values.is_empty() {
            return Self { values: vec![0.0], scores: vec![0.0], ends: Vec::new() };
        }
        if numbers == Numbers::Values {
            let (known, weights): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
            let scale = Scale::of(&known, |at| weights[at]);
            scores = values.iter().map(|&value| scale.standard(value)).collect();
            ends = scores.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        }
        ends.truncate(values.len() - 1);
        Self { values, scores, ends }
    }

    /// The number of different values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The score of a value: of the nearest one known that is not below it, if there is one.
    pub(super) fn score(&self, value: f64) -> f64 {
        self.scores[self.values.partition_point(|&known| known < value).min(self.len() - 1)]
    }

    /// The value of a score.
    pub(super) fn value(&self, score: f64) -> f64 {
        self.values[self.ends.partition_point(|&end| end < score)]
    }

    /// The score that is nearest within those of known values.
    pub(super) fn within(&self, score: f64) -> f64 {
        score.clamp(self.scores[0], self.scores[self.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_drawn_as_often_as_they_are_known() {
        // Two fifths are 0, and the others are whole.
        let column: Vec<f64> =
            (0..1000).map(|row| if row % 5 < 2 { 0.0 } else { f64::from(row % 7) }).chain([f64::NAN]).collect();
        let known = KnownValues::of(&column, Numbers::Ranks, None);
        let n = 10_000;
        let drawn: Vec<f64> =
            (0..n).map(|i| known.value(normal_quantile((f64::from(i) + 0.5) / f64::from(n)))).collect();
        for value in 0..7 {
            let share = |column: &[f64]| {
                let known: Vec<f64> = column.iter().copied().filter(|value| !value.is_nan()).collect();
                known.iter().filter(|&&v| v == f64::from(value)).count() as f64 / known.len() as f64
            };
            assert!((share(&drawn) - share(&column)).abs() < 2e-3, "{value}");
        }
    }

    #[test]
    fn a_value_is_the_value_of_its_score() {
        let column = [3.0, -0.0, 0.0, 1e300, 2.5, f64::NAN, -7.0];
        for numbers in [Numbers::Ranks, Numbers::Values] {
            let known = KnownValues::of(&column, numbers, None);
            assert_eq!(known.len(), 5);
            for value in column.into_iter().filter(|value| !value.is_nan()) {
                // In units of the spread small values are one with such a large one.
                if numbers == Numbers::Ranks || value == 1e300 {
                    assert_eq!(known.value(known.score(value)), value);
                }
            }
            assert!(known.within(50.0) < 50.0 && known.within(-50.0) > -50.0);
        }
        let nothing = KnownValues::of(&[f64::NAN], Numbers::Ranks, None);
        assert_eq!((nothing.value(0.3), nothing.score(5.0)), (0.0, 0.0));
    }
}
