//! A cache of local scores, which also counts the evaluations: the paper's statistical calls.

use rustc_hash::FxHashMap;

use super::{LocalScore, ScoreSession};
use crate::{Variable, VariableSet};

/// Local scores of (child, set of parents) that were computed before, within a bounded number of entries.
pub struct ScoreCache<'s, S: LocalScore + 's> {
    session: S::Session<'s>,
    scores: FxHashMap<(Variable, VariableSet), f64>,
    calls: u64,
}

/// Entries kept before the cache starts anew; about 64 bytes each.
const CAPACITY: usize = 1 << 20;

impl<'s, S: LocalScore + 's> ScoreCache<'s, S> {
    /// An empty cache over a score.
    pub fn new(score: &'s S) -> Self {
        Self { session: score.session(), scores: FxHashMap::default(), calls: 0 }
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

    /// Number of local scores computed (not found in the cache) so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }
}

impl<'s, S: LocalScore + 's> std::fmt::Debug for ScoreCache<'s, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScoreCache").field("entries", &self.scores.len()).field("calls", &self.calls).finish()
    }
}
