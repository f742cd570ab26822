//! HITON-PC, interleaved.
//!
//! Aliferis, Tsamardinos and Statnikov, *HITON: a novel Markov blanket algorithm for optimal variable selection*, AMIA Annual
//! Symposium (2003); in the terms of Aliferis and others (2010) interleaved HITON-PC.

use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// The neighbours of a target.
///
/// Variables come by decreasing marginal association. Each is dropped at once if a subset of the members separates it; else it
/// joins, and every earlier member goes that a subset of the others *with the new one* separates, the latest first. So at all
/// times no subset of the members separates another, and no set is tested twice.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let mut members = target.required();
    let n_required = members.len();
    for (x, _) in target.dependent() {
        target.move_on();
        if !target.separated(target.variable(), x, &members, None, 1) {
            drop_separated_with(target, &mut members, n_required, x);
            members.push(x);
        }
    }
    members
}

/// Drops the members that a subset of the others with `added` separates from the target, the latest first.
pub(super) fn drop_separated_with<S: TestSession>(
    target: &mut Target<'_, S>,
    members: &mut Vec<Variable>,
    n_required: usize,
    added: Variable,
) {
    for i in (n_required..members.len()).rev() {
        let x = members.remove(i);
        if !target.separated(target.variable(), x, members, Some(added), 0) {
            members.insert(i, x);
        }
    }
}
