//! The shape of a table of categorical variables: all that tests and scores know of it beside its counts.

use super::MAX_ARITY;
use crate::{Error, Result, Variable};

/// The number of rows of a table, and how many states each of its variables has.
///
/// # Examples
///
/// ```
/// use phgs::data::Shape;
/// let shape = Shape::new(1000, vec![2, 3])?;
/// assert_eq!((shape.n_rows(), shape.n_variables(), shape.arity(1)), (1000, 2, 3));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    n_rows: usize,
    arities: Vec<u32>,
}

impl Shape {
    /// The shape of a table, wherever its rows are.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are no columns or no rows, or more rows or states than counts can have.
    pub fn new(n_rows: usize, arities: Vec<u32>) -> Result<Self> {
        check_size(n_rows, arities.len())?;
        arities.iter().enumerate().try_for_each(|(column, &arity)| check_arity(column, arity))?;
        Ok(Self { n_rows, arities })
    }

    /// A shape that was checked.
    pub(super) fn of(n_rows: usize, arities: Vec<u32>) -> Self {
        Self { n_rows, arities }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.arities.len()
    }

    /// Number of states of a variable.
    pub fn arity(&self, variable: Variable) -> u32 {
        self.arities[variable as usize]
    }

    /// Number of states of every variable.
    pub fn arities(&self) -> &[u32] {
        &self.arities
    }

    /// Number of cells of the table of some variables, which is known to be small.
    pub(crate) fn n_cells(&self, variables: &[Variable]) -> usize {
        variables.iter().map(|&variable| self.arity(variable) as usize).product()
    }
}

/// Refuses a table without columns or rows, or with more rows than counts can have.
pub(super) fn check_size(n_rows: usize, n_columns: usize) -> Result<()> {
    if n_columns == 0 {
        return Err(Error::Data("data has no columns".into()));
    }
    if n_rows == 0 {
        return Err(Error::Data("data has no rows".into()));
    }
    if u32::try_from(n_rows).is_err() {
        return Err(Error::Data(format!("data has {n_rows} rows; at most {} are supported", u32::MAX)));
    }
    Ok(())
}

/// Refuses a column without states, or with more than codes can number.
pub(super) fn check_arity(column: usize, arity: u32) -> Result<()> {
    if arity == 0 || arity > MAX_ARITY {
        return Err(Error::Data(format!("column {column} has {arity} states; 1 to {MAX_ARITY} are supported")));
    }
    Ok(())
}
