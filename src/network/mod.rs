//! Bayesian networks: reading and writing them, sampling from them, making large ones, learning their tables.
//!
//! * [`BayesianNetwork`] is variables, states, parents and conditional tables; [`BayesianNetwork::from_bif`] and
//!   [`BayesianNetwork::to_bif`] read and write the Interchange Format.
//! * [`BayesianNetwork::sample`] draws rows, the same ones for any number of threads; [`BayesianNetwork::marginals`] gives the
//!   distribution of every variable.
//! * [`BayesianNetwork::prepare`] and [`BayesianNetwork::tile`] make the paper's large simulated networks;
//!   [`RandomDag`] and [`BayesianNetwork::random`] make random ones.
//! * [`fill`] draws missing values given what is known of their rows.
//! * [`BayesianNetwork::learn_parameters`] estimates the tables of a DAG from data.

mod bayesian_network;
mod bif;
mod em;
mod fill;
mod gaussian;
mod inference;
mod learn_parameters;
mod prepare;
mod random_networks;
mod sample;
mod tile;

pub use bayesian_network::{BayesianNetwork, Node, ROW_SUM_TOLERANCE};
pub use bif::{BifOptions, Repair};
pub use fill::{IncompleteMixed, IncompleteNumbers, fill, fill_from_marginals};
pub use gaussian::{GaussianNetwork, conditional_independence_graph};
pub use inference::Marginals;
pub use learn_parameters::ParameterEstimate;
pub use prepare::{MAX_STATES, Prepared};
pub use random_networks::RandomDag;
pub use tile::{MAX_JOINT, Tiled, tile, tile_in_random_order};
