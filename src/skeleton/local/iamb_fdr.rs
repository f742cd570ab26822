//! IAMB with control of the false discovery rate.
//!
//! Peña, *Learning Gaussian graphical models of gene networks with false discovery rate control*, Evolutionary Computation,
//! Machine Learning and Data Mining in Bioinformatics (2008), by the rule of Benjamini and Hochberg (1995).

use std::collections::BTreeSet;

use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// A blanket within a pool of variables.
pub(super) struct Blanket {
    /// The members, those that knowledge requires first.
    pub(super) members: Vec<Variable>,
    pub(super) n_required: usize,
    /// Variables of the pool that knowledge forbids beside the target: not tested with it, but they may separate it from
    /// others.
    pub(super) beside: Vec<Variable>,
}

/// The Markov blanket of the target.
pub(super) fn blanket<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let variable = target.variable();
    let mut pool = target.required();
    pool.extend(target.testable(variable));
    blanket_within(target, variable, &pool).members
}

/// The Markov blanket of x within `pool`: one change at a time, first the weakest member that the rule no longer accepts
/// given the others goes, then the strongest other that it accepts comes in, as long as there are at most m + 1 members.
pub(super) fn blanket_within<S: TestSession>(target: &mut Target<'_, S>, x: Variable, pool: &[Variable]) -> Blanket {
    let mut blanket: Vec<Variable> = pool.iter().copied().filter(|&y| target.requires(x, y)).collect();
    let n_required = blanket.len();
    let (pool, beside): (Vec<Variable>, Vec<Variable>) =
        pool.iter().filter(|y| !blanket.contains(y)).partition(|&&y| target.is_testable(x, y));
    let mut seen = BTreeSet::new();
    let (mut others, mut log_p) = (Vec::new(), Vec::new());
    loop {
        // p-values of members given the other members, and of the others given all members.
        let mut p_values: Vec<(f64, Variable, bool)> = Vec::with_capacity(pool.len());
        target.move_on();
        for i in n_required..blanket.len() {
            let y = blanket.remove(i);
            p_values.push((target.test(x, y, &blanket), y, true));
            blanket.insert(i, y);
        }
        if blanket.len() <= target.max_size() {
            others.clear();
            others.extend(pool.iter().copied().filter(|y| !blanket.contains(y)));
            target.test_each(x, &others, &blanket, &mut log_p);
            p_values.extend(others.iter().zip(&log_p).map(|(&y, &p)| (p, y, false)));
        }
        by_p_value(&mut p_values);
        // Benjamini and Hochberg: the first k with k the last rank i at which p ≤ α i / n.
        let n = pool.len().max(1) as f64;
        let accepts = |rank: usize, log_p: f64| log_p <= target.log_alpha() + ((rank + 1) as f64 / n).ln();
        let accepted = (0..p_values.len()).rev().find(|&i| accepts(i, p_values[i].0)).map_or(0, |last| last + 1);
        // One change at a time: first the weakest member out, then the strongest other in.
        if let Some(&(_, y, _)) = p_values[accepted..].iter().rev().find(|(_, _, member)| *member) {
            blanket.retain(|&member| member != y);
        } else if let Some(&(_, y, _)) = p_values[..accepted].iter().find(|(_, _, member)| !*member) {
            blanket.push(y);
        } else {
            break;
        }
        let mut set = blanket.clone();
        set.sort_unstable();
        if !seen.insert(set) {
            break;
        }
    }
    Blanket { members: blanket, n_required, beside }
}

/// By increasing p-value, ties by index. Not generic, so that it is compiled once.
fn by_p_value(p_values: &mut [(f64, Variable, bool)]) {
    p_values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}
