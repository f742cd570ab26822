//! Max-min parents and children.
//!
//! Tsamardinos, Brown and Aliferis, *The max-min hill-climbing Bayesian network structure learning algorithm*, Machine
//! Learning 65 (2006), algorithm 1 (its symmetry correction, algorithm 2, is common to all local learners here).

use super::target::Target;
use crate::Variable;
use crate::independence::{Subsets, TestSession};

/// The neighbours of a target.
///
/// Forward: of the variables that no subset of the neighbours so far separates, add the one whose least association with
/// the target (its largest p-value over those subsets) is largest. Backward: drop those that a subset of the others
/// separates. Only sets with the newest member are tested in each forward step; no set is tested twice.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let (mut members, mut candidates) = admit_required(target);
    let n_required = members.len();
    while let Some(best) = (0..candidates.len()).min_by(|&i, &j| candidates[i].1.total_cmp(&candidates[j].1)) {
        let (added, _) = candidates.remove(best);
        admit(target, &members, added, &mut candidates);
        members.push(added);
    }
    target.prune(&mut members, n_required);
    members
}

/// The members that knowledge requires, and the candidates that no subset of them separates, each with its largest p-value.
pub(super) fn admit_required<S: TestSession>(target: &mut Target<'_, S>) -> (Vec<Variable>, Vec<(Variable, f64)>) {
    let members = target.required();
    // Strongest marginal association first, so that ties among equals stay in that order.
    let mut candidates = target.dependent();
    for added in 0..members.len() {
        admit(target, &members[..added], members[added], &mut candidates);
    }
    (members, candidates)
}

/// Tests every candidate given `added` and each subset of `before`, keeps its largest p-value and drops it when a set
/// separates it.
pub(super) fn admit<S: TestSession>(
    target: &mut Target<'_, S>,
    before: &[Variable],
    added: Variable,
    candidates: &mut Vec<(Variable, f64)>,
) {
    if target.max_size() == 0 {
        return;
    }
    target.move_on();
    for size in 0..=before.len().min(target.max_size() - 1) {
        target.drop_separated(candidates, Subsets { with: Some(added), pool: before, size });
    }
}
