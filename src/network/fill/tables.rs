//! The conditional table of a category, as draws need it.

use rustc_hash::FxHashMap;

use super::rows::weight_of;
use crate::Variable;
use crate::data::{Codes, RowWeights};
use crate::graph::Dag;

/// A table has at most so many configurations of parents. No data fill more; parents beyond that are not looked at.
const MOST_CONFIGURATIONS: u64 = 1 << 40;

/// The state at a uniform number of the distribution that weights are proportional to.
pub(in crate::network) fn pick(weights: &[f64], uniform: f64) -> u16 {
    let mut left = uniform * weights.iter().sum::<f64>();
    for (state, &weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return state as u16;
        }
    }
    // Rounding left something over.
    weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0) as u16
}

/// The table of one variable.
pub(super) struct Table {
    pub(super) arity: usize,
    /// The parents, with what one state of each adds to the configuration.
    pub(super) strides: Vec<(Variable, u64)>,
    pub(super) cells: Cells,
}

/// Counts of the states in each configuration, with the prior in them: one row, spread over the states.
#[derive(Clone)]
pub(super) enum Cells {
    /// A row for each configuration.
    Dense(Vec<f64>),
    /// Rows of the configurations that were seen, and the one of all others.
    Sparse(FxHashMap<u64, Vec<f64>>, Vec<f64>),
}

impl Table {
    /// The table of a variable, of no rows.
    pub(super) fn new(arities: &[u32], n_rows: usize, dag: &Dag, x: Variable) -> Self {
        let arity = arities[x as usize] as usize;
        let mut configurations = 1;
        let mut strides = Vec::new();
        for &parent in dag.parents(x) {
            let more = configurations * u64::from(arities[parent as usize]);
            if more <= MOST_CONFIGURATIONS {
                strides.push((parent, configurations));
                configurations = more;
            }
        }
        let prior = 1.0 / arity as f64;
        let cells = if configurations * arity as u64 <= 4 * n_rows as u64 + 1024 {
            Cells::Dense(vec![prior; configurations as usize * arity])
        } else {
            Cells::Sparse(FxHashMap::default(), vec![prior; arity])
        };
        Self { arity, strides, cells }
    }

    /// The counts of no rows: the prior.
    pub(super) fn nothing(&self) -> Cells {
        let prior = 1.0 / self.arity as f64;
        match &self.cells {
            Cells::Dense(cells) => Cells::Dense(vec![prior; cells.len()]),
            Cells::Sparse(_, other) => Cells::Sparse(FxHashMap::default(), other.clone()),
        }
    }

    /// Counts some rows of completed data.
    pub(super) fn add(
        &self,
        cells: &mut Cells,
        columns: &[Codes],
        x: Variable,
        rows: &[u32],
        weights: Option<&RowWeights>,
    ) {
        let column = columns[x as usize].view();
        let mut configurations = vec![0u64; rows.len()];
        for &(parent, stride) in &self.strides {
            let parent = columns[parent as usize].view();
            let rows = configurations.iter_mut().zip(rows);
            rows.for_each(|(c, &row)| *c += u64::from(parent.get(row as usize)) * stride);
        }
        for (configuration, &row) in configurations.into_iter().zip(rows) {
            let row = row as usize;
            let state = column.get(row) as usize;
            let counts = match cells {
                Cells::Dense(cells) => &mut cells[configuration as usize * self.arity..][..self.arity],
                Cells::Sparse(rows, other) => rows.entry(configuration).or_insert_with(|| other.clone()),
            };
            counts[state] += weight_of(weights, row);
        }
    }

    /// The logarithm of the probability of a state.
    pub(super) fn log_share(&self, row: &[u16], state: u16) -> f64 {
        let weights = self.row(self.configuration(row));
        (weights[usize::from(state)] / weights.iter().sum::<f64>()).ln()
    }

    pub(super) fn configuration(&self, row: &[u16]) -> u64 {
        self.strides.iter().map(|&(parent, stride)| u64::from(row[parent as usize]) * stride).sum()
    }

    /// Numbers proportional to the probabilities of the states.
    pub(super) fn row(&self, configuration: u64) -> &[f64] {
        match &self.cells {
            Cells::Dense(rows) => &rows[configuration as usize * self.arity..][..self.arity],
            Cells::Sparse(rows, other) => rows.get(&configuration).unwrap_or(other),
        }
    }
}

impl Cells {
    pub(super) fn blend(&mut self, new: Self, weight: f64) {
        let mean = |old: &mut f64, new: f64| *old += weight * (new - *old);
        match (self, new) {
            (Self::Dense(old), Self::Dense(new)) => old.iter_mut().zip(new).for_each(|(old, new)| mean(old, new)),
            (Self::Sparse(old, other), Self::Sparse(new, _)) => {
                for (configuration, row) in old.iter_mut() {
                    let new = new.get(configuration).unwrap_or(other);
                    row.iter_mut().zip(new).for_each(|(old, &new)| mean(old, new));
                }
                for (configuration, row) in new {
                    let fresh = || row.iter().zip(other.iter()).map(|(new, old)| old + weight * (new - old)).collect();
                    old.entry(configuration).or_insert_with(fresh);
                }
            }
            // Both were made by the same table.
            _ => {}
        }
    }
}
