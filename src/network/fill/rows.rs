//! Which rows to count, and how much they weigh.

use crate::Variable;
use crate::data::{Gaps, RowWeights};
use crate::random_numbers::{below, uniform};

/// Whether rows do not all weigh the same.
pub(super) fn differ(weights: &RowWeights) -> bool {
    weights.scaled().iter().any(|&weight| weight != 1.0)
}

/// The weight of a row.
#[inline]
pub(in crate::network) fn weight_of(weights: Option<&RowWeights>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| weights.scaled()[row])
}

/// What all rows weigh.
pub(super) fn weight_of_all(weights: Option<&RowWeights>, n_rows: usize) -> f64 {
    weights.map_or(n_rows as f64, RowWeights::effective_rows)
}

/// The rows in which each variable is missing, in increasing order.
pub(super) fn missing_rows(gaps: &Gaps, n_variables: usize) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); n_variables];
    for gap in 0..gaps.len() {
        let (row, missing) = gaps.row(gap);
        missing.iter().for_each(|&x| found[x as usize].push(row as u32));
    }
    found
}

/// The rows of which the counts of a family change from draw to draw, since one of its variables is missing there, and the
/// others.
pub(super) struct FamilyRows {
    pub(super) changing: Vec<u32>,
    pub(super) constant: Vec<u32>,
}

impl FamilyRows {
    pub(super) fn of(family: impl Iterator<Item = Variable>, missing: &[Vec<u32>], n_rows: usize) -> Self {
        let mut changes = vec![false; n_rows];
        for x in family {
            missing[x as usize].iter().for_each(|&row| changes[row as usize] = true);
        }
        let (changing, constant) = (0..n_rows as u32).partition(|&row| changes[row as usize]);
        Self { changing, constant }
    }
}

/// Rows to draw from, in proportion to their weights.
pub(super) struct Pool<'r> {
    rows: &'r [usize],
    /// Sums of weights up to each row; none where all weigh the same.
    sums: Vec<f64>,
}

impl<'r> Pool<'r> {
    pub(super) fn new(rows: &'r [usize], weights: Option<&RowWeights>) -> Self {
        let sums = weights.map_or_else(Vec::new, |weights| {
            let mut sum = 0.0;
            rows.iter()
                .map(|&row| {
                    sum += weights.scaled()[row];
                    sum
                })
                .collect()
        });
        Self { rows, sums }
    }

    /// A row; `None` where there are none.
    pub(super) fn draw(&self, rng: &mut impl rand_core::RngCore) -> Option<usize> {
        let Some(&total) = self.sums.last() else {
            return (!self.rows.is_empty()).then(|| self.rows[below(rng, self.rows.len())]);
        };
        let at = uniform(rng) * total;
        Some(self.rows[self.sums.partition_point(|&sum| sum <= at).min(self.rows.len() - 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_numbers::stream;

    #[test]
    fn rows_are_drawn_in_proportion_to_their_weights() {
        let weights = RowWeights::new(&[1.0, 7.0, 2.0, 5.0]).unwrap();
        let rows = [0, 1, 2];
        let pool = Pool::new(&rows, Some(&weights));
        let mut rng = stream(3, 0);
        let mut counts = [0; 4];
        (0..100_000).for_each(|_| counts[pool.draw(&mut rng).unwrap()] += 1);
        assert_eq!(counts[3], 0);
        for (count, share) in counts.into_iter().zip([0.1, 0.7, 0.2]) {
            // Five standard deviations of a share of 100,000 are below 0.008.
            assert!((f64::from(count) / 1e5 - share).abs() < 8e-3);
        }
        assert_eq!(Pool::new(&[], None).draw(&mut rng), None);
        assert_eq!(Pool::new(&[], Some(&weights)).draw(&mut rng), None);
    }

    #[test]
    fn equal_weights_do_not_differ() {
        assert!(!differ(&RowWeights::new(&[0.3; 7]).unwrap()));
        assert!(differ(&RowWeights::new(&[0.3, 0.2]).unwrap()));
    }

    #[test]
    fn rows_change_where_a_member_is_missing() {
        let missing = [vec![1, 4], vec![], vec![0, 1]];
        let rows = FamilyRows::of([0, 1, 2].into_iter(), &missing, 5);
        assert_eq!((rows.changing, rows.constant), (vec![0, 1, 4], vec![2, 3]));
    }
}
