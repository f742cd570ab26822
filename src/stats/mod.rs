//! Tails of distributions and related special functions.
