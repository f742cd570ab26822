//! Moving variables within an order.

use std::sync::{Mutex, PoisonError};

use super::super::sessions::SessionPool;
use super::tree::{GrowShrinkTree, Rules, Trace};
use super::unlocked;
use crate::graph::Dag;
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::score::LocalScore;
use crate::{Result, Variable, VariableSet};

/// An order of the variables, and the parents that each has in it.
pub(super) struct OrderSearch<'a, 's, S: LocalScore> {
    pool: SessionPool<'s, S>,
    rules: Rules<'a>,
    run: &'a Run,
    order: Vec<Variable>,
    position: Vec<usize>,
    /// A tree is used by one thread at a time; its lock is never contended.
    trees: Vec<Mutex<GrowShrinkTree>>,
    current: Vec<Trace>,
    relevance: Relevance,
    /// For each variable: those that must be adjacent to it.
    forced: Vec<VariableSet>,
    /// For each variable: those that must come before it, and after it.
    before: Vec<VariableSet>,
    after: Vec<VariableSet>,
    moves: usize,
    growing: bool,
    best: Option<(Dag, f64)>,
}

/// For each child the set of variables whose coming or going before it can change its parents, as bits.
struct Relevance {
    words: usize,
    bits: Vec<u64>,
}

impl Relevance {
    fn set(&mut self, child: Variable, trace: &Trace, forced: &[Variable]) {
        let row = &mut self.bits[child as usize * self.words..][..self.words];
        row.fill(0);
        for &x in trace.grown.iter().chain(&trace.blocked).chain(forced) {
            row[x as usize / 64] |= 1 << (x % 64);
        }
    }

    fn contains(&self, child: Variable, x: Variable) -> bool {
        self.bits[child as usize * self.words + x as usize / 64] >> (x % 64) & 1 == 1
    }
}

/// A place for a variable among the others: how many come before it.
type Place = usize;

impl<'a, 's, S: LocalScore> OrderSearch<'a, 's, S> {
    /// The topological order of `start`, in which parents are not yet known. Grows by what is worth it, or by all.
    pub(super) fn new(
        score: &'s S,
        start: &Dag,
        rules: Rules<'a>,
        growing: bool,
        knowledge: &Knowledge,
        run: &'a Run,
    ) -> Self {
        let p = start.n_variables();
        let order = start.topological_order();
        let mut position = vec![0; p];
        order.iter().enumerate().for_each(|(i, &x)| position[x as usize] = i);
        let none = vec![VariableSet::new(); p];
        let (mut forced, mut before, mut after) = (none.clone(), none.clone(), none);
        for (x, y) in knowledge.required_pairs() {
            forced[x as usize].push(y);
            forced[y as usize].push(x);
            match (knowledge.allows_arc(x, y), knowledge.allows_arc(y, x)) {
                (true, false) => {
                    before[y as usize].push(x);
                    after[x as usize].push(y);
                }
                (false, true) => {
                    before[x as usize].push(y);
                    after[y as usize].push(x);
                }
                _ => {}
            }
        }
        forced.iter_mut().for_each(|list| list.sort_unstable());
        let trees = (0..p as Variable).map(|x| Mutex::new(GrowShrinkTree::new(x, growing))).collect();
        let empty = Trace {
            score: 0.0,
            grown: VariableSet::new(),
            parents: VariableSet::new(),
            blocked: Vec::new(),
            overfull: false,
        };
        let words = p.div_ceil(64);
        Self {
            pool: SessionPool::new(score),
            rules,
            run,
            order,
            position,
            trees,
            current: vec![empty; p],
            relevance: Relevance { words, bits: vec![0; words * p] },
            forced,
            before,
            after,
            moves: 0,
            growing,
            best: None,
        }
    }

    /// Local scores computed so far.
    pub(super) fn calls(&mut self) -> u64 {
        self.trees.iter_mut().map(|tree| unlocked(tree).calls()).sum()
    }

    /// Variables moved so far.
    pub(super) fn moves(&self) -> usize {
        self.moves
    }

    /// The best DAG found and its score.
    pub(super) fn into_best(self) -> Result<(Dag, f64)> {
        let now = (self.current_graph()?, self.total());
        Ok(self.best.filter(|(_, score)| *score >= now.1).unwrap_or(now))
    }

    fn current_graph(&self) -> Result<Dag> {
        let parents = self.current.iter().enumerate();
        let arcs = parents.flat_map(|(child, trace)| trace.parents.iter().map(move |&x| (x, child as Variable)));
        Dag::from_arcs(self.order.len(), arcs)
    }

    /// Moves variables until no move gains. Returns whether it came to that end.
    pub(super) fn improve(&mut self, start: &Dag) -> Result<bool> {
        if !self.growing {
            self.trace_all()?;
            return self.sweep_until_stable();
        }
        // What gains alone, and what gains beside the parents of the start.
        self.widen(|_| Vec::new())?;
        self.widen(|x| start.parents(x).to_vec())?;
        // With more to choose from, greedy growing may go wrong where it did not before, so the last round need not be the
        // best one. It ends when a round brings nothing.
        loop {
            self.trace_all()?;
            let stable = self.sweep_until_stable()?;
            let better = self.best.as_ref().is_none_or(|(_, best)| self.total() > best + self.rules.tolerance);
            if better {
                self.best = Some((self.current_graph()?, self.total()));
            }
            let parents: Vec<VariableSet> = self.current.iter().map(|trace| trace.parents.clone()).collect();
            if !stable || !better || !self.widen(|x| parents[x as usize].to_vec())? {
                return Ok(stable);
            }
        }
    }

    fn total(&self) -> f64 {
        self.current.iter().map(|trace| trace.score).sum()
    }

    /// Lets every tree grow by all variables that gain beside the given parents, too. Returns whether any does.
    fn widen(&mut self, parents: impl Fn(Variable) -> Vec<Variable> + Sync) -> Result<bool> {
        let (pool, trees, rules) = (&self.pool, &self.trees, &self.rules);
        let wider = self.run.map(
            trees.len(),
            || pool.take(),
            |session, x| {
                let mut tree = trees[x].lock().unwrap_or_else(PoisonError::into_inner);
                tree.widen(&mut **session, rules, &parents(x as Variable))
            },
        )?;
        Ok(wider.contains(&true))
    }

    /// Finds the parents of every variable in the order as it stands.
    fn trace_all(&mut self) -> Result<()> {
        let (pool, trees, position) = (&self.pool, &self.trees, &self.position);
        let traces = self.run.map(
            trees.len(),
            || pool.take(),
            |session, x| {
                let precedes = |y: Variable| position[y as usize] < position[x];
                self.trace(&mut **session, x as Variable, precedes)
            },
        )?;
        self.current = traces;
        for x in 0..self.current.len() {
            self.relevance.set(x as Variable, &self.current[x], &self.forced[x]);
        }
        Ok(())
    }

    fn trace(&self, session: &mut S::Session<'s>, child: Variable, precedes: impl Fn(Variable) -> bool) -> Trace {
        let forced: VariableSet = self.forced[child as usize].iter().copied().filter(|&x| precedes(x)).collect();
        let mut tree = self.trees[child as usize].lock().unwrap_or_else(PoisonError::into_inner);
        tree.trace(session, &self.rules, &forced, precedes)
    }

    fn sweep_until_stable(&mut self) -> Result<bool> {
        let mut unmoved = 0;
        loop {
            for x in self.order.clone() {
                self.run.check()?;
                if self.run.out_of_time() {
                    return Ok(false);
                }
                if self.place_best(x)? {
                    self.moves += 1;
                    self.run.progress().advance(1);
                    unmoved = 0;
                } else {
                    unmoved += 1;
                }
                if unmoved >= self.order.len() {
                    return Ok(true);
                }
            }
            if self.order.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Moves `x` to its best place. Returns whether it is another one.
    fn place_best(&mut self, x: Variable) -> Result<bool> {
        let own_place = self.position[x as usize];
        // Places of the others when x is taken out.
        let place = |y: Variable| {
            let at = self.position[y as usize];
            if at > own_place { at - 1 } else { at }
        };
        let lowest = self.before[x as usize].iter().map(|&y| place(y) + 1).max().unwrap_or(0);
        let highest = self.after[x as usize].iter().map(|&y| place(y)).min().unwrap_or(self.order.len() - 1);
        // The children to which it matters whether x comes before them, in their order.
        let mut concerned: Vec<Variable> = (0..self.order.len() as Variable)
            .filter(|&child| child != x && self.relevance.contains(child, x))
            .collect();
        concerned.sort_unstable_by_key(|&child| place(child));

        let pool = &self.pool;
        let traced = self.run.map(
            concerned.len() + 1,
            || pool.take(),
            |session, i| match i.checked_sub(1) {
                None => self.along(&mut **session, x, lowest, highest, place),
                Some(i) => {
                    let child = concerned[i];
                    let is_before = own_place < self.position[child as usize];
                    let precedes = |y: Variable| if y == x { !is_before } else { place(y) < place(child) };
                    vec![(0, self.trace(&mut **session, child, precedes))]
                }
            },
        )?;
        if self.run.out_of_time() {
            // Traces may have been cut short.
            return Ok(false);
        }
        let mut traced = traced.into_iter();
        let along = traced.next().unwrap_or_default();
        let others: Vec<Trace> = traced.flatten().map(|(_, trace)| trace).collect();

        // What x before a child gains for that child.
        let gains: Vec<f64> = concerned
            .iter()
            .zip(&others)
            .map(|(&child, other)| {
                let now = self.current[child as usize].score;
                if own_place < self.position[child as usize] { now - other.score } else { other.score - now }
            })
            .collect();
        let at_place = |at: Place| {
            let own = &along[along.partition_point(|(from, _)| *from <= at) - 1].1;
            let first = concerned.partition_point(|&child| place(child) < at);
            own.score + gains[first..].iter().sum::<f64>()
        };
        // Whether some variable would have more required parents than may be.
        let overfull_at = |at: Place| {
            let own = &along[along.partition_point(|(from, _)| *from <= at) - 1].1;
            let child_is = |(&child, other): (&Variable, &Trace)| {
                let is_before = own_place < self.position[child as usize];
                if is_before == (at <= place(child)) { self.current[child as usize].overfull } else { other.overfull }
            };
            own.overfull || concerned.iter().zip(&others).any(child_is)
        };
        let here = at_place(own_place);
        let mut places: Vec<Place> = along.iter().map(|(from, _)| *from).collect();
        places.extend(concerned.iter().map(|&child| place(child) + 1).filter(|&at| at > lowest && at <= highest));
        places.sort_unstable();
        places.dedup();
        places.retain(|&at| at == own_place || !overfull_at(at));
        let scores: Vec<f64> = places.iter().map(|&at| at_place(at)).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if best.is_nan() || best <= here + self.rules.tolerance {
            return Ok(false);
        }
        let chosen = scores.iter().position(|&score| score >= best - self.rules.tolerance).unwrap_or(0);
        let target = places[chosen];

        // Children that x now precedes, or no longer does.
        let changed: Vec<(Variable, Trace)> = concerned
            .iter()
            .zip(others)
            .filter(|(child, _)| (own_place < self.position[**child as usize]) != (target <= place(**child)))
            .map(|(&child, other)| (child, other))
            .collect();
        let own = along[along.partition_point(|(from, _)| *from <= target) - 1].1.clone();
        for (child, trace) in changed.into_iter().chain([(x, own)]) {
            self.relevance.set(child, &trace, &self.forced[child as usize]);
            self.current[child as usize] = trace;
        }
        self.order.remove(own_place);
        self.order.insert(target, x);
        for at in own_place.min(target)..=own_place.max(target) {
            self.position[self.order[at] as usize] = at;
        }
        Ok(true)
    }

    /// The parents of `x` at each place from `lowest` to `highest`, as (first place, trace) of each stretch of places.
    fn along(
        &self,
        session: &mut S::Session<'s>,
        x: Variable,
        lowest: Place,
        highest: Place,
        place: impl Fn(Variable) -> Place,
    ) -> Vec<(Place, Trace)> {
        let mut found = Vec::new();
        let mut from = lowest;
        loop {
            let trace = self.trace(session, x, |y| y != x && place(y) < from);
            let next = trace
                .blocked
                .iter()
                .chain(&self.forced[x as usize])
                .map(|&y| place(y) + 1)
                .filter(|&at| at > from && at <= highest)
                .min();
            found.push((from, trace));
            match next {
                Some(at) if !self.run.out_of_time() => from = at,
                _ => return found,
            }
        }
    }
}
