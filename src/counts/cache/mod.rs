//! What is remembered: see the table in [`counts`](crate::counts).

pub(crate) mod memo;
pub(crate) mod pair_tables;
pub(crate) mod pairs;
mod panels;
pub(crate) mod recent;
pub(crate) mod shared;
