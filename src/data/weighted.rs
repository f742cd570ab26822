//! Rows that weigh differently: sampling weights, with the number of rows that they are worth.

use std::sync::Arc;

use super::DiscreteData;
use crate::{Error, Result, Variable};

/// Sampling weights of rows, scaled to sum to the effective number of rows n* = (Σ w)² / Σ w² (Kish 1965).
///
/// An average over rows with weights w is about as exact as one over n* rows that weigh alike. Tests and penalties that take
/// n* for the number of rows keep their level (a first-order Rao–Scott correction); the number of rows itself would call
/// noise an effect. Equal weights are all 1, and n* is the number of rows.
///
/// # Examples
///
/// ```
/// use phgs::data::RowWeights;
/// // 6² / 8 effective rows.
/// let weights = RowWeights::new(&[2.0, 1.0, 1.0, 1.0, 1.0])?;
/// assert_eq!((weights.effective_rows(), weights.scaled()), (4.5, [1.5, 0.75, 0.75, 0.75, 0.75].as_slice()));
/// assert_eq!(RowWeights::new(&[0.2, 0.2, 0.2])?.effective_rows(), 3.0);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RowWeights {
    scaled: Vec<f64>,
    effective_rows: f64,
}

impl RowWeights {
    /// Scales weights.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are none, or one is not finite and above 0.
    pub fn new(weights: &[f64]) -> Result<Self> {
        if let Some(row) = weights.iter().position(|&w| !(w > 0.0 && w.is_finite())) {
            return Err(Error::Data(format!("row {row} has the weight {}; weights are above 0", weights[row])));
        }
        let largest = weights.iter().fold(0.0f64, |most, &w| most.max(w));
        // In units of the largest weight equal ones are exactly 1.
        let share = |w: f64| w / largest;
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(s, q), &w| (s + share(w), q + share(w) * share(w)));
        if weights.is_empty() {
            return Err(Error::Data("data has no rows".into()));
        }
        let scaled = weights.iter().map(|&w| share(w) * (sum / squares)).collect();
        Ok(Self { scaled, effective_rows: sum * sum / squares })
    }

    /// The weights; their sum is [`effective_rows`](Self::effective_rows).
    pub fn scaled(&self) -> &[f64] {
        &self.scaled
    }

    /// The number of rows of equal weight that these are worth.
    pub fn effective_rows(&self) -> f64 {
        self.effective_rows
    }
}

/// A table of categorical variables whose rows have sampling weights.
///
/// Weights are kept as whole numbers of [`UNIT`](Self::UNIT), so that sums of them do not depend on the order of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedData {
    data: DiscreteData,
    units: Arc<[u64]>,
    effective_rows: f64,
}

impl WeightedData {
    /// Units in a weight of one row: weights are rounded to a part in 10⁹ of it.
    pub const UNIT: u64 = 1 << 30;

    /// Puts a table and a weight for each of its rows together.
    ///
    /// # Errors
    ///
    /// As [`RowWeights::new`]; [`Error::Data`] when there are not as many weights as rows.
    pub fn new(data: DiscreteData, weights: &[f64]) -> Result<Self> {
        if weights.len() != data.n_rows() {
            return Err(Error::Data(format!("{} weights for {} rows", weights.len(), data.n_rows())));
        }
        let weights = RowWeights::new(weights)?;
        let units = weights.scaled().iter().map(|w| ((w * Self::UNIT as f64).round() as u64).max(1)).collect();
        Ok(Self { data, units, effective_rows: weights.effective_rows() })
    }

    /// The table.
    pub fn data(&self) -> &DiscreteData {
        &self.data
    }

    /// The weight of each row in units; together about the effective number of rows.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// The number of rows of equal weight that these are worth.
    pub fn effective_rows(&self) -> f64 {
        self.effective_rows
    }

    /// The table of some of the variables, in this order, with the same weights.
    pub fn select(&self, variables: &[Variable]) -> Self {
        Self { data: self.data.select(variables), units: Arc::clone(&self.units), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kish_formula() {
        let raw = [0.5, 2.0, 7.25, 1.0, 3.0];
        let (sum, squares): (f64, f64) = (raw.iter().sum(), raw.iter().map(|w| w * w).sum());
        let found = RowWeights::new(&raw).unwrap();
        assert!((found.effective_rows() - sum * sum / squares).abs() < 1e-12);
        assert!((found.scaled().iter().sum::<f64>() - found.effective_rows()).abs() < 1e-12);
        // Nothing but ratios matters, at any scale of floats.
        for scale in [1e-300, 1e300] {
            let other = RowWeights::new(&raw.map(|w| w * scale)).unwrap();
            assert!((other.effective_rows() - found.effective_rows()).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_weights_are_refused() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(RowWeights::new(&[1.0, wrong]).is_err(), "{wrong}");
        }
        assert!(RowWeights::new(&[]).is_err());
        let data = DiscreteData::from_columns(vec![vec![0, 1, 1]]).unwrap();
        assert!(WeightedData::new(data.clone(), &[1.0, 1.0]).is_err());
        let weighted = WeightedData::new(data, &[1.0, 1e-30, 1.0]).unwrap();
        assert_eq!(weighted.units(), [WeightedData::UNIT, 1, WeightedData::UNIT], "a row is never lost");
        assert_eq!(weighted.select(&[0]), weighted);
    }
}
