//! V-structures: detection with an oracle, conflicts on arbitrary input.

use phgs::graph::{Dag, UndirectedGraph};
use phgs::independence::{DSeparationOracle, IndependenceTest, TestResult, TestSession};
use phgs::knowledge::Knowledge;
use phgs::orient::{
    ColliderRule, Undecided, VStructure, consistent_extension, cpdag_of_dag, cpdag_with_knowledge, decide_colliders,
    orient_skeleton, skeleton_to_cpdag, v_structures_from_separations,
};
use phgs::run::{Ledger, Phase, Run};

use super::{knowledge_about, obeys, perfect_skeleton};
use crate::support::{below, permutation, random_dag, rng, uniform};

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
        assert!(oriented.valid && oriented.conflicts.is_empty());
        assert_eq!(oriented.extendable, consistent_extension(&oriented.pdag).is_some());
        assert!(oriented.pdag.directed_edges().all(|(x, y)| dag.contains(x, y)), "nothing false is concluded");
        assert!(obeys(&oriented.dag, &knowledge));
        let open = |&(x, _, y): &(u32, u32, u32)| !knowledge.allows_edge(x, y);
        if !skeleton.graph().unshielded_triples().any(|triple| open(&triple)) {
            assert_eq!(oriented.pdag, cpdag_with_knowledge(&dag, &knowledge));
        }
    }
}

#[test]
fn all_collider_rules_are_right_with_an_oracle() {
    let mut rng = rng(13);
    let run = Run::new(2).unwrap();
    for round in 0..150 {
        let (p, degree) = (5 + below(&mut rng, 12), 1.0 + 2.0 * uniform(&mut rng));
        let dag = random_dag(&mut rng, p, degree);
        let oracle = DSeparationOracle::new(&dag);
        for rule in [ColliderRule::Conservative, ColliderRule::Majority, ColliderRule::MaxP] {
            let none = Knowledge::none();
            let mut ledger = Ledger::new();
            let found =
                decide_colliders(&dag.skeleton(), &oracle, rule, 0.05f64.ln(), None, &none, &run, &mut ledger).unwrap();
            let triples: Vec<_> = found.v_structures.iter().map(|v| (v.x, v.centre, v.y)).collect();
            assert_eq!(triples, dag.v_structures(), "{rule:?}, round {round}");
            assert!(found.undecided.is_empty());
            assert_eq!(ledger.calls(Phase::VStructures) > 0, dag.skeleton().unshielded_triples().next().is_some());
            let oriented =
                orient_skeleton(&dag.skeleton(), &found.v_structures, &Undecided::new(&none, found.undecided), &none);
            assert_eq!(oriented.pdag, cpdag_of_dag(&dag));
            // A pair that knowledge forbids is not tested.
            let knowledge = knowledge_about(&mut rng, &dag, 0.1);
            let found =
                decide_colliders(&dag.skeleton(), &oracle, rule, 0.05f64.ln(), None, &knowledge, &run, &mut ledger)
                    .unwrap();
            for (x, z, y) in dag.skeleton().unshielded_triples() {
                assert_eq!(found.undecided.contains(&(x, z, y)), !knowledge.allows_edge(x, y));
            }
        }
    }
}

/// A test that draws its p-values: symmetric, and the same for any order of the conditioning set.
struct Noise(usize);

impl IndependenceTest for Noise {
    type Session<'t> = &'t Noise;
    fn n_variables(&self) -> usize {
        self.0
    }
    fn session(&self) -> &Noise {
        self
    }
    fn name(&self) -> &'static str {
        "noise"
    }
}

impl TestSession for &Noise {
    fn test(&mut self, x: u32, y: u32, given: &[u32]) -> TestResult {
        let mut key = vec![x.min(y), x.max(y)];
        key.extend_from_slice(given);
        key[2..].sort_unstable();
        let hash =
            key.iter().fold(7u64, |h, &v| (h ^ u64::from(v + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let p = ((hash >> 11) + 1) as f64 * (-53f64).exp2();
        TestResult { statistic: 1.0, degrees_of_freedom: 1.0, log_p_value: p.ln() }
    }
}

#[test]
fn undecided_triples_direct_nothing() {
    let mut rng = rng(14);
    let run = Run::new(1).unwrap();
    let mut undecided = 0;
    for _ in 0..200 {
        let graph = random_dag(&mut rng, 12, 2.5).skeleton();
        let none = Knowledge::none();
        let found = decide_colliders(
            &graph,
            &Noise(12),
            ColliderRule::Conservative,
            0.5f64.ln(),
            Some(2),
            &none,
            &run,
            &mut Ledger::new(),
        )
        .unwrap();
        undecided += found.undecided.len();
        let open = Undecided::new(&none, found.undecided.iter().copied());
        let oriented = orient_skeleton(&graph, &found.v_structures, &open, &none);
        let pdag = &oriented.pdag;
        assert!(Dag::from_arcs(12, pdag.directed_edges()).is_ok());
        assert_eq!(oriented.dag.skeleton(), graph);
        if !oriented.extendable {
            continue;
        }
        // Whatever the undecided triples turn out to be, the extension has no other v-structure than those applied.
        for (x, z, y) in oriented.dag.v_structures() {
            assert!((pdag.has_arc(x, z) && pdag.has_arc(y, z)) || open.contains(x, z, y));
        }
        assert!(pdag.directed_edges().all(|(x, y)| oriented.dag.contains(x, y)));
    }
    assert!(undecided > 500);
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
        assert_eq!(oriented.extendable, consistent_extension(pdag).is_some());
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
fn the_order_of_the_variables_does_not_matter() {
    let mut rng = rng(13);
    let (mut contradicted, mut skipped) = (0, 0);
    for _ in 0..600 {
        let p = 4 + below(&mut rng, 10);
        let graph = random_dag(&mut rng, p, 2.5).skeleton();
        let mut v_structures = Vec::new();
        for (x, centre, y) in graph.unshielded_triples() {
            if uniform(&mut rng) < 0.4 {
                v_structures.push(VStructure { x, centre, y, log_p_value: -(below(&mut rng, 2) as f64) });
            }
        }
        let first = skeleton_to_cpdag(&graph, &v_structures, &Knowledge::none());
        let at = permutation(&mut rng, p);
        let to = |x: u32| at[x as usize];
        let moved = |v: &VStructure| {
            let (a, b) = (to(v.x), to(v.y));
            VStructure { x: a.min(b), centre: to(v.centre), y: a.max(b), ..*v }
        };
        let other_graph = UndirectedGraph::from_edges(p, graph.edges().map(|(x, y)| (to(x), to(y))));
        let others: Vec<_> = v_structures.iter().map(moved).collect();
        let second = skeleton_to_cpdag(&other_graph, &others, &Knowledge::none());
        assert_eq!(first.extendable, second.extendable);
        let sorted = |mut found: Vec<VStructure>| {
            found.sort_by_key(|v| (v.centre, v.x, v.y));
            found
        };
        assert_eq!(sorted(first.conflicts.iter().map(moved).collect()), sorted(second.conflicts.clone()));
        contradicted += usize::from(first.conflicts.iter().any(|v| v.log_p_value == f64::NEG_INFINITY));
        skipped += usize::from(!first.conflicts.is_empty());
        let mut arcs: Vec<_> = first.pdag.directed_edges().map(|(x, y)| (to(x), to(y))).collect();
        arcs.sort_unstable();
        assert_eq!(arcs, second.pdag.directed_edges().collect::<Vec<_>>());
    }
    assert!(contradicted > 20 && skipped > 100, "{contradicted} contradicted, {skipped} skipped");
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
