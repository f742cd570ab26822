//! The second step of HGI: the decomposed, greedy `pdag-to-dag`, assisted by Meek's rules.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Gain, Hgi, NEVER, gain};
use crate::graph::EdgeMark;
use crate::orient::extension::is_potential_sink;
use crate::orient::meek::is_compelled;
use crate::score::LocalScore;
use crate::{Result, Variable};

/// An arc (from, to).
type Arc = (Variable, Variable);

/// A proposal that the largest gain, then the lowest arc, puts first in a heap; with the version of what it depends on.
type ByLargestGain = (Gain, Reverse<Arc>, u32);

/// A proposal that the smallest gain, then the lowest arc, puts first in a heap.
type BySmallestGain = Reverse<(Gain, Arc, u32)>;

/// Proposed arcs with their gains, which are looked at from both ends. Entries may be out of date; whoever takes one
/// checks it.
#[derive(Default)]
struct Proposals {
    best: BinaryHeap<ByLargestGain>,
    worst: BinaryHeap<BySmallestGain>,
}

impl Proposals {
    fn push(&mut self, gain: Gain, from: Variable, to: Variable, version: u32) {
        if gain > 0 {
            self.best.push((gain, Reverse((from, to)), version));
        } else {
            self.worst.push(Reverse((gain, (from, to), version)));
        }
    }
}

/// The state of the second step.
struct Extension {
    /// Which variables meet conditions (a) and (b) in `rest`.
    potential_sink: Vec<bool>,
    /// Counts the changes of each variable's parents and of its being a potential sink.
    version: Vec<u32>,
    /// Arcs into potential sinks.
    into_sinks: Proposals,
    /// Counts the changes of each variable's parents.
    parents_version: Vec<u32>,
    /// Arcs compelled by R1 to R4.
    compelled: Proposals,
    /// Variables around which a rule may apply that did not before.
    stale: Vec<Variable>,
    is_stale: Vec<bool>,
    /// Variables that may have become complete sinks.
    pending: Vec<Variable>,
}

impl<'s, S: LocalScore + 's> Hgi<'_, 's, S> {
    /// Directs or deletes what is undirected in `rest`.
    pub(super) fn extend(&mut self) -> Result<()> {
        let p = self.rest.n_variables();
        let connected: Vec<Variable> = (0..p as Variable).filter(|&x| !self.rest.adjacents(x).is_empty()).collect();
        let mut state = Extension {
            potential_sink: vec![false; p],
            version: vec![0; p],
            into_sinks: Proposals::default(),
            parents_version: vec![0; p],
            compelled: Proposals::default(),
            stale: connected.clone(),
            is_stale: vec![true; p],
            pending: connected.clone(),
        };
        for x in connected {
            self.run.check()?;
            if self.run.out_of_time() {
                return Ok(());
            }
            self.update_sink(&mut state, x);
        }
        loop {
            self.run.check()?;
            if self.run.out_of_time() {
                return Ok(());
            }
            self.remove_complete_sinks(&mut state);
            if let Some((from, to)) = self.best_into_sink(&mut state) {
                self.direct(&mut state, from, to);
            } else if let Some((x, y)) = self.worst_into_sink(&mut state) {
                self.delete(&mut state, x, y);
            } else {
                self.refresh_compelled(&mut state)?;
                if let Some((from, to)) = self.best_compelled(&mut state) {
                    self.direct(&mut state, from, to);
                } else if let Some((x, y)) = self.worst_compelled(&mut state) {
                    self.delete(&mut state, x, y);
                } else {
                    return Ok(());
                }
            }
        }
    }

    /// Takes variables with no arc outwards and no undirected edge out of `rest`. No rule applies that did not before:
    /// a rule looks at no arc into such a variable, and pairs of others do not change.
    fn remove_complete_sinks(&mut self, state: &mut Extension) {
        while let Some(x) = state.pending.pop() {
            if self.is_over() {
                return;
            }
            if !self.rest.children(x).is_empty() || !self.rest.undirected(x).is_empty() {
                continue;
            }
            let parents = self.rest.parents(x).to_vec();
            for &parent in &parents {
                self.rest.set(parent, x, EdgeMark::None);
            }
            for &parent in &parents {
                if self.is_over() {
                    return;
                }
                self.update_sink(state, parent);
            }
            state.pending.extend(parents);
        }
    }

    /// Notes whether x is a potential sink now; if it has become one, scores the arcs into it.
    fn update_sink(&mut self, state: &mut Extension, x: Variable) {
        let now = is_potential_sink(&self.rest, &self.undecided, x);
        let before = std::mem::replace(&mut state.potential_sink[x as usize], now);
        if now && !before {
            self.score_into_sink(state, x);
        } else if before && !now {
            state.version[x as usize] += 1;
        }
    }

    fn score_into_sink(&mut self, state: &mut Extension, x: Variable) {
        state.version[x as usize] += 1;
        let tails = self.rest.undirected(x).to_vec();
        self.score_arcs(&tails, x);
        for (i, &tail) in tails.iter().enumerate() {
            let gain = self.gain_with_knowledge(i, tail, x);
            state.into_sinks.push(gain, tail, x, state.version[x as usize]);
        }
    }

    /// Leaves in `scores` the local scores of `to` without, then with each of `tails`, where it has room for one.
    fn score_arcs(&mut self, tails: &[Variable], to: Variable) {
        self.scores.clear();
        if !tails.is_empty() && self.has_room(to, 1) {
            let before = self.cache.local_score(to, self.dag.parents(to));
            self.cache.local_scores_with_each(to, self.dag.parents(to), tails, &mut self.scores);
            self.scores.push(before);
        }
    }

    /// The gain of the i-th of the arcs just scored. A required edge is directed whatever its gain.
    fn gain_with_knowledge(&self, i: usize, from: Variable, to: Variable) -> Gain {
        let Some(&before) = self.scores.last() else { return NEVER };
        let gain = gain(self.scores[i], before).max(NEVER + 1);
        if self.knowledge.requires_edge(from, to) { gain.max(1) } else { gain }
    }

    fn best_into_sink(&self, state: &mut Extension) -> Option<Arc> {
        while let Some((_, Reverse((from, to)), version)) = state.into_sinks.best.pop() {
            if version == state.version[to as usize] && self.rest.has_undirected(from, to) {
                return Some((from, to));
            }
        }
        None
    }

    fn worst_into_sink(&self, state: &mut Extension) -> Option<Arc> {
        while let Some(Reverse((_, (from, to), version))) = state.into_sinks.worst.pop() {
            let current = version == state.version[to as usize] && self.rest.has_undirected(from, to);
            if current && !self.knowledge.requires_edge(from, to) {
                return Some((from, to));
            }
        }
        None
    }

    /// Scores the arcs that rules compel around what has changed.
    fn refresh_compelled(&mut self, state: &mut Extension) -> Result<()> {
        let stale = std::mem::take(&mut state.stale);
        for &x in &stale {
            self.run.check()?;
            if self.run.out_of_time() {
                return Ok(());
            }
            state.is_stale[x as usize] = false;
            let around = self.rest.undirected(x).to_vec();
            let compelled = |&v: &Variable| !self.is_over() && is_compelled(&self.rest, &self.undecided, v, x);
            let inwards: Vec<_> = around.iter().copied().filter(compelled).collect();
            self.push_compelled(state, &inwards, x);
            for v in around {
                if !self.is_over() && is_compelled(&self.rest, &self.undecided, x, v) {
                    self.push_compelled(state, &[x], v);
                }
            }
        }
        Ok(())
    }

    fn push_compelled(&mut self, state: &mut Extension, tails: &[Variable], to: Variable) {
        self.score_arcs(tails, to);
        for (i, &tail) in tails.iter().enumerate() {
            let gain = self.gain_with_knowledge(i, tail, to);
            state.compelled.push(gain, tail, to, state.parents_version[to as usize]);
        }
    }

    /// Whether an entry of `compelled` still holds. An arc that would close a cycle never will again be proposed by a
    /// change elsewhere, as arcs of the DAG stay.
    fn still_compelled(&mut self, state: &Extension, from: Variable, to: Variable, version: u32) -> bool {
        !self.is_over()
            && version == state.parents_version[to as usize]
            && self.rest.has_undirected(from, to)
            && is_compelled(&self.rest, &self.undecided, from, to)
            && !self.closes_cycle(from, to)
    }

    fn best_compelled(&mut self, state: &mut Extension) -> Option<Arc> {
        while let Some((_, Reverse((from, to)), version)) = state.compelled.best.pop() {
            if self.still_compelled(state, from, to, version) {
                return Some((from, to));
            }
        }
        None
    }

    fn worst_compelled(&mut self, state: &mut Extension) -> Option<Arc> {
        while let Some(Reverse((_, (from, to), version))) = state.compelled.worst.pop() {
            if !self.knowledge.requires_edge(from, to) && self.still_compelled(state, from, to, version) {
                return Some((from, to));
            }
        }
        None
    }

    /// Operations (i) and (iii).
    fn direct(&mut self, state: &mut Extension, from: Variable, to: Variable) {
        self.mark_stale(state, from, to);
        self.apply(from, to);
        state.parents_version[to as usize] += 1;
        self.update_sink(state, from);
        // What else could be directed into `to` has to be scored again, with its new parent.
        if state.potential_sink[to as usize] {
            self.score_into_sink(state, to);
        } else {
            self.update_sink(state, to);
        }
        state.pending.push(to);
    }

    /// Operations (ii) and (iv).
    fn delete(&mut self, state: &mut Extension, x: Variable, y: Variable) {
        self.mark_stale(state, x, y);
        self.rest.set(x, y, EdgeMark::None);
        let common: Vec<_> = self.rest.adjacents(x).into_iter().filter(|&v| self.rest.adjacent(v, y)).collect();
        for v in [x, y].into_iter().chain(common) {
            if self.is_over() {
                return;
            }
            self.update_sink(state, v);
        }
        state.pending.extend([x, y]);
    }

    /// Marks the variables around which a change of the edge between x and y may make a rule apply: x, y and those
    /// adjacent to both.
    fn mark_stale(&mut self, state: &mut Extension, x: Variable, y: Variable) {
        let rest = &self.rest;
        let common = rest.adjacents(x).into_iter().filter(|&v| rest.adjacent(v, y));
        for v in [x, y].into_iter().chain(common) {
            if !std::mem::replace(&mut state.is_stale[v as usize], true) {
                state.stale.push(v);
            }
        }
    }
}
