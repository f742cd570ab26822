//! Counts of the rows that are complete in some columns, wherever the rows are.

use rustc_hash::FxHashMap;

use crate::counts::{CountingEngine, CountingSession};
use crate::data::{IncompleteData, with_codes};
use crate::{Variable, VariableSet};

/// Where the rows are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rows<'d> {
    Here(&'d IncompleteData),
    /// Where tables come from, in which missing values are a state after the known ones, and the numbers of these.
    Elsewhere(&'d CountingEngine<'d>, &'d [u32]),
}

impl Rows<'_> {
    pub(super) fn n_variables(self) -> usize {
        match self {
            Self::Here(data) => data.n_variables(),
            Self::Elsewhere(_, arities) => arities.len(),
        }
    }

    pub(super) fn arity(self, variable: Variable) -> u32 {
        match self {
            Self::Here(data) => data.arity(variable),
            Self::Elsewhere(_, arities) => arities[variable as usize],
        }
    }
}

/// Counts the complete rows of a few columns, stratum by stratum.
#[derive(Debug, Default)]
pub(super) struct CompleteCounts {
    /// The cell of each row.
    ids: Vec<u64>,
    table: Vec<u32>,
    cells: Vec<(u32, u32)>,
    numbers: FxHashMap<u64, u64>,
    /// How many states each column shows in the complete rows: those of the conditioning set, then y, then x.
    pub(super) states: Vec<f64>,
    seen: Vec<bool>,
}

/// The number of rows in which none of these variables is missing.
pub(super) fn n_complete(counting: &mut CountingSession<'_, '_>, arities: &[u32], variables: &[Variable]) -> usize {
    let mut set = VariableSet::from_slice(variables);
    set.sort_unstable();
    let shape = counting.engine().shape();
    let sizes: Vec<(u128, u128)> =
        set.iter().map(|&v| (u128::from(shape.arity(v)), u128::from(arities[v as usize]))).collect();
    let mut rows = 0;
    counting.for_each_cell(&set, |mut cell, count| {
        let known = |&(size, arity): &(u128, u128)| {
            let state = cell % size;
            cell /= size;
            state < arity
        };
        if sizes.iter().all(known) {
            rows += count as usize;
        }
    });
    rows
}

/// The cell of a row in which a value is missing.
const MISSING: u64 = u64::MAX;

impl CompleteCounts {
    /// Calls `visit` with the cells (x + r_x y, count) that have a count, by increasing cell, of each stratum of `given` that
    /// occurs; returns the number of complete rows.
    pub(super) fn for_each_stratum(
        &mut self,
        rows: Rows<'_>,
        counting: &mut Option<CountingSession<'_, '_>>,
        x: Variable,
        y: Variable,
        given: &[Variable],
        visit: impl FnMut(&[(u32, u32)]),
    ) -> usize {
        match (rows, counting) {
            (Rows::Here(data), _) => self.for_each_stratum_here(data, x, y, given, visit),
            (Rows::Elsewhere(_, arities), Some(counting)) => {
                self.for_each_stratum_elsewhere(counting, arities, x, y, given, visit)
            }
            (Rows::Elsewhere(..), None) => unreachable!("a session over an engine has one of it"),
        }
    }

    /// The same of tables in which missing values are states.
    fn for_each_stratum_elsewhere(
        &mut self,
        counting: &mut CountingSession<'_, '_>,
        arities: &[u32],
        x: Variable,
        y: Variable,
        given: &[Variable],
        mut visit: impl FnMut(&[(u32, u32)]),
    ) -> usize {
        // The first conditioning variable runs slowest, as where rows are counted.
        let set: VariableSet = [x, y].into_iter().chain(given.iter().rev().copied()).collect();
        let shape = counting.engine().shape();
        let sizes: Vec<u128> = set.iter().map(|&v| u128::from(shape.arity(v))).collect();
        let known: Vec<u128> = set.iter().map(|&v| u128::from(arities[v as usize])).collect();
        let mut seen: Vec<Vec<bool>> = known.iter().map(|&arity| vec![false; arity as usize]).collect();
        let mut counts: Vec<(u128, u32)> = Vec::new();
        counting.for_each_cell(&set, |cell, count| counts.push((cell, count)));
        let block = sizes[0] * sizes[1];
        let mut states: Vec<usize> = Vec::new();
        let mut n_rows = 0;
        for stratum in counts.chunk_by(|a, b| a.0 / block == b.0 / block) {
            let mut rest = stratum[0].0 / block;
            states.clear();
            states.extend(sizes[2..].iter().map(|size| {
                let state = rest % size;
                rest /= size;
                state as usize
            }));
            if states.iter().zip(&known[2..]).any(|(&state, &arity)| state as u128 >= arity) {
                continue;
            }
            self.cells.clear();
            for &(cell, count) in stratum {
                let (of_x, of_y) = (cell % sizes[0], cell / sizes[0] % sizes[1]);
                if of_x < known[0] && of_y < known[1] {
                    self.cells.push(((of_x + known[0] * of_y) as u32, count));
                    (seen[0][of_x as usize], seen[1][of_y as usize]) = (true, true);
                    n_rows += count as usize;
                }
            }
            if !self.cells.is_empty() {
                states.iter().zip(&mut seen[2..]).for_each(|(&state, seen)| seen[state] = true);
                visit(&self.cells);
            }
        }
        self.states.clear();
        // Those of the conditioning set, then y, then x.
        self.states.extend(seen.iter().rev().map(|seen| seen.iter().filter(|seen| **seen).count() as f64));
        n_rows
    }

    fn for_each_stratum_here(
        &mut self,
        data: &IncompleteData,
        x: Variable,
        y: Variable,
        given: &[Variable],
        mut visit: impl FnMut(&[(u32, u32)]),
    ) -> usize {
        const MANY: u64 = 1 << 31;
        self.ids.clear();
        self.ids.resize(data.n_rows(), 0);
        let mut size = 1;
        for &z in given {
            if size * u64::from(data.arity(z)) > MANY {
                size = self.renumber();
            }
            size *= self.refine(data, z);
        }
        if size > MANY {
            size = self.renumber();
        }
        let block = self.refine(data, y) * self.refine(data, x);
        let n_cells = size.saturating_mul(block);
        self.states.clear();
        for &variable in given.iter().chain([&y, &x]) {
            let shown = self.shown(data, variable);
            self.states.push(f64::from(shown));
        }
        if n_cells <= (4 * data.n_rows() as u64).max(1 << 12) {
            self.table.clear();
            self.table.resize(n_cells as usize, 0);
            for &id in self.ids.iter().filter(|&&id| id != MISSING) {
                self.table[id as usize] += 1;
            }
            let mut n_rows = 0;
            for stratum in self.table.chunks_exact(block as usize) {
                self.cells.clear();
                let counted = stratum.iter().enumerate().filter(|(_, count)| **count > 0);
                self.cells.extend(counted.map(|(cell, &count)| (cell as u32, count)));
                n_rows += self.cells.iter().map(|&(_, count)| count as usize).sum::<usize>();
                if !self.cells.is_empty() {
                    visit(&self.cells);
                }
            }
            return n_rows;
        }
        self.ids.retain(|&id| id != MISSING);
        self.ids.sort_unstable();
        for stratum in self.ids.chunk_by(|a, b| a / block == b / block) {
            self.cells.clear();
            self.cells.extend(stratum.chunk_by(|a, b| a == b).map(|run| ((run[0] % block) as u32, run.len() as u32)));
            visit(&self.cells);
        }
        self.ids.len()
    }

    /// Refines the cells by a column, and returns its arity.
    fn refine(&mut self, data: &IncompleteData, variable: Variable) -> u64 {
        fn by<T: Copy + Into<u64>>(ids: &mut [u64], codes: &[T], arity: u64) {
            for (id, &code) in ids.iter_mut().zip(codes) {
                let code = code.into();
                *id = if code == arity || *id == MISSING { MISSING } else { *id * arity + code };
            }
        }
        let arity = u64::from(data.arity(variable));
        with_codes!(data.column(variable), |codes| by(&mut self.ids, codes, arity));
        arity
    }

    /// How many states of a column the complete rows show.
    fn shown(&mut self, data: &IncompleteData, variable: Variable) -> u32 {
        fn count<T: Copy + Into<usize>>(ids: &[u64], codes: &[T], seen: &mut [bool]) -> u32 {
            let mut shown = 0;
            for (&id, &code) in ids.iter().zip(codes) {
                let code = code.into();
                if id != MISSING && !seen[code] {
                    seen[code] = true;
                    shown += 1;
                    // Mostly a few rows show all states.
                    if shown as usize == seen.len() {
                        break;
                    }
                }
            }
            shown
        }
        self.seen.clear();
        self.seen.resize(data.arity(variable) as usize, false);
        with_codes!(data.column(variable), |codes| count(&self.ids, codes, &mut self.seen))
    }

    /// Numbers the cells that occur, in their order, and returns how many there are.
    fn renumber(&mut self) -> u64 {
        let mut occurring: Vec<u64> = self.ids.iter().copied().filter(|&id| id != MISSING).collect();
        occurring.sort_unstable();
        occurring.dedup();
        self.numbers.clear();
        self.numbers.extend(occurring.iter().zip(0u64..).map(|(&id, number)| (id, number)));
        for id in self.ids.iter_mut().filter(|id| **id != MISSING) {
            *id = self.numbers[id];
        }
        occurring.len() as u64
    }
}
