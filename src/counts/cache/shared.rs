//! Numbers of sets joined with each of many variables, kept for all sessions of an engine or a score: sums of `n ln n`, or
//! what a score makes of them.
//!
//! A search over all pairs asks for F(S ∪ {c}) for nearly every c, again and again for the same S: for y given z and z given
//! y, and for the parents of one variable that are the family of another.

use rustc_hash::FxHashMap;

use crate::counts::{FixedSum, cost};
use crate::{Variable, VariableSet};

/// Most memory: 32 MiB.
const MAX_SUMS: usize = (32 << 20) / 8;

/// No sum is as small.
const UNKNOWN: FixedSum = FixedSum(i64::MIN);

/// For each set that was asked for, F of it and one more variable, as far as known.
#[derive(Debug, Default)]
pub(crate) struct SharedSums {
    rows: FxHashMap<VariableSet, Box<[FixedSum]>>,
}

impl SharedSums {
    /// Whether a row of so many sums is worth keeping, of so many variables.
    pub(crate) fn pays(sums: usize, n_variables: usize) -> bool {
        sums * cost::SHARED_PART >= n_variables
    }

    /// F of three variables, if it is in a row.
    pub(crate) fn of_three(&self, [x, y, z]: [Variable; 3]) -> Option<FixedSum> {
        [([x, y], z), ([x, z], y), ([y, z], x)].into_iter().find_map(|(base, candidate)| {
            let sum = self.rows.get(&base[..])?[candidate as usize];
            (sum != UNKNOWN).then_some(sum)
        })
    }

    /// Writes what is known to `out`, in the order of `candidates`, and the positions of the others to `missing`.
    pub(crate) fn recall(
        &self,
        base: &VariableSet,
        candidates: &[Variable],
        out: &mut Vec<FixedSum>,
        missing: &mut Vec<u32>,
    ) {
        out.clear();
        missing.clear();
        let Some(row) = self.rows.get(base) else {
            out.resize(candidates.len(), UNKNOWN);
            missing.extend(0..candidates.len() as u32);
            return;
        };
        out.extend(candidates.iter().map(|&candidate| row[candidate as usize]));
        missing.extend(out.iter().enumerate().filter(|(_, sum)| **sum == UNKNOWN).map(|(at, _)| at as u32));
    }

    /// Keeps the sums of a set with each of `candidates`, of `n_variables` in all.
    pub(crate) fn keep(&mut self, base: VariableSet, n_variables: usize, candidates: &[Variable], sums: &[FixedSum]) {
        if (self.rows.len() + 1) * n_variables > MAX_SUMS {
            self.rows.clear();
        }
        let row = self.rows.entry(base).or_insert_with(|| vec![UNKNOWN; n_variables].into_boxed_slice());
        for (&candidate, &sum) in candidates.iter().zip(sums) {
            row[candidate as usize] = sum;
        }
    }
}
