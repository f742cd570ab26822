//! The Interchange Format for Bayesian networks (BIF), version 0.15, as the repositories of networks use it.
//!
//! What is read:
//!
//! * names and states may hold any characters but white space and `{ } ( ) [ ] | , ;` and need no quotes; in double
//!   quotes they may hold anything (`\"` and `\\` stand for `"` and `\`), also words of the grammar;
//! * a network named `unknown`, without quotes, has no name;
//! * rows `(state, …) p, …;` are placed by their labels, whatever their order; `default p, …;` gives the rows that are
//!   not listed; `table p, …;` gives a whole table, the states of the variable running slowest and those of the last
//!   parent fastest, as JavaBayes defines it;
//! * comments (`// …` and `/* … */`) may stand between any two words; commas are optional; `property` lines are skipped;
//! * variables may be declared after the tables that use them.

mod hint;
mod reader;
mod rows;
mod tokens;
mod writer;

use crate::Variable;

/// How a BIF file is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BifOptions {
    /// With a tolerance, rows whose sum differs from 1 by no more than it are divided by their sum, and rows of NaN
    /// (configurations that were never seen) become uniform; each is reported. Without one, rows must sum to 1 within
    /// [`ROW_SUM_TOLERANCE`](super::ROW_SUM_TOLERANCE).
    pub tolerance: Option<f64>,
    /// The most entries that the tables may have in all: a few bytes of a file can ask for any number of them.
    pub max_entries: usize,
}

impl Default for BifOptions {
    /// No repairs; 2²⁵ entries, which take 256 MiB.
    fn default() -> Self {
        Self { tolerance: None, max_entries: 1 << 25 }
    }
}

/// What was done to the rows of a table to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// The variable whose table it is.
    pub variable: Variable,
    /// How many rows were divided by their sum.
    pub scaled: usize,
    /// How many rows of NaN were made uniform.
    pub unseen: usize,
}

pub(super) use reader::read;
pub(super) use writer::write;
