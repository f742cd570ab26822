//! GetPC.
//!
//! Peña, Nilsson, Björkegren and Tegnér, *Towards scalable and data efficient learning of Markov boundaries*, International
//! Journal of Approximate Reasoning 45 (2007), GetPCD; GetPC is it with the symmetry correction of all local learners here.

use super::hiton_pc::drop_separated_with;
use super::mmpc::{admit, admit_required};
use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// The neighbours of a target: those of max-min parents and children, but that earlier members are tested anew with each
/// member that joins, and go if a set separates them, the latest first.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let (mut members, mut candidates) = admit_required(target);
    let n_required = members.len();
    while let Some(best) = (0..candidates.len()).min_by(|&i, &j| candidates[i].1.total_cmp(&candidates[j].1)) {
        let (added, _) = candidates.remove(best);
        drop_separated_with(target, &mut members, n_required, added);
        admit(target, &members, added, &mut candidates);
        members.push(added);
    }
    members
}
