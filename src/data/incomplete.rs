//! Columns of state codes with missing values.

use super::discrete::check_columns;
use super::{Codes, CodesView, DiscreteData, Gaps};
use crate::{Result, Variable};

/// A table of categorical variables in which values may be missing: state codes `0..arity`, and the code `arity` for a
/// missing value.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, IncompleteData};
/// // The second value of the first column is missing.
/// let data = IncompleteData::new(vec![Codes::Narrow(vec![0, 2, 1]), Codes::Narrow(vec![0, 1, 1])], vec![2, 2])?;
/// assert_eq!((data.n_complete(&[0]), data.n_complete(&[1])), (2, 3));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteData {
    n_rows: usize,
    columns: Vec<Codes>,
    arities: Vec<u32>,
}

impl IncompleteData {
    /// Builds the table.
    ///
    /// # Errors
    ///
    /// [`Error::Data`](crate::Error::Data) when columns differ in length, there are no rows, an arity is not supported, or a code is above
    /// its arity.
    pub fn new(columns: Vec<Codes>, arities: Vec<u32>) -> Result<Self> {
        // The code that is the arity stands for a missing value.
        let n_rows = check_columns(&columns, &arities, |largest, arity| largest <= arity)?;
        Ok(Self { n_rows, columns, arities })
    }

    /// Number of rows, complete or not.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.columns.len()
    }

    /// Number of states of a variable; missing is none of them.
    pub fn arity(&self, variable: Variable) -> u32 {
        self.arities[variable as usize]
    }

    /// Number of states of every variable.
    pub fn arities(&self) -> &[u32] {
        &self.arities
    }

    /// Which values are missing, row by row.
    pub fn gaps(&self) -> Gaps {
        let columns = self.views(0..self.arities.len() as Variable);
        Gaps::find(self.n_rows, columns.iter().map(|&(codes, arity)| move |row: usize| codes.get(row) == arity))
    }

    /// The codes of variables as they lie in memory, with the code of a missing value.
    fn views(&self, variables: impl Iterator<Item = Variable>) -> Vec<(CodesView<'_>, u32)> {
        variables.map(|v| (self.column(v).view(), self.arity(v))).collect()
    }

    /// The table of some of the variables, in this order.
    pub fn select(&self, variables: &[Variable]) -> Self {
        Self {
            n_rows: self.n_rows,
            columns: variables.iter().map(|&v| self.column(v).clone()).collect(),
            arities: variables.iter().map(|&v| self.arity(v)).collect(),
        }
    }

    /// The rows in which no value is missing, as a complete table; `None` where there are none.
    pub fn complete_rows(&self) -> Option<DiscreteData> {
        let columns = self.views(0..self.arities.len() as Variable);
        let known = |row: usize| columns.iter().all(|(codes, arity)| codes.get(row) != *arity);
        let rows: Vec<usize> = (0..self.n_rows).filter(|&row| known(row)).collect();
        DiscreteData::new(self.columns.iter().map(|codes| codes.of_rows(&rows)).collect(), self.arities.clone()).ok()
    }

    /// The codes of all variables.
    pub fn columns(&self) -> &[Codes] {
        &self.columns
    }

    /// The codes of a variable.
    pub fn column(&self, variable: Variable) -> &Codes {
        &self.columns[variable as usize]
    }

    /// Number of rows in which none of these variables is missing.
    pub fn n_complete(&self, variables: &[Variable]) -> usize {
        let columns = self.views(variables.iter().copied());
        (0..self.n_rows).filter(|&row| columns.iter().all(|(codes, arity)| codes.get(row) != *arity)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_rows_are_those_without_a_missing_value() {
        let columns =
            vec![Codes::Narrow(vec![0, 2, 1, 1]), Codes::Narrow(vec![0, 1, 3, 2]), Codes::Narrow(vec![1, 1, 1, 0])];
        let data = IncompleteData::new(columns, vec![2, 3, 1]).unwrap();
        // The third column has a known value in the last row only.
        let known = data.select(&[1, 0]).complete_rows().unwrap();
        assert_eq!(known.columns(), [Codes::Narrow(vec![0, 2]), Codes::Narrow(vec![0, 1])]);
        assert_eq!(known.arities(), [3, 2]);
        assert_eq!(data.complete_rows().unwrap().n_rows(), 1);
        assert_eq!(data.select(&[2, 1]).complete_rows().unwrap().columns()[1], Codes::Narrow(vec![2]));
        let none = IncompleteData::new(vec![Codes::Narrow(vec![1])], vec![1]).unwrap();
        assert_eq!(none.complete_rows(), None);
    }

    #[test]
    fn bad_tables_are_refused() {
        assert!(IncompleteData::new(vec![], vec![]).is_err());
        assert!(IncompleteData::new(vec![Codes::Narrow(vec![0, 3])], vec![2]).is_err());
        assert!(IncompleteData::new(vec![Codes::Narrow(vec![0, 1]), Codes::Narrow(vec![0])], vec![2, 1]).is_err());
        assert!(IncompleteData::new(vec![Codes::Narrow(vec![0])], vec![0]).is_err());
    }
}
