//! Columns of state codes.

use crate::{Error, Result, Variable};

/// The state codes of one column, as narrow as its number of states allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 states.
    Narrow(Vec<u8>),
    /// At most 65,535 states.
    Wide(Vec<u16>),
}

/// An expression of the codes of a column, whichever integers these are.
macro_rules! with_codes {
    ($column:expr, |$codes:ident| $body:expr) => {
        match $column {
            $crate::data::Codes::Narrow($codes) => $body,
            $crate::data::Codes::Wide($codes) => $body,
        }
    };
}
pub(crate) use with_codes;

impl Codes {
    /// The code of a row.
    pub fn get(&self, row: usize) -> u32 {
        with_codes!(self, |codes| u32::from(codes[row]))
    }

    /// Sets the code of a row, which must be one that the integers hold.
    pub(crate) fn set(&mut self, row: usize, code: u32) {
        match self {
            Self::Narrow(codes) => codes[row] = code as u8,
            Self::Wide(codes) => codes[row] = code as u16,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        with_codes!(self, |codes| codes.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A table of categorical variables: `n_rows` rows of state codes `0..arity` for each variable.
///
/// # Examples
///
/// ```
/// use phgs::data::DiscreteData;
/// let data = DiscreteData::from_columns(vec![vec![0, 1, 1], vec![2, 0, 1]])?;
/// assert_eq!((data.n_rows(), data.n_variables(), data.arity(1)), (3, 2, 3));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteData {
    n_rows: usize,
    columns: Vec<Codes>,
    arities: Vec<u32>,
}

/// The most states a variable may have.
pub const MAX_ARITY: u32 = 65_535;

impl DiscreteData {
    /// Builds the table from columns of codes; the arity of a column is its largest code plus one.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when columns differ in length, there are no rows or a code is too large.
    pub fn from_columns(columns: Vec<Vec<u32>>) -> Result<Self> {
        let arities = columns.iter().map(|c| c.iter().max().map_or(1, |m| m.saturating_add(1))).collect();
        let columns = columns
            .into_iter()
            .zip(&arities)
            .map(|(codes, &arity): (Vec<u32>, &u32)| narrow(&codes, arity))
            .collect::<Vec<_>>();
        Self::new(columns, arities)
    }

    /// Builds the table from codes that are already narrow.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when columns differ in length, there are no rows, or a code is not below its arity.
    pub fn new(columns: Vec<Codes>, arities: Vec<u32>) -> Result<Self> {
        let n_rows = check_columns(&columns, &arities, |largest, arity| largest < arity)?;
        Ok(Self { n_rows, columns, arities })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.columns.len()
    }

    /// Number of states of a variable.
    pub fn arity(&self, variable: Variable) -> u32 {
        self.arities[variable as usize]
    }

    /// Number of states of every variable.
    pub fn arities(&self) -> &[u32] {
        &self.arities
    }

    /// The table of some of the variables, in this order.
    pub fn select(&self, variables: &[Variable]) -> Self {
        Self {
            n_rows: self.n_rows,
            columns: variables.iter().map(|&v| self.column(v).clone()).collect(),
            arities: variables.iter().map(|&v| self.arity(v)).collect(),
        }
    }

    /// The codes of all variables.
    pub fn columns(&self) -> &[Codes] {
        &self.columns
    }

    /// The codes of a variable.
    pub fn column(&self, variable: Variable) -> &Codes {
        &self.columns[variable as usize]
    }
}

/// The number of rows of columns that make a table; `fits` says whether a largest code goes with an arity.
pub(super) fn check_columns(columns: &[Codes], arities: &[u32], fits: impl Fn(u32, u32) -> bool) -> Result<usize> {
    let n_rows = columns.first().map_or(0, Codes::len);
    if columns.is_empty() {
        return Err(Error::Data("data has no columns".into()));
    }
    if n_rows == 0 {
        return Err(Error::Data("data has no rows".into()));
    }
    if u32::try_from(n_rows).is_err() {
        return Err(Error::Data(format!("data has {n_rows} rows; at most {} are supported", u32::MAX)));
    }
    if columns.len() != arities.len() {
        return Err(Error::Data("every column needs an arity".into()));
    }
    for (index, (codes, &arity)) in columns.iter().zip(arities).enumerate() {
        if codes.len() != n_rows {
            return Err(Error::Data(format!("column {index} has {} rows, column 0 has {n_rows}", codes.len())));
        }
        if arity == 0 || arity > MAX_ARITY {
            return Err(Error::Data(format!("column {index} has {arity} states; 1 to {MAX_ARITY} are supported")));
        }
        // Folds of values: these become vector instructions.
        let largest = match codes {
            Codes::Narrow(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            Codes::Wide(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
        };
        if !fits(largest, arity) {
            return Err(Error::Data(format!("column {index} has code {largest} but only {arity} states")));
        }
    }
    Ok(n_rows)
}

fn narrow(codes: &[u32], arity: u32) -> Codes {
    if arity <= 256 {
        Codes::Narrow(codes.iter().map(|&c| c as u8).collect())
    } else {
        Codes::Wide(codes.iter().map(|&c| c as u16).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_tables_are_refused() {
        assert!(DiscreteData::from_columns(vec![]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![]]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![0, 1], vec![0]]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![0, 70_000]]).is_err());
        assert!(DiscreteData::new(vec![Codes::Narrow(vec![0, 2])], vec![2]).is_err());
    }

    #[test]
    fn wide_columns_keep_their_codes() {
        let data = DiscreteData::from_columns(vec![(0..1000).collect()]).unwrap();
        assert_eq!(data.arity(0), 1000);
        assert_eq!(data.column(0).get(999), 999);
    }
}
