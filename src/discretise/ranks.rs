//! Groups of equally many rows.

use crate::data::for_each_number;

/// The different values of a number, by increasing value.
#[derive(Debug)]
pub(super) struct RankGroups {
    /// The position of the value of each row.
    value_of: Vec<u32>,
    /// What share of the rows lies below the middle of the rows with each value, and what share above it.
    middles: Vec<(f64, f64)>,
}

impl RankGroups {
    /// Of finite numbers, with the weight of each row and of all.
    pub(super) fn new(values: &[f64], weight: impl Fn(usize) -> f64, of_all: f64) -> Self {
        let mut value_of = vec![0; values.len()];
        let mut masses = Vec::new();
        for_each_number(values, |_, same| {
            let mut mass = 0.0;
            for &row in same {
                value_of[row as usize] = masses.len() as u32;
                mass += weight(row as usize);
            }
            masses.push(mass);
        });
        let mut below = 0.0;
        let middles = masses
            .iter()
            .map(|mass| {
                let middle = below + 0.5 * mass;
                below += mass;
                (middle / of_all, (of_all - middle) / of_all)
            })
            .collect();
        Self { value_of, middles }
    }

    /// The group of each row, of at most so many (up to 65,536), and how many there are: each value its own where that many are
    /// enough. A number and its negative have the same groups.
    pub(super) fn groups(&self, most: usize) -> (Vec<u16>, usize) {
        let mut numbers: Vec<u16> = Vec::with_capacity(self.middles.len());
        let mut before = None;
        for (value, &(below, above)) in self.middles.iter().enumerate() {
            let group = if self.middles.len() <= most {
                value
            } else {
                let at = |share: f64| ((share * most as f64) as usize).min(most - 1);
                // Counted from the nearer end.
                if below <= above { at(below) } else { most - 1 - at(above) }
            };
            let number = match (numbers.last(), before) {
                (None, _) => 0,
                (Some(&last), Some(same)) if same == group => last,
                (Some(&last), _) => last + 1,
            };
            numbers.push(number);
            before = Some(group);
        }
        let size = numbers.last().map_or(0, |&last| usize::from(last) + 1);
        (self.value_of.iter().map(|&value| numbers[value as usize]).collect(), size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(values: &[f64], most: usize) -> (Vec<u16>, usize) {
        RankGroups::new(values, |_| 1.0, values.len() as f64).groups(most)
    }

    #[test]
    fn groups_have_equally_many_rows() {
        let values: Vec<f64> = (0..100).map(|row| f64::from(row * 37 % 100)).collect();
        let (codes, size) = groups(&values, 5);
        assert_eq!(size, 5);
        assert!((0..100).all(|row| usize::from(codes[row]) == values[row] as usize / 20));
    }

    #[test]
    fn few_values_stay_apart_and_heavy_ones_are_one_group() {
        assert_eq!(groups(&[3.0, 1.0, 3.0, 2.0], 5), (vec![2, 0, 2, 1], 3));
        let spike: Vec<f64> = (0..100).map(|row| if row < 90 { 0.0 } else { f64::from(row) }).collect();
        let (codes, size) = groups(&spike, 5);
        assert_eq!(size, 2);
        assert!((0..100).all(|row| codes[row] == u16::from(row >= 90)));
        assert_eq!(groups(&[1.0, 1.0], 5), (vec![0, 0], 1));
        assert_eq!(groups(&[0.0, -0.0], 5), (vec![0, 0], 1));
    }

    #[test]
    fn a_number_and_its_negative_have_the_same_groups() {
        for n in [7usize, 10, 50, 99, 100, 198, 331] {
            let values: Vec<f64> = (0..n).map(|row| ((row * 7919) % (n - n / 3)) as f64).collect();
            let negative: Vec<f64> = values.iter().map(|value| -value).collect();
            for most in [2, 5, 99] {
                let ((codes, size), (mirrored, same)) = (groups(&values, most), groups(&negative, most));
                // An even number of groups has no middle one.
                if most % 2 == 1 || n % 2 == 0 {
                    assert_eq!(size, same, "{n} {most}");
                    let turned: Vec<u16> = mirrored.iter().map(|&code| size as u16 - 1 - code).collect();
                    assert!(most % 2 == 0 || codes == turned, "{n} {most}");
                }
            }
        }
    }

    #[test]
    fn weights_are_rows() {
        let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        let weights = [5.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let repeated: Vec<f64> =
            values.iter().zip(weights).flat_map(|(&value, weight)| vec![value; weight as usize]).collect();
        let (codes, size) = RankGroups::new(&values, |row| weights[row], 10.0).groups(2);
        let (of_rows, _) = groups(&repeated, 2);
        assert_eq!(size, 2);
        assert_eq!(codes, [of_rows[0], of_rows[5], of_rows[6], of_rows[7], of_rows[8], of_rows[9]]);
    }
}
