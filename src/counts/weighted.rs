//! Counts of rows that weigh differently, in fixed point.
//!
//! The weight of a cell is a sum of whole numbers, and F = Σ n ln n over cells a sum of whole numbers too, with n the weight
//! of the cell in rows: both are exact whatever the order of rows. Rows are counted one by one; there are no bit planes.

use super::table::strata::Strata;
use super::{CellSum, FixedScale, FixedSum};
use crate::Variable;
use crate::data::{CodesView, WeightedData};

/// Weighted counts over one table. Shared by all threads; each thread counts through its own [`WeightedSession`].
///
/// # Examples
///
/// ```
/// use phgs::counts::WeightedEngine;
/// use phgs::data::{DiscreteData, WeightedData};
///
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1]])?;
/// let data = WeightedData::new(data, &[1.0, 1.0, 2.0])?;
/// let engine = WeightedEngine::new(&data);
/// // The effective number of rows is 16 / 6, half of it in each state.
/// let sum = engine.session().cell_sum(&[0]);
/// let half = 8.0f64 / 6.0;
/// assert!((engine.scale().value(sum.sum) - 2.0 * half * half.ln()).abs() < 1e-8);
/// assert_eq!(sum.occupied, 2);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct WeightedEngine<'d> {
    data: &'d WeightedData,
    scale: FixedScale,
}

impl<'d> WeightedEngine<'d> {
    /// An engine for a table.
    pub fn new(data: &'d WeightedData) -> Self {
        // Effective rows are at most rows; n ln n of less than one row is no further from 0 than 1 / e.
        Self { data, scale: FixedScale::new(data.data().n_rows()) }
    }

    /// The data that is counted.
    pub fn data(&self) -> &'d WeightedData {
        self.data
    }

    /// The unit of sums.
    pub fn scale(&self) -> &FixedScale {
        &self.scale
    }

    /// `n ln n` of a weight in units.
    pub(crate) fn n_log_n(&self, units: u64) -> FixedSum {
        let (whole, rest) = (units / WeightedData::UNIT, units % WeightedData::UNIT);
        if rest == 0 && whole <= self.scale.n_rows() as u64 {
            return self.scale.n_log_n(whole as u32);
        }
        let n = units as f64 / WeightedData::UNIT as f64;
        FixedSum((n * n.ln() / self.scale.value(FixedSum(1))).round() as i64)
    }

    /// A session for one thread.
    pub fn session(&self) -> WeightedSession<'_, 'd> {
        let (table, cells, sorted) = (Vec::new(), Vec::new(), Vec::new());
        WeightedSession { engine: self, strata: Strata::default(), table, cells, sorted }
    }
}

/// One thread's scratch memory for counts over a [`WeightedEngine`].
#[derive(Debug)]
pub struct WeightedSession<'e, 'd> {
    engine: &'e WeightedEngine<'d>,
    strata: Strata,
    table: Vec<u64>,
    cells: Vec<(u32, u64)>,
    /// The cell and the weight of each row, where cells are too many for a table.
    sorted: Vec<(u64, u64)>,
}

impl WeightedSession<'_, '_> {
    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing), and how many of them occur.
    pub fn cell_sum(&mut self, variables: &[Variable]) -> CellSum {
        self.strata.group(self.engine.data.data(), variables);
        self.table.clear();
        self.table.resize(self.strata.n_strata(), 0);
        for (&id, &units) in self.strata.ids().iter().zip(self.engine.data.units()) {
            self.table[id as usize] += units;
        }
        let mut sum = FixedSum::default();
        self.table.iter().for_each(|&units| sum += self.engine.n_log_n(units));
        CellSum { sum, occupied: self.table.len() as u32 }
    }

    /// Calls `visit` with the cells (x + r_x y, units) that have rows, by increasing cell, of each stratum of `given` that
    /// occurs.
    pub(crate) fn for_each_stratum(
        &mut self,
        x: Variable,
        y: Variable,
        given: &[Variable],
        mut visit: impl FnMut(&[(u32, u64)]),
    ) {
        let (weighted, data) = (self.engine.data, self.engine.data.data());
        self.strata.group(data, given);
        let (r_x, block) = (data.arity(x), u64::from(data.arity(x)) * u64::from(data.arity(y)));
        let rows = self.strata.ids().iter().zip(weighted.units()).enumerate();
        let (of_x, of_y) = (data.column(x).view(), data.column(y).view());
        let cell = |row: usize, id: u32| u64::from(id) * block + u64::from(of_x.get(row) + r_x * of_y.get(row));
        let n_cells = self.strata.n_strata() as u64 * block;
        if n_cells <= (4 * data.n_rows() as u64).max(1 << 12) {
            self.table.clear();
            self.table.resize(n_cells as usize, 0);
            match (of_x, of_y) {
                (CodesView::Narrow(of_x), CodesView::Narrow(of_y)) => {
                    let block = block as usize;
                    for ((&x, &y), (&id, &units)) in
                        of_x.iter().zip(of_y).zip(self.strata.ids().iter().zip(weighted.units()))
                    {
                        self.table[id as usize * block + usize::from(x) + r_x as usize * usize::from(y)] += units;
                    }
                }
                _ => rows.for_each(|(row, (&id, &units))| self.table[cell(row, id) as usize] += units),
            }
            for stratum in self.table.chunks_exact(block as usize) {
                self.cells.clear();
                let there = stratum.iter().enumerate().filter(|(_, units)| **units > 0);
                self.cells.extend(there.map(|(cell, &units)| (cell as u32, units)));
                visit(&self.cells);
            }
            return;
        }
        self.sorted.clear();
        self.sorted.extend(rows.map(|(row, (&id, &units))| (cell(row, id), units)));
        self.sorted.sort_unstable_by_key(|&(cell, _)| cell);
        for stratum in self.sorted.chunk_by(|(a, _), (b, _)| a / block == b / block) {
            self.cells.clear();
            let cells = stratum.chunk_by(|(a, _), (b, _)| a == b);
            self.cells
                .extend(cells.map(|rows| ((rows[0].0 % block) as u32, rows.iter().map(|&(_, units)| units).sum())));
            visit(&self.cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DiscreteData;
    use crate::random_numbers::{below, generator};

    /// Codes and weights of pseudo-random rows.
    fn rows(n: usize, arities: &[u32]) -> (Vec<Vec<u32>>, Vec<f64>) {
        let random = &mut generator(7);
        let mut column = |arity: u32| (0..n).map(|_| below(random, arity as usize) as u32).collect();
        let columns = arities.iter().map(|&arity| column(arity)).collect();
        (columns, (0..n).map(|_| 0.1 + below(random, 1000) as f64 / 100.0).collect())
    }

    #[test]
    fn cells_are_the_sums_of_weights() {
        // The last pair has too many cells for a table.
        for (x, y, given) in [(0, 1, vec![]), (0, 1, vec![2]), (1, 2, vec![0]), (3, 4, vec![0, 1])] {
            let (columns, weights) = rows(300, &[2, 3, 4, 60, 70]);
            let data = WeightedData::new(DiscreteData::from_columns(columns.clone()).unwrap(), &weights).unwrap();
            let engine = WeightedEngine::new(&data);
            let mut expected = std::collections::BTreeMap::new();
            for (row, &units) in data.units().iter().enumerate() {
                let z: Vec<u32> = given.iter().rev().map(|&z: &Variable| columns[z as usize][row]).collect();
                let cell = columns[x as usize][row] + data.data().arity(x) * columns[y as usize][row];
                *expected.entry((z, cell)).or_insert(0u64) += units;
            }
            let mut found = Vec::new();
            engine.session().for_each_stratum(x, y, &given, |cells| found.extend_from_slice(cells));
            let expected: Vec<(u32, u64)> = expected.into_iter().map(|((_, cell), units)| (cell, units)).collect();
            assert_eq!(found, expected, "{x} {y} {given:?}");
        }
    }

    #[test]
    fn equal_weights_count_as_rows() {
        let (columns, _) = rows(200, &[2, 3, 4]);
        let data = DiscreteData::from_columns(columns).unwrap();
        let weighted = WeightedData::new(data.clone(), &[0.7; 200]).unwrap();
        let (engine, plain) = (WeightedEngine::new(&weighted), crate::counts::CountingEngine::new(&data));
        for set in [vec![], vec![1], vec![0, 2], vec![0, 1, 2]] {
            assert_eq!(engine.session().cell_sum(&set), plain.session().cell_sum(&set));
        }
    }
}
