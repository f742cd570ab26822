//! Contingency tables: from bit planes by inclusion and exclusion, or row by row, and rows grouped by configurations.

pub(crate) mod core;
pub(crate) mod occurring;
pub(crate) mod planes;
pub(crate) mod row_scan;
pub(crate) mod strata;
mod unpack;
