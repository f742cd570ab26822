//! V-structures: detection with an oracle, conflicts on arbitrary input.

use phgs::graph::{Dag, UndirectedGraph};
use phgs::knowledge::Knowledge;
use phgs::orient::{VStructure, cpdag_of_dag, cpdag_with_knowledge, skeleton_to_cpdag, v_structures_from_separations};

use super::{knowledge_about, obeys, perfect_skeleton};
use crate::support::{below, random_dag, rng, uniform};

#[test]
fn oracle_gives_the_true_v_structures_and_cpdag() {
    let mut rng = rng(10);
    for _ in 0..500 {
        let (p, degree) = (5 + below(&mut rng, 36), 1.0 + 4.0 * uniform(&mut rng));
        let dag = random_dag(&mut rng, p, degree);
        let skeleton = perfect_skeleton(&dag, 0.05f64.ln(), |_, _| f64::NEG_INFINITY);
        let found = v_structures_from_separations(skeleton.graph(), &skeleton, &Knowledge::none());
        let triples: Vec<_> = found.iter().map(|v| (v.x, v.centre, v.y)).collect();
        assert_eq!(triples, dag.v_structures());
        let oriented = skeleton_to_cpdag(skeleton.graph(), &found, &Knowledge::none());
        assert!(oriented.extendable && oriented.conflicts.is_empty());
        assert_eq!(oriented.pdag, cpdag_of_dag(&dag));
        let knowledge = knowledge_about(&mut rng, &dag, 0.05);
        let found = v_structures_from_separations(skeleton.graph(), &skeleton, &knowledge);
        let oriented = skeleton_to_cpdag(skeleton.graph(), &found, &knowledge);
        assert!(oriented.extendable && oriented.conflicts.is_empty());
        assert!(oriented.pdag.directed_edges().all(|(x, y)| dag.contains(x, y)), "nothing false is concluded");
        assert!(obeys(&oriented.dag, &knowledge));
        let open = |&(x, _, y): &(u32, u32, u32)| !knowledge.allows_edge(x, y);
        if !skeleton.graph().unshielded_triples().any(|triple| open(&triple)) {
            assert_eq!(oriented.pdag, cpdag_with_knowledge(&dag, &knowledge));
        }
    }
}

#[test]
fn conflicts_never_reverse_or_close_a_cycle() {
    let mut rng = rng(11);
    let (mut skipped, mut extendable) = (0, 0);
    for _ in 0..1500 {
        let (p, degree) = (4 + below(&mut rng, 20), 1.0 + 3.0 * uniform(&mut rng));
        let graph: UndirectedGraph = random_dag(&mut rng, p, degree).skeleton();
        let rate = uniform(&mut rng);
        let v_structures: Vec<VStructure> = graph
            .unshielded_triples()
            .filter(|_| uniform(&mut rng) < rate)
            .map(|(x, centre, y)| VStructure { x, centre, y, log_p_value: -1.0 })
            .collect();
        let knowledge = match below(&mut rng, 2) {
            0 => Knowledge::none(),
            _ => {
                let other = random_dag(&mut rng, p, degree);
                knowledge_about(&mut rng, &other, 0.1)
            }
        };
        let oriented = skeleton_to_cpdag(&graph, &v_structures, &knowledge);
        let pdag = &oriented.pdag;
        assert!(Dag::from_arcs(p, pdag.directed_edges()).is_ok(), "a directed cycle");
        assert!(pdag.directed_edges().all(|(x, y)| knowledge.allows_arc(x, y)));
        assert!(pdag.undirected_edges().all(|(x, y)| knowledge.allows_arc(x, y) && knowledge.allows_arc(y, x)));
        assert!(knowledge.required_arcs().into_iter().all(|(x, y)| pdag.has_arc(x, y)));
        assert!(knowledge.required_pairs().into_iter().all(|(x, y)| pdag.adjacent(x, y)));
        if knowledge.is_empty() {
            assert_eq!(pdag.skeleton(), graph);
        }
        for v in &v_structures {
            if !oriented.conflicts.contains(v) {
                assert!(pdag.has_arc(v.x, v.centre) && pdag.has_arc(v.y, v.centre));
            }
        }
        skipped += oriented.conflicts.len();
        assert!(obeys(&oriented.dag, &knowledge));
        if oriented.extendable {
            extendable += 1;
            let full = cpdag_with_knowledge(&oriented.dag, &knowledge);
            let open = |(x, _, y): (u32, u32, u32)| !knowledge.allows_edge(x, y);
            if pdag.skeleton().unshielded_triples().any(open) {
                assert!(pdag.directed_edges().all(|(x, y)| full.has_arc(x, y)));
            } else {
                assert_eq!(&full, pdag, "valid estimates are the CPDAG of their extension");
            }
        }
    }
    assert!(skipped > 1000 && (200..1400).contains(&extendable), "{skipped} skipped, {extendable} extendable");
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let mut rng = rng(12);
    for _ in 0..200 {
        let graph = random_dag(&mut rng, 12, 3.0).skeleton();
        let mut v_structures: Vec<VStructure> = Vec::new();
        for (x, centre, y) in graph.unshielded_triples() {
            if uniform(&mut rng) < 0.4 {
                v_structures.push(VStructure { x, centre, y, log_p_value: -(below(&mut rng, 3) as f64) });
            }
        }
        let first = skeleton_to_cpdag(&graph, &v_structures, &Knowledge::none());
        v_structures.reverse();
        assert_eq!(skeleton_to_cpdag(&graph, &v_structures, &Knowledge::none()), first);
    }
}
