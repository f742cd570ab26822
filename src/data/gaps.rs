//! Where values are missing.

use crate::Variable;

/// Which values of a table are missing, row by row; rows without a missing value are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gaps {
    rows: Vec<u32>,
    /// Where the variables of each row start, and where the last ends.
    starts: Vec<usize>,
    variables: Vec<Variable>,
}

impl Gaps {
    /// The gaps of a table, of each column of which a function says whether it has one in a row.
    pub(crate) fn find<F: Fn(usize) -> bool>(n_rows: usize, columns: impl Iterator<Item = F> + Clone) -> Self {
        let mut counts = vec![0usize; n_rows];
        for is_missing in columns.clone() {
            counts.iter_mut().enumerate().for_each(|(row, count)| *count += usize::from(is_missing(row)));
        }
        let rows: Vec<u32> = (0..n_rows as u32).filter(|&row| counts[row as usize] > 0).collect();
        let mut starts = vec![0];
        starts.extend(rows.iter().scan(0, |sum, &row| {
            *sum += counts[row as usize];
            Some(*sum)
        }));
        let mut variables = vec![0; starts[rows.len()]];
        let mut next = starts.clone();
        for (x, is_missing) in columns.enumerate() {
            for (gap, &row) in rows.iter().enumerate() {
                if is_missing(row as usize) {
                    variables[next[gap]] = x as Variable;
                    next[gap] += 1;
                }
            }
        }
        Self { rows, starts, variables }
    }

    /// Number of rows with missing values.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row at a position of the list, and the variables that are missing in it, in increasing order.
    pub fn row(&self, position: usize) -> (usize, &[Variable]) {
        (self.rows[position] as usize, &self.variables[self.starts[position]..self.starts[position + 1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_listed_row_by_row() {
        let columns = [[false, true, true, false], [false, false, true, false]];
        let gaps = Gaps::find(4, columns.iter().map(|column| |row: usize| column[row]));
        assert_eq!((gaps.len(), gaps.row(0), gaps.row(1)), (2, (1, &[0][..]), (2, &[0, 1][..])));
        assert!(Gaps::find(2, std::iter::repeat_n(|_: usize| false, 3)).is_empty());
    }
}
