//! What would become of a variable and of its children at other places of the order.

use super::order::OrderSearch;
use super::tree::Trace;
use crate::score::LocalScore;
use crate::score::sessions::PooledSession;
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

/// Where a variable stands, where it may stand, and the children to which that matters, in their order.
struct Around {
    own_place: Place,
    lowest: Place,
    highest: Place,
    concerned: Vec<Variable>,
}

impl Prospects {
    pub(super) fn own(&self, at: Place) -> &Trace {
        &self.along[self.along.partition_point(|(from, _)| *from <= at) - 1].1
    }
}

impl<'s, S: LocalScore> OrderSearch<'_, 's, S> {
    /// What becomes of `x` and its children at other places; `None` when time is up. Of `promising` places alone, if that is
    /// asked for: not of those that could only be better if `x` lost by more predecessors. All threads take part.
    pub(super) fn prospects(&self, x: Variable, promising: bool) -> Result<Option<Prospects>> {
        let around = self.around(x);
        let pool = &self.pool;
        let one = |session: &mut PooledSession<'_, 's, S>, i| self.traced(&mut **session, x, &around, i, promising);
        let traced = self.run.map(around.concerned.len() + 1, || pool.take(), one)?;
        Ok(self.compared(&mut pool.take(), x, around, traced, promising))
    }

    /// [`prospects`](Self::prospects) of several variables whose trees are not the same, each by one thread.
    pub(super) fn prospects_of(&self, variables: &[Variable], promising: bool) -> Result<Vec<Option<Prospects>>> {
        let pool = &self.pool;
        self.run.map(
            variables.len(),
            || pool.take(),
            |session, at| {
                let x = variables[at];
                let around = self.around(x);
                let one = |i| self.traced(&mut **session, x, &around, i, promising);
                let traced = (0..=around.concerned.len()).map(one).collect();
                self.compared(&mut **session, x, around, traced, promising)
            },
        )
    }

    /// The first of the waiting variables and those behind it, so many in all at most, that have no tree in common: that of a
    /// variable itself, and those of its concerned children.
    pub(super) fn apart(&self, waiting: &[Variable], most: usize) -> Vec<Variable> {
        let mut taken = vec![false; self.order.len()];
        let mut found = Vec::with_capacity(most);
        for &x in waiting {
            let trees: Vec<Variable> = self.concerned(x).chain([x]).collect();
            if trees.iter().all(|&tree| !taken[tree as usize]) {
                trees.iter().for_each(|&tree| taken[tree as usize] = true);
                found.push(x);
            }
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// The children to which it matters whether `x` comes before them.
    fn concerned(&self, x: Variable) -> impl Iterator<Item = Variable> + '_ {
        self.relevance.children(x).filter(move |&child| child != x)
    }

    fn around(&self, x: Variable) -> Around {
        let own_place = self.position[x as usize];
        let place = |y: Variable| self.place_without(own_place, y);
        let lowest = self.before[x as usize].iter().map(|&y| place(y) + 1).max().unwrap_or(0);
        let highest = self.after[x as usize].iter().map(|&y| place(y)).min().unwrap_or(self.order.len() - 1);
        let mut concerned: Vec<Variable> = self.concerned(x).collect();
        concerned.sort_unstable_by_key(|&child| place(child));
        Around { own_place, lowest, highest, concerned }
    }

    /// The place of `y` among the others when the variable at `own_place` is taken out.
    fn place_without(&self, own_place: Place, y: Variable) -> Place {
        let at = self.position[y as usize];
        if at > own_place { at - 1 } else { at }
    }

    /// The traces that [`compared`](Self::compared) needs: first those of `x` at other places, unless only promising ones count,
    /// and then those of the concerned children.
    fn traced(
        &self,
        session: &mut S::Session<'s>,
        x: Variable,
        around: &Around,
        i: usize,
        promising: bool,
    ) -> Vec<(Place, Trace)> {
        let place = |y: Variable| self.place_without(around.own_place, y);
        match i.checked_sub(1) {
            None if promising => Vec::new(),
            None => self.along(session, x, around.lowest, around.highest, place),
            Some(i) => {
                let child = around.concerned[i];
                let is_before = around.own_place < self.position[child as usize];
                let precedes = |y: Variable| if y == x { !is_before } else { place(y) < place(child) };
                let from = self.incremental.then(|| &self.current[child as usize].parents[..]);
                vec![(0, self.trace(session, child, from, precedes))]
            }
        }
    }

    fn compared(
        &self,
        session: &mut S::Session<'s>,
        x: Variable,
        around: Around,
        traced: Vec<Vec<(Place, Trace)>>,
        promising: bool,
    ) -> Option<Prospects> {
        if self.run.out_of_time() {
            // Traces may have been cut short.
            return None;
        }
        let Around { own_place, mut lowest, mut highest, concerned } = around;
        let place = |y: Variable| self.place_without(own_place, y);
        let mut traced = traced.into_iter();
        let mut along = traced.next().unwrap_or_default();
        let others = traced.flatten().map(|(_, trace)| trace);
        let is_before = |child: Variable| own_place < self.position[child as usize];
        let concerned: Vec<_> = concerned
            .iter()
            .zip(others)
            .map(|(&child, other)| (child, place(child), is_before(child), other))
            .collect();
        if promising {
            let gains: Vec<(Place, f64)> = concerned.iter().map(|one| (one.1, self.gain(one))).collect();
            (along, highest) = self.along_promising(session, x, (lowest, highest), &gains, place);
            lowest = along.first().map_or(own_place, |(from, _)| *from);
            if self.run.out_of_time() {
                return None;
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
        Some(prospects)
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
