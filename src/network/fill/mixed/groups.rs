//! States of a category as lines and discriminants see them.

use crate::data::{Codes, rare_below};

/// States that the embedding of the mixed score merges count as one here too: a category of thousands of states, each of a
/// few rows, then has as many columns and means as it has frequent states.
#[derive(Debug)]
pub(super) struct Groups {
    /// The group of each state; that of the first one is 0.
    of: Vec<u16>,
    /// The logarithm of the share of each state in its group.
    log_shares: Vec<f64>,
    n_groups: usize,
}

impl Groups {
    /// The groups of a column of which some codes may be missing (as the number of states).
    pub(super) fn of(codes: &Codes, arity: u32, weight: impl Fn(usize) -> f64) -> Self {
        let mut counts = vec![0.0; arity as usize];
        for row in 0..codes.len() {
            if let Some(count) = counts.get_mut(codes.get(row) as usize) {
                *count += weight(row);
            }
        }
        Self::of_counts(&counts)
    }

    fn of_counts(counts: &[f64]) -> Self {
        let least = rare_below(counts.iter().sum());
        let rare = |count: f64| count < least;
        let n_rare = counts.iter().filter(|&&count| rare(count)).count();
        if n_rare < 2 {
            let of = (0..counts.len()).map(|state| state as u16).collect();
            return Self { of, log_shares: vec![0.0; counts.len()], n_groups: counts.len() };
        }
        // A state that no row shows has a part of a row, as in tables.
        let prior = 1.0 / counts.len() as f64;
        let in_rare: f64 = counts.iter().filter(|&&count| rare(count)).map(|count| count + prior).sum();
        let (mut n_groups, mut of_rare) = (0, None);
        let (mut of, mut log_shares) = (Vec::new(), Vec::new());
        let mut new = || {
            n_groups += 1;
            n_groups - 1
        };
        for &count in counts {
            if rare(count) {
                of.push(*of_rare.get_or_insert_with(&mut new));
                log_shares.push(((count + prior) / in_rare).ln());
            } else {
                of.push(new());
                log_shares.push(0.0);
            }
        }
        Self { of, log_shares, n_groups: usize::from(n_groups) }
    }

    /// The number of groups.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.n_groups
    }

    /// Whether any states are merged.
    pub(super) fn has_merged(&self) -> bool {
        self.n_groups < self.of.len()
    }

    /// The group of a state.
    #[inline]
    pub(super) fn group(&self, state: u16) -> u16 {
        self.of[usize::from(state)]
    }

    /// For each state its group, and the logarithm of its share in it.
    pub(super) fn states(&self) -> impl Iterator<Item = (u16, f64)> + '_ {
        self.of.iter().copied().zip(self.log_shares.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_states_are_one_group() {
        // Of 1,015 rows states below 5.075 are rare.
        let groups = Groups::of_counts(&[3.0, 500.0, 0.0, 507.0, 5.0]);
        assert_eq!(groups.of, [0, 1, 0, 2, 0]);
        assert_eq!(groups.len(), 3);
        let shares: f64 = [0, 2, 4].iter().map(|&state: &usize| groups.log_shares[state].exp()).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        assert!((groups.log_shares[0] - (3.2f64 / 8.6).ln()).abs() < 1e-12);
        assert_eq!(groups.log_shares[1], 0.0);
    }

    #[test]
    fn a_single_rare_state_stays_itself() {
        let groups = Groups::of(&Codes::Narrow([0, 1].repeat(100).into_iter().chain([2, 3]).collect()), 3, |_| 1.0);
        assert_eq!(groups.of, [0, 1, 2]);
        assert_eq!(groups.len(), 3);
    }
}
