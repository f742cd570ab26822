//! Local scores for the operators: gains of one more parent in whole rows, and single scores.

use rustc_hash::FxHashMap;

use crate::run::Run;
use crate::score::{LocalScore, ScoreSession};
use crate::{Result, SortedSet, Variable, VariableSet};

/// The gains of one more parent of a variable that has the parents `base`.
#[derive(Debug, Clone)]
struct Row {
    base: VariableSet,
    base_score: f64,
    /// (candidate, gain) by candidate: all that were asked for, or of a whole row only those that improve the score.
    gains: Vec<(Variable, f64)>,
    /// The row was computed for all candidates at once.
    whole: bool,
    /// When the row was last used.
    used: u64,
}

/// Rows of one variable that are kept although they are not in use: parents that come and go come back.
const SPARE_ROWS: usize = 8;
/// Candidates of one item of parallel work: what they share is computed once for all of them, so items are large.
const CHUNK: usize = 4096;
/// Single scores from which it pays to wake other threads.
const WORTH_SHARING_SINGLES: usize = 256;
/// Evaluations of rows from which it pays to wake other threads.
const WORTH_SHARING: usize = 2048;

/// Single scores kept before they are let go; about 64 bytes each.
const CAPACITY: usize = 1 << 20;

/// Computes local scores at most once while they are in use, and counts them.
pub(super) struct Scores<'s, S: LocalScore> {
    score: &'s S,
    session: S::Session<'s>,
    singles: FxHashMap<(Variable, VariableSet), f64>,
    rows: Vec<Vec<Row>>,
    clock: u64,
    calls: u64,
}

/// A row that is needed: the variable, its parents and the candidates.
#[derive(Debug, Clone)]
pub(super) struct Need {
    pub(super) child: Variable,
    pub(super) base: VariableSet,
    /// In increasing order.
    pub(super) candidates: Vec<Variable>,
    /// These are all candidates that this row will ever be asked for.
    pub(super) whole: bool,
}

/// Gains up to this count as none: they may be rounding.
pub(super) fn tolerance(score: f64) -> f64 {
    1e-9 + 1e-13 * score.abs()
}

impl<'s, S: LocalScore> Scores<'s, S> {
    pub(super) fn new(score: &'s S) -> Self {
        Self {
            score,
            session: score.session(),
            singles: FxHashMap::default(),
            rows: vec![Vec::new(); score.n_variables()],
            clock: 0,
            calls: 0,
        }
    }

    /// Local scores computed so far.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// The local score of a variable with these parents (increasing).
    pub(super) fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let key = (child, VariableSet::from_slice(parents));
        if let Some(&score) = self.singles.get(&key) {
            return score;
        }
        self.calls += 1;
        let score = self.session.local_score(child, parents);
        self.singles.insert(key, score);
        score
    }

    /// Computes what is missing of single scores, in parallel where that pays; false when time has run out.
    pub(super) fn prepare_singles(&mut self, mut keys: Vec<(Variable, VariableSet)>, run: &Run) -> Result<bool> {
        if self.singles.len() > CAPACITY {
            self.singles.clear();
        }
        keys.retain(|key| !self.singles.contains_key(key));
        keys.sort_unstable();
        keys.dedup();
        if self.session.asks() {
            self.session.expect(keys.iter().map(|(child, parents)| parents.with(*child)).collect());
        }
        if keys.len() < WORTH_SHARING_SINGLES {
            return Ok(true);
        }
        let evaluate = |session: &mut S::Session<'_>, i: usize| {
            (!run.out_of_time()).then(|| session.local_score(keys[i].0, &keys[i].1))
        };
        let scores: Vec<Option<f64>> = run.map(keys.len(), || self.score.session(), evaluate)?;
        self.calls += scores.iter().flatten().count() as u64;
        let in_time = scores.iter().all(Option::is_some);
        self.singles.extend(keys.into_iter().zip(scores).filter_map(|(key, score)| Some((key, score?))));
        Ok(in_time)
    }

    /// The row of a variable with these parents, if it was prepared: (candidate, gain) by candidate.
    pub(super) fn row(&mut self, child: Variable, base: &[Variable]) -> &[(Variable, f64)] {
        let clock = self.clock;
        let row = self.rows[child as usize].iter_mut().find(|row| row.base[..] == *base).expect("a prepared row");
        row.used = clock;
        &row.gains
    }

    /// Computes what is missing of rows, in parallel where that pays, and lets go of rows long unused; false when time has
    /// run out, and rows are not complete.
    pub(super) fn prepare(&mut self, mut needs: Vec<Need>, run: &Run) -> Result<bool> {
        self.clock += 1;
        for need in &mut needs {
            let clock = self.clock;
            if let Some(row) = self.rows[need.child as usize].iter_mut().find(|row| row.base == need.base) {
                row.used = clock;
                if row.whole {
                    need.candidates.clear();
                } else {
                    need.candidates.retain(|x| row.gains.binary_search_by_key(x, |entry| entry.0).is_err());
                }
            } else {
                let row = Row {
                    base: need.base.clone(),
                    base_score: f64::NAN,
                    gains: Vec::new(),
                    whole: need.whole,
                    used: clock,
                };
                self.rows[need.child as usize].push(row);
            }
        }
        needs.retain(|need| !need.candidates.is_empty());
        let chunks: Vec<(usize, usize)> = needs
            .iter()
            .enumerate()
            .flat_map(|(i, need)| (0..need.candidates.len().div_ceil(CHUNK)).map(move |chunk| (i, chunk)))
            .collect();
        let rows = &self.rows;
        let evaluate = |session: &mut S::Session<'_>, item: usize| {
            if run.out_of_time() {
                return None;
            }
            let (i, chunk) = chunks[item];
            let need = &needs[i];
            let candidates = &need.candidates[chunk * CHUNK..((chunk + 1) * CHUNK).min(need.candidates.len())];
            let mut scores = Vec::with_capacity(candidates.len());
            let row = rows[need.child as usize].iter().find(|row| row.base == need.base).expect("just made");
            if !row.whole {
                session.local_scores_with_each(need.child, &need.base, candidates, &mut scores);
                let first = chunk == 0 && row.base_score.is_nan();
                return Some((scores, first.then(|| session.local_score(need.child, &need.base))));
            }
            // Of a whole row only what gains is kept, so what certainly does not need not be scored.
            let base_score = session.local_score(need.child, &need.base);
            session.local_scores_above(need.child, &need.base, candidates, base_score, &mut scores);
            Some((scores, (chunk == 0).then_some(base_score)))
        };
        let total: usize = needs.iter().map(|need| need.candidates.len()).sum();
        let shared = total >= WORTH_SHARING || (self.session.asks() && chunks.len() > 1);
        let results: Vec<Option<(Vec<f64>, Option<f64>)>> = if shared {
            run.map(chunks.len(), || self.score.session(), evaluate)?
        } else {
            let session = &mut self.session;
            (0..chunks.len()).map(|item| evaluate(session, item)).collect()
        };
        for (&(i, chunk), result) in chunks.iter().zip(results) {
            let Some((scores, base_score)) = result else { return Ok(false) };
            let need = &needs[i];
            let rows = &mut self.rows[need.child as usize];
            let row = rows.iter_mut().find(|row| row.base == need.base).expect("just made");
            if let Some(score) = base_score {
                row.base_score = score;
                self.calls += 1;
            }
            self.calls += scores.len() as u64;
            let least = if row.whole { tolerance(row.base_score) } else { f64::NEG_INFINITY };
            let gains = need.candidates[chunk * CHUNK..].iter().zip(scores).map(|(&x, s)| (x, s - row.base_score));
            row.gains.extend(gains.filter(|&(_, gain)| gain > least));
            if !row.whole {
                row.gains.sort_unstable_by_key(|entry| entry.0);
            }
        }
        // Where rows of a variable were used, those that have waited longest go.
        for need in &needs {
            let rows = &mut self.rows[need.child as usize];
            let in_use = rows.iter().filter(|row| row.used == self.clock).count();
            if rows.len() > in_use + SPARE_ROWS {
                rows.sort_by_key(|row| std::cmp::Reverse(row.used));
                rows.truncate(in_use + SPARE_ROWS);
            }
        }
        Ok(true)
    }
}
