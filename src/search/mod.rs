//! Search: the DAG that maximises a decomposable score.
//!
//! * [`hill_climb`] goes from DAG to DAG by adding, deleting or reversing one arc; with a tabu list it goes on past
//!   local optima, with restarts it starts again from perturbed ones. [`ActiveSet`] restricts which pairs it may
//!   connect (the paper's set **A** of section 4.1).
//! * [`ges`] goes from class to class of equivalent DAGs.
//! * [`boss`] moves variables within an order.
//!
//! The paper's symbols: t₁ is [`Tabu::length`], t₀ is [`Tabu::patience`], r₀ is [`Restarts::count`], r₁ is
//! [`Restarts::perturbations`].

use crate::run::Run;
use crate::score::LocalScore;
use crate::{Error, Result};

mod ancestors;
mod best_move;
mod boss;
mod candidates;
mod child_scores;
mod climber;
mod gains;
pub mod ges;
mod hill_climbing;
mod known_parents;
mod moves;
mod tabu;
mod ties;

pub use boss::{BossOptions, boss};
pub use candidates::ActiveSet;
pub use hill_climbing::{Restarts, SearchOptions, SearchResult, Tabu, hill_climb};
pub use moves::Move;
pub use ties::TieRule;

/// [`LocalScore::prepare_pairs`], for searches that do without where time does not suffice.
fn prepare_pairs<S: LocalScore>(score: &S, run: &Run) -> Result<()> {
    match score.prepare_pairs(run) {
        Err(Error::OutOfTime) => Ok(()),
        other => other,
    }
}
