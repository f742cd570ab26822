//! F of one base set with each of many other variables, which searches and tests ask for most.

pub(crate) mod each;
mod grouped;
pub(crate) mod nibbles;
pub(crate) mod tally;
