//! The joint distribution of a few variables.

use super::elimination::{Criterion, ancestral, order};
use super::factor::Factor;
use crate::Variable;
use crate::network::Node;

/// The joint distribution of `targets` (distinct), the last of them running fastest, by summing out their ancestors; none
/// when a table on the way would have more than `limit` entries.
pub(in crate::network) fn joint(nodes: &[Node], targets: &[Variable], limit: usize) -> Option<Vec<f64>> {
    let set = ancestral(nodes, targets);
    let elimination = order(nodes, &set, targets, Criterion::Size, limit as f64)?;
    let arity = |x: Variable| nodes[x as usize].arity();
    let mut factors: Vec<Option<Factor>> = Vec::with_capacity(2 * set.len());
    // Which tables hold a variable of the set; those that are used up are gone from `factors`.
    let mut holding: Vec<Vec<usize>> = vec![Vec::new(); set.len()];
    let add = |factor: Factor, holding: &mut Vec<Vec<usize>>, factors: &mut Vec<Option<Factor>>| {
        for x in &factor.variables {
            holding[set.binary_search(x).expect("the set is ancestral")].push(factors.len());
        }
        factors.push(Some(factor));
    };
    for &x in &set {
        add(Factor::of_node(nodes, x), &mut holding, &mut factors);
    }
    for (x, around) in elimination.steps {
        let mut clique = around.clone();
        clique.push(x);
        clique.sort_unstable();
        let mut product = Factor::ones(clique, arity);
        for id in std::mem::take(&mut holding[set.binary_search(&x).expect("the set is ancestral")]) {
            if let Some(factor) = factors[id].take() {
                product.multiply(&factor);
            }
        }
        add(product.marginal(&around), &mut holding, &mut factors);
    }
    let mut sorted = targets.to_vec();
    sorted.sort_unstable();
    let mut product = Factor::ones(sorted, arity);
    for factor in factors.iter().flatten() {
        product.multiply(factor);
    }
    // From increasing order of the variables to the order asked for.
    let sizes: Vec<usize> = targets.iter().map(|&x| arity(x)).collect();
    let mut table = vec![0.0; product.table.len()];
    let total: f64 = product.table.iter().sum();
    for (mut at, &value) in product.table.iter().enumerate() {
        let mut states = vec![0; targets.len()];
        for (v, &arity) in product.variables.iter().zip(&product.arities).rev() {
            let place = targets.iter().position(|t| t == v).expect("a target");
            states[place] = at % arity;
            at /= arity;
        }
        let index = states.iter().zip(&sizes).fold(0, |index, (&state, &arity)| index * arity + state);
        table[index] = value / total;
    }
    Some(table)
}
