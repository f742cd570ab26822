//! The Interchange Format for Bayesian networks (BIF), version 0.15, as the repositories of networks use it.
//!
//! What is read:
//!
//! * names and states may hold any characters but white space and `{ } ( ) [ ] | , ;` and need no quotes; in double
//!   quotes they may hold anything (`\"` and `\\` stand for `"` and `\`);
//! * rows `(state, …) p, …;` are placed by their labels, whatever their order; `default p, …;` gives the rows that are
//!   not listed; `table p, …;` gives a whole table, the states of the variable running slowest and those of the last
//!   parent fastest, as JavaBayes defines it;
//! * comments (`// …` and `/* … */`) may stand between any two words; commas are optional; `property` lines are skipped;
//! * variables may be declared after the tables that use them.

mod reader;
mod tokens;
mod writer;

pub(super) use reader::read;
pub(super) use writer::write;
