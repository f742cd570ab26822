//! Semi-interleaved HITON-PC.
//!
//! Aliferis, Statnikov, Tsamardinos, Mani and Koutsoukos, *Local causal and Markov blanket induction for causal discovery
//! and feature selection for classification, part I*, Journal of Machine Learning Research 11 (2010): the generalised local
//! learning template with HITON's priority (marginal association) and semi-interleaved elimination.

use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// The neighbours of a target.
///
/// Variables come by decreasing marginal association; each is dropped at once if a subset of those kept so far separates
/// it, and otherwise kept. At the end every one kept is tested against the sets with later members.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let mut members = target.required();
    let n_required = members.len();
    for (x, _) in target.dependent() {
        target.move_on();
        if !target.separated(target.variable(), x, &members, None, 1) {
            members.push(x);
        }
    }
    target.move_on();
    target.prune(&mut members, n_required);
    members
}
