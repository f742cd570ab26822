//! Bayesian networks: reading and writing them, sampling from them, making large ones, learning their tables.
//!
//! * [`BayesianNetwork`] is variables, states, parents and conditional tables; [`BayesianNetwork::from_bif`] and
//!   [`BayesianNetwork::to_bif`] read and write the Interchange Format.
//! * [`BayesianNetwork::sample`] draws rows, the same ones for any number of threads.

mod bayesian_network;
mod bif;
mod gaussian;
mod random_numbers;
mod sample;

pub use bayesian_network::{BayesianNetwork, Node, ROW_SUM_TOLERANCE};
pub use gaussian::{GaussianNetwork, conditional_independence_graph};
