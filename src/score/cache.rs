//! A cache of local scores, which also counts the evaluations: the paper's statistical calls.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sessions::SessionPool;
use super::{LocalScore, ScoreSession};
use crate::run::Run;
use crate::{Result, SortedSet, Variable, VariableSet};

/// Local scores of (child, set of parents) that were computed before, within a bounded number of entries.
pub struct ScoreCache<'s, S: LocalScore + 's> {
    session: S::Session<'s>,
    /// For what all threads compute.
    pool: SessionPool<'s, S>,
    scores: FxHashMap<(Variable, VariableSet), f64>,
    calls: u64,
    counted: bool,
}

/// Entries kept before the cache starts anew; about 64 bytes each.
const CAPACITY: usize = 1 << 20;

impl<'s, S: LocalScore + 's> ScoreCache<'s, S> {
    /// An empty cache over a score.
    pub fn new(score: &'s S) -> Self {
        let (session, pool) = (score.session(), SessionPool::new(score));
        Self { session, pool, scores: FxHashMap::default(), calls: 0, counted: score.is_counted() }
    }

    /// The local score of `child` with `parents` (strictly increasing), computed at most once.
    pub fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let key = (child, VariableSet::from_slice(parents));
        if let Some(&score) = self.scores.get(&key) {
            return score;
        }
        if self.scores.len() >= CAPACITY {
            self.scores.clear();
        }
        let score = self.session.local_score(child, parents);
        self.calls += 1;
        self.scores.insert(key, score);
        score
    }

    /// The local scores of `child` with `parents` and one more parent, for each of `candidates` (none of them the child
    /// or in
    /// `parents`), written to `out` in the same order. What is not known is computed together.
    pub fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        let mut missing: Vec<Variable> = Vec::new();
        let mut key = (child, VariableSet::new());
        let with = |key: &mut (Variable, VariableSet), candidate: Variable| {
            let at = parents.partition_point(|&parent| parent < candidate);
            key.1.clear();
            key.1.extend_from_slice(&parents[..at]);
            key.1.push(candidate);
            key.1.extend_from_slice(&parents[at..]);
        };
        out.clear();
        for &candidate in candidates {
            with(&mut key, candidate);
            // NaN marks what is to be computed; a score that is NaN itself is computed again.
            let known = self.scores.get(&key).copied().unwrap_or(f64::NAN);
            if known.is_nan() {
                missing.push(candidate);
            }
            out.push(known);
        }
        if missing.is_empty() {
            return;
        }
        if self.scores.len() + missing.len() > CAPACITY {
            self.scores.clear();
        }
        let computed = with_each(&mut self.session, child, parents, &missing);
        self.calls += missing.len() as u64;
        for (&candidate, &score) in missing.iter().zip(&computed) {
            with(&mut key, candidate);
            self.scores.insert(key.clone(), score);
        }
        let mut computed = computed.into_iter();
        for score in out.iter_mut().filter(|score| score.is_nan()) {
            *score = computed.next().expect("one score for each missing candidate");
        }
    }

    /// Computes what is not known of the scores of `child` with each of these sets of parents and one more, for each of the
    /// candidates beside it, by all threads.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`].
    pub(crate) fn prepare(
        &mut self,
        child: Variable,
        requests: &[(VariableSet, Vec<Variable>)],
        run: &Run,
    ) -> Result<()> {
        let mut wanted: FxHashSet<VariableSet> = FxHashSet::default();
        let mut missing: Vec<(&VariableSet, Vec<Variable>)> = Vec::new();
        for (parents, candidates) in requests {
            let is_new = |candidate: &Variable| {
                let set = parents.with(*candidate);
                !self.scores.contains_key(&(child, set.clone())) && wanted.insert(set)
            };
            let new: Vec<Variable> = candidates.iter().copied().filter(is_new).collect();
            if !new.is_empty() {
                missing.push((parents, new));
            }
        }
        if missing.len() < 2 || self.scores.len() + wanted.len() > CAPACITY {
            return Ok(());
        }
        let pool = &self.pool;
        let computed = run.map(
            missing.len(),
            || pool.take(),
            |session, i| with_each(&mut **session, child, missing[i].0, &missing[i].1),
        )?;
        self.calls += wanted.len() as u64;
        for ((parents, candidates), scores) in missing.into_iter().zip(computed) {
            self.scores.extend(candidates.iter().zip(scores).map(|(&x, score)| ((child, parents.with(x)), score)));
        }
        Ok(())
    }

    /// Number of local scores computed (not found in the cache) so far; 0 where there is no score.
    pub fn calls(&self) -> u64 {
        if self.counted { self.calls } else { 0 }
    }
}

impl<'s, S: LocalScore + 's> std::fmt::Debug for ScoreCache<'s, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScoreCache").field("entries", &self.scores.len()).field("calls", &self.calls).finish()
    }
}

/// The scores of a child with some parents and each of some candidates.
fn with_each(
    session: &mut impl ScoreSession,
    child: Variable,
    parents: &[Variable],
    candidates: &[Variable],
) -> Vec<f64> {
    if let [candidate] = *candidates {
        return vec![session.local_score(child, &parents.with(candidate))];
    }
    let mut computed = Vec::with_capacity(candidates.len());
    session.local_scores_with_each(child, parents, candidates, &mut computed);
    computed
}
