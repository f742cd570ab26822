//! Integration tests of the Rust core, in one binary.

mod bif;
mod boss;
mod bounds;
mod counting;
mod families;
mod gaussian;
mod ges;
mod hybrid;
mod independence;
mod layers;
mod local;
mod many_variables;
mod marginals;
mod metrics;
mod oracle_cpdag;
mod orient;
mod pef;
mod sampling;
mod score;
mod search;
mod simulation;
mod skeleton;
mod stats;
mod support;
mod testwise;
mod time_limit;
