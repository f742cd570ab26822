//! Grow-Shrink.
//!
//! Margaritis and Thrun, *Bayesian network induction via local neighborhoods*, Advances in Neural Information Processing
//! Systems 12 (1999); Margaritis, *Learning Bayesian network model structure from data*, PhD thesis (2003), chapter 2.

use super::iamb::shrink;
use super::target::Target;
use crate::Variable;
use crate::independence::TestSession;

/// The Markov blanket of a target, the required neighbours first.
///
/// Growing: variables come by decreasing marginal association, and each joins at once if it depends on the target given the
/// blanket so far; again from the start until none joins, as long as the blanket has at most m members. Shrinking: members
/// that the others together separate go.
pub(super) fn blanket<S: TestSession>(target: &mut Target<'_, S>) -> Vec<Variable> {
    let variable = target.variable();
    let mut blanket = target.required();
    let n_required = blanket.len();
    let dependent = target.dependent();
    let mut order: Vec<Variable> = dependent.iter().map(|&(y, _)| y).collect();
    // Those that are independent marginally may still depend given others: spouses.
    let mut listed = order.clone();
    listed.sort_unstable();
    order.extend(target.testable(variable).into_iter().filter(|y| listed.binary_search(y).is_err()));
    let mut joined = true;
    while joined {
        joined = false;
        target.move_on();
        for (i, &y) in order.iter().enumerate() {
            if blanket.len() > target.max_size() {
                break;
            }
            if blanket.contains(&y) {
                continue;
            }
            // Marginal tests are made already.
            let depends = if blanket.is_empty() {
                i < dependent.len()
            } else {
                target.test(variable, y, &blanket) <= target.log_alpha()
            };
            if depends {
                blanket.push(y);
                joined = true;
            }
        }
    }
    shrink(target, &mut blanket, n_required);
    blanket
}
