//! Which variables can change which others' parents by where they stand in the order.

use super::tree::Trace;
use crate::{Variable, VariableSet};

/// For each child the variables whose coming or going before it can change its parents, and the other way round.
pub(super) struct Relevance {
    of: Vec<VariableSet>,
    children: Vec<VariableSet>,
}

impl Relevance {
    /// That of variables of whose parents nothing is known yet.
    pub(super) fn none(n_variables: usize) -> Self {
        let none = vec![VariableSet::new(); n_variables];
        Self { of: none.clone(), children: none }
    }

    pub(super) fn set(&mut self, child: Variable, trace: &Trace, forced: &[Variable]) {
        let mut now: VariableSet = trace.grown.iter().chain(&trace.blocked).chain(forced).copied().collect();
        now.sort_unstable();
        now.dedup();
        let before = std::mem::replace(&mut self.of[child as usize], now);
        let now = &self.of[child as usize];
        for x in before.iter().filter(|x| now.binary_search(x).is_err()) {
            let children = &mut self.children[*x as usize];
            if let Ok(at) = children.binary_search(&child) {
                children.remove(at);
            }
        }
        for x in now.iter().filter(|x| before.binary_search(x).is_err()) {
            let children = &mut self.children[*x as usize];
            if let Err(at) = children.binary_search(&child) {
                children.insert(at, child);
            }
        }
    }

    /// The variables that can change the parents of a child, in increasing order.
    pub(super) fn of(&self, child: Variable) -> impl Iterator<Item = Variable> + '_ {
        self.of[child as usize].iter().copied()
    }

    /// The children whose parents `x` can change, in increasing order.
    pub(super) fn children(&self, x: Variable) -> impl Iterator<Item = Variable> + '_ {
        self.children[x as usize].iter().copied()
    }
}
