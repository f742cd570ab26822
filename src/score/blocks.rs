//! Log determinants of blocks of an embedded correlation matrix, shared by the mixed score and test.

use crate::Variable;
use crate::data::MixedData;

/// Cholesky's factor of some blocks, row by row, each with its inverse pivot at its end.
#[derive(Debug, Default)]
pub(crate) struct BlockFactor {
    columns: Vec<Variable>,
    /// Row i begins at i (i + 1) / 2.
    factor: Vec<f64>,
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
        let mut log = 0.0;
        for column in data.block(x) {
            let i = self.columns.len();
            let start = self.factor.len();
            let mut left = 1.0;
            for j in 0..i {
                let earlier = &self.factor[j * (j + 1) / 2..][..=j];
                let row = &self.factor[start..];
                let shared: f64 = row.iter().zip(earlier).map(|(a, b)| a * b).sum();
                let entry = (correlation.get(column, self.columns[j]) - shared) * earlier[j];
                left -= entry * entry;
                self.factor.push(entry);
            }
            let left = left.max(LEAST);
            log += left.ln();
            self.factor.push(left.sqrt().recip());
            self.columns.push(column);
        }
        self.widths.push(data.width(x));
        log
    }
}
