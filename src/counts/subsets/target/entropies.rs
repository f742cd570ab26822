//! Entropies of the target given sets of the roster, and of the roster and one variable outside.

use rustc_hash::FxHashMap;

use super::split::MAX_ROSTER;
use crate::Variable;

/// The largest set that is remembered.
pub(super) const MAX_SET: usize = 6;

/// Most entropies that are remembered: 128 MiB.
const MAX_ENTRIES: usize = 1 << 24;

/// No entropy is known.
const UNKNOWN: i64 = i64::MIN;

/// Entropies by the size of the rest of the set, then by its rank.
type Ranked = [Vec<i64>; MAX_SET];

/// Entropies of sets. A set is known by the member that came to the roster last, or by the one outside, and by the rank of
/// the others among all sets of their size in colexicographic order, which later members do not change.
#[derive(Debug)]
pub(super) struct Entropies {
    inside: Vec<Ranked>,
    outside: FxHashMap<Variable, Ranked>,
    entries: usize,
    /// `binomials[size][n]`: subsets of `size + 1` of n elements, or as many as are never reached.
    binomials: [[usize; MAX_ROSTER + 1]; MAX_SET - 1],
}

impl Default for Entropies {
    fn default() -> Self {
        let mut binomials = [[0usize; MAX_ROSTER + 1]; MAX_SET - 1];
        for n in 1..=MAX_ROSTER {
            for size in 0..MAX_SET - 1 {
                let with = if size == 0 { 1 } else { binomials[size - 1][n - 1] };
                binomials[size][n] = binomials[size][n - 1] + with;
            }
        }
        Self { inside: Vec::new(), outside: FxHashMap::default(), entries: 0, binomials }
    }
}

impl Entropies {
    /// Forgets everything, memory included.
    pub(super) fn clear(&mut self) {
        self.inside = Vec::new();
        self.outside = FxHashMap::default();
        self.entries = 0;
    }

    /// Takes a variable into the roster, with what is known of it.
    pub(super) fn push(&mut self, variable: Variable) {
        self.inside.push(self.outside.remove(&variable).unwrap_or_default());
    }

    /// Forgets what is known of variables outside, but for one.
    fn keep_only(&mut self, kept: Option<Variable>) {
        let entries = &mut self.entries;
        self.outside.retain(|&variable, ranked| {
            if kept != Some(variable) {
                *entries -= ranked.iter().map(Vec::len).sum::<usize>();
            }
            kept == Some(variable)
        });
    }

    #[inline]
    fn rank(&self, rest: &[u8]) -> usize {
        rest.iter().zip(&self.binomials).map(|(&position, of_size)| of_size[usize::from(position)]).sum()
    }

    /// The entropy given the variables at these positions (increasing) and one outside, if any.
    #[inline]
    pub(super) fn get(&self, set: &[u8], outside: Option<Variable>) -> Option<i64> {
        let (ranked, rest) = match outside {
            Some(variable) => (self.outside.get(&variable)?, set),
            None => {
                let (&last, rest) = set.split_last()?;
                (&self.inside[usize::from(last)], rest)
            }
        };
        ranked[rest.len()].get(self.rank(rest)).copied().filter(|&entropy| entropy != UNKNOWN)
    }

    /// Puts down an entropy, if there is room.
    pub(super) fn set(&mut self, set: &[u8], outside: Option<Variable>, entropy: i64) {
        let rest = if outside.is_some() { set } else { &set[..set.len() - 1] };
        let rank = self.rank(rest);
        let length = |ranked: &Ranked| ranked[rest.len()].len();
        let known = match outside {
            Some(variable) => self.outside.get(&variable).map_or(0, length),
            None => length(&self.inside[usize::from(set[set.len() - 1])]),
        };
        let more = (rank + 1).saturating_sub(known);
        if self.entries + more > MAX_ENTRIES {
            self.keep_only(outside);
            if self.entries + more > MAX_ENTRIES {
                return;
            }
        }
        self.entries += more;
        let ranked = match outside {
            Some(variable) => self.outside.entry(variable).or_default(),
            None => &mut self.inside[usize::from(set[set.len() - 1])],
        };
        let entropies = &mut ranked[rest.len()];
        if more > 0 {
            entropies.resize(rank + 1, UNKNOWN);
        }
        entropies[rank] = entropy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_a_place_of_its_own() {
        let mut remembered = Entropies::default();
        let sets: Vec<Vec<u8>> = (1u32..1 << 9)
            .filter(|bits| bits.count_ones() <= MAX_SET as u32)
            .map(|bits| (0..9).filter(|i| bits >> i & 1 == 1).collect())
            .collect();
        for position in 0..9 {
            remembered.push(position);
        }
        for (number, set) in sets.iter().enumerate() {
            assert_eq!(remembered.get(set, None), None);
            remembered.set(set, None, number as i64);
            if set.len() < MAX_SET {
                remembered.set(set, Some(9), -(number as i64));
                assert_eq!(remembered.get(set, Some(10)), None);
            }
        }
        let check = |remembered: &Entropies, outside: bool| {
            for (number, set) in sets.iter().enumerate() {
                assert_eq!(remembered.get(set, None), Some(number as i64));
                if outside && set.len() < MAX_SET {
                    assert_eq!(remembered.get(set, Some(9)), Some(-(number as i64)));
                }
            }
        };
        check(&remembered, true);
        // A variable from outside comes last.
        remembered.push(9);
        check(&remembered, false);
        for (number, set) in sets.iter().enumerate().filter(|(_, set)| set.len() < MAX_SET) {
            let with: Vec<u8> = set.iter().copied().chain([9]).collect();
            assert_eq!(remembered.get(&with, None), Some(-(number as i64)));
        }
        remembered.clear();
        assert_eq!(remembered.outside.len() + remembered.inside.len() + remembered.entries, 0);
    }

    #[test]
    fn the_budget_holds() {
        let mut remembered = Entropies::default();
        (0..MAX_ROSTER as Variable).for_each(|variable| remembered.push(variable));
        remembered.set(&[60, 61, 62, 63, 64], Some(200), 1);
        remembered.set(&[60, 61, 62, 63, 64], Some(201), 2);
        assert!(remembered.entries < MAX_ENTRIES && remembered.outside.len() == 2);
        remembered.set(&[68, 69, 70, 71, 72], Some(202), 3);
        assert_eq!(remembered.outside.len(), 1, "what is outside makes room");
        assert_eq!(remembered.get(&[68, 69, 70, 71, 72], Some(202)), Some(3));
        remembered.set(&[123, 124, 125, 126, 127], Some(202), 4);
        assert_eq!(remembered.get(&[123, 124, 125, 126, 127], Some(202)), None, "too far off");
        assert!(remembered.entries <= MAX_ENTRIES);
    }
}
