//! What a source of tables has answered, kept for all sessions of an engine.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::{Cell, TableSource};
use crate::counts::table::strata::cells_within;
use crate::data::Shape;
use crate::{Error, SortedSet, Variable, VariableSet};

/// Most cells of all tables that are kept: 256 MiB.
const MAX_CELLS: usize = 64 << 20;

/// Tables above this are not kept, so that none drives many small ones out.
const MAX_TABLE: usize = MAX_CELLS / 64;

/// So many looks for a larger table take less than to ask.
const MAX_LOOKS: usize = 1 << 14;

/// A source and the tables that it gave, with those of all their subsets of one variable fewer: a score of a child needs the
/// table of its parents too, a conditional test those without either variable.
#[derive(Debug)]
pub(crate) struct Answers<'d> {
    source: &'d dyn TableSource,
    kept: RwLock<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    tables: FxHashMap<VariableSet, Arc<[u32]>>,
    cells: usize,
}

impl Kept {
    fn put(&mut self, set: VariableSet, table: Arc<[u32]>) {
        if self.cells + table.len() > MAX_CELLS {
            *self = Self::default();
        }
        self.cells += table.len();
        self.tables.insert(set, table);
    }
}

impl<'d> Answers<'d> {
    pub(crate) fn new(source: &'d dyn TableSource) -> Self {
        Self { source, kept: RwLock::default() }
    }

    /// Rows and states.
    pub(crate) fn shape(&self) -> &Shape {
        self.source.shape()
    }

    /// The table of a set (increasing), if it was given before.
    pub(crate) fn known(&self, set: &[Variable]) -> Option<Arc<[u32]>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).tables.get(set).cloned()
    }

    /// The table of a set (increasing).
    pub(crate) fn table(&self, set: &[Variable]) -> Arc<[u32]> {
        self.known(set).unwrap_or_else(|| self.tables(&[VariableSet::from_slice(set)]).remove(0))
    }

    /// The tables of sets (each increasing), asked for together.
    pub(crate) fn tables(&self, sets: &[VariableSet]) -> Vec<Arc<[u32]>> {
        let mut found: Vec<Option<Arc<[u32]>>> = sets.iter().map(|set| self.known(set)).collect();
        self.find_margins(sets, &mut found);
        let missing: Vec<usize> = (0..sets.len()).filter(|&at| found[at].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<VariableSet> = missing.iter().map(|&at| sets[at].clone()).collect();
            let tables = self.source.tables(&asked);
            for ((at, set), table) in missing.into_iter().zip(asked).zip(tables) {
                let table: Arc<[u32]> = table.into();
                found[at] = Some(Arc::clone(&table));
                self.keep(set, table);
            }
        }
        found.into_iter().map(|table| table.expect("each was known or asked for")).collect()
    }

    /// Asks for the tables of sets that will be wanted one by one; those with more than `most` cells are left out.
    pub(crate) fn expect(&self, sets: impl Iterator<Item = VariableSet>, most: usize) {
        let small = |set: &VariableSet| cells_within(self.shape(), set, most.min(MAX_TABLE)).is_some();
        let missing: Vec<VariableSet> = sets.filter(|set| small(set) && self.known(set).is_none()).collect();
        if !missing.is_empty() {
            self.tables(&missing);
        }
    }

    /// Adds up tables that are not known, of which one with one variable more is, where looking for it takes less than asking.
    fn find_margins(&self, sets: &[VariableSet], found: &mut [Option<Arc<[u32]>>]) {
        let p = self.shape().n_variables();
        let unknown = found.iter().filter(|table| table.is_none()).count();
        if unknown == 0 || unknown.saturating_mul(p) > MAX_LOOKS {
            return;
        }
        for (set, found) in sets.iter().zip(found).filter(|(set, found)| found.is_none() && set.len() > 1) {
            let mut larger = (0..p as Variable).filter(|v| set.binary_search(v).is_err()).map(|v| (v, set.with(v)));
            let of_larger = |(v, larger): (Variable, VariableSet)| self.known(&larger).map(|table| (v, larger, table));
            if let Some((v, larger, table)) = larger.find_map(of_larger) {
                let position = larger.partition_point(|&x| x < v);
                let table = margin(self.shape(), &larger, position, &table);
                *found = Some(Arc::clone(&table));
                self.kept.write().unwrap_or_else(PoisonError::into_inner).put(set.clone(), table);
            }
        }
    }

    /// The tables of sets, asked for together and not kept.
    pub(crate) fn tables_once(&self, sets: &[VariableSet]) -> Vec<Vec<u32>> {
        self.source.tables(sets)
    }

    /// The cells of a large table; see [`TableSource::cells`].
    pub(crate) fn cells(&self, variables: &[Variable]) -> Vec<Cell> {
        let within = |cells: u128, &v: &Variable| cells.checked_mul(u128::from(self.shape().arity(v)));
        if variables.iter().try_fold(1, within).is_none() {
            let problem = "a family of variables has a table of more than 2^128 cells, which is not counted over shards; \
                           give a smaller limit, or learn from a sample";
            self.source.fail(Error::parameter("max_parents", problem));
            return Vec::new();
        }
        self.source.cells(variables)
    }

    fn keep(&self, set: VariableSet, table: Arc<[u32]>) {
        if table.len() > MAX_TABLE {
            return;
        }
        let mut margins = Vec::new();
        if set.len() > 2 {
            for position in 0..set.len() {
                let mut smaller = set.clone();
                smaller.remove(position);
                if self.known(&smaller).is_none() {
                    margins.push((smaller, margin(self.shape(), &set, position, &table)));
                }
            }
        }
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.put(set, table);
        margins.into_iter().for_each(|(set, table)| kept.put(set, table));
    }
}

/// The table of a set without the variable at a position.
fn margin(shape: &Shape, set: &[Variable], position: usize, table: &[u32]) -> Arc<[u32]> {
    let block = shape.n_cells(&set[..position]);
    let arity = shape.arity(set[position]) as usize;
    let mut sums = vec![0u32; table.len() / arity];
    for (into, table) in sums.chunks_exact_mut(block).zip(table.chunks_exact(block * arity)) {
        for state in table.chunks_exact(block) {
            into.iter_mut().zip(state).for_each(|(into, count)| *into += count);
        }
    }
    sums.into()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Three binary variables, with a row for each of the first five cells; remembers how many tables it gave.
    #[derive(Debug)]
    struct Source {
        shape: Shape,
        given: AtomicUsize,
    }

    impl TableSource for Source {
        fn shape(&self) -> &Shape {
            &self.shape
        }

        fn tables(&self, sets: &[VariableSet]) -> Vec<Vec<u32>> {
            self.given.fetch_add(sets.len(), Ordering::Relaxed);
            let cell = |set: &[Variable], row: u32| set.iter().rev().fold(0, |cell, v| 2 * cell + (row >> v & 1));
            let counted = |set: &VariableSet| {
                let mut table = vec![0; 1 << set.len()];
                (0..5).for_each(|row| table[cell(set, row) as usize] += 1);
                table
            };
            sets.iter().map(counted).collect()
        }

        fn cells(&self, _: &[Variable]) -> Vec<Cell> {
            Vec::new()
        }

        fn fail(&self, _: Error) {}
    }

    #[test]
    fn a_table_is_added_up_from_a_larger_one_that_is_known() {
        let source = Source { shape: Shape::new(5, vec![2; 4]).unwrap(), given: AtomicUsize::new(0) };
        let answers = Answers::new(&source);
        let set = |variables: &[Variable]| VariableSet::from_slice(variables);
        answers.tables(&[set(&[0, 1, 2, 3])]);
        // Those of three variables are made at once, those of two when they are asked for.
        assert_eq!(answers.known(&[0, 1]), None);
        assert_eq!(
            answers.tables(&[set(&[0, 1]), set(&[0, 2]), set(&[1, 2])]),
            [Arc::from([2, 1, 1, 1]), Arc::from([2, 2, 1, 0]), Arc::from([2, 2, 1, 0])]
        );
        answers.expect([set(&[2, 3])].into_iter(), MAX_TABLE);
        assert_eq!(*answers.table(&[0, 1, 2]), [1, 1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(source.given.load(Ordering::Relaxed), 1);
    }
}
