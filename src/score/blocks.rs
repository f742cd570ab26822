//! Log determinants of blocks of an embedded correlation matrix, shared by the mixed score and test.

use std::ops::Range;

use crate::Variable;
use crate::data::MixedData;

/// Cholesky's factor of some blocks, row by row, each with its inverse pivot at its end.
#[derive(Debug, Default)]
pub(crate) struct BlockFactor {
    columns: Vec<Variable>,
    /// Row i begins at i (i + 1) / 2.
    factor: Vec<f64>,
    /// The same column by column, `stride` places each: a new row is solved for with sums side by side.
    by_column: Vec<f64>,
    stride: usize,
    /// For each column of a new row, what the columns before it explain.
    sums: Vec<f64>,
    widths: Vec<usize>,
    /// The factor of one block, with rows of its width.
    small: Vec<f64>,
}

/// Below this a pivot is rounding: the ridge keeps every pivot above about 1/n.
const LEAST: f64 = 1e-14;

impl BlockFactor {
    /// Makes the factor that of no block.
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the first blocks.
    pub(crate) fn truncate(&mut self, n_blocks: usize) {
        let columns: usize = self.widths[..n_blocks].iter().sum();
        self.widths.truncate(n_blocks);
        self.columns.truncate(columns);
        self.factor.truncate(columns * (columns + 1) / 2);
    }

    /// The logarithm of the determinant of what is left of the last block given the first blocks alone.
    pub(crate) fn last_given_first(&mut self, n_blocks: usize) -> f64 {
        let Some((&width, before)) = self.widths.split_last() else { return 0.0 };
        let given: usize = before[..n_blocks].iter().sum();
        let first = self.columns.len() - width;
        let row = |i: usize| &self.factor[i * (i + 1) / 2..][..=i];
        // What the blocks between leave unexplained comes back: the rest is a small product of the last rows.
        self.small.clear();
        self.small.resize(width * width, 0.0);
        let mut log = 0.0;
        for i in 0..width {
            let of_i = row(first + i);
            for j in 0..=i {
                let of_j = row(first + j);
                let end = first + j;
                let back: f64 = of_i[given..end].iter().zip(&of_j[given..end]).map(|(a, b)| a * b).sum();
                // The pivot of j holds its inverse.
                let pivot = of_j[end].recip();
                let entry = back + if i == j { pivot * pivot } else { of_i[end] * pivot };
                let (of_i, of_j) = (&self.small[i * width..][..j.min(i)], &self.small[j * width..][..j]);
                let shared: f64 = of_i.iter().zip(of_j).map(|(a, b)| a * b).sum();
                let left = entry - shared;
                if i == j {
                    let left = left.max(LEAST);
                    log += left.ln();
                    self.small[i * width + i] = left.sqrt();
                } else {
                    self.small[i * width + j] = left / self.small[j * width + j];
                }
            }
        }
        log
    }

    /// Appends the block of a variable; returns the logarithm of the determinant of what is left of it given the blocks
    /// before it.
    pub(crate) fn push(&mut self, data: &MixedData, x: Variable) -> f64 {
        let correlation = data.correlation();
        self.push_columns(data.block(x), |a, b| correlation.get(a, b))
    }

    /// The same of a block of any matrix.
    #[inline]
    pub(super) fn push_columns(&mut self, block: Range<Variable>, entry: impl Fn(Variable, Variable) -> f64) -> f64 {
        let mut log = 0.0;
        self.widths.push(block.len());
        for column in block {
            let i = self.columns.len();
            self.make_room(i + 1);
            self.sums.clear();
            self.sums.resize(i, 0.0);
            let mut left = entry(column, column);
            for j in 0..i {
                let own = &mut self.by_column[j * self.stride..][..=i];
                let solved = (entry(column, self.columns[j]) - self.sums[j]) * own[j];
                left -= solved * solved;
                own[i] = solved;
                self.factor.push(solved);
                for (sum, below) in self.sums[j + 1..].iter_mut().zip(&own[j + 1..i]) {
                    *sum += solved * below;
                }
            }
            let left = left.max(LEAST);
            log += left.ln();
            let inverse = left.sqrt().recip();
            self.by_column[i * self.stride + i] = inverse;
            self.factor.push(inverse);
            self.columns.push(column);
        }
        log
    }

    /// Visits the rows of the last block, each up to the block.
    pub(super) fn of_last(&self, mut visit: impl FnMut(&[f64])) {
        let first = self.columns.len() - self.widths.last().copied().unwrap_or(0);
        (first..self.columns.len()).for_each(|i| visit(&self.factor[i * (i + 1) / 2..][..first]));
    }

    /// Makes room for factors of this many columns.
    fn make_room(&mut self, n_columns: usize) {
        if n_columns <= self.stride {
            return;
        }
        let stride = (2 * n_columns).max(16);
        let mut moved = vec![0.0; stride * stride];
        for (old, new) in self.by_column.chunks_exact(self.stride.max(1)).zip(moved.chunks_exact_mut(stride)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.by_column, self.stride) = (moved, stride);
    }
}
