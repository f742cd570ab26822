//! Equivalence classes and extensions against enumeration.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use phgs::Variable;
use phgs::graph::{Dag, EdgeMark, Pdag};
use phgs::knowledge::Knowledge;
use phgs::orient::{
    all_members, apply_meek_rules, consistent_extension, cpdag_of_dag, cpdag_with_knowledge, extension_obstacle,
    forced_extension,
};
use phgs::run::Run;

use super::{all_dags, knowledge_about, obeys};
use crate::support::{below, random_dag, rng, uniform};

type ClassKey = (Vec<(Variable, Variable)>, Vec<(Variable, Variable, Variable)>);

fn classes(n: usize) -> BTreeMap<ClassKey, Vec<Dag>> {
    let mut classes: BTreeMap<ClassKey, Vec<Dag>> = BTreeMap::new();
    for dag in all_dags(n) {
        classes.entry((dag.skeleton().edges().collect(), dag.v_structures())).or_default().push(dag);
    }
    classes
}

/// The graph in which what all DAGs share is directed.
fn shared(dags: &[Dag]) -> Pdag {
    let mut pdag = Pdag::empty(dags[0].n_variables());
    for (x, y) in dags[0].arcs() {
        let tie = if dags.iter().all(|dag| dag.contains(x, y)) { EdgeMark::Forward } else { EdgeMark::Undirected };
        pdag.set(x, y, tie);
    }
    pdag
}

#[test]
fn cpdags_and_members_equal_enumeration() {
    let run = Run::new(1).unwrap();
    for (n, expected) in [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)] {
        let classes = classes(n);
        assert_eq!(classes.len(), expected, "known number of classes of {n} variables");
        for dags in classes.values() {
            let cpdag = shared(dags);
            for dag in dags {
                assert_eq!(cpdag_of_dag(dag), cpdag);
            }
            let members = all_members(&cpdag, usize::MAX, &run).unwrap();
            assert_eq!(members.len(), dags.len());
            assert_eq!(members.into_iter().collect::<HashSet<_>>(), dags.iter().cloned().collect());
        }
    }
}

#[test]
fn rules_with_knowledge_equal_enumeration() {
    let mut rng = rng(1);
    for n in 3..=5 {
        for dags in classes(n).values() {
            if dags.len() == 1 {
                continue;
            }
            let truth = &dags[below(&mut rng, dags.len())];
            let rate = 0.3 * uniform(&mut rng);
            let knowledge = knowledge_about(&mut rng, truth, rate);
            let agreeing: Vec<Dag> = dags.iter().filter(|dag| obeys(dag, &knowledge)).cloned().collect();
            assert_eq!(cpdag_with_knowledge(truth, &knowledge), shared(&agreeing), "{truth:?} {knowledge:?}");
        }
    }
}

/// All DAGs with the adjacencies, arcs and v-structures of a partially directed graph.
fn extensions(pdag: &Pdag) -> BTreeSet<Vec<(Variable, Variable)>> {
    let free: Vec<_> = pdag.undirected_edges().collect();
    let mut own_v_structures = Vec::new();
    for z in 0..pdag.n_variables() as Variable {
        for (i, &x) in pdag.parents(z).iter().enumerate() {
            let others = pdag.parents(z)[i + 1..].iter().filter(|&&y| !pdag.adjacent(x, y));
            own_v_structures.extend(others.map(|&y| (x, z, y)));
        }
    }
    (0..1usize << free.len())
        .filter_map(|bits| {
            let choice = free.iter().enumerate().map(|(i, &(x, y))| if bits >> i & 1 == 1 { (y, x) } else { (x, y) });
            Dag::from_arcs(pdag.n_variables(), pdag.directed_edges().chain(choice)).ok()
        })
        .filter(|dag| dag.v_structures() == own_v_structures)
        .map(|dag| dag.arcs().collect())
        .collect()
}

#[test]
fn extension_succeeds_exactly_where_one_exists() {
    let run = Run::new(1).unwrap();
    let mut rng = rng(2);
    let (mut valid, mut invalid, mut cyclic) = (0, 0, 0);
    for _ in 0..4000 {
        let n = 3 + below(&mut rng, 4);
        let mut pdag = Pdag::empty(n);
        let (density, directed) = (0.3 + 0.6 * uniform(&mut rng), 0.6 * uniform(&mut rng));
        for x in 0..n as Variable {
            for y in (x + 1)..n as Variable {
                if uniform(&mut rng) < density {
                    let arc = uniform(&mut rng) < directed;
                    let tie = [EdgeMark::Forward, EdgeMark::Backward][below(&mut rng, 2)];
                    pdag.set(x, y, if arc { tie } else { EdgeMark::Undirected });
                }
            }
        }
        let all = extensions(&pdag);
        let found = consistent_extension(&pdag);
        assert_eq!(extension_obstacle(&pdag).is_none(), found.is_some());
        let forced = forced_extension(&pdag);
        match &found {
            Some(dag) => {
                assert!(all.contains(&dag.arcs().collect::<Vec<_>>()));
                assert_eq!(&forced, dag);
                valid += 1;
            }
            None => {
                assert!(all.is_empty(), "{pdag:?}");
                invalid += 1;
            }
        }
        if Dag::from_arcs(n, pdag.directed_edges()).is_ok() {
            assert_eq!(forced.skeleton(), pdag.skeleton());
            assert!(pdag.directed_edges().all(|(x, y)| forced.contains(x, y)));
        } else {
            cyclic += 1;
            assert!(forced.arcs().all(|(x, y)| pdag.has_arc(x, y) || pdag.has_undirected(x, y)));
            assert!(pdag.undirected_edges().all(|(x, y)| forced.adjacent(x, y)));
        }
        let members = all_members(&pdag, usize::MAX, &run).unwrap();
        assert_eq!(members.iter().map(|dag| dag.arcs().collect()).collect::<BTreeSet<Vec<_>>>(), all);
    }
    assert!(valid > 500 && invalid > 500 && cyclic > 50, "{valid} valid, {invalid} invalid, {cyclic} cyclic");
}

#[test]
fn round_trip_on_large_dags() {
    let mut rng = rng(3);
    for round in 0..200 {
        let (p, degree) = (20 + below(&mut rng, 180), 1.0 + 5.0 * uniform(&mut rng));
        let dag = random_dag(&mut rng, p, degree);
        let cpdag = cpdag_of_dag(&dag);
        let mut pattern = Pdag::from_undirected(&dag.skeleton());
        for (x, z, y) in dag.v_structures() {
            pattern.orient(x, z);
            pattern.orient(y, z);
        }
        let mut closed = pattern.clone();
        apply_meek_rules(&mut closed, &Knowledge::none());
        assert_eq!(closed, cpdag, "round {round}");
        for start in [&pattern, &cpdag] {
            assert_eq!(cpdag_of_dag(&consistent_extension(start).unwrap()), cpdag);
        }
        let knowledge = knowledge_about(&mut rng, &dag, 0.05);
        let maximal = cpdag_with_knowledge(&dag, &knowledge);
        let extension = consistent_extension(&maximal).unwrap();
        assert!(obeys(&extension, &knowledge));
        assert_eq!(cpdag_of_dag(&extension), cpdag);
        assert_eq!(cpdag_with_knowledge(&extension, &knowledge), maximal);
    }
}

#[test]
fn blankets_are_those_of_every_member() {
    let mut rng = rng(4);
    for _ in 0..100 {
        let dag = random_dag(&mut rng, 15, 3.0);
        let cpdag = cpdag_of_dag(&dag);
        for x in 0..15 {
            assert_eq!(dag.markov_blanket(x), cpdag.markov_blanket(x));
        }
    }
}
