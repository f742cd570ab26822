//! Hybrid parents and children.
//!
//! Gasse, Aussem and Elghazel, *A hybrid algorithm for Bayesian network structure learning with application to multi-label
//! learning*, Expert Systems with Applications 41 (2014): DE-PCS and DE-SPS find supersets of the neighbours and of the
//! spouses with small conditioning sets, Inter-IAPC finds neighbours among them. Its blankets are those of IAMB with control
//! of the false discovery rate, see [`iamb_fdr`](super::iamb_fdr).

use std::collections::{BTreeMap, BTreeSet};

use super::fast_iamb::parents_and_children;
use super::iamb_fdr::{Blanket, blanket_within};
use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// A group of variables that is worth bringing together, and for how many candidates.
const LARGE_GROUP: usize = 24;
const MANY_CANDIDATES: usize = 8;

/// The neighbours of a target: those that Inter-IAPC finds, and those in whose own Inter-IAPC, within the same supersets,
/// the target is found.
pub(super) fn neighbours<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let variable = target.variable();
    let required = target.required();
    let (candidates, separators) = neighbours_superset(target, &required);
    let spouses = spouses_superset(target, &candidates, &separators);
    let pool: Vec<Variable> = candidates.iter().copied().chain(spouses).collect();
    let mut found = inter_iapc(target, variable, &pool);
    for &x in &candidates {
        if found.contains(&x) {
            continue;
        }
        let around: Vec<Variable> = pool.iter().copied().filter(|&v| v != x).chain([variable]).collect();
        if inter_iapc(target, x, &around).contains(&variable) {
            found.push(x);
        }
    }
    found
}

/// DE-PCS: the variables that neither the empty set nor one other such variable separates from the target, strongest
/// first; and what separated the others (none where that was the empty set).
fn neighbours_superset<S: TestSession>(
    target: &mut Target<'_, S>,
    required: &[Variable],
) -> (Vec<Variable>, BTreeMap<Variable, Variable>) {
    let variable = target.variable();
    let mut candidates: Vec<Variable> = required.to_vec();
    candidates.extend(target.dependent().iter().map(|&(y, _)| y));
    let mut separators = BTreeMap::new();
    if target.max_size() == 0 {
        return (candidates, separators);
    }
    target.move_on();
    for i in (required.len()..candidates.len()).rev() {
        let x = candidates.remove(i);
        let separator = candidates.iter().copied().find(|&y| target.separates(variable, x, y));
        match separator {
            Some(y) => drop(separators.insert(x, y)),
            None => candidates.insert(i, x),
        }
    }
    (candidates, separators)
}

/// DE-SPS: for each candidate neighbour x, the variables outside that become dependent on the target when x joins what
/// separated them, unless another such variable together with x separates them.
fn spouses_superset<S: TestSession>(
    target: &mut Target<'_, S>,
    candidates: &[Variable],
    separators: &BTreeMap<Variable, Variable>,
) -> BTreeSet<Variable> {
    let variable = target.variable();
    let (log_alpha, max_size) = (target.log_alpha(), target.max_size());
    let outside: Vec<Variable> = target.testable(variable).into_iter().filter(|y| !candidates.contains(y)).collect();
    // Variables by what separated them, so that those with the same set are tested together.
    let mut groups: BTreeMap<Option<Variable>, Vec<Variable>> = BTreeMap::new();
    for y in outside {
        groups.entry(separators.get(&y).copied()).or_default().push(y);
    }
    let mut spouses = BTreeSet::new();
    // What x itself separates stays separated.
    let set = |x: Variable, separator: Option<Variable>| -> Option<Vec<Variable>> {
        let given: Vec<Variable> = [x].into_iter().chain(separator).collect();
        (separator != Some(x) && given.len() <= max_size).then_some(given)
    };
    let mut log_p = Vec::new();
    // One group with all candidates after the other, for each candidate the log p-values of the groups in turn.
    let mut separated: Vec<Vec<f64>> = vec![Vec::new(); candidates.len()];
    for (&separator, members) in groups.iter().filter(|(separator, _)| separator.is_some()) {
        if members.len() >= LARGE_GROUP && candidates.len() >= MANY_CANDIDATES {
            target.gather(members);
        }
        for (&x, separated) in candidates.iter().zip(&mut separated) {
            if let Some(given) = set(x, separator) {
                target.move_on();
                target.weigh_each(variable, members, &given, &mut log_p);
                separated.extend_from_slice(&log_p);
            }
        }
    }
    for (&x, separated) in candidates.iter().zip(&separated) {
        target.move_on();
        let mut separated = separated.as_slice();
        let mut through: Vec<(Variable, f64)> = Vec::new();
        for (&separator, members) in &groups {
            let Some(given) = set(x, separator) else { continue };
            if separator.is_some() {
                let (now, later) = separated.split_at(members.len());
                separated = later;
                log_p.clear();
                log_p.extend_from_slice(now);
                target.note_each(variable, members, &given, &log_p);
            } else {
                target.test_each(variable, members, &given, &mut log_p);
            }
            let dependent = members.iter().copied().zip(log_p.iter().copied()).filter(|&(_, p)| p <= log_alpha);
            through.extend(dependent);
        }
        by_strength(&mut through);
        let mut through: Vec<Variable> = through.into_iter().map(|(y, _)| y).collect();
        if max_size >= 2 {
            for i in (0..through.len()).rev() {
                let y = through.remove(i);
                if !through.iter().any(|&z| target.test(variable, y, &[x, z]) > log_alpha) {
                    through.insert(i, y);
                }
            }
        }
        spouses.extend(through);
    }
    spouses
}

/// Inter-IAPC: the neighbours of `x` within `pool`, from a blanket grown with control of the false discovery rate.
fn inter_iapc<S: TestSession>(target: &mut Target<'_, S>, x: Variable, pool: &[Variable]) -> Vec<Variable> {
    let Blanket { members, n_required, beside } = blanket_within(target, x, pool);
    parents_and_children(target, x, &members, n_required, &beside)
}

/// By increasing p-value, ties by index. Not generic, so that it is compiled once.
fn by_strength(tested: &mut [(Variable, f64)]) {
    tested.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
}
