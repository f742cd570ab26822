//! The search itself.

use rustc_hash::FxHashSet;

use super::class::{Change, EquivalenceClass};
use super::generate::{Marks, Space};
use super::informed::member_that_obeys;
use super::operator::{Kind, Operator, PathFinder};
use super::operator_queue::OperatorQueue;
use super::scores::Scores;
use super::{GesOptions, GesResult, Restriction, Schedule};
use crate::graph::{Dag, EdgeMark};
use crate::knowledge::Scope;
use crate::orient::consistent_extension;
use crate::run::{Ledger, Phase, Run};
use crate::score::LocalScore;
use crate::{Result, Variable, VariableSet};

/// The kinds in the order of their preference when phases are interleaved.
const KINDS: [Kind; 3] = [Kind::Delete, Kind::Turn, Kind::Insert];

/// Insertions whose gains are computed at a time: a bound on memory (12 bytes each).
const EVALUATIONS_AT_A_TIME: usize = 1 << 18;

pub(super) struct Search<'a, S: LocalScore> {
    pub(super) run: &'a Run,
    scope: Scope<'a>,
    pub(super) space: Space<'a>,
    pub(super) schedule: Schedule,
    /// Local scores after which no costly change is tried.
    pub(super) budget: u64,
    phase: Phase,
    /// Kinds of operators that are in use, in the order of phases.
    kinds: Vec<Kind>,
    pub(super) class: EquivalenceClass,
    pub(super) scores: Scores<'a, S>,
    /// By kind; only those at work are kept up.
    pub(super) books: [OperatorQueue; 3],
    pub(super) finder: PathFinder,
    pub(super) marks: Marks,
    /// Operators applied, by kind.
    pub(super) applied: [usize; 3],
    /// Hash of the class at hand, from the ties of all pairs, and of all classes before.
    pub(super) hash: u64,
    pub(super) visited: FxHashSet<u64>,
    /// Variables whose edges have changed since this was last emptied.
    pub(super) touched: Vec<Variable>,
    /// Rounding has led back to a class.
    pub(super) cycled: bool,
}

/// The share of a tie in the hash of a class.
fn tie_hash(x: Variable, y: Variable, tie: EdgeMark) -> u64 {
    let (low, high, kind) = match (x < y, tie) {
        (_, EdgeMark::None) => return 0,
        (true, EdgeMark::Forward) | (false, EdgeMark::Backward) => (x.min(y), x.max(y), 1),
        (true, EdgeMark::Backward) | (false, EdgeMark::Forward) => (x.min(y), x.max(y), 2),
        (_, EdgeMark::Undirected) => (x.min(y), x.max(y), 3),
    };
    // The finaliser of SplitMix64.
    let mut z = (u64::from(low) << 34 | u64::from(high) << 2 | kind).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<'a, S: LocalScore> Search<'a, S> {
    pub(super) fn new(
        score: &'a S,
        start: &Dag,
        options: &GesOptions<'a>,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Result<Self> {
        run.check()?;
        let p = score.n_variables();
        let wanted = [(Kind::Insert, options.forward), (Kind::Delete, options.backward), (Kind::Turn, options.turning)];
        Ok(Self {
            run,
            scope,
            space: Space::new(options, scope),
            schedule: options.schedule,
            budget: options.budget.unwrap_or(u64::MAX),
            phase: options.phase,
            kinds: wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(kind, _)| kind).collect(),
            class: EquivalenceClass::of(start),
            scores: Scores::new(score),
            books: std::array::from_fn(|_| OperatorQueue::new(p)),
            finder: PathFinder::new(p),
            marks: Marks::new(p),
            applied: [0; 3],
            hash: 0,
            visited: FxHashSet::from_iter([0]),
            touched: Vec::new(),
            cycled: false,
        })
    }

    /// The class at hand.
    #[cfg(test)]
    pub(super) fn class(&self) -> &EquivalenceClass {
        &self.class
    }

    /// Runs all phases.
    pub(super) fn run(mut self, ledger: &mut Ledger) -> Result<GesResult> {
        self.run.progress().enter(self.phase, 0);
        match self.schedule {
            Schedule::Phases => {
                self.round()?;
            }
            Schedule::Rounds => while self.round()? {},
            Schedule::Interleaved => {
                let kinds: Vec<Kind> = KINDS.into_iter().filter(|kind| self.kinds.contains(kind)).collect();
                self.exhaust(&kinds)?;
            }
            Schedule::CutLoose | Schedule::Extended => {
                let kinds: Vec<Kind> = KINDS.into_iter().filter(|kind| self.kinds.contains(kind)).collect();
                self.exhaust(&kinds)?;
                self.try_costly_changes(&kinds)?;
            }
        }
        let cpdag = self.class.cpdag().clone();
        let dag = if self.scope.knowledge().is_empty() {
            consistent_extension(&cpdag)
        } else {
            member_that_obeys(&cpdag, self.scope.knowledge())
        }
        .unwrap_or_else(|| self.class.member());
        let mut score = 0.0;
        for x in 0..dag.n_variables() as Variable {
            score += self.scores.local_score(x, dag.parents(x));
        }
        ledger.add_calls(self.phase, self.scores.calls());
        let [insertions, deletions, turns] = self.applied;
        Ok(GesResult { cpdag, dag, score, insertions, deletions, turns, complete: !self.run.was_cut_short() })
    }

    /// One phase for each kind; whether anything changed.
    fn round(&mut self) -> Result<bool> {
        let mut changed = false;
        for kind in self.kinds.clone() {
            changed |= self.exhaust(&[kind])?;
        }
        Ok(changed && !self.run.was_cut_short() && !self.cycled)
    }

    /// Applies operators of these kinds, of the first kind that has a valid one, until there is none; whether anything
    /// changed.
    fn exhaust(&mut self, kinds: &[Kind]) -> Result<bool> {
        self.open(kinds)?;
        self.go_on(kinds).map(|gain| gain > 0.0)
    }

    /// As [`Search::exhaust`] where all operators are known; the gain in score.
    pub(super) fn go_on(&mut self, kinds: &[Kind]) -> Result<f64> {
        let mut gain = 0.0;
        let mut changed_since_reconsidered = false;
        loop {
            self.run.check()?;
            if self.run.out_of_time() {
                return Ok(gain);
            }
            if let Some((change, operator)) = self.step(kinds) {
                gain += operator.gain;
                changed_since_reconsidered = true;
                self.run.progress().advance(1);
                if self.cycled {
                    return Ok(gain);
                }
                self.follow(kinds, &change)?;
            } else {
                // Operators that knowledge refused may be possible now.
                let again = kinds.iter().fold(false, |any, &kind| self.books[kind as usize].reconsider() | any);
                if !(again && std::mem::replace(&mut changed_since_reconsidered, false)) {
                    return Ok(gain);
                }
            }
        }
    }

    /// Finds all operators of these kinds.
    pub(super) fn open(&mut self, kinds: &[Kind]) -> Result<()> {
        let all: Vec<Variable> = (0..self.class.cpdag().n_variables() as Variable).collect();
        kinds.iter().try_for_each(|&kind| self.regenerate(kind, &all))
    }

    /// Brings the operators of these kinds up to date after a change.
    pub(super) fn follow(&mut self, kinds: &[Kind], change: &Change) -> Result<()> {
        for &kind in kinds {
            self.books[kind as usize].wake(change.pairs.iter().map(|&(a, b, _)| (a, b)));
            let affected = self.affected(kind, change);
            self.regenerate(kind, &affected)?;
        }
        Ok(())
    }

    /// Applies the best valid operator of the first kind that has one; returns it and what it changed.
    pub(super) fn step(&mut self, kinds: &[Kind]) -> Option<(Change, Operator)> {
        for &kind in kinds {
            while let Some((operator, place)) = self.books[kind as usize].best() {
                if let Some(path) = self.finder.blocking_path(self.class.cpdag(), operator) {
                    self.books[kind as usize].block(place, &path);
                    continue;
                }
                let operator: Operator = operator.clone();
                let Some(change) = self.apply(&operator) else {
                    self.books[kind as usize].refuse(place);
                    continue;
                };
                self.cycled = !self.visited.insert(self.hash);
                return Some((change, operator));
            }
        }
        None
    }

    /// Applies a valid operator and returns what it changed; `None` when knowledge forbids what it leads to.
    pub(super) fn apply(&mut self, operator: &Operator) -> Option<Change> {
        let informed = !self.scope.knowledge().is_empty();
        let before = informed.then(|| self.class.clone());
        let change = self.class.apply(operator);
        if informed && member_that_obeys(self.class.cpdag(), self.scope.knowledge()).is_none() {
            self.class = before.expect("kept when there is knowledge");
            return None;
        }
        self.applied[operator.kind as usize] += 1;
        self.touched.extend_from_slice(&change.touched);
        for &(x, y, old) in &change.pairs {
            self.hash ^= tie_hash(x, y, old) ^ tie_hash(x, y, self.class.cpdag().tie(x, y));
        }
        Some(change)
    }

    /// The variables y of which operators (x, y, ·) of a kind may be others after a change.
    pub(super) fn affected(&self, kind: Kind, change: &Change) -> Vec<Variable> {
        let cpdag = self.class.cpdag();
        let mut affected = change.touched.clone();
        let widely = match kind {
            // Parents and neighbours of y count, and which of its neighbours are adjacent to each other or to x: those
            // whose neighbours gained or lost an adjacency. A restriction that depends on the class looks at all that
            // is two steps away.
            Kind::Insert => matches!(self.space.restriction(), Restriction::Skeleton(_) | Restriction::Cig(_)),
            // Likewise, for x among the parents and neighbours of y.
            Kind::Delete => false,
            // Besides, the parents and neighbours of x, which is adjacent to y.
            Kind::Turn => true,
        };
        for &v in &change.touched {
            affected.extend_from_slice(cpdag.undirected(v));
            if widely {
                affected.extend_from_slice(cpdag.parents(v));
                affected.extend_from_slice(cpdag.children(v));
            }
        }
        if kind == Kind::Delete {
            for &(a, b, _) in &change.pairs {
                affected.extend(cpdag.adjacents(a).into_iter().filter(|&y| cpdag.adjacent(b, y)));
            }
        }
        affected.sort_unstable();
        affected.dedup();
        affected
    }

    /// Finds the operators of a kind around these variables anew. Out of time it leaves books as they are, which then serve
    /// no more.
    pub(super) fn regenerate(&mut self, kind: Kind, variables: &[Variable]) -> Result<()> {
        let Self { class, space, scores, books, marks, run, .. } = self;
        let cpdag = class.cpdag();
        let book = &mut books[kind as usize];
        if kind == Kind::Insert {
            let mut rest = variables;
            while !rest.is_empty() {
                let mut needs = Vec::new();
                let mut evaluations = 0;
                let mut n = 0;
                while n < rest.len() && evaluations < EVALUATIONS_AT_A_TIME {
                    let from = needs.len();
                    space.insertion_needs(cpdag, rest[n], &mut needs);
                    evaluations += needs[from..].iter().map(|need| need.candidates.len()).sum::<usize>();
                    n += 1;
                }
                if !scores.prepare(needs, run)? {
                    return Ok(());
                }
                for &y in &rest[..n] {
                    book.replace(y, space.insertions(cpdag, y, scores, marks));
                }
                rest = &rest[n..];
            }
            return Ok(());
        }
        let operators = |y: Variable, score: &mut dyn FnMut(Variable, &[Variable]) -> f64| {
            let mut score = |child: Variable, parents: &[Variable]| score(child, parents);
            match kind {
                Kind::Delete => space.deletions(cpdag, y, false, &mut score),
                _ => space.turns(cpdag, y, false, &mut score),
            }
        };
        // A first pass lists the scores that are needed, which are then computed in parallel.
        let mut keys: Vec<(Variable, VariableSet)> = Vec::new();
        for &y in variables {
            if run.out_of_time() {
                return Ok(());
            }
            let mut list = |child: Variable, parents: &[Variable]| {
                keys.push((child, VariableSet::from_slice(parents)));
                0.0
            };
            operators(y, &mut list);
        }
        if !scores.prepare_singles(keys, run)? {
            return Ok(());
        }
        for &y in variables {
            if run.out_of_time() {
                return Ok(());
            }
            run.check()?;
            book.replace(y, operators(y, &mut |child, parents| scores.local_score(child, parents)));
        }
        Ok(())
    }
}
