//! Counting: contingency tables of any set of variables, and the sum of `n ln n` over their cells.
//!
//! Everything that the package learns from discrete data comes through here. With F(S) = Σ n ln n over the cells
//! of the table of the set S,
//!
//! * G²(x, y | z) = 2 \[F(x, y, z) + F(z) − F(x, z) − F(y, z)\],
//! * the log-likelihood of x given parents Π is F(x, Π) − F(Π),
//! * mutual information and entropies follow from F of pairs and single variables.
//!
//! F is kept as a **fixed-point integer** ([`FixedSum`]): sums are exact whatever their order, so results are the same
//! bit for bit for any kernel, any number of threads and any order of columns, and differences of large sums lose
//! nothing.
//!
//! A [`CountingEngine`] belongs to one data table and is shared by all threads; each thread counts through its own
//! [`CountingSession`].
//!
//! # What is remembered
//!
//! Before rows are counted, a session looks for F of a set in the first four of these, in this order; tests around a
//! variable with many neighbours have the last:
//!
//! | memory | whose | what it holds | at most | when it forgets |
//! |---|---|---|---|---|
//! | `cache::memo` | session | sums and tables of the sets around the present variables | 12 MiB | when the focus moves and it holds more than a core's cache does, of few rows; when full |
//! | [`PairwiseSums`] | engine | all sets of at most two variables | 8 bytes a pair | never |
//! | `cache::recent` | session | sums of any sets, one place for each | 16 MiB | a set gives its place to the next |
//! | `cache::shared` | engine | sums of a set with each of many candidates | 32 MiB | all, when full |
//! | `subsets::target::entropies` | session, for one target | entropies of sets around a target with many neighbours | 128 MiB | with the target; variables outside first |
//!
//! Values are exact integers, so that it never matters for a result which of them answers.

mod cache;
mod cost;
mod engine;
mod extend;
mod fixed;
mod logarithm;
mod session;
// The only unsafe code: vector instructions, each behind a check that the processor has them, and equal to plain code.
#[allow(unsafe_code)]
mod simd;
mod source;
mod subsets;
mod table;
mod weighted;

pub use cache::pairs::PairwiseSums;
pub(crate) use cache::shared::SharedSums;
pub use engine::CountingEngine;
pub use fixed::{CellSum, FixedScale, FixedSum};
pub use session::CountingSession;
pub use session::information::InformationVisitor;
pub use simd::Kernel;
#[cfg(feature = "python")]
pub(crate) use source::part::PartTables;
pub use source::{Ask, Cell, RoundCounts, Rounds, Shards, TableSource};
pub use weighted::{WeightedEngine, WeightedSession};
