//! The counting engine: one table of data, shared by all threads, and a session for each thread.

use rustc_hash::FxHashMap;

use super::{FixedScale, FixedSum};
use crate::Variable;
use crate::data::DiscreteData;

/// Counts over one data table. Shared by all threads; each thread counts through its own [`CountingSession`].
#[derive(Debug)]
pub struct CountingEngine<'d> {
    data: &'d DiscreteData,
    scale: FixedScale,
}

impl<'d> CountingEngine<'d> {
    /// Prepares an engine for a table.
    pub fn new(data: &'d DiscreteData) -> Self {
        Self { data, scale: FixedScale::new(data.n_rows()) }
    }

    /// The data that is counted.
    pub fn data(&self) -> &'d DiscreteData {
        self.data
    }

    /// The unit of sums.
    pub fn scale(&self) -> &FixedScale {
        &self.scale
    }

    /// A session for one thread.
    pub fn session(&self) -> CountingSession<'_, 'd> {
        CountingSession { engine: self, memo: FxHashMap::default() }
    }
}

/// One thread's access to a [`CountingEngine`], with its scratch memory and its memo of sums.
#[derive(Debug)]
pub struct CountingSession<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    memo: FxHashMap<Vec<Variable>, FixedSum>,
}

impl<'e, 'd> CountingSession<'e, 'd> {
    /// The engine of this session.
    pub fn engine(&self) -> &'e CountingEngine<'d> {
        self.engine
    }

    /// Says that the sums asked for next lie within this neighbourhood (a focal variable and its neighbours), so that
    /// what is shared among them is kept and what was kept for another neighbourhood may be dropped. It changes no
    /// result.
    pub fn focus(&mut self, _neighbourhood: &[Variable]) {
        self.memo.clear();
    }

    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing).
    pub fn sum_n_log_n(&mut self, variables: &[Variable]) -> FixedSum {
        debug_assert!(variables.windows(2).all(|w| w[0] < w[1]));
        if let Some(&sum) = self.memo.get(variables) {
            return sum;
        }
        let mut sum = FixedSum::default();
        self.for_each_cell(variables, |_, count| sum += self.engine.scale.n_log_n(count));
        self.memo.insert(variables.to_vec(), sum);
        sum
    }

    /// Calls `visit(cell, count)` for every cell of the table of `variables` (any order, distinct) that has a count,
    /// by increasing cell. The cell of states (s₁, …, sₖ) is s₁ + r₁ (s₂ + r₂ (s₃ + …)), the first variable running
    /// fastest, in 128 bits. Memory is O(rows) however many cells there are.
    pub fn for_each_cell(&self, variables: &[Variable], mut visit: impl FnMut(u128, u32)) {
        let data = self.engine.data;
        let mut cells: Vec<u128> = vec![0; data.n_rows()];
        for &variable in variables.iter().rev() {
            let arity = u128::from(data.arity(variable));
            let column = data.column(variable);
            // With more than 2^128 cells the codes are compacted to those that occur.
            for (row, cell) in cells.iter_mut().enumerate() {
                *cell = *cell * arity + u128::from(column.get(row));
            }
        }
        cells.sort_unstable();
        let mut start = 0;
        while start < cells.len() {
            let end = start + cells[start..].partition_point(|&c| c == cells[start]);
            visit(cells[start], (end - start) as u32);
            start = end;
        }
    }
}
