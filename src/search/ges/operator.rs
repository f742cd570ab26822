//! The operators that lead from one class to another, and when they are valid.

use crate::graph::Pdag;
use crate::{Variable, VariableSet};

/// What an operator does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// Connects x and y: x → y in some member of the class.
    Insert,
    /// Disconnects x and y.
    Delete,
    /// Turns y → x, in some member of the class, to x → y.
    Turn,
}

/// An operator on x and y. `clique` are the neighbours of y (undirected) that are its parents in the member on which
/// the operator is one arc's change. In the words of the sources: NA ∪ T of Insert(x, y, T) and NA \ H of
/// Delete(x, y, H) of Chickering (2002), where NA are the neighbours of y that are adjacent to x; C of the turning
/// operator of Hauser and Bühlmann (2012).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operator {
    pub(super) kind: Kind,
    pub(super) x: Variable,
    pub(super) y: Variable,
    pub(super) clique: VariableSet,
    /// The gain in score.
    pub(super) gain: f64,
}

/// Neighbours of y (undirected) that are adjacent to x, in increasing order.
pub(super) fn shared_neighbours(cpdag: &Pdag, x: Variable, y: Variable) -> VariableSet {
    cpdag.undirected(y).iter().copied().filter(|&w| w != x && cpdag.adjacent(w, x)).collect()
}

/// The most cliques that are looked at around one variable. A bound on work in dense graphs; small cliques come first.
pub(super) const MAX_CLIQUES: usize = 4096;

/// The cliques among `variables` (increasing), the empty one first, by size and then in lexicographic order.
pub(super) fn cliques(cpdag: &Pdag, variables: &[Variable]) -> Vec<VariableSet> {
    let mut found = vec![VariableSet::new()];
    let mut next = 0;
    while next < found.len() && found.len() < MAX_CLIQUES {
        let clique = found[next].clone();
        next += 1;
        let after = clique.last().map_or(0, |&last| variables.partition_point(|&v| v <= last));
        for &v in &variables[after..] {
            if clique.iter().all(|&w| cpdag.adjacent(w, v)) {
                let mut larger = clique.clone();
                larger.push(v);
                found.push(larger);
            }
        }
    }
    found.truncate(MAX_CLIQUES);
    found
}

/// Whether a turn of x − y to x → y with these neighbours of y as its parents leads to another class and is one arc's
/// change in some member: some of the clique is not adjacent to x, and among the neighbours of y the rest of the clique
/// separates x from these.
pub(super) fn undirected_turn_is_valid(cpdag: &Pdag, x: Variable, y: Variable, clique: &[Variable]) -> bool {
    let targets: VariableSet = clique.iter().copied().filter(|&c| !cpdag.adjacent(c, x)).collect();
    if targets.is_empty() {
        return false;
    }
    let around = cpdag.undirected(y);
    let mut seen: VariableSet = clique.iter().copied().filter(|c| !targets.contains(c)).collect();
    seen.push(x);
    let mut stack = vec![x];
    while let Some(v) = stack.pop() {
        for &w in cpdag.undirected(v) {
            if around.binary_search(&w).is_ok() && !seen.contains(&w) {
                if targets.contains(&w) {
                    return false;
                }
                seen.push(w);
                stack.push(w);
            }
        }
    }
    true
}

/// Finds semi-directed paths, reusing its memory.
#[derive(Debug)]
pub(super) struct PathFinder {
    /// Where each variable was reached from, and in which query.
    reached: Vec<(Variable, u32)>,
    query: u32,
    queue: Vec<Variable>,
}

impl PathFinder {
    pub(super) fn new(p: usize) -> Self {
        Self { reached: vec![(0, 0); p], query: 0, queue: Vec::new() }
    }

    /// A path that makes an operator invalid, as the pairs of variables along it; `None` when it is valid. An insertion
    /// is blocked by a path from y to x without an arrow against it that avoids the clique; the turn of an arc y → x by
    /// such a path beside that arc that avoids the clique and the neighbours of x. Other operators have no such
    /// condition.
    pub(super) fn blocking_path(&mut self, cpdag: &Pdag, operator: &Operator) -> Option<Vec<(Variable, Variable)>> {
        let (x, y) = (operator.x, operator.y);
        let turn = operator.kind == Kind::Turn;
        if operator.kind == Kind::Delete || (turn && cpdag.has_undirected(x, y)) {
            return None;
        }
        if self.query == u32::MAX {
            self.reached.fill((0, 0));
            self.query = 0;
        }
        self.query += 1;
        let query = self.query;
        for &c in &operator.clique {
            self.reached[c as usize].1 = query;
        }
        if turn {
            for &c in cpdag.undirected(x) {
                self.reached[c as usize].1 = query;
            }
        }
        self.queue.clear();
        self.queue.push(y);
        self.reached[y as usize].1 = query;
        let mut next = 0;
        while next < self.queue.len() {
            let v = self.queue[next];
            next += 1;
            for &w in cpdag.children(v).iter().chain(cpdag.undirected(v)) {
                if self.reached[w as usize].1 == query || (turn && v == y && w == x) {
                    continue;
                }
                self.reached[w as usize] = (v, query);
                if w == x {
                    let mut path = vec![(v, x)];
                    while path[path.len() - 1].0 != y {
                        let at = path[path.len() - 1].0;
                        path.push((self.reached[at as usize].0, at));
                    }
                    return Some(path);
                }
                self.queue.push(w);
            }
        }
        None
    }
}
