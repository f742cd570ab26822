//! Combinations: subsets of a given size, in lexicographic order of positions.

use smallvec::SmallVec;

/// The subsets of a given size of the positions `0..n`, one after the other in the same memory (a lending iterator).
#[derive(Debug)]
pub(crate) struct Combinations {
    positions: SmallVec<[usize; 8]>,
    n: usize,
    started: bool,
}

impl Combinations {
    pub(crate) fn new(n: usize, size: usize) -> Self {
        let positions = if size <= n { (0..size).collect() } else { SmallVec::new() };
        // Without a first subset it is as if the last one had been.
        Self { positions, n, started: size > n }
    }

    /// The positions of the next subset, increasing; `None` after the last.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&[usize]> {
        if !self.started {
            self.started = true;
            return Some(&self.positions);
        }
        let size = self.positions.len();
        // The last position that can still move up.
        let at = (0..size).rev().find(|&at| self.positions[at] < self.n - size + at)?;
        let moved = self.positions[at] + 1;
        for (offset, position) in self.positions[at..].iter_mut().enumerate() {
            *position = moved + offset;
        }
        Some(&self.positions)
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
        let mut combinations = Combinations::new(n, size);
        let mut found = Vec::new();
        while let Some(positions) = combinations.next() {
            found.push(positions.to_vec());
        }
        assert!(combinations.next().is_none());
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
