//! What sessions count where the rows are elsewhere: everything from tables that a source gives.

use super::{CountingSession, joined};
use crate::counts::FixedSum;
use crate::counts::cache::shared::SharedSums;
use crate::counts::fixed::Total;
use crate::counts::table::strata::reorder;
use crate::{Variable, VariableSet};

impl CountingSession<'_, '_> {
    /// Says that the tables of these sets (each in any order) will be wanted, so that a source that is far away is asked for
    /// all of them at once. It changes no result; where the rows are here it does nothing.
    pub fn expect(&self, sets: impl Iterator<Item = VariableSet>) {
        if let Some(answers) = self.engine.elsewhere() {
            let sorted = sets.map(|mut set| {
                set.sort_unstable();
                set
            });
            answers.expect(sorted, self.table_limit());
        }
    }

    /// [`expect`](Self::expect) for base ∪ {c} for each candidate c.
    pub fn expect_each(&self, base: &[Variable], candidates: &[Variable]) {
        self.expect(candidates.iter().map(|&candidate| joined(base, candidate)));
    }

    /// Whether tables come from a source that is better asked for many at once.
    pub(crate) fn asks(&self) -> bool {
        self.engine.elsewhere().is_some()
    }

    /// F of a set (increasing) whose table the source has given before.
    pub(super) fn known_sum(&mut self, set: &[Variable]) -> Option<FixedSum> {
        let engine = self.engine;
        match *set {
            [] => return Some(engine.total()),
            [x] => return Some(engine.single(x)),
            _ => {}
        }
        let key = (set.len() <= self.memo_size).then(|| self.format.key(set));
        let known = key.and_then(|key| self.memo.sum(key)).or_else(|| engine.known_pair(set));
        known.or_else(|| {
            let sum = engine.scale().sum(&engine.elsewhere()?.known(set)?);
            if let Some(key) = key {
                self.memo.set_sum(key, sum);
            }
            Some(sum)
        })
    }

    /// Puts a dense table (of variables in any order) into the counts of the scratch memory.
    pub(super) fn ask_table(&mut self, variables: &[Variable]) {
        let answers = self.engine.elsewhere().expect("rows are here or elsewhere");
        let mut set = VariableSet::from_slice(variables);
        set.sort_unstable();
        let table = answers.table(&set);
        reorder(self.engine.shape(), &set, variables, &table, &mut self.scratch.counts);
    }

    /// What is added up over the table of base ∪ {c} for each candidate c, asked for together. `base` is increasing.
    pub(super) fn ask_totals<T: Total>(&self, base: &[Variable], candidates: &[Variable]) -> Vec<T> {
        let sets: Vec<VariableSet> = candidates.iter().map(|&candidate| joined(base, candidate)).collect();
        self.engine.totals(&sets, true)
    }

    /// The end of [`sums_with_each`](Self::sums_with_each): the sums that are not remembered.
    pub(super) fn ask_each(&mut self, base: VariableSet, candidates: &[Variable], out: &mut [FixedSum]) {
        let missing: Vec<Variable> = self.scratch.missing.iter().map(|&at| candidates[at as usize]).collect();
        let sums: Vec<FixedSum> = self.ask_totals(&base, &missing);
        self.scratch.missing.iter().zip(&sums).for_each(|(&at, &sum)| out[at as usize] = sum);
        let n_variables = self.engine.shape().n_variables();
        if SharedSums::pays(candidates.len(), n_variables) {
            self.engine.rows_to_fill().keep(base, n_variables, &missing, &sums);
        }
    }
}
