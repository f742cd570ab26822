//! Fast-IAMB.
//!
//! Yaramakala and Margaritis, *Speculative Markov blanket discovery for optimal feature selection*, Proceedings of the
//! fifth IEEE International Conference on Data Mining (2005); neighbours are then those members of the blanket that no
//! subset of the others separates.

use std::collections::BTreeSet;

use super::iamb::shrink;
use super::target::{Target, strongest_first};
use crate::Variable;
use crate::independence::TestSession;

/// A variable is tested and added to the blanket only while the table of both and the target has this many rows a cell on
/// average (the paper's heuristic).
const ROWS_PER_CELL: f64 = 5.0;

/// The neighbours of a target: those of its [`blanket`] that no subset of the others separates from it.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let blanket = blanket(target);
    parents_and_children(target, target.variable(), &blanket, target.required().len(), &[])
}

/// The Markov blanket of a target, the required neighbours first.
///
/// Growing: all variables that depend on the target given the blanket are added at once, the strongest first, as long
/// as data suffice and the blanket has at most m + 1 members. Shrinking: members that the others together separate go.
/// Both repeat until the blanket no longer changes (or comes back to a blanket seen before).
pub(super) fn blanket<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let variable = target.variable();
    let required = target.required();
    let mut blanket = required.clone();
    let mut seen = BTreeSet::new();
    let mut log_p = Vec::new();
    while blanket.len() <= target.max_size() {
        let mut dependent: Vec<(Variable, f64)> = if blanket.is_empty() {
            target.dependent()
        } else {
            let mut others = target.testable(variable);
            others.retain(|&y| !blanket.contains(&y) && supported(target, &blanket, y));
            target.move_on();
            target.test_each(variable, &others, &blanket, &mut log_p);
            let tested = others.into_iter().zip(log_p.iter().copied());
            tested.filter(|&(_, log_p)| log_p <= target.log_alpha()).collect()
        };
        strongest_first(&mut dependent);
        let before = blanket.len();
        for (y, _) in dependent {
            if blanket.len() > target.max_size() || !supported(target, &blanket, y) {
                break;
            }
            blanket.push(y);
        }
        if blanket.len() == before {
            break;
        }
        shrink(target, &mut blanket, required.len());
        let mut set = blanket.clone();
        set.sort_unstable();
        if !seen.insert(set) {
            break;
        }
    }
    blanket
}

/// Whether the table of the target, a blanket and one more variable has rows enough.
fn supported<S: TestSession>(target: &Target<'_, S>, blanket: &[Variable], y: Variable) -> bool {
    let mut table = blanket.to_vec();
    table.extend([target.variable(), y]);
    target.rows_per_cell(&table) >= ROWS_PER_CELL
}

/// The members of a blanket that no subset of the others, and of `more`, separates from x.
pub(super) fn parents_and_children<S: TestSession>(
    target: &mut Target<'_, S>,
    x: Variable,
    blanket: &[Variable],
    n_required: usize,
    more: &[Variable],
) -> Vec<Variable> {
    target.move_on();
    let mut kept: Vec<Variable> = blanket[..n_required].to_vec();
    for (i, &y) in blanket.iter().enumerate().skip(n_required) {
        let others: Vec<Variable> = [&blanket[..i], &blanket[i + 1..], more].concat();
        if !target.marginally_independent(x, y) && !target.separated(x, y, &others, None, 1) {
            kept.push(y);
        }
    }
    kept
}
