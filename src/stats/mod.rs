//! Tails of distributions and the special functions under them.
//!
//! Tails are returned as natural logarithms, so that p-values far below 1e-308 still rank; each is computed as an
//! upper tail and never as one minus the other tail (where the tail is above one half the two are the same number).

mod chi_squared;
mod erfcx;
mod erfcx_table;
mod exponentials;
mod gamma;
mod normal;
mod normal_quantile;
mod temme;
mod temme_table;

pub use chi_squared::chi_squared_log_upper_tail;
pub use erfcx::{erfc, erfcx};
pub(crate) use exponentials::exponentials_below;
pub use gamma::{ln_gamma, ln_gamma_increase};
pub use normal::{normal_log_two_sided, normal_log_upper_tail};
pub use normal_quantile::normal_quantile;
