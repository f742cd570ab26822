//! Columns of real numbers.

use super::RowWeights;
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
}

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
        Err(Error::columns(constant, "are constant, so that they have no correlation; leave them out"))
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
        let constant = where_true(&|column| centred(column, weights.as_ref()).is_none());
        Ok((Self { n_rows, columns, weights }, constant))
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows of equal weight that the rows are worth.
    pub fn effective_rows(&self) -> f64 {
        self.weights.as_ref().map_or(self.n_rows as f64, RowWeights::effective_rows)
    }

    /// [`centred`] of a variable.
    pub(super) fn centred(&self, variable: Variable) -> Option<(Vec<f64>, f64)> {
        centred(self.column(variable), self.weights.as_ref())
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

/// The deviations from the mean, scaled to unit length, and the logarithm of the variance (divided by the number of rows); `None` for a
/// column that is constant up to the rounding of its values. Of weighted rows mean and variance are weighted, and the
/// deviations are multiplied by the roots of the weights, so that products of them are.
pub(super) fn centred(column: &[f64], weights: Option<&RowWeights>) -> Option<(Vec<f64>, f64)> {
    let largest = column.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return None;
    }
    // In units of the largest value nothing overflows; differences from the first value keep the digits of columns
    // that are far from zero.
    let first = column[0] / largest;
    let mut deviations: Vec<f64> = column.iter().map(|v| v / largest - first).collect();
    let scaled = weights.map(RowWeights::scaled);
    let n = weights.map_or(column.len() as f64, RowWeights::effective_rows);
    // A second pass takes out what rounding left in the mean.
    for _ in 0..2 {
        let mean = match scaled {
            None => deviations.iter().sum::<f64>() / n,
            Some(scaled) => deviations.iter().zip(scaled).map(|(d, w)| d * w).sum::<f64>() / n,
        };
        deviations.iter_mut().for_each(|d| *d -= mean);
    }
    let spread = deviations.iter().fold(0.0f64, |m, d| m.max(d.abs()));
    if spread <= 4.0 * f64::EPSILON {
        return None;
    }
    deviations.iter_mut().for_each(|d| *d /= spread);
    if let Some(scaled) = scaled {
        deviations.iter_mut().zip(scaled).for_each(|(d, w)| *d *= w.sqrt());
    }
    let length = deviations.iter().map(|d| d * d).sum::<f64>().sqrt();
    deviations.iter_mut().for_each(|d| *d /= length);
    // As a logarithm: squares of columns at scales such as 1e200 are out of the range of floats.
    let log_deviation = (length / n.sqrt()).ln() + spread.ln() + largest.ln();
    Some((deviations, 2.0 * log_deviation))
}
