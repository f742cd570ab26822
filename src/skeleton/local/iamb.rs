//! IAMB and Inter-IAMB: incremental association Markov blankets.
//!
//! Tsamardinos, Aliferis and Statnikov, *Algorithms for large scale Markov blanket discovery*, Proceedings of the
//! sixteenth International FLAIRS Conference (2003).

use std::collections::BTreeSet;

use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// The Markov blanket of a target by IAMB, the required neighbours first.
///
/// Growing: of all variables that depend on the target given the blanket, the strongest is added, as long as the blanket has
/// at most m members. Shrinking: members that the others together separate go.
pub(super) fn iamb<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let mut blanket = target.required();
    let n_required = blanket.len();
    while grow(target, &mut blanket) {}
    shrink(target, &mut blanket, n_required);
    blanket
}

/// The same by Inter-IAMB, which shrinks after each step of growing, so that conditioning sets stay small. It ends when the
/// blanket no longer changes (or comes back to a blanket seen before).
pub(super) fn inter_iamb<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let mut blanket = target.required();
    let n_required = blanket.len();
    let mut seen = BTreeSet::new();
    while grow(target, &mut blanket) {
        shrink(target, &mut blanket, n_required);
        let mut set = blanket.clone();
        set.sort_unstable();
        if !seen.insert(set) {
            break;
        }
    }
    blanket
}

/// Adds the variable that depends most on the target given the blanket. Whether there was one.
fn grow<S: TestSession>(target: &mut Target<'_, S>, blanket: &mut Vec<Variable>) -> bool {
    if blanket.len() > target.max_size() {
        return false;
    }
    let variable = target.variable();
    let strongest = if blanket.is_empty() {
        target.dependent().first().copied()
    } else {
        let mut others = target.testable(variable);
        others.retain(|y| !blanket.contains(y));
        let mut log_p = Vec::new();
        target.move_on();
        target.test_each(variable, &others, blanket, &mut log_p);
        let tested = others.into_iter().zip(log_p).filter(|&(_, log_p)| log_p <= target.log_alpha());
        tested.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    blanket.extend(strongest.map(|(y, _)| y));
    strongest.is_some()
}

/// Drops members that the others together separate from the target, the latest first.
pub(super) fn shrink<S: TestSession>(target: &mut Target<'_, S>, blanket: &mut Vec<Variable>, n_required: usize) {
    target.move_on();
    for i in (n_required..blanket.len()).rev() {
        let x = blanket.remove(i);
        if target.test(target.variable(), x, blanket) <= target.log_alpha() {
            blanket.insert(i, x);
        }
    }
}
