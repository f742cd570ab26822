//! Beyond the first local optimum: changes that cost score, each followed by a search of its own.
//!
//! An edge that was inserted early can keep the search from a better class, although to delete it alone costs score
//! (Nazaret and Blei 2024). So each deletion is tried, the least costly first: the search goes on from there without the
//! deleted edge, then with it again, and what it ends with is kept when its score is better than before.
//!
//! Deletions alone leave classes that a few more such changes improve. So turns, and insertions between variables two steps
//! apart, are tried in the same way, and each variable is cut loose from all others and joined again. That comes
//! first: it leads furthest.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Schedule;
use super::class::EquivalenceClass;
use super::operator::{Kind, Operator};
use super::operator_queue::OperatorQueue;
use super::scores::tolerance;
use super::search::Search;
use crate::score::LocalScore;
use crate::{Result, Variable, VariableSet};

/// A change that may cost score.
#[derive(Debug, Clone, PartialEq)]
enum Trial {
    /// Deletes all edges of a variable.
    CutLoose(Variable),
    /// Applies an operator; its pair is left as it then is until nothing else gains.
    Force(Operator),
}

/// What tells one trial from another: variables, and the kind and clique of an operator.
type Key = (Option<Kind>, Variable, Variable, VariableSet);

impl Trial {
    fn key(&self) -> Key {
        match self {
            Self::CutLoose(v) => (None, *v, *v, VariableSet::new()),
            Self::Force(operator) => (Some(operator.kind), operator.x, operator.y, operator.clique.clone()),
        }
    }
}

/// Trials that have brought nothing, and around which nothing has changed since: they would hardly bring more now.
#[derive(Debug)]
struct Failures {
    /// When each was tried, and the variables around which it changed anything.
    tried: FxHashMap<Key, (u32, Vec<Variable>)>,
    /// When something last changed around each variable.
    changed: Vec<u32>,
    clock: u32,
    /// Some trial was left out.
    left_out: bool,
}

impl Failures {
    fn new(p: usize) -> Self {
        Self { tried: FxHashMap::default(), changed: vec![0; p], clock: 0, left_out: false }
    }

    /// Whether a trial is to be left out.
    fn contain(&mut self, key: &Key) -> bool {
        let tried = self.tried.get(key);
        let known = tried.is_some_and(|(when, around)| around.iter().all(|&v| self.changed[v as usize] <= *when));
        self.left_out |= known;
        known
    }

    fn note_change(&mut self, around: &[Variable]) {
        self.clock += 1;
        around.iter().for_each(|&v| self.changed[v as usize] = self.clock);
    }
}

impl<S: LocalScore> Search<'_, S> {
    /// Makes changes that cost score until none leads to a better class. To be called where no operator of these kinds is left.
    pub(super) fn try_costly_changes(&mut self, kinds: &[Kind]) -> Result<()> {
        if self.cycled {
            self.open(kinds)?;
        }
        let least = tolerance(self.total());
        let p = self.class.cpdag().n_variables();
        let mut failures = Failures::new(p);
        let mut saved = self.class.clone();
        while !self.run.was_cut_short() && !self.exhausted() {
            failures.left_out = false;
            if !self.improve(kinds, least, &mut failures, &mut saved)? {
                if !failures.left_out || self.schedule == Schedule::CutLoose {
                    break;
                }
                // Trials reach further than the changes that they make: nothing is left out before the end.
                failures = Failures::new(p);
            }
        }
        self.cycled = false;
        Ok(())
    }

    /// Whether some change leads to a class whose score is better by more than `least`, to which the search then went.
    /// `saved` is the class at hand, before and after.
    fn improve(
        &mut self,
        kinds: &[Kind],
        least: f64,
        failures: &mut Failures,
        saved: &mut EquivalenceClass,
    ) -> Result<bool> {
        let all = [None, Some(Kind::Delete), Some(Kind::Turn), Some(Kind::Insert)];
        let tried = if self.schedule == Schedule::CutLoose { &all[..1] } else { &all[..] };
        for &kind in tried {
            if !kinds.contains(&kind.unwrap_or(Kind::Insert)) {
                continue;
            }
            let trials: Vec<Trial> = match kind {
                None => (0..self.class.cpdag().n_variables() as Variable).map(Trial::CutLoose).collect(),
                Some(kind) => self.costly_operators(kind)?.into_iter().map(Trial::Force).collect(),
            };
            for trial in trials {
                let key = trial.key();
                if failures.contain(&key) {
                    continue;
                }
                self.run.check()?;
                if self.run.out_of_time() || self.exhausted() {
                    return Ok(false);
                }
                let (applied, hash) = (self.applied, self.hash);
                self.books.iter_mut().for_each(OperatorQueue::begin);
                self.touched.clear();
                // A trial may well pass through classes that others have passed through.
                self.visited = FxHashSet::from_iter([self.hash]);
                self.cycled = false;
                let gain = match &trial {
                    Trial::CutLoose(v) => self.cut_loose(*v, kinds)?,
                    Trial::Force(operator) => self.force(operator, kinds)?,
                };
                self.touched.extend([key.1, key.2]);
                self.touched.sort_unstable();
                self.touched.dedup();
                // Where rounding led back to a class, operators are no longer known.
                if gain > least && !self.cycled {
                    self.books.iter_mut().for_each(OperatorQueue::keep);
                    self.class.pass_on(saved);
                    failures.note_change(&self.touched);
                    return Ok(true);
                }
                self.class.take_back(saved);
                (self.applied, self.hash) = (applied, hash);
                self.books.iter_mut().for_each(OperatorQueue::take_back);
                let cpdag = self.class.cpdag();
                let mut around = self.touched.clone();
                around.extend(self.touched.iter().flat_map(|&v| cpdag.adjacents(v)));
                around.sort_unstable();
                around.dedup();
                failures.tried.insert(key, (failures.clock, around));
            }
        }
        Ok(false)
    }

    /// Whether the budget of local scores is spent. Asked between trials, so that threads make no difference.
    fn exhausted(&self) -> bool {
        self.scores.calls() >= self.budget
    }

    /// Applies an operator and searches on; the gain of all.
    fn force(&mut self, operator: &Operator, kinds: &[Kind]) -> Result<f64> {
        if self.finder.blocking_path(self.class.cpdag(), operator).is_some() {
            return Ok(0.0);
        }
        let Some(change) = self.apply(operator) else { return Ok(0.0) };
        let pair = [operator.x.min(operator.y), operator.x.max(operator.y)];
        self.space.hold(Some((pair[0], pair[1])));
        self.follow(kinds, &change)?;
        let mut gain = operator.gain + self.go_on(kinds)?;
        self.space.hold(None);
        // The edge may come back, go or turn beside what has changed meanwhile.
        if !self.run.was_cut_short() && !self.cycled {
            kinds.iter().try_for_each(|&kind| self.regenerate(kind, &pair))?;
            gain += self.go_on(kinds)?;
        }
        Ok(gain)
    }

    /// Deletes all edges of a variable, that which costs least first, and searches on; the gain of all.
    fn cut_loose(&mut self, v: Variable, kinds: &[Kind]) -> Result<f64> {
        let mut gain = 0.0;
        // Operators are found anew when all edges are gone, each once.
        let mut affected: Vec<Vec<Variable>> = vec![Vec::new(); kinds.len()];
        let mut any = false;
        while !self.run.out_of_time() {
            self.run.check()?;
            let Self { class, space, scores, .. } = self;
            let cpdag = class.cpdag();
            let mut ends = cpdag.adjacents(v);
            ends.push(v);
            ends.sort_unstable();
            let mut best: Option<Operator> = None;
            for y in ends {
                let score = &mut |child, parents: &[Variable]| scores.local_score(child, parents);
                for operator in space.deletions(cpdag, y, true, score) {
                    let of_v = operator.x == v || operator.y == v;
                    if of_v && best.as_ref().is_none_or(|best| operator.gain > best.gain) {
                        best = Some(operator);
                    }
                }
            }
            let Some(operator) = best else { break };
            let Some(change) = self.apply(&operator) else { break };
            gain += operator.gain;
            any = true;
            for (affected, &kind) in affected.iter_mut().zip(kinds) {
                self.books[kind as usize].wake(change.pairs.iter().map(|&(a, b, _)| (a, b)));
                affected.extend(self.affected(kind, &change));
            }
        }
        for (affected, &kind) in affected.iter_mut().zip(kinds) {
            affected.sort_unstable();
            affected.dedup();
            self.regenerate(kind, affected)?;
        }
        Ok(if any { gain + self.go_on(kinds)? } else { 0.0 })
    }

    /// All operators of a kind, the best first, insertions only between variables two steps apart; of equal gains that of
    /// the lowest y, then of the lowest x, then of the clique that is first in lexicographic order.
    fn costly_operators(&mut self, kind: Kind) -> Result<Vec<Operator>> {
        let Self { class, space, scores, marks, run, .. } = self;
        let cpdag = class.cpdag();
        let p = cpdag.n_variables() as Variable;
        let mut operators = |y: Variable, score: &mut dyn FnMut(Variable, &[Variable]) -> f64| {
            let mut score = |child: Variable, parents: &[Variable]| score(child, parents);
            match kind {
                Kind::Delete => space.deletions(cpdag, y, true, &mut score),
                Kind::Turn => space.turns(cpdag, y, true, &mut score),
                Kind::Insert => space.near_insertions(cpdag, y, marks, &mut score),
            }
        };
        let mut keys = Vec::new();
        for y in 0..p {
            run.check()?;
            if run.out_of_time() {
                return Ok(Vec::new());
            }
            operators(y, &mut |child, parents| {
                keys.push((child, VariableSet::from_slice(parents)));
                0.0
            });
        }
        if !scores.prepare_singles(keys, run)? {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for y in 0..p {
            run.check()?;
            if run.out_of_time() {
                return Ok(Vec::new());
            }
            found.extend(operators(y, &mut |child, parents| scores.local_score(child, parents)));
        }
        found.sort_by(|a, b| {
            let by_gain = b.gain.total_cmp(&a.gain);
            by_gain.then_with(|| (a.y, a.x).cmp(&(b.y, b.x))).then_with(|| a.clique.cmp(&b.clique))
        });
        if kind == Kind::Insert {
            // There are many: one for each pair.
            let mut pairs = FxHashSet::default();
            found.retain(|operator| pairs.insert((operator.x.min(operator.y), operator.x.max(operator.y))));
        }
        Ok(found)
    }

    /// The score of the class at hand.
    fn total(&mut self) -> f64 {
        let dag = self.class.member();
        (0..dag.n_variables() as Variable).map(|x| self.scores.local_score(x, dag.parents(x))).sum()
    }
}
