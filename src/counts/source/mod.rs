//! Counts of rows that are elsewhere: in several tables, or on several machines.
//!
//! F is no sum over parts of the rows, since `n ln n` is not linear: tables travel, and the whole numbers in them are added
//! up. Sums of whole numbers do not depend on their order, so that everything that is learned is the same bit for bit however
//! the rows are split, and whichever part answers first.
//!
//! A [`TableSource`] gives tables of sets. An engine over one ([`CountingEngine::over`](super::CountingEngine::over)) makes all
//! else of them: sums, conditional information, strata.

use crate::data::Shape;
use crate::{Error, Variable, VariableSet};

pub(crate) mod answers;
pub(crate) mod part;
mod rounds;
mod shards;

pub use rounds::{Ask, RoundCounts, Rounds};
pub use shards::Shards;

/// A cell of a table, the first variable running fastest, and its count.
pub type Cell = (u128, u32);

/// Where contingency tables come from: whole numbers, summed over all rows.
///
/// A source that cannot answer (a lost machine, data that changed) makes the run end by itself, and gives zeros until then.
pub trait TableSource: Sync + std::fmt::Debug {
    /// Rows of all parts, and states.
    fn shape(&self) -> &Shape;

    /// The counts of all cells of the table of each set (increasing), the first variable running fastest. May wait.
    fn tables(&self, sets: &[VariableSet]) -> Vec<Vec<u32>>;

    /// The cells that have a count of the table of `variables` (any order), by increasing cell: for tables that are too large
    /// to be written down whole.
    fn cells(&self, variables: &[Variable]) -> Vec<Cell>;

    /// Makes the run end with an error.
    fn fail(&self, error: Error);
}
