//! Columns in units of their standard deviation.

/// Mean and standard deviation of a column, by which its values are made comparable.
pub(super) struct Scale {
    mean: f64,
    pub(super) deviation: f64,
}

impl Scale {
    /// The scale of a column whose rows weigh so much.
    pub(super) fn of(column: &[f64], weight: impl Fn(usize) -> f64) -> Self {
        let largest = column.iter().fold(0.0f64, |largest, value| largest.max(value.abs())).max(f64::MIN_POSITIVE);
        let sum_of = |of: &dyn Fn(f64) -> f64| -> f64 {
            column.iter().enumerate().map(|(row, &value)| weight(row) * of(value)).sum()
        };
        let n = sum_of(&|_| 1.0);
        // In units of the largest value nothing overflows.
        let mean = sum_of(&|value| value / largest) / n;
        let variance = sum_of(&|value| (value / largest - mean).powi(2)) / n;
        let deviation = variance.sqrt() * largest;
        Self { mean: mean * largest, deviation: if deviation > 0.0 { deviation } else { 1.0 } }
    }

    pub(super) fn standard(&self, value: f64) -> f64 {
        value / self.deviation - self.mean / self.deviation
    }

    pub(super) fn value(&self, standard: f64) -> f64 {
        self.mean + self.deviation * standard
    }
}
