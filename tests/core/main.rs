//! Integration tests of the Rust core, in one binary.

mod counting;
mod gaussian;
mod independence;
mod metrics;
mod search;
mod skeleton;
mod stats;
mod support;
