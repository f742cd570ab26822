//! Local scores of every parent set that is one arc away, for one child at a time.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::candidates::Candidates;
use super::child_scores::ChildScores;
use super::known_parents::KnownParents;
use crate::graph::Dag;
use crate::run::Run;
use crate::score::sessions::SessionPool;
use crate::score::{LocalScore, ScoreSession};
use crate::{Result, SortedSet, Variable, VariableSet};

/// Additions kept beyond those that improve. A tabu search takes the least bad move when none improves; if it ever gets
/// to the end of a list, the child is scored again and more is kept.
const KEEP: usize = 16;

/// An addition that certainly loses more than this (natural logarithms) is not scored, only bounded: a tabu search finds
/// less bad moves than these nearly always, and where it does not they are scored then.
const BAD: f64 = 10.0;

/// Fewer candidates than this are all scored.
const MIN_BOUNDED: usize = 64;

/// Additions kept in the memo in all, at 16 bytes each, before it starts anew.
const MEMO_CAPACITY: usize = 1 << 21;

/// Fewer candidates than this are not worth waking other threads for.
const MIN_PARALLEL: usize = 192;

/// Scores children, in parallel, remembering those seen before.
pub(super) struct Scorer<'a, 's, S: LocalScore> {
    pool: SessionPool<'s, S>,
    run: &'a Run,
    candidates: Candidates<'a>,
    max_parents: usize,
    /// The batch of each variable, see [`LocalScore::batch`].
    batches: Vec<usize>,
    equivalent: bool,
    memo: Option<FxHashMap<(Variable, VariableSet), Arc<ChildScores>>>,
    single: FxHashMap<(Variable, VariableSet), f64>,
    /// What was scored last before a move was chosen.
    ahead: Vec<(Variable, VariableSet, Arc<ChildScores>)>,
    /// For [`ActiveSet::Growing`](super::ActiveSet::Growing): the parents of each child that are worth scoring.
    grown: Option<Vec<KnownParents>>,
    memo_size: usize,
    calls: u64,
}

impl<'a, 's, S: LocalScore> Scorer<'a, 's, S> {
    /// A scorer; `remember` keeps a memo for searches that come back to parent sets.
    pub(super) fn new(
        score: &'s S,
        run: &'a Run,
        candidates: Candidates<'a>,
        max_parents: usize,
        remember: bool,
    ) -> Self {
        let memo = remember.then(FxHashMap::default);
        let grown = candidates.grow().then(|| vec![KnownParents::default(); score.n_variables()]);
        Self {
            ahead: Vec::new(),
            grown,
            batches: (0..score.n_variables() as Variable).map(|x| score.batch(x)).collect(),
            equivalent: score.is_score_equivalent(),
            pool: SessionPool::new(score),
            run,
            candidates,
            max_parents,
            memo,
            single: FxHashMap::default(),
            memo_size: 0,
            calls: 0,
        }
    }

    /// Local scores computed so far.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// Call after the first scores were taken: when equivalent DAGs score alike, x → y and y → x between two variables
    /// without parents are one evaluation (of their mutual information), and count once.
    pub(super) fn count_symmetric_pairs_once(&mut self, dag: &Dag) {
        // Where time ran out fewer were scored.
        if self.equivalent && self.max_parents > 0 && !self.run.was_cut_short() {
            let bare: Vec<Variable> =
                (0..dag.n_variables() as Variable).filter(|&x| dag.parents(x).is_empty()).collect();
            self.calls = self.calls.saturating_sub(self.candidates.pairs_both_ways(&bare));
        }
    }

    pub(super) fn candidates(&self) -> Candidates<'a> {
        self.candidates
    }

    /// Whether the search has no time left.
    pub(super) fn out_of_time(&self) -> bool {
        self.run.out_of_time()
    }

    /// One local score.
    pub(super) fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let key = (child, VariableSet::from_slice(parents));
        if let Some(&score) = self.single.get(&key) {
            return score;
        }
        self.calls += 1;
        let score = self.pool.take().local_score(child, parents);
        if self.memo.is_some() {
            if self.single.len() >= MEMO_CAPACITY / 4 {
                self.single.clear();
            }
            self.single.insert(key, score);
        }
        score
    }

    /// The scores around each of `children` in `dag`, such that no addition that gains is left out. A growing search then
    /// knows what is worth scoring from now on.
    pub(super) fn around_in_full(&mut self, dag: &Dag, children: &[Variable]) -> Result<Vec<Arc<ChildScores>>> {
        let Some(mut grown) = self.grown.take() else { return self.around(dag, children, |_| None) };
        let known = |child: &Variable| grown[*child as usize].knows(dag.parents(*child));
        let (known, unknown): (Vec<Variable>, Vec<Variable>) = children.iter().partition(|child| known(child));
        // What is remembered was scored with fewer candidates.
        self.forget();
        let in_full = self.around(dag, &unknown, |_| None)?;
        self.forget();
        for (&child, scores) in unknown.iter().zip(&in_full) {
            let worth = &mut grown[child as usize];
            worth.note(dag.parents(child));
            worth.add(scores.additions.iter().map(|(_, x)| *x).chain(dag.parents(child).iter().copied()));
        }
        self.grown = Some(grown);
        let in_part = self.around(dag, &known, |_| None)?;
        let (mut in_full, mut in_part) = (in_full.into_iter(), in_part.into_iter());
        let mut next_known = known.into_iter().peekable();
        let next = |&child: &Variable| {
            if next_known.next_if_eq(&child).is_some() { in_part.next() } else { in_full.next() }
        };
        Ok(children.iter().filter_map(next).collect())
    }

    fn forget(&mut self) {
        self.ahead.clear();
        if let Some(memo) = &mut self.memo {
            memo.clear();
            self.memo_size = 0;
        }
    }

    /// The scores around each of `children` in `dag`. `known` may tell the score of a child as it is.
    pub(super) fn around(
        &mut self,
        dag: &Dag,
        children: &[Variable],
        known: impl Fn(Variable) -> Option<f64> + Sync,
    ) -> Result<Vec<Arc<ChildScores>>> {
        let mut found: Vec<Option<Arc<ChildScores>>> = vec![None; children.len()];
        if let Some(memo) = &self.memo {
            for (slot, &child) in found.iter_mut().zip(children) {
                *slot = memo.get(&(child, VariableSet::from_slice(dag.parents(child)))).cloned();
            }
        }
        for (slot, &child) in found.iter_mut().zip(children).filter(|(slot, _)| slot.is_none()) {
            let ahead = self.ahead.iter().find(|(of, parents, _)| *of == child && **parents == *dag.parents(child));
            *slot = ahead.map(|(_, _, scores)| Arc::clone(scores));
        }
        let missing: Vec<Variable> =
            found.iter().zip(children).filter(|(slot, _)| slot.is_none()).map(|(_, &child)| child).collect();
        let mut computed = if missing.len() > 2 * self.run.threads() {
            self.each_on_its_thread(dag, &missing, known)?
        } else {
            missing
                .iter()
                .map(|&child| self.split(child, dag.parents(child), known(child), KEEP, BAD))
                .collect::<Result<Vec<_>>>()?
        }
        .into_iter();
        for (slot, &child) in found.iter_mut().zip(children) {
            if slot.is_none() {
                let scores = Arc::new(computed.next().expect("one for each missing child"));
                self.remember(child, dag.parents(child), &scores);
                *slot = Some(scores);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The scores around a child with other parents than it has, whose score is known. The last two are kept for
    /// [`around`](Self::around).
    pub(super) fn ahead(&mut self, child: Variable, parents: &[Variable], score: f64) -> Result<Arc<ChildScores>> {
        let key = (child, VariableSet::from_slice(parents));
        if let Some(scores) = self.memo.as_ref().and_then(|memo| memo.get(&key)) {
            return Ok(Arc::clone(scores));
        }
        let scores = Arc::new(self.split(child, parents, Some(score), KEEP, BAD)?);
        self.remember(child, parents, &scores);
        if self.ahead.len() == 2 {
            self.ahead.remove(0);
        }
        self.ahead.push((child, key.1, Arc::clone(&scores)));
        Ok(scores)
    }

    /// The same scores of one child with `keep` additions beyond those that improve.
    pub(super) fn expand(&mut self, child: Variable, dag: &Dag, score: f64, keep: usize) -> Result<Arc<ChildScores>> {
        let scores = Arc::new(self.split(child, dag.parents(child), Some(score), keep, f64::INFINITY)?);
        self.remember(child, dag.parents(child), &scores);
        Ok(scores)
    }

    fn remember(&mut self, child: Variable, parents: &[Variable], scores: &Arc<ChildScores>) {
        if let Some(memo) = &mut self.memo {
            if self.memo_size > MEMO_CAPACITY {
                memo.clear();
                self.memo_size = 0;
            }
            self.memo_size += scores.additions.len() + scores.deletions.len() + 8;
            memo.insert((child, VariableSet::from_slice(parents)), Arc::clone(scores));
        }
    }

    /// Many children: each is one item of a parallel loop.
    fn each_on_its_thread(
        &mut self,
        dag: &Dag,
        children: &[Variable],
        known: impl Fn(Variable) -> Option<f64> + Sync,
    ) -> Result<Vec<ChildScores>> {
        let (pool, candidates, max_parents) = (&self.pool, self.candidates, self.max_parents);
        let (run, grown) = (self.run, self.grown.as_deref());
        let results = run.map(
            children.len(),
            || (pool.take(), Vec::new()),
            |(session, scores), i| {
                let child = children[i];
                let parents = dag.parents(child);
                let mut calls = parents.len() as u64;
                let score = known(child).unwrap_or_else(|| {
                    calls += 1;
                    session.local_score(child, parents)
                });
                if run.out_of_time() {
                    return (ChildScores::unknown(score, parents.len()), calls - parents.len() as u64);
                }
                let free = free_parents(candidates, grown, max_parents, child, parents);
                calls += free.len() as u64;
                let least = least(score, BAD, &free);
                let bound = session.local_scores_with_each_above(child, parents, &free, least, scores);
                let deletions = scores_without_each(&mut **session, child, parents);
                (ChildScores::ranked(score, &free, scores, bound, deletions, KEEP), calls)
            },
        )?;
        self.calls += results.iter().map(|(_, calls)| calls).sum::<u64>();
        Ok(results.into_iter().map(|(scores, _)| scores).collect())
    }

    /// One child: its candidates are split among the threads if there are enough of them. Those that lose more than `bad` may
    /// be left out.
    fn split(
        &mut self,
        child: Variable,
        parents: &[Variable],
        known: Option<f64>,
        keep: usize,
        bad: f64,
    ) -> Result<ChildScores> {
        let pool = &self.pool;
        let mut session = pool.take();
        self.calls += u64::from(known.is_none());
        let score = known.unwrap_or_else(|| session.local_score(child, parents));
        if self.run.out_of_time() {
            return Ok(ChildScores::unknown(score, parents.len()));
        }
        let free = free_parents(self.candidates, self.grown.as_deref(), self.max_parents, child, parents);
        self.calls += (free.len() + parents.len()) as u64;
        let threads = self.run.threads();
        let least = least(score, bad, &free);
        let mut scores = Vec::new();
        let mut bound = f64::NEG_INFINITY;
        let deletions;
        if threads > 1 && free.len() >= MIN_PARALLEL {
            drop(session);
            let mut order: Vec<usize> = (0..free.len()).collect();
            order.sort_by_key(|&i| self.batches[free[i] as usize]);
            let chunks = chunks(&order, threads, |i| self.batches[free[i] as usize]);
            // The first item is the deletions.
            let parts = self.run.map(
                chunks.len() + 1,
                || pool.take(),
                |session, i| {
                    let mut part = Vec::new();
                    if i == 0 {
                        return (scores_without_each(&mut **session, child, parents), f64::NEG_INFINITY);
                    }
                    let part_free: Vec<Variable> = chunks[i - 1].iter().map(|&i| free[i]).collect();
                    let bound = session.local_scores_with_each_above(child, parents, &part_free, least, &mut part);
                    (part, bound)
                },
            )?;
            let mut parts = parts.into_iter();
            deletions = parts.next().unwrap_or_default().0;
            scores.resize(free.len(), 0.0);
            for (chunk, (part, of_part)) in chunks.iter().zip(parts) {
                chunk.iter().zip(part).for_each(|(&i, score)| scores[i] = score);
                bound = bound.max(of_part);
            }
        } else {
            bound = session.local_scores_with_each_above(child, parents, &free, least, &mut scores);
            deletions = scores_without_each(&mut *session, child, parents);
        }
        Ok(ChildScores::ranked(score, &free, &scores, bound, deletions, keep))
    }
}

/// Splits what is in order of batches: whole batches, two chunks a thread, or one batch into four chunks a thread, so that a
/// thread that was woken late does less.
fn chunks(order: &[usize], threads: usize, batch: impl Fn(usize) -> usize) -> Vec<&[usize]> {
    let alike = order.chunk_by(|&a, &b| batch(a) == batch(b));
    if alike.clone().count() == 1 {
        return order.chunks(order.len().div_ceil(4 * threads)).collect();
    }
    let least = order.len().div_ceil(2 * threads);
    let mut chunks = Vec::new();
    let (mut start, mut end) = (0, 0);
    for batch in alike {
        end += batch.len();
        if end - start >= least || end == order.len() {
            chunks.push(&order[start..end]);
            start = end;
        }
    }
    chunks
}

/// The parents that a child may still get and that are worth scoring.
fn free_parents(
    candidates: Candidates<'_>,
    grown: Option<&[KnownParents]>,
    max_parents: usize,
    child: Variable,
    parents: &[Variable],
) -> Vec<Variable> {
    if parents.len() >= max_parents {
        return Vec::new();
    }
    match grown {
        Some(grown) => {
            let list = grown[child as usize].variables().iter().copied();
            list.filter(|&x| parents.binary_search(&x).is_err() && candidates.allows(x, child)).collect()
        }
        None => candidates.parents_for(child, parents),
    }
}

/// The score below which additions to a child with this score need not be known.
fn least(score: f64, bad: f64, free: &[Variable]) -> f64 {
    if free.len() < MIN_BOUNDED { f64::NEG_INFINITY } else { score - bad }
}

fn scores_without_each(session: &mut impl ScoreSession, child: Variable, parents: &[Variable]) -> Vec<f64> {
    parents.iter().map(|&x| session.local_score(child, &parents.without(x))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_batches_of_all() {
        for (n, width, threads) in [(1000, 128, 2), (200, 128, 2), (192, 64, 8), (300, 1000, 2), (7, 3, 1)] {
            let order: Vec<usize> = (0..n).collect();
            let chunks = chunks(&order, threads, |i| i / width);
            assert_eq!(chunks.concat(), order);
            assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
            if n > width {
                assert!(chunks.len() <= 2 * threads && chunks.iter().all(|chunk| chunk[0] % width == 0));
            } else {
                assert_eq!(chunks.len(), 4 * threads);
            }
        }
    }
}
