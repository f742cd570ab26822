//! Missing values, drawn given what is known of their rows, in the network of a graph that is estimated along the way.
//!
//! * [`fill`] of categories: Gibbs sweeps, by tables.
//! * [`IncompleteNumbers::fill`] of jointly normal columns: all missing values of a row at once.
//! * [`IncompleteMixed::fill`] of numbers beside categories: Gibbs sweeps, by tables, lines and discriminants.
//!
//! After each draw of all rows the network is estimated again, from counts or moments that are averaged over draws, which
//! comes near what expected ones give (stochastic approximation of EM: Delyon, Lavielle and Moulines 1999). Each row has
//! random numbers of its own, so that the draws do not depend on the number of threads.

mod categories;
mod mixed;
mod numbers;
mod regression;
mod rows;
mod scale;
mod tables;
mod values;

use std::ops::Range;

use crate::data::Gaps;
use crate::run::Run;
use crate::{Error, Result, Variable};

pub use categories::{fill, fill_from_marginals};
pub use mixed::IncompleteMixed;
pub use numbers::IncompleteNumbers;
pub(in crate::network) use rows::weight_of;
pub(in crate::network) use tables::pick;

/// What the estimates after some sweeps weigh, against all before them: at first all, then as in a mean.
fn weight_of_sweep(sweep: usize, sweeps: usize) -> f64 {
    let first = sweeps / 3;
    if sweep <= first { 1.0 } else { 1.0 / (sweep - first + 1) as f64 }
}

/// The seed of a sweep.
fn seed_of_sweep(seed: u64, sweep: usize) -> u64 {
    seed.wrapping_mul(1 << 20).wrapping_add(sweep as u64)
}

/// Values that were drawn, some rows after others, in the order of the gaps.
struct Drawn<T>(Vec<Vec<T>>);

impl<T: Copy + Send> Drawn<T> {
    /// Draws the missing values of all rows, `block` rows at a time. `draw` appends those of the rows at some positions of the
    /// gaps.
    fn draw<W>(
        gaps: &Gaps,
        block: usize,
        run: &Run,
        workspace: impl Fn() -> W + Sync,
        draw: impl Fn(&mut W, Range<usize>, &mut Vec<T>) + Sync,
    ) -> Result<Self> {
        let blocks = run.try_map(gaps.len().div_ceil(block), workspace, |workspace, number| {
            if run.out_of_time() {
                return Err(Error::OutOfTime);
            }
            let mut drawn = Vec::new();
            draw(workspace, number * block..((number + 1) * block).min(gaps.len()), &mut drawn);
            Ok(drawn)
        })?;
        Ok(Self(blocks))
    }

    /// Hands over each value with its row and variable.
    fn each(&self, gaps: &Gaps, mut set: impl FnMut(usize, Variable, T)) {
        let mut values = self.0.iter().flatten();
        for gap in 0..gaps.len() {
            let (row, missing) = gaps.row(gap);
            for (&x, &value) in missing.iter().zip(&mut values) {
                set(row, x, value);
            }
        }
    }
}
