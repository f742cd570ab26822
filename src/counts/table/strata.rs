//! Rows grouped by the configurations of a set of variables that occur in the data.
//!
//! Configurations are numbered one variable at a time, so that numbers stay below the number of rows: memory is
//! O(rows) however many cells the full table has, and nothing can overflow.

use crate::Variable;
use crate::data::{DiscreteData, Shape, with_codes};

/// The configuration of each row, numbered `0..n_strata` by increasing cell (the last variable most significant).
#[derive(Debug, Default)]
pub(crate) struct Strata {
    ids: Vec<u32>,
    n_strata: u32,
    scratch: Scratch,
}

#[derive(Debug, Default)]
struct Scratch {
    buckets: Vec<u32>,
    by_state: Vec<u32>,
    by_code: Vec<u32>,
}

impl Strata {
    /// Groups the rows by `variables` (the first variable fastest); with none, all rows are one stratum.
    pub(crate) fn group(&mut self, data: &DiscreteData, variables: &[Variable]) {
        self.ids.clear();
        self.ids.resize(data.n_rows(), 0);
        self.n_strata = 1;
        for &variable in variables.iter().rev() {
            with_codes!(data.column(variable), |codes| self.refine(codes, data.arity(variable)));
        }
    }

    /// Number of strata, none of them empty.
    pub(crate) fn n_strata(&self) -> usize {
        self.n_strata as usize
    }

    /// The stratum of each row.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    fn refine<T: Copy + Into<u32>>(&mut self, states: &[T], arity: u32) {
        if arity == 1 {
            return;
        }
        let cells = u64::from(self.n_strata) * u64::from(arity);
        if cells <= 4 * self.ids.len() as u64 + 1024 {
            self.refine_dense(states, arity, cells as usize);
        } else {
            self.refine_by_sorting(states, arity);
        }
    }

    fn refine_dense<T: Copy + Into<u32>>(&mut self, states: &[T], arity: u32, cells: usize) {
        let seen = &mut self.scratch.buckets;
        seen.clear();
        seen.resize(cells, 0);
        for (id, &state) in self.ids.iter_mut().zip(states) {
            *id = *id * arity + state.into();
            seen[*id as usize] = 1;
        }
        let mut next = 0;
        for seen in seen.iter_mut() {
            let occurs = *seen;
            *seen = next;
            next += occurs;
        }
        for id in &mut self.ids {
            *id = seen[*id as usize];
        }
        self.n_strata = next;
    }

    /// Two stable counting sorts, by state and then by stratum, bring equal codes together in increasing order.
    fn refine_by_sorting<T: Copy + Into<u32>>(&mut self, states: &[T], arity: u32) {
        let Scratch { buckets, by_state, by_code } = &mut self.scratch;
        let n_rows = self.ids.len();
        by_state.resize(n_rows, 0);
        by_code.resize(n_rows, 0);
        let rows = 0..n_rows as u32;
        counting_sort(rows, arity as usize, |row| states[row as usize].into(), buckets, by_state);
        let sorted = by_state.iter().copied();
        counting_sort(sorted, self.n_strata as usize, |row| self.ids[row as usize], buckets, by_code);
        let mut next = 0;
        let mut previous = None;
        for &row in by_code.iter() {
            let code = (self.ids[row as usize], states[row as usize].into());
            if previous.is_some_and(|p| p != code) {
                next += 1;
            }
            previous = Some(code);
            self.ids[row as usize] = next;
        }
        self.n_strata = next + 1;
    }
}

fn counting_sort(
    rows: impl Iterator<Item = u32> + Clone,
    keys: usize,
    key: impl Fn(u32) -> u32,
    buckets: &mut Vec<u32>,
    out: &mut [u32],
) {
    buckets.clear();
    buckets.resize(keys + 1, 0);
    for row in rows.clone() {
        buckets[key(row) as usize + 1] += 1;
    }
    for i in 1..=keys {
        buckets[i] += buckets[i - 1];
    }
    for row in rows {
        let at = &mut buckets[key(row) as usize];
        out[*at as usize] = row;
        *at += 1;
    }
}

/// The largest number of cells of a dense table: 4 N within 4,096 and 2²⁰.
pub(crate) fn most_cells(shape: &Shape) -> usize {
    (4 * shape.n_rows()).clamp(1 << 12, 1 << 20)
}

/// The number of cells of a table, or `None` when it is above `limit`.
pub(crate) fn cells_within(shape: &Shape, variables: &[Variable], limit: usize) -> Option<usize> {
    let mut cells = 1usize;
    for &variable in variables {
        cells = cells.checked_mul(shape.arity(variable) as usize).filter(|&cells| cells <= limit)?;
    }
    Some(cells)
}

/// Brings a dense table of the variables `from` into the order of the variables `to`, a permutation of them.
pub(crate) fn reorder(shape: &Shape, from: &[Variable], to: &[Variable], table: &[u32], out: &mut Vec<u32>) {
    // What one step of each variable of `to` moves in `table`.
    let steps: Vec<(usize, usize)> = to
        .iter()
        .map(|variable| {
            let below = from.iter().take_while(|v| *v != variable);
            (shape.arity(*variable) as usize, below.map(|&v| shape.arity(v) as usize).product())
        })
        .collect();
    let mut states = vec![0; to.len()];
    let mut at = 0;
    out.clear();
    for _ in 0..table.len() {
        out.push(table[at]);
        for (state, &(arity, step)) in states.iter_mut().zip(&steps) {
            *state += 1;
            at += step;
            if *state < arity {
                break;
            }
            at -= step * arity;
            *state = 0;
        }
    }
}
