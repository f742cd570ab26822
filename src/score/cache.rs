//! A cache of local scores, which also counts the evaluations: the paper's statistical calls.

use rustc_hash::FxHashMap;

use super::{LocalScore, ScoreSession};
use crate::{Variable, VariableSet};

/// Local scores of (child, set of parents) that were computed before, within a bounded number of entries.
pub struct ScoreCache<'s, S: LocalScore + 's> {
    session: S::Session<'s>,
    scores: FxHashMap<(Variable, VariableSet), f64>,
    calls: u64,
    counted: bool,
}

/// Entries kept before the cache starts anew; about 64 bytes each.
const CAPACITY: usize = 1 << 20;

/// Scores from which on a batch is faster than one by one: a batch passes over all rows, one score may come from tables
/// that are known.
const BATCH: usize = 8;

impl<'s, S: LocalScore + 's> ScoreCache<'s, S> {
    /// An empty cache over a score.
    pub fn new(score: &'s S) -> Self {
        Self { session: score.session(), scores: FxHashMap::default(), calls: 0, counted: score.is_counted() }
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
        let mut computed = Vec::with_capacity(missing.len());
        if missing.len() < BATCH {
            for &candidate in &missing {
                with(&mut key, candidate);
                computed.push(self.session.local_score(child, &key.1));
            }
        } else {
            self.session.local_scores_with_each(child, parents, &missing, &mut computed);
        }
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
