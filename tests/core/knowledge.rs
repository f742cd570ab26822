//! Background knowledge for tests of any algorithm.

use phgs::graph::Dag;
use phgs::knowledge::Knowledge;
use rand_chacha::ChaCha8Rng;

use crate::support::{below, permutation, uniform};

/// Random knowledge; with a DAG, knowledge that is true of it.
pub(crate) fn random_knowledge(rng: &mut ChaCha8Rng, p: usize, truth: Option<&Dag>, forbid_pairs: bool) -> Knowledge {
    let order = truth.map_or_else(|| permutation(rng, p), Dag::topological_order);
    let n_tiers = 1 + below(rng, 4);
    let mut tier = vec![None; p];
    for (at, &x) in order.iter().enumerate() {
        if uniform(rng) < 0.8 {
            tier[x as usize] = Some((at * n_tiers / p) as u32);
        }
    }
    let (mut required, mut edges, mut forbidden) = (vec![], vec![], vec![]);
    for i in 0..p {
        for j in i + 1..p {
            let (from, to) = (order[i], order[j]);
            let possible = truth.is_none_or(|dag| dag.contains(from, to));
            let u = uniform(rng);
            if possible && u < 0.06 {
                required.push((from, to));
            } else if possible && u < 0.12 {
                edges.push((from, to));
            } else if u > 0.9 && forbid_pairs && (!possible || truth.is_none()) {
                forbidden.extend([(from, to), (to, from)]);
            } else if u > 0.8 {
                forbidden.push((to, from));
            }
        }
    }
    Knowledge::new(p, required, edges, forbidden, tier).unwrap()
}

/// Asserts that a DAG has all that is required and nothing that is forbidden.
pub(crate) fn keeps_knowledge(dag: &Dag, knowledge: &Knowledge) {
    for (from, to) in dag.arcs() {
        assert!(knowledge.allows_arc(from, to), "{from} → {to} is forbidden");
    }
    for (x, y) in knowledge.required_pairs() {
        assert!(dag.adjacent(x, y), "{x} − {y} is required");
    }
    for (x, y) in knowledge.required_arcs() {
        assert!(dag.contains(x, y), "{x} → {y} is required");
    }
}
