//! An equivalence class of DAGs that a search moves from operator to operator, changed only where it changes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::operator::{Kind, Operator};
use crate::Variable;
use crate::graph::{Dag, EdgeMark, Pdag};

/// A class as its CPDAG and one of its members.
///
/// To apply an operator, only the chain component of its target is turned so that the member has exactly the parents
/// that the operator scores; then one arc of the member changes, and the labels *compelled* and *reversible* are found
/// anew for the arcs into that target and, as long as labels change, into its descendants (the rules of Chickering
/// 1995, "Label-Edges", applied to what depends on the change).
#[derive(Debug, Clone)]
pub(super) struct EquivalenceClass {
    /// Of the member, in increasing order.
    parents: Vec<Vec<Variable>>,
    children: Vec<Vec<Variable>>,
    cpdag: Pdag,
    scratch: Scratch,
    /// Variables around which anything changed since this was last emptied; some of them more than once.
    changed: Vec<Variable>,
}

/// Memory that is kept between operators; all zero in between.
#[derive(Debug, Clone)]
struct Scratch {
    /// Neighbours of each variable that are placed already.
    weights: Vec<u32>,
    /// Place of each variable in the new order of its component, from 1.
    places: Vec<u32>,
    dirty: Vec<bool>,
    seen: Vec<bool>,
}

/// What an operator changed.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Pairs whose tie changed, each once, with the tie before.
    pub(super) pairs: Vec<(Variable, Variable, EdgeMark)>,
    /// Variables in these pairs, in increasing order.
    pub(super) touched: Vec<Variable>,
}

fn insert(list: &mut Vec<Variable>, x: Variable) {
    if let Err(at) = list.binary_search(&x) {
        list.insert(at, x);
    }
}

fn remove(list: &mut Vec<Variable>, x: Variable) {
    if let Ok(at) = list.binary_search(&x) {
        list.remove(at);
    }
}

fn contains(list: &[Variable], x: Variable) -> bool {
    list.binary_search(&x).is_ok()
}

impl Scratch {
    /// Gives v the next place, and its neighbours more weight.
    fn place(
        &mut self,
        v: Variable,
        cpdag: &Pdag,
        order: &mut Vec<Variable>,
        reached: &mut BinaryHeap<(u32, Reverse<Variable>)>,
    ) {
        order.push(v);
        self.places[v as usize] = order.len() as u32;
        for &w in cpdag.undirected(v) {
            if self.places[w as usize] == 0 {
                self.weights[w as usize] += 1;
                reached.push((self.weights[w as usize], Reverse(w)));
            }
        }
    }
}

impl EquivalenceClass {
    /// The class of a DAG.
    pub(super) fn of(dag: &Dag) -> Self {
        let p = dag.n_variables();
        let all = 0..p as Variable;
        let mut class = Self {
            parents: all.clone().map(|x| dag.parents(x).to_vec()).collect(),
            children: all.clone().map(|x| dag.children(x).to_vec()).collect(),
            cpdag: Pdag::empty(p),
            scratch: Scratch { weights: vec![0; p], places: vec![0; p], dirty: vec![false; p], seen: vec![false; p] },
            changed: Vec::new(),
        };
        class.relabel(&all.collect::<Vec<_>>(), &mut Change::default());
        class.changed.clear();
        class
    }

    /// Makes `other` what this class is. The two were alike when the changes of this class were last passed on or taken
    /// back, so that only what is around these is copied.
    pub(super) fn pass_on(&mut self, other: &mut Self) {
        for v in std::mem::take(&mut self.changed) {
            other.copy_around(v, self);
        }
    }

    /// Makes this class what `saved` is, in the same way.
    pub(super) fn take_back(&mut self, saved: &Self) {
        for v in std::mem::take(&mut self.changed) {
            self.copy_around(v, saved);
        }
    }

    fn copy_around(&mut self, v: Variable, from: &Self) {
        let i = v as usize;
        self.parents[i].clone_from(&from.parents[i]);
        self.children[i].clone_from(&from.children[i]);
        self.cpdag.copy_around(v, &from.cpdag);
    }

    /// The CPDAG.
    pub(super) fn cpdag(&self) -> &Pdag {
        &self.cpdag
    }

    /// The member at hand.
    pub(super) fn member(&self) -> Dag {
        let arcs = self.parents.iter().enumerate().flat_map(|(y, list)| list.iter().map(move |&x| (x, y as Variable)));
        Dag::from_arcs(self.parents.len(), arcs).expect("the member of a class has no cycle")
    }

    /// Applies a valid operator.
    pub(super) fn apply(&mut self, operator: &Operator) -> Change {
        let (x, y, clique) = (operator.x, operator.y, &operator.clique[..]);
        let mut change = Change::default();
        let prefix: Vec<Variable> = match operator.kind {
            Kind::Insert => [clique, &[y]].concat(),
            Kind::Delete if self.cpdag.has_undirected(x, y) => [clique, &[x, y]].concat(),
            Kind::Delete => [clique, &[y]].concat(),
            Kind::Turn if self.cpdag.has_undirected(x, y) => [clique, &[y, x]].concat(),
            Kind::Turn => {
                self.turn_component(&[x]);
                [clique, &[y]].concat()
            }
        };
        if operator.kind == Kind::Turn || !self.begins_with(&prefix) {
            self.turn_component(&prefix);
        }
        let (xi, yi) = (x as usize, y as usize);
        // The old label must not be read while the new one is found.
        change.pairs.push((x, y, self.cpdag.tie(x, y)));
        self.changed.extend([x, y]);
        self.cpdag.set(x, y, EdgeMark::None);
        match operator.kind {
            Kind::Insert => {
                insert(&mut self.parents[yi], x);
                insert(&mut self.children[xi], y);
                self.relabel(&[y], &mut change);
            }
            Kind::Delete => {
                remove(&mut self.parents[yi], x);
                remove(&mut self.children[xi], y);
                self.relabel(&[y], &mut change);
            }
            Kind::Turn => {
                remove(&mut self.parents[xi], y);
                remove(&mut self.children[yi], x);
                insert(&mut self.parents[yi], x);
                insert(&mut self.children[xi], y);
                self.relabel(&[x, y], &mut change);
            }
        }
        change.touched = change.pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        change.touched.sort_unstable();
        change.touched.dedup();
        change
    }

    /// Whether the parents of the last variable of `prefix` within its chain component are just those before it.
    fn begins_with(&self, prefix: &[Variable]) -> bool {
        let (&last, before) = prefix.split_last().expect("a target");
        let parents = &self.parents[last as usize];
        parents.len() == self.cpdag.parents(last).len() + before.len() && before.iter().all(|&c| contains(parents, c))
    }

    /// Turns the chain component of the variables of `prefix` so that these come first in it, in their order, by
    /// maximum cardinality search: no v-structure arises, and the class stays.
    fn turn_component(&mut self, prefix: &[Variable]) {
        let cpdag = &self.cpdag;
        let mut order: Vec<Variable> = Vec::with_capacity(prefix.len());
        let mut reached: BinaryHeap<(u32, Reverse<Variable>)> = BinaryHeap::new();
        for &v in prefix {
            self.scratch.place(v, cpdag, &mut order, &mut reached);
        }
        while let Some((weight, Reverse(v))) = reached.pop() {
            // Entries of a variable that has been placed, or has more weight by now, are stale.
            if self.scratch.places[v as usize] == 0 && self.scratch.weights[v as usize] == weight {
                self.scratch.place(v, cpdag, &mut order, &mut reached);
            }
        }
        let places = &self.scratch.places;
        for &v in &order {
            let vi = v as usize;
            let merge = |list: &mut Vec<Variable>, directed: &[Variable], earlier: bool| {
                list.clear();
                list.extend_from_slice(directed);
                let around = cpdag.undirected(v).iter();
                list.extend(around.filter(|&&w| (places[w as usize] < places[vi]) == earlier));
                list.sort_unstable();
            };
            merge(&mut self.parents[vi], cpdag.parents(v), true);
            merge(&mut self.children[vi], cpdag.children(v), false);
        }
        for &v in &order {
            self.scratch.places[v as usize] = 0;
            self.scratch.weights[v as usize] = 0;
        }
        self.changed.extend(order);
    }

    /// Finds the labels of the arcs into `seeds` anew, and of all arcs that depend on them.
    fn relabel(&mut self, seeds: &[Variable], change: &mut Change) {
        for &seed in seeds {
            self.scratch.dirty[seed as usize] = true;
        }
        for y in self.descendants(seeds) {
            if !std::mem::replace(&mut self.scratch.dirty[y as usize], false) {
                continue;
            }
            let mut changed = seeds.contains(&y);
            let compelled = self.compelled_parents(y);
            for i in 0..self.parents[y as usize].len() {
                let w = self.parents[y as usize][i];
                let tie = if contains(&compelled, w) { EdgeMark::Forward } else { EdgeMark::Undirected };
                let before = self.cpdag.tie(w, y);
                if before != tie {
                    self.cpdag.set(w, y, tie);
                    self.changed.extend([w, y]);
                    // The pair of the operator itself is listed already.
                    if before != EdgeMark::None {
                        change.pairs.push((w, y, before));
                    }
                    changed = true;
                }
            }
            if changed {
                for &child in &self.children[y as usize] {
                    self.scratch.dirty[child as usize] = true;
                }
            }
        }
    }

    /// The parents of y in the member whose arcs into y are compelled, given the labels of the arcs into its parents.
    fn compelled_parents(&self, y: Variable) -> Vec<Variable> {
        let parents = &self.parents[y as usize];
        // An arc into y can be reversible only where some parent has all others as parents.
        let last = parents.iter().copied().find(|&x| {
            let of_x = &self.parents[x as usize];
            of_x.len() + 1 >= parents.len() && parents.iter().all(|&z| z == x || contains(of_x, z))
        });
        match last {
            Some(x) if self.cpdag.parents(x).iter().all(|&w| contains(parents, w)) => self.cpdag.parents(x).to_vec(),
            _ => parents.clone(),
        }
    }

    /// The descendants of `seeds` in the member, these included, in an order in which parents precede children.
    fn descendants(&mut self, seeds: &[Variable]) -> Vec<Variable> {
        let seen = &mut self.scratch.seen;
        let mut order = Vec::new();
        let mut stack: Vec<(Variable, usize)> = Vec::new();
        for &seed in seeds {
            if std::mem::replace(&mut seen[seed as usize], true) {
                continue;
            }
            stack.push((seed, 0));
            while let Some((v, next)) = stack.last_mut() {
                if let Some(&child) = self.children[*v as usize].get(*next) {
                    *next += 1;
                    if !std::mem::replace(&mut seen[child as usize], true) {
                        stack.push((child, 0));
                    }
                } else {
                    order.push(*v);
                    stack.pop();
                }
            }
        }
        for &v in &order {
            seen[v as usize] = false;
        }
        order.reverse();
        order
    }
}
