//! What would become of a variable and of its children at other places of the order.

use super::order::OrderSearch;
use super::tree::Trace;
use crate::score::LocalScore;
use crate::{Result, Variable};

/// A place for a variable among the others: how many come before it.
pub(super) type Place = usize;

/// What becomes of a variable and of its children at other places.
pub(super) struct Prospects {
    pub(super) own_place: Place,
    /// The children to which it matters whether the variable comes before them, in their order: (child, its place, whether
    /// the variable comes before it now, its trace if that were otherwise).
    pub(super) concerned: Vec<(Variable, Place, bool, Trace)>,
    /// Its own traces, each from a place on.
    along: Vec<(Place, Trace)>,
    /// The places to choose among, in increasing order: something differs from each to the next, and no variable has
    /// more required parents than may be.
    pub(super) places: Vec<Place>,
}

impl Prospects {
    pub(super) fn own(&self, at: Place) -> &Trace {
        &self.along[self.along.partition_point(|(from, _)| *from <= at) - 1].1
    }
}

impl<'s, S: LocalScore> OrderSearch<'_, 's, S> {
    /// What becomes of `x` and its children at other places; `None` when time is up. Of `promising` places alone, if that is
    /// asked for: not of those that could only be better if `x` lost by more predecessors.
    pub(super) fn prospects(&self, x: Variable, promising: bool) -> Result<Option<Prospects>> {
        let own_place = self.position[x as usize];
        // Places of the others when x is taken out.
        let place = |y: Variable| {
            let at = self.position[y as usize];
            if at > own_place { at - 1 } else { at }
        };
        let lowest = self.before[x as usize].iter().map(|&y| place(y) + 1).max().unwrap_or(0);
        let highest = self.after[x as usize].iter().map(|&y| place(y)).min().unwrap_or(self.order.len() - 1);
        let mut concerned: Vec<Variable> = (0..self.order.len() as Variable)
            .filter(|&child| child != x && self.relevance.contains(child, x))
            .collect();
        concerned.sort_unstable_by_key(|&child| place(child));
        let is_before = |child: Variable| own_place < self.position[child as usize];

        let pool = &self.pool;
        let traced = self.run.map(
            concerned.len() + 1,
            || pool.take(),
            |session, i| match i.checked_sub(1) {
                None if promising => Vec::new(),
                None => self.along(&mut **session, x, lowest, highest, place),
                Some(i) => {
                    let child = concerned[i];
                    let precedes = |y: Variable| if y == x { !is_before(child) } else { place(y) < place(child) };
                    let from = self.incremental.then(|| &self.current[child as usize].parents[..]);
                    vec![(0, self.trace(&mut **session, child, from, precedes))]
                }
            },
        )?;
        if self.run.out_of_time() {
            // Traces may have been cut short.
            return Ok(None);
        }
        let mut traced = traced.into_iter();
        let mut along = traced.next().unwrap_or_default();
        let others = traced.flatten().map(|(_, trace)| trace);
        let concerned = concerned.iter().zip(others);
        let concerned: Vec<_> =
            concerned.map(|(&child, other)| (child, place(child), is_before(child), other)).collect();
        let (mut lowest, mut highest) = (lowest, highest);
        if promising {
            let gains: Vec<(Place, f64)> = concerned.iter().map(|one| (one.1, self.gain(one))).collect();
            let mut session = pool.take();
            (along, highest) = self.along_promising(&mut session, x, (lowest, highest), &gains, place);
            lowest = along.first().map_or(own_place, |(from, _)| *from);
            if self.run.out_of_time() {
                return Ok(None);
            }
        }
        let mut prospects = Prospects { own_place, concerned, along, places: Vec::new() };

        // Whether some variable would have more required parents than may be.
        let overfull_at = |at: Place| {
            let child_is = |(child, place, is_before, other): &(Variable, Place, bool, Trace)| {
                if *is_before == (at <= *place) { self.current[*child as usize].overfull } else { other.overfull }
            };
            prospects.own(at).overfull || prospects.concerned.iter().any(child_is)
        };
        let mut places: Vec<Place> = prospects.along.iter().map(|(from, _)| *from).collect();
        let behind = prospects.concerned.iter().map(|(_, place, ..)| place + 1);
        places.extend(behind.filter(|&at| at > lowest && at <= highest));
        places.sort_unstable();
        places.dedup();
        places.retain(|&at| at == own_place || !overfull_at(at));
        prospects.places = places;
        Ok(Some(prospects))
    }

    /// What `x` before a child gains for that child.
    pub(super) fn gain(&self, (child, _, is_before, other): &(Variable, Place, bool, Trace)) -> f64 {
        let now = self.current[*child as usize].score;
        if *is_before { now - other.score } else { other.score - now }
    }

    /// The parents of `x` at the places around its own, as (first place, trace) of each stretch, and the last place of the
    /// last one. It goes on in a direction as long as some place there could be better than the one that `x` has, if more
    /// predecessors are never worse. `gains` are those of its children, by their places.
    fn along_promising(
        &self,
        session: &mut S::Session<'s>,
        x: Variable,
        (lowest, highest): (Place, Place),
        gains: &[(Place, f64)],
        place: impl Fn(Variable) -> Place,
    ) -> (Vec<(Place, Trace)>, Place) {
        let own = self.position[x as usize];
        let of_children =
            |at: Place| gains[gains.partition_point(|(place, _)| *place < at)..].iter().map(|g| g.1).sum();
        // The most that children gain at one of these places.
        let most = |from: Place, to: Place| {
            let within = gains.iter().map(|(place, _)| place + 1).filter(|&at| at > from && at <= to);
            std::iter::once(from).chain(within).map(of_children).fold(f64::NEG_INFINITY, f64::max)
        };
        let here = self.trace(session, x, None, |y| y != x && place(y) < own);
        let target = here.score + of_children(own) + self.rules.tolerance;
        let first = |trace: &Trace| trace.grown.iter().map(|&y| place(y) + 1).max().unwrap_or(0).max(lowest);
        let mut found = vec![(first(&here), here)];
        loop {
            let (from, trace) = &found[found.len() - 1];
            if *from <= lowest || trace.score + most(lowest, from - 1) <= target || self.run.out_of_time() {
                break;
            }
            let at = from - 1;
            let trace = self.trace(session, x, None, |y| y != x && place(y) < at);
            found.push((first(&trace), trace));
        }
        found.reverse();
        let mut from = own;
        let mut above = None;
        loop {
            let Some(at) = self.next_place(x, &found[found.len() - 1].1, from, highest, &place) else {
                return (found, highest);
            };
            let above =
                *above.get_or_insert_with(|| self.trace(session, x, None, |y| y != x && place(y) < highest).score);
            if above + most(at, highest) <= target || self.run.out_of_time() {
                return (found, at - 1);
            }
            found.push((at, self.trace(session, x, None, |y| y != x && place(y) < at)));
            from = at;
        }
    }

    /// The first place after `from` that changes the parents of `x`, which are those of a trace until there.
    fn next_place(
        &self,
        x: Variable,
        trace: &Trace,
        from: Place,
        highest: Place,
        place: impl Fn(Variable) -> Place,
    ) -> Option<Place> {
        let changing = trace.blocked.iter().chain(&self.forced[x as usize]);
        changing.map(|&y| place(y) + 1).filter(|&at| at > from && at <= highest).min()
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
        if self.incremental {
            return self.along_from_here(session, x, lowest, highest, place);
        }
        let mut found = Vec::new();
        let mut from = lowest;
        loop {
            let trace = self.trace(session, x, None, |y| y != x && place(y) < from);
            let next = self.next_place(x, &trace, from, highest, &place);
            found.push((from, trace));
            match next {
                Some(at) if !self.run.out_of_time() => from = at,
                _ => return found,
            }
        }
    }

    /// The same, each from the parents at the place beside it, outwards from where `x` is.
    fn along_from_here(
        &self,
        session: &mut S::Session<'s>,
        x: Variable,
        lowest: Place,
        highest: Place,
        place: impl Fn(Variable) -> Place,
    ) -> Vec<(Place, Trace)> {
        let own = self.position[x as usize];
        let first = |trace: &Trace| {
            let last = trace.parents.iter().map(|&y| place(y) + 1).max().unwrap_or(0);
            last.max(lowest)
        };
        let here = self.current[x as usize].clone();
        let mut found = vec![(first(&here), here)];
        while found[found.len() - 1].0 > lowest && !self.run.out_of_time() {
            let (from, trace) = &found[found.len() - 1];
            let at = from - 1;
            let trace = self.trace(session, x, Some(&trace.parents), |y| y != x && place(y) < at);
            found.push((first(&trace), trace));
        }
        found.reverse();
        let mut from = own;
        loop {
            let trace = &found[found.len() - 1].1;
            let next = self.next_place(x, trace, from, highest, &place);
            let Some(at) = next.filter(|_| !self.run.out_of_time()) else { return found };
            let trace = self.trace(session, x, Some(&trace.parents), |y| y != x && place(y) < at);
            found.push((at, trace));
            from = at;
        }
    }
}
