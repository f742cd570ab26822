//! The operators of one kind, kept in order of their gains.

use rustc_hash::{FxHashMap, FxHashSet};

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

/// How to take back one change of a book.
#[derive(Debug)]
enum Undo {
    /// A list and its head were other.
    List(Variable, List, f64),
    /// A place was added for this pair.
    Added((Variable, Variable)),
    /// These places were taken out for this pair.
    Removed((Variable, Variable), Vec<Place>),
}

/// A priority queue of operators in one list for each variable y. The validity of an operator that depends on paths far
/// away is checked when it comes to the head: an invalid one is set aside with the path that blocks it, and comes
/// back when an edge of that path changes.
#[derive(Debug)]
pub(super) struct OperatorQueue {
    lists: Vec<List>,
    /// The gain of each list's head, so that the best is found in one short pass.
    heads: Vec<f64>,
    witnesses: FxHashMap<(Variable, Variable), Vec<Place>>,
    refused: Vec<Place>,
    /// Lists get a new number whenever they are replaced, never one that any list had.
    versions: u32,
    /// What to take back, the latest last, while a trial is under way.
    log: Option<Trial>,
}

/// What a trial has changed.
#[derive(Debug, Default)]
struct Trial {
    undo: Vec<Undo>,
    refused: Vec<Place>,
    /// Lists that are in the log.
    saved: FxHashSet<Variable>,
}

impl OperatorQueue {
    pub(super) fn new(p: usize) -> Self {
        Self {
            lists: (0..p).map(|_| List::default()).collect(),
            heads: vec![f64::NEG_INFINITY; p],
            witnesses: FxHashMap::default(),
            refused: Vec::new(),
            versions: 0,
            log: None,
        }
    }

    /// From here on changes can be taken back.
    pub(super) fn begin(&mut self) {
        self.log = Some(Trial { refused: self.refused.clone(), ..Trial::default() });
    }

    /// Keeps all changes.
    pub(super) fn keep(&mut self) {
        self.log = None;
    }

    /// Takes back all changes since [`OperatorQueue::begin`].
    pub(super) fn take_back(&mut self) {
        let Some(trial) = self.log.take() else { return };
        self.refused = trial.refused;
        for undo in trial.undo.into_iter().rev() {
            match undo {
                Undo::List(y, list, head) => {
                    self.lists[y as usize] = list;
                    self.heads[y as usize] = head;
                }
                Undo::Added(pair) => {
                    if let Some(places) = self.witnesses.get_mut(&pair) {
                        places.pop();
                    }
                }
                Undo::Removed(pair, places) => _ = self.witnesses.insert(pair, places),
            }
        }
    }

    /// Logs a list before it is changed.
    fn save(&mut self, y: Variable) {
        if let Some(trial) = &mut self.log
            && trial.saved.insert(y)
        {
            trial.undo.push(Undo::List(y, self.lists[y as usize].clone(), self.heads[y as usize]));
        }
    }

    /// Replaces the operators around y. Equal gains are ordered by x, then by clique.
    pub(super) fn replace(&mut self, y: Variable, mut operators: Vec<Operator>) {
        operators.sort_unstable_by(|a, b| {
            b.gain.total_cmp(&a.gain).then_with(|| a.x.cmp(&b.x)).then_with(|| a.clique.cmp(&b.clique))
        });
        self.save(y);
        self.versions = self.versions.wrapping_add(1);
        let list = &mut self.lists[y as usize];
        list.blocked.clear();
        list.blocked.resize(operators.len(), false);
        list.operators = operators;
        list.head = 0;
        list.version = self.versions;
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
        self.save(place.0);
        for &(a, b) in path {
            let pair = (a.min(b), a.max(b));
            self.witnesses.entry(pair).or_default().push(place);
            if let Some(trial) = &mut self.log {
                trial.undo.push(Undo::Added(pair));
            }
        }
        self.lists[place.0 as usize].blocked[place.2 as usize] = true;
        self.settle(place.0);
    }

    /// Sets an operator aside until [`OperatorQueue::reconsider`].
    pub(super) fn refuse(&mut self, place: Place) {
        self.refused.push(place);
        self.block(place, &[]);
    }

    /// Brings back the operators that one of these pairs blocked.
    pub(super) fn wake(&mut self, pairs: impl Iterator<Item = (Variable, Variable)>) {
        for (a, b) in pairs {
            let pair = (a.min(b), a.max(b));
            if let Some(places) = self.witnesses.remove(&pair) {
                places.iter().for_each(|&place| self.unblock(place));
                if let Some(trial) = &mut self.log {
                    trial.undo.push(Undo::Removed(pair, places));
                }
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
        if self.lists[y as usize].version == version {
            self.save(y);
            let list = &mut self.lists[y as usize];
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
