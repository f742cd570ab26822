//! Columns of real numbers.

use super::RowWeights;
use super::sums::Centring;
use crate::{Error, Result, Variable};

/// A table of continuous variables: columns of finite numbers, none of them constant.
///
/// # Examples
///
/// ```
/// use phgs::data::{ContinuousData, Correlation};
/// let data = ContinuousData::from_columns(vec![vec![1.0, 2.0, 4.0], vec![2.0, 1.0, 5.0]])?;
/// let correlation = Correlation::of(&data, &phgs::run::Run::new(1)?)?;
/// assert!((correlation.get(0, 1) - 0.838_627_869_377_534_6).abs() < 1e-12);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuousData {
    n_rows: usize,
    columns: Vec<Vec<f64>>,
    weights: Option<RowWeights>,
    /// `None` of constant columns.
    centrings: Vec<Option<Centring>>,
}

/// What is said of constant columns.
pub(super) const CONSTANT: &str = "are constant, so that they have no correlation; leave them out";

impl ContinuousData {
    /// Builds the table from columns.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are no columns or no rows or columns differ in length; [`Error::Columns`] when
    /// columns hold NaN or an infinity, or are constant (a correlation with a constant does not exist).
    pub fn from_columns(columns: Vec<Vec<f64>>) -> Result<Self> {
        Self::weighted(columns, None)
    }

    /// The same with sampling weights of rows.
    ///
    /// # Errors
    ///
    /// As [`from_columns`](Self::from_columns); [`Error::Data`] when there are not as many weights as rows.
    pub fn weighted(columns: Vec<Vec<f64>>, weights: Option<RowWeights>) -> Result<Self> {
        let (data, constant) = Self::with_constants(columns, weights)?;
        if constant.is_empty() {
            return Ok(data);
        }
        Err(Error::columns(constant, CONSTANT))
    }

    /// The table, and its constant columns; all else is refused as by [`from_columns`](Self::from_columns).
    pub(super) fn with_constants(columns: Vec<Vec<f64>>, weights: Option<RowWeights>) -> Result<(Self, Vec<Variable>)> {
        let n_rows = columns.first().ok_or_else(|| Error::Data("data has no columns".into()))?.len();
        if n_rows == 0 {
            return Err(Error::Data("data has no rows".into()));
        }
        if let Some(index) = columns.iter().position(|column| column.len() != n_rows) {
            let rows = columns[index].len();
            return Err(Error::Data(format!("column {index} has {rows} rows, column 0 has {n_rows}")));
        }
        let where_true = |test: &dyn Fn(&[f64]) -> bool| -> Vec<Variable> {
            columns.iter().enumerate().filter(|(_, column)| test(column)).map(|(x, _)| x as Variable).collect()
        };
        let infinite = where_true(&|column| column.iter().any(|value| !value.is_finite()));
        if !infinite.is_empty() {
            return Err(Error::columns(infinite, "hold values that are missing, NaN or infinite"));
        }
        if n_rows == 1 {
            return Err(Error::Data("one row has no correlations; at least two rows are needed".into()));
        }
        if let Some(weights) = &weights
            && weights.scaled().len() != n_rows
        {
            return Err(Error::Data(format!("{} weights for {n_rows} rows", weights.scaled().len())));
        }
        let weighing = weights.as_ref().map(|weights| (weights.scaled(), weights.effective_rows()));
        let centrings: Vec<_> = columns.iter().map(|column| Centring::of_column(column, weighing)).collect();
        let constant = (0..).zip(&centrings).filter(|(_, centring)| centring.is_none()).map(|(x, _)| x).collect();
        Ok((Self { n_rows, columns, weights, centrings }, constant))
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows of equal weight that the rows are worth.
    pub fn effective_rows(&self) -> f64 {
        self.weights.as_ref().map_or(self.n_rows as f64, RowWeights::effective_rows)
    }

    /// The roots of the weights of rows, if these have some.
    pub(super) fn roots(&self) -> Option<Vec<f64>> {
        self.weights.as_ref().map(|weights| weights.scaled().iter().map(|w| w.sqrt()).collect())
    }

    /// How each variable is centred; `None` of constant ones.
    pub(super) fn centrings(&self) -> &[Option<Centring>] {
        &self.centrings
    }

    /// All columns.
    pub(super) fn columns(&self) -> Vec<&[f64]> {
        self.columns.iter().map(Vec::as_slice).collect()
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.columns.len()
    }

    /// The values of a variable.
    pub fn column(&self, variable: Variable) -> &[f64] {
        &self.columns[variable as usize]
    }
}

/// The deviations of a column from its mean, scaled to unit length; `None` for a column that is constant up to the rounding
/// of its values. Of weighted rows the mean is weighted, and the deviations are multiplied by the roots of the weights, so that
/// products of them are.
pub(super) fn centred(column: &[f64], weights: Option<&RowWeights>) -> Option<Vec<f64>> {
    let weighing = weights.map(|weights| (weights.scaled(), weights.effective_rows()));
    let centring = Centring::of_column(column, weighing)?;
    let mut deviations: Vec<f64> = column.iter().map(|&v| centring.of(v)).collect();
    if let Some((weights, _)) = weighing {
        deviations.iter_mut().zip(weights).for_each(|(d, w)| *d *= w.sqrt());
    }
    let length = deviations.iter().map(|d| d * d).sum::<f64>().sqrt();
    deviations.iter_mut().for_each(|d| *d /= length);
    Some(deviations)
}
