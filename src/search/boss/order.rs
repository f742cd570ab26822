//! Moving variables within an order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::hill_climbing::Restarts;
use super::places::{Place, Prospects};
use super::relevance::Relevance;
use super::restarts::Journal;
use super::tree::{GrowShrinkTree, Rules, Trace};
use super::{BossOptions, unlocked};
use crate::graph::Dag;
use crate::knowledge::Scope;
use crate::run::Run;
use crate::score::LocalScore;
use crate::score::sessions::SessionPool;
use crate::{Result, Variable, VariableSet};

/// An order of the variables, and the parents that each has in it.
pub(super) struct OrderSearch<'a, 's, S: LocalScore> {
    pub(super) pool: SessionPool<'s, S>,
    pub(super) rules: Rules<'a>,
    pub(super) run: &'a Run,
    pub(super) order: Vec<Variable>,
    pub(super) position: Vec<usize>,
    /// A tree is used by one thread at a time; its lock is never contended.
    trees: Vec<Mutex<GrowShrinkTree>>,
    pub(super) current: Vec<Trace>,
    pub(super) relevance: Relevance,
    /// For each variable: those that must be adjacent to it.
    pub(super) forced: Vec<VariableSet>,
    /// For each variable: those that must come before it, and after it.
    pub(super) before: Vec<VariableSet>,
    pub(super) after: Vec<VariableSet>,
    moves: usize,
    growing: bool,
    narrowing: bool,
    /// Whether parents are found from those that a variable has.
    pub(super) incremental: bool,
    best: Option<(Dag, f64)>,
    /// Local scores computed so far, and how many may be before no other step begins.
    spent: AtomicU64,
    budget: u64,
    pub(super) restart_share: Option<u32>,
    /// What has been replaced, where it may have to be taken back.
    pub(super) journal: Option<Journal>,
}

/// So many variables are looked at together at most, of so many that wait next.
const MOST_TOGETHER: usize = 32;
const MOST_PASSED_OVER: usize = 256;

impl<'a, 's, S: LocalScore> OrderSearch<'a, 's, S> {
    /// The order that the search starts from, in which parents are not yet known.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`].
    pub(super) fn new(
        score: &'s S,
        start: &Dag,
        rules: Rules<'a>,
        options: &BossOptions<'_>,
        budget: Option<u64>,
        scope: Scope<'_>,
        run: &'a Run,
    ) -> Result<Self> {
        let p = start.n_variables();
        let from_data = options.order_from_data && scope.required_pairs().is_empty();
        let order = if from_data { score.order_from_data(run)? } else { None };
        let order = order.unwrap_or_else(|| start.topological_order());
        let growing = options.growing;
        let narrowing = options.narrowing && growing && !options.incremental;
        let mut position = vec![0; p];
        order.iter().enumerate().for_each(|(i, &x)| position[x as usize] = i);
        let none = vec![VariableSet::new(); p];
        let (mut forced, mut before, mut after) = (none.clone(), none.clone(), none);
        for (x, y) in scope.required_pairs() {
            forced[x as usize].push(y);
            forced[y as usize].push(x);
            match (scope.allows_arc(x, y), scope.allows_arc(y, x)) {
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
        let trees = (0..p as Variable).map(|x| Mutex::new(GrowShrinkTree::new(x, growing, narrowing))).collect();
        let empty = Trace {
            score: 0.0,
            grown: VariableSet::new(),
            parents: VariableSet::new(),
            blocked: Vec::new(),
            overfull: false,
        };
        Ok(Self {
            pool: SessionPool::new(score),
            rules,
            run,
            order,
            position,
            trees,
            current: vec![empty; p],
            relevance: Relevance::none(p),
            forced,
            before,
            after,
            moves: 0,
            growing,
            narrowing,
            incremental: options.incremental,
            best: None,
            spent: AtomicU64::new(0),
            budget: budget.unwrap_or(u64::MAX),
            restart_share: options.restart_share,
            journal: None,
        })
    }

    /// Local scores computed so far.
    pub(super) fn calls(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Whether no other step may begin. Asked between steps, when all threads have ended theirs, so that the answer does
    /// not depend on their number.
    pub(super) fn exhausted(&self) -> bool {
        self.calls() >= self.budget
    }

    /// Whether there is room for all variables to be scored as one more parent of each beside these.
    fn may_widen(&self, parents: impl Fn(Variable) -> Vec<Variable>) -> bool {
        let candidates = self.rules.candidates;
        let scores = |x: Variable| 1 + candidates.parents_for(x, &parents(x)).len() as u64;
        let total: u64 = (0..self.order.len() as Variable).map(scores).sum();
        self.calls().saturating_add(total) <= self.budget
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

    /// Moves variables until no move gains, restarts, and goes on from there. Returns whether it came to that end, or to
    /// that of its budget.
    pub(super) fn improve(&mut self, start: &Dag, restarts: Option<&Restarts>) -> Result<bool> {
        if !self.growing {
            self.trace_all()?;
            let stable = self.sweep_until_stable()?;
            return Ok(stable && restarts.map_or(Ok(true), |restarts| self.restart(restarts))?);
        }
        let mut restarts = restarts;
        if self.may_widen(|_| Vec::new()) {
            // What gains alone, and below what gains beside the parents of the start.
            self.widen(|_| Vec::new())?;
        }
        if self.may_widen(|x| start.parents(x).to_vec()) {
            self.widen(|x| start.parents(x).to_vec())?;
        } else {
            self.know_neighbours(start);
        }
        // With more to choose from, greedy growing may go wrong where it did not before, so the last round need not be the
        // best one. It ends when a round brings nothing.
        loop {
            self.trace_all()?;
            let mut stable = self.sweep_until_stable()?;
            if stable && let Some(restarts) = restarts.take() {
                stable = self.restart(restarts)?;
            }
            let better = self.best.as_ref().is_none_or(|(_, best)| self.total() > best + self.rules.tolerance);
            if better {
                self.best = Some((self.current_graph()?, self.total()));
            }
            let parents: Vec<VariableSet> = self.current.iter().map(|trace| trace.parents.clone()).collect();
            let of = |x: Variable| parents[x as usize].to_vec();
            let over = !stable || !better || !self.may_widen(of);
            if over || !self.widen(of)? {
                return Ok(stable);
            }
        }
    }

    /// Lets every tree grow by the neighbours that a variable has in a graph, scored or not.
    fn know_neighbours(&mut self, dag: &Dag) {
        for (x, tree) in self.trees.iter_mut().enumerate() {
            let candidates = self.rules.candidates;
            let neighbours = dag.parents(x as Variable).iter().chain(dag.children(x as Variable)).copied();
            unlocked(tree).know(neighbours.filter(|&y| candidates.allows(y, x as Variable)));
        }
    }

    pub(super) fn total(&self) -> f64 {
        self.current.iter().map(|trace| trace.score).sum()
    }

    /// Lets every tree grow by all variables that gain beside the given parents, too. Returns whether any does.
    fn widen(&mut self, parents: impl Fn(Variable) -> Vec<Variable> + Sync) -> Result<bool> {
        let (pool, trees, rules, spent) = (&self.pool, &self.trees, &self.rules, &self.spent);
        let wider = self.run.map(
            trees.len(),
            || pool.take(),
            |session, x| {
                let mut tree = trees[x].lock().unwrap_or_else(PoisonError::into_inner);
                let before = tree.calls();
                let wider = tree.widen(&mut **session, rules, &parents(x as Variable));
                spent.fetch_add(tree.calls() - before, Ordering::Relaxed);
                wider
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
                let from = self.incremental.then(|| &self.current[x].parents[..]);
                self.trace(&mut **session, x as Variable, from, precedes)
            },
        )?;
        self.current = traces;
        for x in 0..self.current.len() {
            self.relevance.set(x as Variable, &self.current[x], &self.forced[x]);
        }
        Ok(())
    }

    pub(super) fn trace(
        &self,
        session: &mut S::Session<'s>,
        child: Variable,
        from: Option<&[Variable]>,
        precedes: impl Fn(Variable) -> bool,
    ) -> Trace {
        let forced: VariableSet = self.forced[child as usize].iter().copied().filter(|&x| precedes(x)).collect();
        let mut tree = self.trees[child as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let before = tree.calls();
        let trace = tree.trace(session, &self.rules, &forced, from, precedes);
        self.spent.fetch_add(tree.calls() - before, Ordering::Relaxed);
        trace
    }

    /// Lets variables take turns until none moves. Several that have no tree in common are looked at together by all threads,
    /// the more the longer none has moved. A variable moves only when all before it have been found to stay, and those behind
    /// it are then looked at anew: the moves are those that there would be if each were looked at alone.
    fn sweep_until_stable(&mut self) -> Result<bool> {
        let p = self.order.len();
        let (mut unmoved, mut together) = (0, 1);
        // What has been found to stay since the last move.
        let mut stays = vec![false; p];
        if p == 0 {
            return Ok(true);
        }
        loop {
            let order = self.order.clone();
            let (mut next, mut until) = (0, None);
            while next < p {
                self.run.check()?;
                if self.run.out_of_time() {
                    return Ok(false);
                }
                if self.exhausted() {
                    return Ok(true);
                }
                let end = until.unwrap_or(p).min(next + p - unmoved);
                let mut waiting: Vec<Variable> =
                    order[next..end].iter().copied().filter(|&x| !stays[x as usize]).take(MOST_PASSED_OVER).collect();
                waiting.extend(until.filter(|_| waiting.is_empty()).map(|at| order[at]));
                let now = self.apart(&waiting, together);
                let (stay, better) = self.first_better(&now)?;
                now[..stay].iter().for_each(|&x| stays[x as usize] = true);
                let before = next;
                next += order[next..].iter().take_while(|&&x| stays[x as usize]).count();
                unmoved += next - before;
                match better {
                    None => together = (2 * together).min(MOST_TOGETHER),
                    Some(place) if order[next] == now[stay] => {
                        self.move_to(now[stay], place);
                        self.run.progress().advance(1);
                        stays.fill(false);
                        next += 1;
                        (unmoved, together, until) = (0, 1, None);
                    }
                    Some(_) => until = order.iter().position(|&x| x == now[stay]),
                }
                if unmoved >= p {
                    return Ok(true);
                }
            }
        }
    }

    /// How many of these variables, which have no tree in common, stay where they are before the first that has a better place;
    /// and that place.
    fn first_better(&self, variables: &[Variable]) -> Result<(usize, Option<(Prospects, Place)>)> {
        let found = match *variables {
            [x] => vec![self.prospects(x, self.narrowing)?],
            _ => self.prospects_of(variables, self.narrowing)?,
        };
        for (i, prospects) in found.into_iter().enumerate() {
            if let Some(prospects) = prospects
                && let Some(target) = self.best_place(&prospects)
            {
                return Ok((i, Some((prospects, target))));
            }
        }
        Ok((variables.len(), None))
    }

    /// Moves `x` to its best place. Returns whether it is another one.
    pub(super) fn place_best(&mut self, x: Variable) -> Result<bool> {
        let (_, better) = self.first_better(&[x])?;
        Ok(better.map(|place| self.move_to(x, place)).is_some())
    }

    /// Moves `x` to a place that is better.
    fn move_to(&mut self, x: Variable, (prospects, target): (Prospects, Place)) {
        self.go(x, prospects, target);
        self.moves += 1;
    }

    /// The best of the places that were looked at, if it is better than the present one.
    fn best_place(&self, prospects: &Prospects) -> Option<Place> {
        let gains: Vec<f64> = prospects.concerned.iter().map(|one| self.gain(one)).collect();
        let at_place = |at: Place| {
            let first = prospects.concerned.partition_point(|(_, place, ..)| *place < at);
            prospects.own(at).score + gains[first..].iter().sum::<f64>()
        };
        let here = at_place(prospects.own_place);
        let scores: Vec<f64> = prospects.places.iter().map(|&at| at_place(at)).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if best.is_nan() || best <= here + self.rules.tolerance {
            return None;
        }
        let chosen = scores.iter().position(|&score| score >= best - self.rules.tolerance).unwrap_or(0);
        Some(prospects.places[chosen])
    }

    /// Moves `x` to another place.
    pub(super) fn go(&mut self, x: Variable, prospects: Prospects, target: Place) {
        let own = prospects.own(target).clone();
        let own_place = prospects.own_place;
        // Children that x now precedes, or no longer does.
        for (child, place, is_before, other) in prospects.concerned {
            if is_before != (target <= place) {
                self.replace(child, other);
            }
        }
        self.replace(x, own);
        self.order.remove(own_place);
        self.order.insert(target, x);
        for at in own_place.min(target)..=own_place.max(target) {
            self.position[self.order[at] as usize] = at;
        }
    }

    /// Gives a child another trace.
    pub(super) fn replace(&mut self, child: Variable, trace: Trace) {
        self.relevance.set(child, &trace, &self.forced[child as usize]);
        let old = std::mem::replace(&mut self.current[child as usize], trace);
        if let Some(journal) = &mut self.journal {
            journal.push((child, old));
        }
    }
}
