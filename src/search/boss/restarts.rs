//! Restarts of a search among orders: random changes in one place, and the search from there.
//!
//! A graph of many variables has many places where an order could be better, which have little to do with each other. A
//! restart from an order that is changed everywhere gains in some and loses in others; one that is changed in one place
//! is kept where it gains and taken back where it does not, and costs only what lies around that place. This is iterated
//! local search (Lourenço, Martin and Stützle 2003) with the search among orders as its local search.

use std::collections::VecDeque;

use rand_chacha::rand_core::RngCore;

use super::super::hill_climbing::Restarts;
use super::order::OrderSearch;
use super::tree::Trace;
use crate::random_numbers::{below, generator};
use crate::score::LocalScore;
use crate::{Result, Variable};

/// What a change of the order has replaced: children and their traces before, in the order of the changes.
pub(super) type Journal = Vec<(Variable, Trace)>;

impl<S: LocalScore> OrderSearch<'_, '_, S> {
    /// Restarts from the order as it stands. Of each, what has gained stays, and what scores the same with no more arcs; the rest is
    /// taken back. Returns whether it came to its end, which is that of restarts or of the budget.
    pub(super) fn restart(&mut self, restarts: &Restarts) -> Result<bool> {
        let p = self.order.len();
        let mut rng = generator(restarts.seed);
        if p < 2 {
            return Ok(true);
        }
        let first = self.calls();
        let enough = self.restart_share.map_or(u64::MAX, |share| first.saturating_mul(1 + u64::from(share)));
        for _ in 0..restarts.count {
            if self.run.out_of_time() {
                return Ok(false);
            }
            if self.exhausted() || self.calls() >= enough {
                break;
            }
            let (before, order) = ((self.total(), self.n_arcs()), self.order.clone());
            self.journal = Some(Journal::new());
            let moved = self.perturb(restarts.perturbations, &mut rng)?;
            let settled = !moved.is_empty() && self.settle(moved)?;
            let journal = self.journal.take().unwrap_or_default();
            let after = (self.total(), self.n_arcs());
            let gains = after.0 > before.0 + self.rules.tolerance || (after.0 >= before.0 && after.1 <= before.1);
            let allowed = journal.iter().all(|&(child, _)| !self.current[child as usize].overfull);
            if !(settled && gains && allowed) {
                self.take_back(journal, order);
            }
            self.run.progress().advance(1);
        }
        Ok(!self.run.out_of_time())
    }

    fn n_arcs(&self) -> usize {
        self.current.iter().map(|trace| trace.parents.len()).sum()
    }

    /// Moves a random variable and some of those that matter to it to random places. Returns the variables moved.
    fn perturb(&mut self, moves: usize, rng: &mut impl RngCore) -> Result<Vec<Variable>> {
        let centre = self.order[below(rng, self.order.len())];
        let mut around: Vec<Variable> = self.relevance.of(centre).collect();
        let mut moved = Vec::with_capacity(moves);
        let mut next = centre;
        for _ in 0..moves {
            let Some(prospects) = self.prospects(next, false)? else { return Ok(Vec::new()) };
            let places: Vec<usize> =
                prospects.places.iter().copied().filter(|&at| at != self.position[next as usize]).collect();
            if !places.is_empty() {
                self.go(next, prospects, places[below(rng, places.len())]);
                moved.push(next);
            }
            if around.is_empty() {
                break;
            }
            next = around.swap_remove(below(rng, around.len()));
        }
        Ok(moved)
    }

    /// Moves what the last moves concern to its best place, and what that concerns, until nothing is left that gains. `moved` come
    /// last: the others have adapted to them by then. Returns whether it came to its end.
    fn settle(&mut self, moved: Vec<Variable>) -> Result<bool> {
        let mut waiting = vec![false; self.order.len()];
        let mut queue = VecDeque::new();
        let mut seen = 0;
        self.enqueue(&mut seen, &mut queue, &mut waiting);
        queue.retain(|x| !moved.contains(x));
        queue.extend(&moved);
        moved.iter().for_each(|&x| waiting[x as usize] = true);
        while let Some(x) = queue.pop_front() {
            waiting[x as usize] = false;
            if self.run.out_of_time() || self.exhausted() {
                return Ok(false);
            }
            if self.place_best(x)? {
                self.enqueue(&mut seen, &mut queue, &mut waiting);
            }
        }
        Ok(true)
    }

    /// Adds to the queue what the entries of the journal from `seen` on concern: the children that have changed, and those that
    /// matter to them or did.
    fn enqueue(&mut self, seen: &mut usize, queue: &mut VecDeque<Variable>, waiting: &mut [bool]) {
        let journal = self.journal.as_deref().unwrap_or_default();
        for (child, old) in &journal[*seen..] {
            let forced = self.forced[*child as usize].iter();
            let mattered = old.grown.iter().chain(&old.blocked).chain(forced).copied();
            for x in std::iter::once(*child).chain(self.relevance.of(*child)).chain(mattered) {
                if !std::mem::replace(&mut waiting[x as usize], true) {
                    queue.push_back(x);
                }
            }
        }
        *seen = journal.len();
    }

    fn take_back(&mut self, journal: Journal, order: Vec<Variable>) {
        for (child, old) in journal.into_iter().rev() {
            self.replace(child, old);
        }
        self.order = order;
        self.order.iter().enumerate().for_each(|(at, &x)| self.position[x as usize] = at);
    }
}
