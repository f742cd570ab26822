//! Marginals of all variables of an ancestral set in two passes over a tree of clusters.
//!
//! Elimination makes one cluster for each variable; clusters inside others are merged. Only the messages between
//! clusters are kept, so that memory is that of the largest cluster and all separators.

use super::elimination::{Criterion, Elimination, order};
use super::factor::Factor;
use crate::run::Run;
use crate::{Result, Variable};

use crate::network::Node;

/// Entries of the largest cluster that is worked on (256 MB).
const MAX_CLUSTER: f64 = (1u64 << 25) as f64;
/// Entries of all clusters together (some ten seconds).
const MAX_TOTAL: f64 = (1u64 << 30) as f64;

struct Cluster {
    variables: Vec<Variable>,
    /// Nodes whose tables it holds.
    tables: Vec<Variable>,
    parent: Option<usize>,
    separator: Vec<Variable>,
    children: Vec<usize>,
}

/// The marginals of all variables of `set`, which holds all their ancestors; none when tables become too large.
pub(super) fn marginals(nodes: &[Node], set: &[Variable], run: &Run) -> Result<Option<Vec<Vec<f64>>>> {
    let orders = [Criterion::Fill, Criterion::Size].map(|criterion| order(nodes, set, &[], criterion, MAX_CLUSTER));
    let best = orders.into_iter().flatten().filter(|e| e.total <= MAX_TOTAL).min_by(|a, b| a.total.total_cmp(&b.total));
    match best {
        Some(elimination) => propagate(nodes, set, &elimination, run).map(Some),
        None => Ok(None),
    }
}

/// Builds the clusters, children before parents, and says which cluster each variable of the set is read from.
fn build(nodes: &[Node], set: &[Variable], elimination: &Elimination) -> (Vec<Cluster>, Vec<usize>) {
    let position = |x: Variable| set.binary_search(&x).expect("a variable of the set");
    let mut step_of = vec![0; set.len()];
    for (i, (x, _)) in elimination.steps.iter().enumerate() {
        step_of[position(*x)] = i;
    }
    // From the last step to the first: a step whose clique lies in that of its parent is read from there.
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut home = vec![usize::MAX; set.len()];
    for (x, around) in elimination.steps.iter().rev() {
        let mut variables = around.clone();
        variables.push(*x);
        variables.sort_unstable();
        let parent = around.iter().map(|&y| step_of[position(y)]).min().map(|step| {
            let y = elimination.steps[step].0;
            home[position(y)]
        });
        // The clique of the parent is often the separator itself: then this cluster takes its place by growing it.
        if let Some(parent) = parent
            && clusters[parent].variables.len() == around.len()
        {
            clusters[parent].variables = variables;
            home[position(*x)] = parent;
            continue;
        }
        home[position(*x)] = clusters.len();
        let separator = around.clone();
        clusters.push(Cluster { variables, tables: Vec::new(), parent, separator, children: Vec::new() });
    }
    for c in 0..clusters.len() {
        if let Some(parent) = clusters[c].parent {
            clusters[parent].children.push(c);
        }
    }
    for &x in set {
        // A family lies in the clique of the member that is eliminated first.
        let family = nodes[x as usize].parents.iter().copied().chain([x]);
        let first = family.min_by_key(|&y| step_of[position(y)]).expect("a family has a member");
        clusters[home[position(first)]].tables.push(x);
    }
    (clusters, home)
}

fn propagate(nodes: &[Node], set: &[Variable], elimination: &Elimination, run: &Run) -> Result<Vec<Vec<f64>>> {
    let (clusters, home) = build(nodes, set, elimination);
    let arity = |x: Variable| nodes[x as usize].arity();
    let mut up: Vec<Option<Factor>> = vec![None; clusters.len()];
    let mut down: Vec<Option<Factor>> = vec![None; clusters.len()];
    let product = |c: usize, up: &[Option<Factor>]| {
        let mut table = Factor::ones(clusters[c].variables.clone(), arity);
        for &x in &clusters[c].tables {
            table.multiply(&Factor::of_node(nodes, x));
        }
        for &child in &clusters[c].children {
            if let Some(message) = &up[child] {
                table.multiply(message);
            }
        }
        table
    };
    // Parents come before children in the list.
    for c in (0..clusters.len()).rev() {
        run.check()?;
        if clusters[c].parent.is_some() {
            up[c] = Some(product(c, &up).marginal(&clusters[c].separator));
        }
    }
    let mut read_here: Vec<Vec<usize>> = vec![Vec::new(); clusters.len()];
    for (i, &c) in home.iter().enumerate() {
        read_here[c].push(i);
    }
    let mut marginals: Vec<Vec<f64>> = vec![Vec::new(); set.len()];
    for c in 0..clusters.len() {
        run.check()?;
        let mut belief = product(c, &up);
        if let Some(message) = down[c].take() {
            belief.multiply(&message);
        }
        for &i in &read_here[c] {
            let mut marginal = belief.marginal(&[set[i]]).table;
            let total: f64 = marginal.iter().sum();
            for value in &mut marginal {
                *value /= total;
            }
            marginals[i] = marginal;
        }
        for &child in &clusters[c].children {
            let mut message = belief.marginal(&clusters[child].separator);
            if let Some(message_up) = up[child].take() {
                message.divide(&message_up);
            }
            down[child] = Some(message);
        }
    }
    Ok(marginals)
}
