//! Counting: contingency tables of any set of variables, and the sum of `n ln n` over their cells.
//!
//! Everything that the package learns from discrete data comes through this door. With F(S) = Σ n ln n over the cells
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
//! | `memo` | session | sums and tables of the sets around the present variables | 12 MiB | when the focus moves and it holds more than a core's cache does; when full |
//! | [`PairwiseSums`] | engine | all sets of at most two variables | 8 bytes a pair | never |
//! | `past` | session | sums of any sets, one place for each | 16 MiB | a set gives its place to the next |
//! | `rows` | engine | sums of a set with each of many candidates | 32 MiB | all, when full |
//! | `around::remembered` | session, for one target | entropies of sets around a target with many neighbours | 128 MiB | with the target; variables outside first |
//!
//! Values are exact integers, so that it never matters for a result which of them answers.

mod around;
mod binary;
mod bounds;
mod candidates;
mod cells;
mod conditional;
mod engine;
mod fixed;
mod histogram;
// The only unsafe code: vector instructions, each behind a check that the processor has them, and equal to plain code.
#[allow(unsafe_code)]
mod kernels;
mod lanes;
mod memo;
mod pairwise;
mod past;
mod planes;
mod rows;
mod session;
mod strata;
mod tables;
mod tally;

pub use conditional::InformationVisitor;
pub use engine::CountingEngine;
pub use fixed::{CellSum, FixedScale, FixedSum};
pub use kernels::Kernel;
pub use pairwise::PairwiseSums;
pub(crate) use rows::Rows;
pub use session::CountingSession;
