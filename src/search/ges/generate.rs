//! All operators around one variable that improve the score.

use super::operator::{Kind, Operator, cliques, shared_neighbours, undirected_turn_is_valid};
use super::scores::{Need, Scores, tolerance};
use super::{GesOptions, Restriction};
use crate::graph::Pdag;
use crate::knowledge::Scope;
use crate::score::LocalScore;
use crate::search::candidates::screened;
use crate::{SortedSet, Variable, VariableSet};

/// The operators that a search may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space<'a> {
    restriction: Restriction<'a>,
    scope: Scope<'a>,
    /// Whether not all pairs are open.
    informed: bool,
    max_parents: usize,
    /// The pair that must stay as it is, with the lower index first.
    held: Option<(Variable, Variable)>,
}

impl<'a> Space<'a> {
    pub(super) fn new(options: &GesOptions<'a>, scope: Scope<'a>) -> Self {
        Self {
            restriction: options.restriction,
            scope,
            informed: !scope.is_all(),
            max_parents: options.max_parents.unwrap_or(usize::MAX),
            held: None,
        }
    }

    /// Leaves out the operators of a pair, in place of those of the pair held before.
    pub(super) fn hold(&mut self, pair: Option<(Variable, Variable)>) {
        self.held = pair.map(|(x, y)| (x.min(y), x.max(y)));
    }

    fn holds(&self, x: Variable, y: Variable) -> bool {
        self.held.is_some_and(|pair| pair == (x.min(y), x.max(y)))
    }

    pub(super) fn restriction(&self) -> Restriction<'a> {
        self.restriction
    }

    fn allows(&self, x: Variable, y: Variable) -> bool {
        !self.informed || self.scope.allows_edge(x, y)
    }

    /// The variables that y may be connected with, in increasing order; `None` for all that knowledge allows.
    fn partners(&self, cpdag: &Pdag, y: Variable) -> Option<Vec<Variable>> {
        let (graph, triples, any) = match self.restriction {
            Restriction::Unrestricted | Restriction::Screened(_) => return None,
            Restriction::Pairs(graph) => (graph, false, false),
            Restriction::Skeleton(graph) => (graph, true, true),
            Restriction::Cig(graph) => (graph, true, false),
        };
        let mut partners = graph.neighbours(y).to_vec();
        if triples {
            // x − z − y of any kind, or x → z ← y.
            if any {
                partners.extend(cpdag.adjacents(y).into_iter().flat_map(|z| cpdag.adjacents(z)));
            } else {
                partners.extend(cpdag.children(y).iter().flat_map(|&z| cpdag.parents(z)));
            }
        }
        partners.retain(|&x| x != y && !cpdag.adjacent(x, y) && self.allows(x, y));
        partners.sort_unstable();
        partners.dedup();
        Some(partners)
    }

    /// Calls `visit` with each clique that an insertion into y may have, the parents that go with it, and the partners.
    fn for_each_insertion_base(
        &self,
        cpdag: &Pdag,
        y: Variable,
        mut visit: impl FnMut(&VariableSet, VariableSet, Option<&[Variable]>),
    ) {
        let partners = self.partners(cpdag, y);
        if partners.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        for clique in cliques(cpdag, cpdag.undirected(y)) {
            if cpdag.parents(y).len() + clique.len() < self.max_parents {
                visit(&clique, cpdag.parents(y).union(&clique), partners.as_deref());
            }
        }
    }

    /// The rows of gains that [`Space::insertions`] of y will read.
    pub(super) fn insertion_needs(&self, cpdag: &Pdag, y: Variable, needs: &mut Vec<Need>) {
        let p = cpdag.n_variables() as Variable;
        self.for_each_insertion_base(cpdag, y, |_, base, partners| {
            let candidates = match (partners, self.restriction) {
                (Some(partners), _) => partners.to_vec(),
                (None, Restriction::Screened(graph)) => {
                    let mut near = screened(graph, y, &base);
                    near.retain(|&x| base.binary_search(&x).is_err() && self.allows(x, y));
                    near
                }
                (None, _) => {
                    (0..p).filter(|&x| x != y && base.binary_search(&x).is_err() && self.allows(x, y)).collect()
                }
            };
            needs.push(Need { child: y, base, candidates, whole: partners.is_none() });
        });
    }

    /// Insert(x, y, ·) for every x.
    pub(super) fn insertions<S: LocalScore>(
        &self,
        cpdag: &Pdag,
        y: Variable,
        scores: &mut Scores<'_, S>,
        marks: &mut Marks,
    ) -> Vec<Operator> {
        let mut found = Vec::new();
        self.for_each_insertion_base(cpdag, y, |clique, base, partners| {
            marks.exclude(cpdag, y, clique);
            let least = tolerance(0.0);
            for &(x, gain) in scores.row(y, &base) {
                if gain > least
                    && !self.holds(x, y)
                    && !marks.has(x)
                    && partners.is_none_or(|list| list.binary_search(&x).is_ok())
                {
                    found.push(Operator { kind: Kind::Insert, x, y, clique: clique.clone(), gain });
                }
            }
        });
        found
    }

    /// Insert(x, y, ·) for every x two steps away, whether or not it improves the score.
    pub(super) fn near_insertions(
        &self,
        cpdag: &Pdag,
        y: Variable,
        marks: &mut Marks,
        score: &mut impl FnMut(Variable, &[Variable]) -> f64,
    ) -> Vec<Operator> {
        let mut near: Vec<Variable> = cpdag.adjacents(y).into_iter().flat_map(|z| cpdag.adjacents(z)).collect();
        near.retain(|&x| x != y && !cpdag.adjacent(x, y) && self.allows(x, y));
        near.sort_unstable();
        near.dedup();
        let mut found = Vec::new();
        self.for_each_insertion_base(cpdag, y, |clique, base, partners| {
            marks.exclude(cpdag, y, clique);
            for &x in &near {
                if !marks.has(x) && partners.is_none_or(|list| list.binary_search(&x).is_ok()) {
                    let gain = score(y, &base.with(x)) - score(y, &base);
                    found.push(Operator { kind: Kind::Insert, x, y, clique: clique.clone(), gain });
                }
            }
        });
        found
    }

    /// Delete(x, y, ·) for every x; for x − y only where x < y, since Delete(y, x, ·) does the same. With `costly` also
    /// those that do not improve the score.
    pub(super) fn deletions(
        &self,
        cpdag: &Pdag,
        y: Variable,
        costly: bool,
        score: &mut impl FnMut(Variable, &[Variable]) -> f64,
    ) -> Vec<Operator> {
        let mut found = Vec::new();
        let below = cpdag.undirected(y).iter().filter(|&&x| x < y);
        for &x in cpdag.parents(y).iter().chain(below) {
            if (self.informed && self.scope.requires_edge(x, y)) || self.holds(x, y) {
                continue;
            }
            let parents = cpdag.parents(y).without(x);
            for clique in cliques(cpdag, &shared_neighbours(cpdag, x, y)) {
                let rest = parents.union(&clique);
                let before = score(y, &rest.with(x));
                let gain = score(y, &rest) - before;
                // Of equal scores the class with fewer edges is better.
                if costly || gain >= -tolerance(before) {
                    found.push(Operator { kind: Kind::Delete, x, y, clique, gain });
                }
            }
        }
        found
    }

    /// Turn(x, y, ·), which makes y → x or x − y to x → y, for every x. With `costly` also those that do not improve the
    /// score.
    pub(super) fn turns(
        &self,
        cpdag: &Pdag,
        y: Variable,
        costly: bool,
        score: &mut impl FnMut(Variable, &[Variable]) -> f64,
    ) -> Vec<Operator> {
        let mut found = Vec::new();
        let around = cpdag.undirected(y);
        if cpdag.children(y).is_empty() && around.len() < 2 {
            return found;
        }
        let all_cliques = cliques(cpdag, around);
        for &x in cpdag.children(y).iter().chain(around) {
            if self.holds(x, y) {
                continue;
            }
            let undirected = cpdag.has_undirected(x, y);
            let shared = shared_neighbours(cpdag, x, y);
            for clique in &all_cliques {
                let fits = cpdag.parents(y).len() + clique.len() < self.max_parents
                    && if undirected {
                        !clique.contains(&x) && undirected_turn_is_valid(cpdag, x, y, clique)
                    } else {
                        shared.iter().all(|w| clique.contains(w))
                    };
                if !fits {
                    continue;
                }
                let base = cpdag.parents(y).union(clique);
                let of_x = if undirected {
                    let common: VariableSet = clique.iter().copied().filter(|w| shared.contains(w)).collect();
                    cpdag.parents(x).union(&common)
                } else {
                    cpdag.parents(x).without(y)
                };
                let before = score(y, &base) + score(x, &of_x.with(y));
                let gain = score(y, &base.with(x)) + score(x, &of_x) - before;
                if costly || gain > tolerance(before) {
                    found.push(Operator { kind: Kind::Turn, x, y, clique: clique.clone(), gain });
                }
            }
        }
        found
    }
}

/// A set of variables that is emptied in no time.
#[derive(Debug)]
pub(super) struct Marks {
    marks: Vec<u32>,
    current: u32,
}

impl Marks {
    pub(super) fn new(p: usize) -> Self {
        Self { marks: vec![0; p], current: 0 }
    }

    fn clear(&mut self) {
        if self.current == u32::MAX {
            self.marks.fill(0);
            self.current = 0;
        }
        self.current += 1;
    }

    /// Marks those that cannot be connected with y given this clique: x must not be adjacent to y, nor to a neighbour of y
    /// outside the clique.
    fn exclude(&mut self, cpdag: &Pdag, y: Variable, clique: &[Variable]) {
        self.clear();
        let outside = cpdag.undirected(y).iter().filter(|w| !clique.contains(w));
        for &v in outside.chain([&y]) {
            self.set(v);
            for list in [cpdag.parents(v), cpdag.children(v), cpdag.undirected(v)] {
                list.iter().for_each(|&w| self.set(w));
            }
        }
    }

    fn set(&mut self, x: Variable) {
        self.marks[x as usize] = self.current;
    }

    fn has(&self, x: Variable) -> bool {
        self.marks[x as usize] == self.current
    }
}
