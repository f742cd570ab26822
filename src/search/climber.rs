//! A DAG under search: its arcs, what each move would gain, and the best move.

use std::sync::Arc;

use super::ancestors::Ancestors;
use super::candidates::Candidates;
use super::child_scores::ChildScores;
use super::gains::Scorer;
use super::moves::{Move, structure_hash};
use super::ties::{TieOrder, TieRule};
use crate::graph::Dag;
use crate::run::Run;
use crate::score::LocalScore;
use crate::{Result, SortedSet, Variable};

/// A DAG with the gains of all moves from it, kept up to date move by move.
///
/// Every child has its additions in order of gain and a pointer past those that would close a cycle; that pointer only
/// ever moves on while arcs are added and starts anew when one is removed. One number for each child bounds what its
/// additions can gain and another what a change of its incoming arcs can, so that the best move is found by one look
/// at these 2p numbers and at few moves themselves.
pub(super) struct Climber<'a, 's, S: LocalScore> {
    pub(super) scorer: Scorer<'a, 's, S>,
    pub(super) dag: Dag,
    pub(super) ancestors: Ancestors,
    pub(super) hash: u128,
    /// Scores around each child.
    pub(super) scores: Vec<Arc<ChildScores>>,
    /// For each child and each of its parents: the score of the parent with the child as one more parent (not a
    /// number: not known yet; −∞: not allowed).
    pub(super) reversed: Vec<Vec<f64>>,
    pub(super) ties: TieOrder,
    /// For each child: additions before this one close a cycle.
    pub(super) pointer: Vec<usize>,
    pub(super) addition_bound: Vec<f64>,
    pub(super) arc_bound: Vec<f64>,
    /// Children whose parents changed since they were scored.
    changed: Vec<Variable>,
    /// For each child: whether it was scored with a part of its candidates only.
    in_part: Vec<bool>,
    max_parents: usize,
    pub(super) tolerance: f64,
}

impl<'a, 's, S: LocalScore> Climber<'a, 's, S> {
    /// Scores all moves from a DAG that keeps to the parent cap and the knowledge.
    pub(super) fn new(
        score: &'s S,
        dag: Dag,
        candidates: Candidates<'a>,
        max_parents: usize,
        ties: TieRule,
        run: &'a Run,
        remember: bool,
    ) -> Result<Self> {
        let p = dag.n_variables();
        let mut scorer = Scorer::new(score, run, candidates, max_parents, remember);
        let everyone: Vec<Variable> = (0..p as Variable).collect();
        let scores = scorer.around_in_full(&dag, &everyone)?;
        scorer.count_symmetric_pairs_once(&dag);
        let ties = TieOrder::new(ties, || scores.iter().map(|own| own.gains(None)).collect());
        let largest = scores.iter().map(|child| child.score.abs()).filter(|s| s.is_finite()).fold(0.0, f64::max);
        let mut climber = Self {
            scorer,
            ancestors: Ancestors::of(&dag),
            hash: structure_hash(&dag),
            reversed: (0..p).map(|x| vec![f64::NAN; dag.parents(x as Variable).len()]).collect(),
            dag,
            scores,
            ties,
            pointer: vec![0; p],
            addition_bound: vec![f64::NEG_INFINITY; p],
            arc_bound: vec![f64::NEG_INFINITY; p],
            changed: Vec::new(),
            in_part: vec![false; p],
            max_parents,
            tolerance: (1e-12 * largest).max(1e-9),
        };
        for child in 0..p as Variable {
            climber.score_reversals_into(child, &[]);
            climber.refresh_addition_bound(child);
            climber.refresh_arc_bound(child);
        }
        Ok(climber)
    }

    pub(super) fn dag(&self) -> &Dag {
        &self.dag
    }

    pub(super) fn hash(&self) -> u128 {
        self.hash
    }

    pub(super) fn candidates(&self) -> Candidates<'a> {
        self.scorer.candidates()
    }

    pub(super) fn calls(&self) -> u64 {
        self.scorer.calls()
    }

    /// Scores closer than this are the same: 10⁻¹² of the largest local score at the start, and at least 10⁻⁹.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The score of the DAG: its local scores, added in the order of the variables.
    pub(super) fn total(&self) -> f64 {
        self.scores.iter().map(|child| child.score).sum()
    }

    /// Makes a move, and scores the children that it changes.
    pub(super) fn make(&mut self, step: Move) -> Result<()> {
        let known = |child: Variable, parent: Variable, added: bool| {
            let own = &self.scores[child as usize];
            if added {
                own.additions.iter().find(|(_, x)| *x == parent).map(|(with, _)| *with)
            } else {
                self.dag.parents(child).iter().position(|&x| x == parent).map(|i| own.deletions[i])
            }
        };
        let scores = match step {
            Move::Add(from, to) => vec![(to, known(to, from, true))],
            Move::Delete(from, to) => vec![(to, known(to, from, false))],
            Move::Reverse(from, to) => {
                let turned =
                    self.dag.parents(to).iter().position(|&x| x == from).map(|i| self.reversed[to as usize][i]);
                vec![(to, known(to, from, false)), (from, turned)]
            }
        };
        self.change(step);
        let changed = std::mem::take(&mut self.changed);
        self.rescore(&changed, |child| scores.iter().find(|(c, _)| *c == child).and_then(|(_, score)| *score))
    }

    /// Changes the graph until it is `target`, and then scores what changed, once.
    pub(super) fn return_to(&mut self, target: &Dag) -> Result<()> {
        let gone: Vec<_> = self.dag.arcs().filter(|&(from, to)| !target.contains(from, to)).collect();
        gone.into_iter().for_each(|(from, to)| self.change(Move::Delete(from, to)));
        for (from, to) in target.arcs() {
            if !self.dag.contains(from, to) {
                self.change(Move::Add(from, to));
            }
        }
        self.rescore_changed()
    }

    /// Scores what [`Climber::change`] has left unknown.
    pub(super) fn rescore_changed(&mut self) -> Result<()> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        self.rescore(&changed, |_| None)
    }

    /// Whether a move is possible: no cycle, within the parent cap, allowed by knowledge and active set.
    pub(super) fn allows(&self, step: Move) -> bool {
        let room = |x: Variable| self.dag.parents(x).len() < self.max_parents;
        match step {
            Move::Add(from, to) => {
                !self.dag.adjacent(from, to)
                    && room(to)
                    && self.candidates().allows(from, to)
                    && !self.ancestors.forbids_arc(from, to)
            }
            Move::Delete(from, to) => self.dag.contains(from, to) && self.candidates().may_remove(from, to),
            Move::Reverse(from, to) => {
                self.dag.contains(from, to)
                    && room(from)
                    && self.candidates().allows(to, from)
                    && self.ancestors.allows_reversal(&self.dag, from, to)
            }
        }
    }

    /// Makes a move in the graph alone; [`Climber::rescore_changed`] must follow before gains are asked for.
    pub(super) fn change(&mut self, step: Move) {
        self.hash = step.hash_after(self.hash);
        match step {
            Move::Add(_, to) | Move::Delete(_, to) => self.changed.push(to),
            Move::Reverse(from, to) => self.changed.extend([to, from]),
        }
        if let Move::Delete(from, to) | Move::Reverse(from, to) = step {
            let at = self.dag.parents(to).binary_search(&from).expect("the arc is there");
            self.dag.remove(from, to);
            self.reversed[to as usize].remove(at);
            self.ancestors.removed(&self.dag, from, to);
            // Additions that closed a cycle may no longer do so.
            for child in 0..self.dag.n_variables() {
                if self.pointer[child] > 0 {
                    self.pointer[child] = 0;
                    self.refresh_addition_bound(child as Variable);
                }
            }
        }
        if let Move::Add(from, to) | Move::Reverse(to, from) = step {
            self.dag.insert_acyclic(from, to);
            let at = self.dag.parents(to).binary_search(&from).expect("the arc is there");
            self.reversed[to as usize].insert(at, f64::NAN);
            self.ancestors.inserted(&self.dag, from, to);
        }
    }

    /// Scores what depends on the parents of `changed`. `known` may tell the score of a child as it is now.
    fn rescore(&mut self, changed: &[Variable], known: impl Fn(Variable) -> Option<f64> + Sync) -> Result<()> {
        let scores = self.scorer.around(&self.dag, changed, known)?;
        for &child in changed {
            self.in_part[child as usize] = self.candidates().grow();
        }
        self.take_scores(changed, scores);
        Ok(())
    }

    /// Scores all candidates of the children that were scored in part. Returns whether there were any.
    pub(super) fn grow(&mut self) -> Result<bool> {
        let partly: Vec<Variable> =
            (0..self.dag.n_variables() as Variable).filter(|&child| self.in_part[child as usize]).collect();
        let scores = self.scorer.around_in_full(&self.dag, &partly)?;
        self.in_part.fill(false);
        self.take_scores(&partly, scores);
        Ok(!partly.is_empty())
    }

    fn take_scores(&mut self, changed: &[Variable], scores: Vec<Arc<ChildScores>>) {
        for (&child, scores) in changed.iter().zip(scores) {
            self.scores[child as usize] = scores;
            self.pointer[child as usize] = 0;
            self.refresh_addition_bound(child);
        }
        // Reversals of arcs into a changed child (they may be new arcs), and of arcs from it.
        let mut heads: Vec<Variable> = changed.to_vec();
        for &child in changed {
            heads.extend_from_slice(self.dag.children(child));
        }
        heads.sort_unstable();
        heads.dedup();
        for head in heads {
            self.score_reversals_into(head, changed);
            self.refresh_arc_bound(head);
        }
    }

    /// Scores each parent of `child` with `child` as one more parent, where the arc is new or the parent has changed.
    fn score_reversals_into(&mut self, child: Variable, changed: &[Variable]) {
        for i in 0..self.dag.parents(child).len() {
            let parent = self.dag.parents(child)[i];
            if !self.reversed[child as usize][i].is_nan() && !changed.contains(&parent) {
                continue;
            }
            let own = &self.scores[parent as usize];
            let parents = self.dag.parents(parent);
            // Out of time no move is made any more, and nobody asks.
            let turned = if parents.len() >= self.max_parents
                || self.scorer.out_of_time()
                || !self.candidates().allows(child, parent)
            {
                f64::NEG_INFINITY
            } else if let Some(&(with, _)) = own.additions.iter().find(|(_, x)| *x == child) {
                with
            } else {
                let score = self.scorer.local_score(parent, &parents.with(child));
                if score.is_nan() { f64::NEG_INFINITY } else { score }
            };
            self.reversed[child as usize][i] = turned;
        }
    }

    pub(super) fn refresh_addition_bound(&mut self, child: Variable) {
        let c = child as usize;
        let own = &self.scores[c];
        let next = own.additions.get(self.pointer[c]).map_or(own.floor, |(with, _)| *with);
        self.addition_bound[c] = next - own.score;
    }

    fn refresh_arc_bound(&mut self, child: Variable) {
        let own = &self.scores[child as usize];
        let mut bound = f64::NEG_INFINITY;
        for (i, &parent) in self.dag.parents(child).iter().enumerate() {
            let lost = own.deletions[i] - own.score;
            let turned = self.reversed[child as usize][i] - self.scores[parent as usize].score;
            bound = bound.max(lost).max(lost + turned);
        }
        self.arc_bound[child as usize] = bound;
    }
}
