//! Conditional tests of a pair given many subsets of a pool, at a fraction of what each would take alone.

pub(crate) mod binary;
pub(crate) mod target;
