//! Partitioned hybrid learning of Bayesian network structures.
//!
//! The crate learns which variables of a data table depend directly on which. It implements the methods of
//! Huang and Zhou, *Partitioned Hybrid Learning of Bayesian Network Structures* (pPC, PATH, HGI and their composition
//! pHGS) and the methods that the paper compares them with.
//!
//! Data flows one way:
//!
//! ```text
//! DiscreteData ─→ IndependenceTest ─→ skeleton (Φ, S) ─→ orientation / PATH / HGI ─→ search → result
//!            └──→ LocalScore (cached) ───────────────────────┴───────────────────────┘
//! ```
//!
//! * [`data`] holds columns of state codes, checked once and never changed.
//! * [`counts`] counts contingency tables and sums `n ln n` over them.
//! * [`stats`] has the tails of the distributions that tests need.
//! * [`independence`] has the trait [`IndependenceTest`] and its tests.
//! * [`score`] has the trait [`LocalScore`] and its scores.
//! * [`graph`] has DAGs, partially directed graphs and d-separation.
//! * [`knowledge`] has what is known before learning: required and forbidden arcs, tiers.
//! * [`skeleton`] finds which pairs are adjacent; [`orient`] finds directions; [`search`] maximises a score.
//! * [`hybrid`] composes them.
//! * [`layout`] has places of nodes for drawings.
//! * [`discretise`] cuts numbers into groups where that tells more of other columns.
//! * [`network`] has Bayesian networks with their tables: files, sampling, simulation.
//! * [`run`] has what a running computation needs: threads, cancellation, progress and the count of statistical calls.
//!
//! # Example
//!
//! Three variables in a chain, learned by pHGS:
//!
//! ```
//! use phgs::hybrid::{Hybrid, Initialise, Maximise, Partition, Restrict, VStructureRule};
//! use phgs::orient::path::PathOptions;
//! use phgs::search::SearchOptions;
//! use phgs::skeleton::PcOptions;
//! use phgs::{Alpha, CountingEngine, DiscreteData, G2Test, Knowledge, PenalizedLikelihood, Run};
//!
//! # fn main() -> phgs::Result<()> {
//! // The second variable follows the first in four rows of five, the third follows the second in three of four.
//! let rows = 0..2_000u32;
//! let first: Vec<u32> = rows.clone().map(|row| row % 2).collect();
//! let second: Vec<u32> = rows.clone().map(|row| first[row as usize] ^ u32::from(row / 2 % 5 == 0)).collect();
//! let third: Vec<u32> = rows.map(|row| second[row as usize] ^ u32::from(row / 10 % 4 == 0)).collect();
//! let data = DiscreteData::from_columns(vec![first, second, third])?;
//!
//! let engine = CountingEngine::new(&data);
//! let phgs = Hybrid {
//!     restrict: Restrict::PartitionedPc(Partition::One, PcOptions::new(Alpha::new(0.01)?)),
//!     select: PathOptions::default(),
//!     initialise: Initialise::HybridGreedy(VStructureRule::SeparatingSets),
//!     maximise: Maximise::HillClimb(SearchOptions::default()),
//!     refine: vec![],
//!     max_parents: None,
//! };
//! let clusters = |_distances| unreachable!("there is one");
//! let run = Run::new(1)?;
//! let (test, score) = (G2Test::new(&engine), PenalizedLikelihood::bic(&engine));
//! let learned = phgs::learn(&test, &score, &phgs, clusters, &Knowledge::none(), &run)?;
//! assert_eq!(learned.cpdag.undirected_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
//! # Ok(())
//! # }
//! ```
//!
//! The paper's symbols map to names: Φ is `max_p_values` (kept as logarithms), S is `separating_set`, U is
//! `v_structures`, τ is `path_length`, α⁽ᵗ⁾ is `thresholds`, m is `max_conditioning_size`, κ is the number of clusters.

pub mod counts;
pub mod data;
pub mod discretise;
pub mod error;
pub mod graph;
pub mod hybrid;
pub mod independence;
pub mod knowledge;
pub mod layout;
pub mod network;
pub mod orient;
mod random_numbers;
pub mod run;
pub mod score;
pub mod search;
pub mod skeleton;
pub mod stats;
mod subsets;
mod variables;

pub use counts::CountingEngine;
pub use data::{Codes, ContinuousData, Correlation, DiscreteData, IncompleteData};
pub use error::{Error, Result};
pub use graph::{Comparison, DSeparation, Dag, Pdag, UndirectedGraph, compare};
pub use hybrid::{Hybrid, Learned, learn};
pub use independence::{Alpha, DSeparationOracle, FisherZTest, G2Test, IndependenceTest, PearsonTest, TestwiseTest};
pub use knowledge::{Knowledge, Scope};
pub use network::BayesianNetwork;
pub use run::Run;
pub use score::{DiscreteScore, GaussianBic, LocalScore, PenalizedLikelihood};
pub(crate) use variables::SortedSet;
pub use variables::{Variable, VariableSet};

// The binding: the one place in the crate that knows Python.
#[cfg(feature = "python")]
mod python;
