//! What is remembered: see the table in [`counts`](crate::counts).

pub(crate) mod memo;
pub(crate) mod pairs;
pub(crate) mod recent;
pub(crate) mod shared;
