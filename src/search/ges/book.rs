//! The operators of one kind, kept in order of their gains.

use rustc_hash::FxHashMap;

use super::operator::Operator;
use crate::Variable;

/// The operators around one variable, best first.
#[derive(Debug, Clone, Default)]
struct List {
    operators: Vec<Operator>,
    blocked: Vec<bool>,
    /// The first that is not blocked.
    head: usize,
    version: u32,
}

/// Where an operator was: it is still there while the version of its list is the same.
type Place = (Variable, u32, u32);

/// A priority queue of operators in one list for each variable y. The validity of an operator that depends on paths far
/// away is checked when it comes to the head: an invalid one is set aside with the path that blocks it, and comes
/// back when an edge of that path changes.
#[derive(Debug, Clone)]
pub(super) struct Book {
    lists: Vec<List>,
    /// The gain of each list's head, so that the best is found in one short pass.
    heads: Vec<f64>,
    witnesses: FxHashMap<(Variable, Variable), Vec<Place>>,
    refused: Vec<Place>,
}

impl Book {
    pub(super) fn new(p: usize) -> Self {
        Self {
            lists: (0..p).map(|_| List::default()).collect(),
            heads: vec![f64::NEG_INFINITY; p],
            witnesses: FxHashMap::default(),
            refused: Vec::new(),
        }
    }

    /// Replaces the operators around y. Equal gains are ordered by x, then by clique.
    pub(super) fn replace(&mut self, y: Variable, mut operators: Vec<Operator>) {
        operators.sort_unstable_by(|a, b| {
            b.gain.total_cmp(&a.gain).then_with(|| a.x.cmp(&b.x)).then_with(|| a.clique.cmp(&b.clique))
        });
        let list = &mut self.lists[y as usize];
        list.blocked.clear();
        list.blocked.resize(operators.len(), false);
        list.operators = operators;
        list.head = 0;
        list.version = list.version.wrapping_add(1);
        self.settle(y);
    }

    /// The best operator that is not known to be invalid; of equal gains that of the lowest y.
    pub(super) fn best(&self) -> Option<(&Operator, Place)> {
        let (mut at, mut best) = (0, f64::NEG_INFINITY);
        for (y, &gain) in self.heads.iter().enumerate() {
            if gain > best {
                (at, best) = (y, gain);
            }
        }
        (best > f64::NEG_INFINITY).then(|| {
            let list = &self.lists[at];
            (&list.operators[list.head], (at as Variable, list.version, list.head as u32))
        })
    }

    /// Sets an operator aside until one of these pairs changes.
    pub(super) fn block(&mut self, place: Place, path: &[(Variable, Variable)]) {
        for &(a, b) in path {
            self.witnesses.entry((a.min(b), a.max(b))).or_default().push(place);
        }
        self.lists[place.0 as usize].blocked[place.2 as usize] = true;
        self.settle(place.0);
    }

    /// Sets an operator aside until [`Book::reconsider`].
    pub(super) fn refuse(&mut self, place: Place) {
        self.refused.push(place);
        self.block(place, &[]);
    }

    /// Brings back the operators that one of these pairs blocked.
    pub(super) fn wake(&mut self, pairs: impl Iterator<Item = (Variable, Variable)>) {
        for (a, b) in pairs {
            if let Some(places) = self.witnesses.remove(&(a.min(b), a.max(b))) {
                places.into_iter().for_each(|place| self.unblock(place));
            }
        }
    }

    /// Brings back all operators that were refused; false when there were none.
    pub(super) fn reconsider(&mut self) -> bool {
        let refused = std::mem::take(&mut self.refused);
        let any = !refused.is_empty();
        refused.into_iter().for_each(|place| self.unblock(place));
        any
    }

    fn unblock(&mut self, (y, version, index): Place) {
        let list = &mut self.lists[y as usize];
        if list.version == version {
            list.blocked[index as usize] = false;
            list.head = list.head.min(index as usize);
            self.settle(y);
        }
    }

    /// Moves the head of y to the first operator that is not blocked.
    fn settle(&mut self, y: Variable) {
        let list = &mut self.lists[y as usize];
        while list.blocked.get(list.head) == Some(&true) {
            list.head += 1;
        }
        self.heads[y as usize] = list.operators.get(list.head).map_or(f64::NEG_INFINITY, |best| best.gain);
    }
}
