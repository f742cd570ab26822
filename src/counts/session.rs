//! One thread's access to the counting engine.

use rustc_hash::FxHashMap;

use super::strata::{Strata, cells_within};
use super::{CountingEngine, FixedSum};
use crate::Variable;
use crate::data::Codes;

/// One thread's access to a [`CountingEngine`], with its scratch memory and its memo.
#[derive(Debug)]
pub struct CountingSession<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    memo: FxHashMap<Vec<Variable>, FixedSum>,
    strata: Strata,
    counts: Vec<u32>,
    cells: Vec<u32>,
}

impl<'e, 'd> CountingSession<'e, 'd> {
    pub(super) fn new(engine: &'e CountingEngine<'d>) -> Self {
        Self { engine, memo: FxHashMap::default(), strata: Strata::default(), counts: Vec::new(), cells: Vec::new() }
    }

    /// The engine of this session.
    pub fn engine(&self) -> &'e CountingEngine<'d> {
        self.engine
    }

    /// Says that the sums asked for next lie mostly within this neighbourhood (a focal variable and its neighbours),
    /// so that what is shared among them is kept and what was kept for another neighbourhood may be dropped. It
    /// changes no result, and sets outside the neighbourhood are answered as well.
    pub fn focus(&mut self, _neighbourhood: &[Variable]) {
        self.memo.clear();
    }

    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing).
    pub fn sum_n_log_n(&mut self, variables: &[Variable]) -> FixedSum {
        debug_assert!(variables.windows(2).all(|w| w[0] < w[1]));
        if let Some(&sum) = self.memo.get(variables) {
            return sum;
        }
        let scale = self.engine.scale();
        let mut sum = FixedSum::default();
        self.strata.group(self.engine.data(), variables);
        self.counts.clear();
        self.counts.resize(self.strata.n_strata(), 0);
        for &id in self.strata.ids() {
            self.counts[id as usize] += 1;
        }
        for &count in &self.counts {
            sum += scale.n_log_n(count);
        }
        self.memo.insert(variables.to_vec(), sum);
        sum
    }

    /// N times the conditional mutual information of x and y given `given` (any order, distinct, without x and y):
    /// F(x, y, z) + F(z) − F(x, z) − F(y, z). G² is twice its value. Symmetric in x and y.
    pub fn conditional_information(&mut self, x: Variable, y: Variable, given: &[Variable]) -> FixedSum {
        let mut set = given.to_vec();
        set.sort_unstable();
        let with = |more: &[Variable]| {
            let mut all = [&set, more].concat();
            all.sort_unstable();
            all
        };
        let (xyz, xz, yz) = (with(&[x, y]), with(&[x]), with(&[y]));
        let joint = self.sum_n_log_n(&xyz) + self.sum_n_log_n(&set);
        joint - self.sum_n_log_n(&xz) - self.sum_n_log_n(&yz)
    }

    /// The adjusted degrees of freedom of x ⫫ y | given: Σ over the strata of `given` that occur of (states of x that
    /// occur in the stratum − 1) (states of y that occur in it − 1).
    pub fn observed_degrees_of_freedom(&mut self, x: Variable, y: Variable, given: &[Variable]) -> u64 {
        let r_x = self.engine.data().arity(x);
        let mut total = 0;
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        self.for_each_stratum(&[x, y], given, |cells| {
            xs.clear();
            ys.clear();
            xs.extend(cells.iter().map(|&(cell, _)| cell % r_x));
            ys.extend(cells.iter().map(|&(cell, _)| cell / r_x));
            for states in [&mut xs, &mut ys] {
                states.sort_unstable();
                states.dedup();
            }
            total += (xs.len() as u64 - 1) * (ys.len() as u64 - 1);
        });
        total
    }

    /// F(base ∪ {c}) for each candidate c, written to `out` in the order of `candidates`. What depends on `base` alone
    /// is computed once. `base` is in any order, distinct; no candidate is in it.
    pub fn sums_with_each(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        let data = self.engine.data();
        let scale = self.engine.scale();
        out.clear();
        self.strata.group(data, base);
        for &candidate in candidates {
            let arity = data.arity(candidate) as usize;
            let cells = self.strata.n_strata() * arity;
            let mut sum = FixedSum::default();
            if cells <= (4 * data.n_rows()).max(1 << 12) {
                self.counts.clear();
                self.counts.resize(cells, 0);
                match data.column(candidate) {
                    Codes::Narrow(codes) => count_within(self.strata.ids(), codes, arity, &mut self.counts),
                    Codes::Wide(codes) => count_within(self.strata.ids(), codes, arity, &mut self.counts),
                }
                for &count in &self.counts {
                    sum += scale.n_log_n(count);
                }
            } else {
                let mut strata = Strata::default();
                strata.group(data, &[base, &[candidate]].concat());
                self.counts.clear();
                self.counts.resize(strata.n_strata(), 0);
                for &id in strata.ids() {
                    self.counts[id as usize] += 1;
                }
                for &count in &self.counts {
                    sum += scale.n_log_n(count);
                }
            }
            out.push(sum);
        }
    }

    /// The largest number of cells for which [`table`](Self::table) gives a dense table: 4 N within 4,096 and 2²⁰.
    pub fn table_limit(&self) -> usize {
        (4 * self.engine.data().n_rows()).clamp(1 << 12, 1 << 20)
    }

    /// The counts of all cells of the table of `variables` (any order, distinct), zeros included. The cell of states
    /// (s₁, …, sₖ) is s₁ + r₁ (s₂ + r₂ (s₃ + …)), the first variable running fastest. `None` when there are more than
    /// [`table_limit`](Self::table_limit) cells; [`for_each_stratum`](Self::for_each_stratum) serves those.
    pub fn table(&mut self, variables: &[Variable]) -> Option<&[u32]> {
        let data = self.engine.data();
        let cells = cells_within(data, variables, self.table_limit())?;
        self.cells.clear();
        self.cells.resize(data.n_rows(), 0);
        for &variable in variables.iter().rev() {
            let arity = data.arity(variable);
            let column = data.column(variable);
            for (row, cell) in self.cells.iter_mut().enumerate() {
                *cell = *cell * arity + column.get(row);
            }
        }
        self.counts.clear();
        self.counts.resize(cells, 0);
        for &cell in &self.cells {
            self.counts[cell as usize] += 1;
        }
        Some(&self.counts)
    }

    /// Calls `visit(cells)` for every configuration of `given` that occurs in the data, by increasing configuration
    /// (the last variable most significant): `cells` are the pairs (cell, count) of the table of `inner` within that
    /// stratum that have a count, by increasing cell, the first variable of `inner` running fastest. Works for any
    /// number of cells in O(rows) memory.
    ///
    /// `inner` has one or two variables; all variables are distinct.
    pub fn for_each_stratum(&mut self, inner: &[Variable], given: &[Variable], mut visit: impl FnMut(&[(u32, u32)])) {
        debug_assert!(!inner.is_empty() && inner.len() <= 2);
        let data = self.engine.data();
        self.strata.group(data, given);
        let mut codes: Vec<u64> = self.strata.ids().iter().map(|&id| u64::from(id) << 32).collect();
        for (row, code) in codes.iter_mut().enumerate() {
            let cell = inner.iter().rev().fold(0, |cell, &v| cell * data.arity(v) + data.column(v).get(row));
            *code += u64::from(cell);
        }
        codes.sort_unstable();
        let mut cells: Vec<(u32, u32)> = Vec::new();
        for stratum in codes.chunk_by(|a, b| a >> 32 == b >> 32) {
            cells.clear();
            cells.extend(stratum.chunk_by(|a, b| a == b).map(|run| (run[0] as u32, run.len() as u32)));
            visit(&cells);
        }
    }

    /// Calls `visit(cell, count)` for every cell of the table of `variables` (any order, distinct) that has a count,
    /// by increasing cell, numbered as in [`table`](Self::table). Memory is O(rows) however many cells there are.
    ///
    /// When there are more than 2¹²⁸ cells the last variables are taken together: their configuration is replaced by
    /// its rank among those that occur, and the numbering is as if that were one variable.
    pub fn for_each_cell(&mut self, variables: &[Variable], mut visit: impl FnMut(u128, u32)) {
        let data = self.engine.data();
        let arity = |variable: &Variable| u128::from(data.arity(*variable));
        let rows = data.n_rows() as u128;
        let mut plain = variables.len();
        if variables.iter().try_fold(1u128, |cells, v| cells.checked_mul(arity(v))).is_none() {
            let within = |head: &[Variable]| head.iter().try_fold(rows, |cells, v| cells.checked_mul(arity(v)));
            while within(&variables[..plain]).is_none() {
                plain -= 1;
            }
        }
        let (head, tail) = variables.split_at(plain);
        self.strata.group(data, tail);
        let mut codes: Vec<u128> = self.strata.ids().iter().map(|&id| u128::from(id)).collect();
        for variable in head.iter().rev() {
            let column = data.column(*variable);
            for (row, code) in codes.iter_mut().enumerate() {
                *code = *code * arity(variable) + u128::from(column.get(row));
            }
        }
        codes.sort_unstable();
        for run in codes.chunk_by(|a, b| a == b) {
            visit(run[0], run.len() as u32);
        }
    }
}

fn count_within<T: Copy + Into<u32>>(strata: &[u32], states: &[T], arity: usize, counts: &mut [u32]) {
    for (&stratum, &state) in strata.iter().zip(states) {
        counts[stratum as usize * arity + state.into() as usize] += 1;
    }
}
