//! Orientation: from a skeleton to a pattern, a CPDAG or a DAG.

use crate::Variable;

/// A v-structure x → centre ← y, with x < y not adjacent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VStructure {
    /// The lower end.
    pub x: Variable,
    /// The collider.
    pub centre: Variable,
    /// The higher end.
    pub y: Variable,
    /// Logarithm of the p-value of the separation of x and y that speaks for it.
    pub log_p_value: f64,
}
