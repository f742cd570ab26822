//! F of one base set with each of many candidates, with what sessions remember of it.

use super::{CountingSession, Scratch, joined};
use crate::counts::cache::shared::SharedSums;
use crate::counts::extend::each::Source;
use crate::counts::fixed::Total;
use crate::counts::table::core::MAX_SET;
use crate::counts::table::strata::cells_within;
use crate::counts::{FixedSum, cost};
use crate::{Variable, VariableSet};

impl CountingSession<'_, '_> {
    /// Says that [`sums_with_each`](Self::sums_with_each) will be asked for many bases and these candidates, so that they are
    /// brought together in memory. It changes no result.
    pub fn gather(&mut self, candidates: &[Variable]) {
        if let Some(source) = self.engine.here() {
            self.candidates.gather(source.data, candidates);
        }
    }

    /// Whether these were the last candidates to be brought together.
    pub fn has_gathered(&self, candidates: &[Variable]) -> bool {
        self.candidates.has_gathered(candidates)
    }

    /// F(base ∪ {c}) for each candidate c, written to `out` in the order of `candidates`. What depends on `base` alone
    /// is computed once. `base` is in any order, distinct; no candidate is in it.
    pub fn sums_with_each(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        let engine = self.engine;
        match *base {
            [] => {
                out.clear();
                out.extend(candidates.iter().map(|&candidate| engine.single(candidate)));
                return;
            }
            [x] => {
                if let Some(pairs) = engine.known_pairs() {
                    out.clear();
                    out.extend(candidates.iter().map(|&candidate| pairs.pair(x, candidate)));
                    return;
                }
            }
            _ => {}
        }
        let mut key = VariableSet::from_slice(base);
        key.sort_unstable();
        self.recall(&key, candidates, out);
        let n_variables = engine.shape().n_variables();
        if self.scratch.missing.is_empty() {
            return;
        }
        let Some(source) = engine.here() else { return self.ask_each(key, candidates, out) };
        if self.scratch.missing.len() > cost::FEW && 2 * candidates.len() >= n_variables {
            // All variables at once cost little more, and serve single sets too.
            let all: Vec<Variable> = (0..n_variables as Variable).filter(|v| key.binary_search(v).is_err()).collect();
            let sums = &mut self.scratch.sums;
            self.candidates.sums_with_each(source, base, &all, &all, sums);
            for (out, candidate) in out.iter_mut().zip(candidates) {
                *out = sums[all.binary_search(candidate).expect("no candidate is in the base")];
            }
            engine.rows_to_fill().keep(key, n_variables, &all, sums);
            return;
        }
        let missing: Vec<Variable> = self.scratch.missing.iter().map(|&at| candidates[at as usize]).collect();
        self.count_each(source, &key, base, &missing, candidates);
        let Scratch { missing: at, sums, .. } = &self.scratch;
        at.iter().zip(sums).for_each(|(&at, &sum)| out[at as usize] = sum);
        if SharedSums::pays(candidates.len(), n_variables) {
            engine.rows_to_fill().keep(key, n_variables, &missing, sums);
        }
    }

    /// Writes the sums of base ∪ {c} that are remembered to `out`, and the positions of the other candidates to the scratch
    /// memory.
    fn recall(&mut self, base: &VariableSet, candidates: &[Variable], out: &mut Vec<FixedSum>) {
        let few = self.few(base.len(), candidates);
        let missing = &mut self.scratch.missing;
        let rows = self.engine.rows();
        rows.as_deref().unwrap_or(&SharedSums::default()).recall(base, candidates, out, missing);
        drop(rows);
        if missing.len() <= few || !self.keeps_recent(base.len(), candidates.len()) {
            return;
        }
        self.scratch.missing.retain(|&at| {
            let known = self.recent.get(self.format.key(&joined(base, candidates[at as usize])));
            known.inspect(|&sum| out[at as usize] = sum).is_none()
        });
    }

    /// Whether sums of a base of so many variables with each of so many candidates are remembered one by one. A request for
    /// many candidates is likely to come again, from the search around another variable of the base: those are shared.
    fn keeps_recent(&self, base: usize, candidates: usize) -> bool {
        base < self.memo_size && !SharedSums::pays(candidates, self.engine.shape().n_variables())
    }

    /// Counts base ∪ {c} for each missing candidate c, into the sums of the scratch memory.
    fn count_each(
        &mut self,
        source: Source<'_>,
        key: &VariableSet,
        base: &[Variable],
        missing: &[Variable],
        candidates: &[Variable],
    ) {
        if missing.len() <= self.few(base.len(), candidates) && base.len() < MAX_SET {
            let one = |session: &mut Self, c| session.sum_n_log_n(&joined(key, c));
            let mut sums = std::mem::take(&mut self.scratch.sums);
            self.sums_of_few(source, base, (missing, candidates), one, &mut sums);
            self.scratch.sums = sums;
            return;
        }
        self.candidates.sums_with_each(source, base, missing, candidates, &mut self.scratch.sums);
        if self.keeps_recent(base.len(), candidates.len()) {
            for (&candidate, &sum) in missing.iter().zip(&self.scratch.sums) {
                self.recent.put(self.format.key(&joined(key, candidate)), sum);
            }
        }
    }

    /// What is added up over the tables of base ∪ {c} for a few of the candidates, written to `out`: by `one` each, but for
    /// tables that are too large to be dense. To count one of these groups the rows by the base, which then serves all.
    pub(super) fn sums_of_few<T: Total>(
        &mut self,
        source: Source<'_>,
        base: &[Variable],
        (few, candidates): (&[Variable], &[Variable]),
        one: impl Fn(&mut Self, Variable) -> T,
        out: &mut Vec<T>,
    ) {
        let large = self.large_with_each(base, few);
        let mut of_large = Vec::new();
        if !large.is_empty() {
            self.candidates.sums_with_each(source, base, &large, candidates, &mut of_large);
        }
        let mut of_large = large.iter().zip(of_large).peekable();
        out.clear();
        out.extend(few.iter().map(|&c| match of_large.next_if(|(large, _)| **large == c) {
            Some((_, sum)) => sum,
            None => one(self, c),
        }));
    }

    /// The candidates with which a base makes a table too large to be dense, if they are more than one.
    fn large_with_each(&self, base: &[Variable], candidates: &[Variable]) -> Vec<Variable> {
        let (shape, limit) = (self.engine.shape(), self.table_limit());
        let is_large = match cells_within(shape, base, limit) {
            None => Vec::from(candidates),
            Some(cells) => {
                let with = |c: &Variable| cells.saturating_mul(shape.arity(*c) as usize);
                candidates.iter().copied().filter(|c| with(c) > limit).collect()
            }
        };
        if is_large.len() > 1 { is_large } else { Vec::new() }
    }

    /// Up to how many candidates sets of a base of so many variables are counted one by one.
    pub(super) fn few(&self, base: usize, candidates: &[Variable]) -> usize {
        match self.candidates.has_gathered(candidates) {
            true => cost::FEW_GATHERED,
            false if base >= cost::LARGE_BASE => cost::FEW_OF_LARGE,
            false => cost::FEW,
        }
    }
}
