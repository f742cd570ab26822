//! Which variables can change which others' parents by where they stand in the order.

use super::tree::Trace;
use crate::Variable;

/// For each child the set of variables whose coming or going before it can change its parents, as bits.
pub(super) struct Relevance {
    words: usize,
    bits: Vec<u64>,
}

impl Relevance {
    /// That of variables of whose parents nothing is known yet.
    pub(super) fn none(n_variables: usize) -> Self {
        let words = n_variables.div_ceil(64);
        Self { words, bits: vec![0; words * n_variables] }
    }

    pub(super) fn set(&mut self, child: Variable, trace: &Trace, forced: &[Variable]) {
        let row = &mut self.bits[child as usize * self.words..][..self.words];
        row.fill(0);
        for &x in trace.grown.iter().chain(&trace.blocked).chain(forced) {
            row[x as usize / 64] |= 1 << (x % 64);
        }
    }

    pub(super) fn contains(&self, child: Variable, x: Variable) -> bool {
        self.bits[child as usize * self.words + x as usize / 64] >> (x % 64) & 1 == 1
    }

    /// The variables of a child, in increasing order.
    pub(super) fn of(&self, child: Variable) -> impl Iterator<Item = Variable> + '_ {
        let row = &self.bits[child as usize * self.words..][..self.words];
        row.iter().enumerate().flat_map(|(i, &word)| {
            let after = |rest: u64| (rest != 0).then_some(rest);
            std::iter::successors(after(word), move |&rest| after(rest & (rest - 1)))
                .map(move |rest| i as Variable * 64 + rest.trailing_zeros())
        })
    }
}
