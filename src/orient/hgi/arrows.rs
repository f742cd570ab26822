//! The first step of HGI: v-structures, and edges that background knowledge directs, while they improve the score.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::{Gain, Hgi, gain};
use crate::graph::EdgeMark;
use crate::orient::VStructure;
use crate::score::LocalScore;
use crate::{Result, Variable, VariableSet};

/// Arcs into one variable, to be added together.
#[derive(Debug, Clone)]
struct Proposal {
    centre: Variable,
    /// In increasing order.
    tails: VariableSet,
}

impl<'s, S: LocalScore + 's> Hgi<'_, 's, S> {
    /// Adds v-structures greedily.
    pub(super) fn add_v_structures(&mut self, v_structures: &[VStructure]) -> Result<()> {
        let rest = &self.rest;
        let mut sorted: Vec<&VStructure> = v_structures
            .iter()
            .filter(|v| !rest.adjacent(v.x, v.y) && rest.adjacent(v.x, v.centre) && rest.adjacent(v.y, v.centre))
            .collect();
        sorted.sort_unstable_by_key(|v| v.index());
        sorted.dedup_by_key(|v| v.index());
        let proposals = sorted
            .into_iter()
            .map(|v| Proposal { centre: v.centre, tails: VariableSet::from_slice(&[v.x, v.y]) })
            .collect();
        self.add_greedily(proposals)
    }

    /// Decides on the edges that knowledge directs.
    pub(super) fn add_forced(&mut self, arcs: &[(Variable, Variable)]) -> Result<()> {
        let mut sorted: Vec<_> = arcs.iter().map(|&(from, to)| (to, from)).collect();
        sorted.sort_unstable();
        let proposals = sorted
            .into_iter()
            .map(|(centre, from)| Proposal { centre, tails: VariableSet::from_slice(&[from]) })
            .collect();
        self.add_greedily(proposals)?;
        for &(from, to) in arcs.iter().filter(|&&(from, to)| !self.dag.contains(from, to)) {
            self.rest.set(from, to, EdgeMark::None);
        }
        Ok(())
    }

    /// Adds the proposal with the largest gain, again and again while it is positive. `proposals` are sorted by centre.
    ///
    /// A proposal that does not fit is discarded for good: arcs are only added, so that it never will.
    fn add_greedily(&mut self, mut proposals: Vec<Proposal>) -> Result<()> {
        proposals.retain(|p| p.tails.iter().all(|&tail| self.knowledge.allows_arc(tail, p.centre)));
        let mut open = vec![true; proposals.len()];
        // A gain is out of date once its centre has got parents since.
        let mut version = vec![0u32; self.dag.n_variables()];
        let mut heap: BinaryHeap<(Gain, Reverse<usize>, u32)> = BinaryHeap::with_capacity(proposals.len());
        let mut first = 0;
        while first < proposals.len() && !self.run.out_of_time() {
            first = self.push_gains(&proposals, &open, first, 0, &mut heap)?;
        }
        while let Some((gain, Reverse(index), seen)) = heap.pop() {
            let Proposal { centre, tails } = &proposals[index];
            if seen != version[*centre as usize] {
                continue;
            }
            if gain <= 0 {
                break;
            }
            self.run.check()?;
            if self.run.out_of_time() {
                break;
            }
            open[index] = false;
            let new: VariableSet = tails.iter().copied().filter(|&tail| !self.dag.contains(tail, *centre)).collect();
            if !self.has_room(*centre, new.len()) || new.iter().any(|&tail| self.closes_cycle(tail, *centre)) {
                continue;
            }
            for tail in new {
                self.apply(tail, *centre);
            }
            version[*centre as usize] += 1;
            let start = proposals.partition_point(|p| p.centre < *centre);
            self.push_gains(&proposals, &open, start, version[*centre as usize], &mut heap)?;
        }
        Ok(())
    }

    /// Adds to the heap the gains of the open proposals with the same centre as that at `start`; returns where the next
    /// centre starts.
    fn push_gains(
        &mut self,
        proposals: &[Proposal],
        open: &[bool],
        start: usize,
        version: u32,
        heap: &mut BinaryHeap<(Gain, Reverse<usize>, u32)>,
    ) -> Result<usize> {
        let centre = proposals[start].centre;
        let end = proposals.partition_point(|p| p.centre <= centre);
        let parents = VariableSet::from_slice(self.dag.parents(centre));
        let before = self.cache.local_score(centre, &parents);
        self.prepare(proposals, open, start..end, &parents)?;
        let mut at = start;
        while at < end && !self.run.out_of_time() {
            self.run.check()?;
            let (group, base) = group(proposals, at..end, &parents);
            let shared = proposals[at].tails.len() - 1;
            at = group.end;
            let (mut lasts, mut indices) = (Vec::new(), Vec::new());
            for index in group.filter(|&index| open[index]) {
                let last = proposals[index].tails[shared];
                if base.contains(&last) {
                    if base.len() > parents.len() && base.len() <= self.max_parents {
                        let after = self.cache.local_score(centre, &base);
                        heap.push((gain(after, before), Reverse(index), version));
                    }
                } else if base.len() < self.max_parents {
                    lasts.push(last);
                    indices.push(index);
                }
            }
            if !lasts.is_empty() {
                self.cache.local_scores_with_each(centre, &base, &lasts, &mut self.scores);
                let gains = self.scores.iter().map(|&after| gain(after, before));
                heap.extend(indices.into_iter().zip(gains).map(|(i, gain)| (gain, Reverse(i), version)));
            }
        }
        Ok(end)
    }

    /// Scores by all threads what [`push_gains`](Self::push_gains) will ask for.
    fn prepare(
        &mut self,
        proposals: &[Proposal],
        open: &[bool],
        range: Range<usize>,
        parents: &VariableSet,
    ) -> Result<()> {
        let mut requests = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (group, base) = group(proposals, at..range.end, parents);
            at = group.end;
            if base.len() < self.max_parents {
                let lasts = group.filter(|&i| open[i]).filter_map(|i| proposals[i].tails.last().copied());
                requests.push((base.clone(), lasts.filter(|last| !base.contains(last)).collect()));
            }
        }
        self.cache.prepare(proposals[range.start].centre, &requests, self.run)
    }
}

/// The first of the proposals in a range, all of one centre, that share all tails but the last, which are scored in one batch; and
/// the parents of the centre with these tails.
fn group(proposals: &[Proposal], range: Range<usize>, parents: &VariableSet) -> (Range<usize>, VariableSet) {
    let (start, end) = (range.start, range.end);
    let shared = &proposals[start].tails[..proposals[start].tails.len() - 1];
    let same = |p: &&Proposal| &p.tails[..p.tails.len() - 1] == shared;
    let n = proposals[start..end].iter().take_while(same).count();
    let mut base = parents.clone();
    for &tail in shared {
        if let Err(i) = base.binary_search(&tail) {
            base.insert(i, tail);
        }
    }
    (start..start + n, base)
}
