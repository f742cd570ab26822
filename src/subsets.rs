//! Subsets of a given size, in lexicographic order of positions.

use smallvec::SmallVec;

/// Enumerates the subsets of a given size of the positions `0..n` without allocating for each subset.
#[derive(Debug, Default)]
pub(crate) struct Subsets {
    positions: SmallVec<[usize; 4]>,
    n: usize,
}

impl Subsets {
    /// Starts with the first subset, `0..size`; false when there is none (`size` above `n`).
    pub(crate) fn start(&mut self, n: usize, size: usize) -> bool {
        self.positions.clear();
        self.positions.extend(0..size);
        self.n = n;
        size <= n
    }

    /// Moves to the next subset; false after the last.
    pub(crate) fn advance(&mut self) -> bool {
        let size = self.positions.len();
        // The last position that can still move up.
        let Some(at) = (0..size).rev().find(|&at| self.positions[at] < self.n - size + at) else {
            return false;
        };
        let moved = self.positions[at] + 1;
        for (offset, position) in self.positions[at..].iter_mut().enumerate() {
            *position = moved + offset;
        }
        true
    }

    /// The positions of the current subset, increasing.
    pub(crate) fn positions(&self) -> &[usize] {
        &self.positions
    }
}

/// The number of subsets of `size` of `n` elements, or `u64::MAX` where it does not fit.
pub(crate) fn binomial(n: usize, size: usize) -> u64 {
    if size > n {
        return 0;
    }
    let mut result: u128 = 1;
    for i in 0..size.min(n - size) as u128 {
        result = result * (n as u128 - i) / (i + 1);
        if result > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    result as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(n: usize, size: usize) -> Vec<Vec<usize>> {
        let mut subsets = Subsets::default();
        let mut found = Vec::new();
        let mut more = subsets.start(n, size);
        while more {
            found.push(subsets.positions().to_vec());
            more = subsets.advance();
        }
        found
    }

    #[test]
    fn every_subset_comes_once_and_in_order() {
        assert_eq!(all(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(all(3, 0), [[0usize; 0]]);
        assert_eq!(all(2, 3), Vec::<Vec<usize>>::new());
        for n in 0..8 {
            for size in 0..=n {
                let found = all(n, size);
                assert_eq!(found.len() as u64, binomial(n, size));
                assert!(found.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }

    #[test]
    fn binomials_do_not_overflow() {
        assert_eq!(binomial(2, 3), 0);
        assert_eq!(binomial(60, 30), 118_264_581_564_861_424);
        assert_eq!(binomial(10_000, 5_000), u64::MAX);
    }
}
