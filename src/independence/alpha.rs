//! Significance levels.

use crate::{Error, Result};

/// A significance level, or another threshold on p-values, with its logarithm: p-values are compared as logarithms, and a
/// level is reported as it was given.
///
/// # Examples
///
/// ```
/// use phgs::independence::Alpha;
/// let alpha = Alpha::new(0.01)?;
/// assert_eq!((alpha.value(), alpha.log()), (0.01, 0.01f64.ln()));
/// assert!(Alpha::new(1.0).is_err());
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alpha {
    value: f64,
    log: f64,
}

impl Alpha {
    /// A significance level.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless it lies strictly between 0 and 1.
    pub fn new(value: f64) -> Result<Self> {
        if value > 0.0 && value < 1.0 {
            return Ok(Self { value, log: value.ln() });
        }
        Err(Error::parameter("alpha", format!("{value} does not lie between 0 and 1")))
    }

    /// The threshold at a p-value that was found, from its logarithm: its value is 0 below 10⁻³⁰⁸.
    pub fn at_log_p_value(log: f64) -> Self {
        Self { value: log.exp(), log }
    }

    /// The level itself.
    pub fn value(self) -> f64 {
        self.value
    }

    /// Its natural logarithm.
    pub fn log(self) -> f64 {
        self.log
    }
}

impl Default for Alpha {
    /// The usual level, 0.05.
    fn default() -> Self {
        Self { value: 0.05, log: 0.05f64.ln() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_between_0_and_1() {
        for wrong in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Alpha::new(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Alpha::new(0.05).unwrap(), Alpha::default());
        assert_eq!(Alpha::new(f64::MIN_POSITIVE).unwrap().value(), f64::MIN_POSITIVE);
    }

    #[test]
    fn thresholds_reach_below_the_least_float() {
        let far = Alpha::at_log_p_value(-1e4);
        assert_eq!((far.value(), far.log()), (0.0, -1e4));
    }
}
