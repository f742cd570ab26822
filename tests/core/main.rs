//! Integration tests of the Rust core, in one binary.

mod counting;
mod metrics;
mod stats;
mod support;
