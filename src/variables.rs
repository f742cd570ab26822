//! Variables, and small sets of them.

/// Index of a variable: its column in the data, counted from 0.
pub type Variable = u32;

/// A small set of variables, in increasing order unless said otherwise.
pub type VariableSet = smallvec::SmallVec<[Variable; 4]>;

/// A list of variables in increasing order, as a set.
pub(crate) trait SortedSet {
    /// The set and one more variable.
    fn with(&self, x: Variable) -> VariableSet;

    /// The set without a variable, which may be missing.
    fn without(&self, x: Variable) -> VariableSet;

    /// The union with a set that shares nothing.
    fn union(&self, other: &[Variable]) -> VariableSet;
}

impl SortedSet for [Variable] {
    fn with(&self, x: Variable) -> VariableSet {
        let at = self.partition_point(|&y| y < x);
        let mut all = VariableSet::with_capacity(self.len() + 1);
        all.extend_from_slice(&self[..at]);
        all.push(x);
        all.extend_from_slice(&self[at..]);
        all
    }

    fn without(&self, x: Variable) -> VariableSet {
        self.iter().copied().filter(|&y| y != x).collect()
    }

    fn union(&self, other: &[Variable]) -> VariableSet {
        let mut all = VariableSet::with_capacity(self.len() + other.len());
        all.extend_from_slice(self);
        all.extend_from_slice(other);
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_stay_sorted() {
        let set: &[Variable] = &[1, 4, 6];
        assert_eq!(set.with(0)[..], [0, 1, 4, 6]);
        assert_eq!(set.with(5)[..], [1, 4, 5, 6]);
        assert_eq!(set.with(9)[..], [1, 4, 6, 9]);
        assert_eq!(set.without(4)[..], [1, 6]);
        assert_eq!(set.without(5)[..], [1, 4, 6]);
        assert_eq!(set.union(&[0, 5])[..], [0, 1, 4, 5, 6]);
    }
}
