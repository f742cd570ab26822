//! Integration tests of the Rust core, in one binary.

mod metrics;
mod support;
