//! The best move from a DAG under search.

use std::sync::Arc;

use super::climber::Climber;
use super::moves::Move;
use super::tabu::TabuList;
use crate::score::LocalScore;
use crate::{Result, SortedSet, Variable};

impl<S: LocalScore> Climber<'_, '_, S> {
    /// The move with the largest gain that closes no cycle and leads to no structure in `tabu`, with its gain. Among
    /// moves of equal gain the first by the rule for ties.
    pub(super) fn best_move(&mut self, tabu: Option<&TabuList>) -> Result<Option<(Move, f64)>> {
        let p = self.dag.n_variables() as Variable;
        let mut best = f64::NEG_INFINITY;
        for child in 0..p {
            if self.arc_bound[child as usize] > best {
                self.for_arc_moves(child, tabu, |_, gain| best = best.max(gain));
            }
            if self.addition_bound[child as usize] > best {
                self.for_additions(child, tabu, best, true, |_, gain| best = gain)?;
            }
        }
        if best == f64::NEG_INFINITY {
            return Ok(None);
        }
        let threshold = best - self.tolerance;
        let mut tied: Vec<Move> = Vec::new();
        for child in 0..p {
            if self.arc_bound[child as usize] >= threshold {
                self.for_arc_moves(child, tabu, |step, gain| {
                    if gain >= threshold {
                        tied.push(step);
                    }
                });
            }
            if self.addition_bound[child as usize] >= threshold {
                self.for_additions(child, tabu, threshold, false, |step, _| tied.push(step))?;
            }
        }
        let Some(first) = tied.iter().copied().min_by(|a, b| self.ties.compare(*a, *b)) else { return Ok(None) };
        let step = match first {
            Move::Add(tail, head) if self.ties.looks_ahead() && tied.contains(&Move::Add(head, tail)) => {
                let (one, other) = (self.opened_by(tail, head)?, self.opened_by(head, tail)?);
                if other > one + self.tolerance { Move::Add(head, tail) } else { first }
            }
            _ => first,
        };
        Ok(Some((step, best)))
    }

    /// The deletion of an arc without which the score is the same, if there is one: the first by the rule for ties. Of equal
    /// scores the graph with fewer arcs is better.
    pub(super) fn idle_arc(&self) -> Option<Move> {
        let mut idle: Vec<Move> = Vec::new();
        for child in 0..self.dag.n_variables() as Variable {
            if self.arc_bound[child as usize] >= -self.tolerance {
                self.for_arc_moves(child, None, |step, gain| {
                    if matches!(step, Move::Delete(..)) && gain >= -self.tolerance {
                        idle.push(step);
                    }
                });
            }
        }
        idle.into_iter().min_by(|a, b| self.ties.compare(*a, *b))
    }

    /// What further arcs into `head` gain in all once `tail` is a parent, minus what they gain now.
    fn opened_by(&mut self, tail: Variable, head: Variable) -> Result<f64> {
        let now = Arc::clone(&self.scores[head as usize]);
        let with = now.additions.iter().find(|(_, x)| *x == tail).expect("the arc can be added").0;
        let parents = self.dag.parents(head).with(tail);
        let after = self.scorer.ahead(head, &parents, with)?;
        Ok(after.gains(None) - now.gains(Some(tail)))
    }

    /// Calls `visit` with each allowed deletion and reversal of an arc into `child`.
    fn for_arc_moves(&self, child: Variable, tabu: Option<&TabuList>, mut visit: impl FnMut(Move, f64)) {
        let own = &self.scores[child as usize];
        let free = |step: Move| tabu.is_none_or(|list| !list.contains(step.hash_after(self.hash)));
        for (i, &parent) in self.dag.parents(child).iter().enumerate() {
            let lost = own.deletions[i] - own.score;
            if lost.is_nan() {
                continue;
            }
            let step = Move::Delete(parent, child);
            if self.candidates().may_remove(parent, child) && free(step) {
                visit(step, lost);
            }
            let turned = self.reversed[child as usize][i];
            let step = Move::Reverse(parent, child);
            if turned > f64::NEG_INFINITY && self.ancestors.allows_reversal(&self.dag, parent, child) && free(step) {
                visit(step, lost + (turned - self.scores[parent as usize].score));
            }
        }
    }

    /// Calls `visit` with the allowed additions to the parents of `child` by falling gain: the first that gains more
    /// than `threshold` if `only_first`, otherwise all that gain at least as much.
    fn for_additions(
        &mut self,
        child: Variable,
        tabu: Option<&TabuList>,
        threshold: f64,
        only_first: bool,
        mut visit: impl FnMut(Move, f64),
    ) -> Result<()> {
        let c = child as usize;
        loop {
            let own = Arc::clone(&self.scores[c]);
            while let Some(&(_, x)) = own.additions.get(self.pointer[c]) {
                if !self.ancestors.forbids_arc(x, child) {
                    break;
                }
                self.pointer[c] += 1;
            }
            self.refresh_addition_bound(child);
            let enough = |gain: f64| if only_first { gain > threshold } else { gain >= threshold };
            let mut exhausted = true;
            for &(with, x) in &own.additions[self.pointer[c]..] {
                if !enough(with - own.score) {
                    exhausted = false;
                    break;
                }
                let step = Move::Add(x, child);
                if !self.ancestors.forbids_arc(x, child)
                    && tabu.is_none_or(|list| !list.contains(step.hash_after(self.hash)))
                {
                    if only_first {
                        visit(step, with - own.score);
                        return Ok(());
                    }
                    visit(step, with - own.score);
                }
            }
            if !exhausted || !enough(own.floor - own.score) {
                return Ok(());
            }
            // What was left out matters after all. (Nothing was visited yet that a second round would visit twice,
            // unless all are wanted: then start from what the longer list adds.)
            let seen = own.additions.len();
            let longer = self.scorer.expand(child, &self.dag, own.score, seen * 8 + 64)?;
            if !only_first {
                for &(with, x) in longer.additions.iter().skip(seen).take_while(|(with, _)| enough(with - own.score)) {
                    let step = Move::Add(x, child);
                    if !self.ancestors.forbids_arc(x, child)
                        && tabu.is_none_or(|list| !list.contains(step.hash_after(self.hash)))
                    {
                        visit(step, with - own.score);
                    }
                }
            }
            let complete = !enough(longer.floor - own.score);
            self.scores[c] = longer;
            self.refresh_addition_bound(child);
            if !only_first && complete {
                return Ok(());
            }
        }
    }
}
