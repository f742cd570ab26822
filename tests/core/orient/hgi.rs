//! HGI against the true class, a naive reference, and what must hold of any result.

use phgs::Variable;
use phgs::graph::{Dag, EdgeMark, Pdag, UndirectedGraph};
use phgs::knowledge::Knowledge;
use phgs::orient::hgi::{HgiOptions, hybrid_greedy_initialization};
use phgs::orient::{VStructure, cpdag_of_dag, meek_rules, v_structures_from_separations};
use phgs::run::Run;
use phgs::score::{LocalScore, ScoreCache};

use super::{NoiseScore, PopulationScore, knowledge_about, obeys, perfect_skeleton};
use crate::support::{below, random_dag, rng, uniform};

#[test]
fn consistent_score_gives_the_true_class() {
    let mut rng = rng(20);
    let run = Run::new(1).unwrap();
    for round in 0..2000 {
        let (p, degree) = (5 + below(&mut rng, 36), 1.0 + 3.0 * uniform(&mut rng));
        let dag = random_dag(&mut rng, p, degree);
        let score = PopulationScore::new(&mut rng, &dag);
        let skeleton = perfect_skeleton(&dag, 0.05f64.ln(), |_, _| f64::NEG_INFINITY);
        let found = v_structures_from_separations(skeleton.graph(), &skeleton, &Knowledge::none());
        let mut cache = ScoreCache::new(&score);
        let options = HgiOptions::default();
        let learned =
            hybrid_greedy_initialization(skeleton.graph(), &found, &mut cache, &options, &Knowledge::none(), &run);
        assert_eq!(cpdag_of_dag(&learned.unwrap()), cpdag_of_dag(&dag), "round {round}");
        let knowledge = knowledge_about(&mut rng, &dag, 0.05);
        let found = v_structures_from_separations(skeleton.graph(), &skeleton, &Knowledge::none());
        let learned = hybrid_greedy_initialization(skeleton.graph(), &found, &mut cache, &options, &knowledge, &run);
        let learned = learned.unwrap();
        assert!(obeys(&learned, &knowledge));
        assert_eq!(cpdag_of_dag(&learned), cpdag_of_dag(&dag), "with knowledge, round {round}");
    }
}

/// Algorithm 4 as it is written, without any bookkeeping: everything is looked at again at each step.
fn naive<S: LocalScore>(graph: &UndirectedGraph, v_structures: &[VStructure], score: &S, max_parents: usize) -> Dag {
    let mut cache = ScoreCache::new(score);
    let mut gain = |dag: &Dag, tails: &[Variable], to: Variable| -> i64 {
        let mut parents = dag.parents(to).to_vec();
        let before = cache.local_score(to, &parents);
        parents.extend(tails.iter().filter(|&&tail| !dag.contains(tail, to)));
        parents.sort_unstable();
        if parents.len() > max_parents {
            return i64::MIN;
        }
        ((cache.local_score(to, &parents) - before) * (1u32 << 20) as f64).round() as i64
    };
    let mut rest = Pdag::from_undirected(graph);
    let mut dag = Dag::empty(graph.n_variables());
    loop {
        let fits = |v: &&VStructure| [v.x, v.y].iter().all(|&end| !dag.has_path(v.centre, end));
        let best = v_structures
            .iter()
            .filter(fits)
            .map(|v| (std::cmp::Reverse(gain(&dag, &[v.x, v.y], v.centre)), v.centre, v.x, v.y))
            .min();
        match best {
            Some((std::cmp::Reverse(gain), centre, x, y)) if gain > 0 => {
                for end in [x, y] {
                    rest.orient(end, centre);
                    assert!(dag.try_insert(end, centre));
                }
            }
            _ => break,
        }
    }
    let p = graph.n_variables() as Variable;
    loop {
        while let Some(x) = (0..p)
            .find(|&x| rest.children(x).is_empty() && rest.undirected(x).is_empty() && !rest.parents(x).is_empty())
        {
            for parent in rest.parents(x).to_vec() {
                rest.set(parent, x, EdgeMark::None);
            }
        }
        let sink = |rest: &Pdag, x: Variable| {
            let around = rest.adjacents(x);
            rest.children(x).is_empty()
                && rest.undirected(x).iter().all(|&k| around.iter().all(|&v| v == k || rest.adjacent(k, v)))
        };
        let arcs: Vec<_> = rest.undirected_edges().flat_map(|(x, y)| [(x, y), (y, x)]).collect();
        let mut candidates: Vec<_> = arcs.iter().copied().filter(|&(_, to)| sink(&rest, to)).collect();
        if candidates.is_empty() {
            let compelled =
                |&(from, to): &(Variable, Variable)| !meek_rules(&rest, from, to).is_empty() && !dag.has_path(to, from);
            candidates = arcs.into_iter().filter(compelled).collect();
        }
        let mut scored: Vec<_> = candidates.into_iter().map(|(x, y)| (gain(&dag, &[x], y), (x, y))).collect();
        scored.sort_unstable_by_key(|&(gain, arc)| (std::cmp::Reverse(gain), arc));
        let Some(&(most, (from, to))) = scored.first() else { return dag };
        if most > 0 {
            rest.orient(from, to);
            assert!(dag.try_insert(from, to));
        } else {
            let &(_, (x, y)) = scored.iter().min().unwrap();
            rest.set(x, y, EdgeMark::None);
        }
    }
}

#[test]
fn equals_a_naive_reference_on_arbitrary_input() {
    let mut rng = rng(21);
    let run = Run::new(1).unwrap();
    for round in 0..600 {
        let (p, degree) = (4 + below(&mut rng, 20), 1.0 + 4.0 * uniform(&mut rng));
        let graph = random_dag(&mut rng, p, degree).skeleton();
        let rate = uniform(&mut rng);
        let v_structures: Vec<VStructure> = graph
            .unshielded_triples()
            .filter(|_| uniform(&mut rng) < rate)
            .map(|(x, centre, y)| VStructure { x, centre, y, log_p_value: 0.0 })
            .collect();
        let score = NoiseScore { n_variables: p, seed: round };
        let max_parents = (below(&mut rng, 2) == 0).then(|| 1 + below(&mut rng, 4));
        let learned = hybrid_greedy_initialization(
            &graph,
            &v_structures,
            &mut ScoreCache::new(&score),
            &HgiOptions { max_parents },
            &Knowledge::none(),
            &run,
        );
        assert_eq!(learned.unwrap(), naive(&graph, &v_structures, &score, max_parents.unwrap_or(99)), "round {round}");
    }
}

#[test]
fn any_input_gives_a_dag_within_its_limits() {
    let mut rng = rng(22);
    let run = Run::new(1).unwrap();
    let mut refused = 0;
    for round in 0..1000 {
        let (p, degree) = (4 + below(&mut rng, 20), 1.0 + 4.0 * uniform(&mut rng));
        let graph = random_dag(&mut rng, p, degree).skeleton();
        let v_structures: Vec<VStructure> = graph
            .unshielded_triples()
            .filter(|_| uniform(&mut rng) < 0.4)
            .map(|(x, centre, y)| VStructure { x, centre, y, log_p_value: 0.0 })
            .collect();
        let other = random_dag(&mut rng, p, 3.0);
        let knowledge = knowledge_about(&mut rng, &other, 0.15);
        let score = NoiseScore { n_variables: p, seed: round };
        let max_parents = 1 + below(&mut rng, 5);
        let learned = hybrid_greedy_initialization(
            &graph,
            &v_structures,
            &mut ScoreCache::new(&score),
            &HgiOptions { max_parents: Some(max_parents) },
            &knowledge,
            &run,
        );
        let Ok(dag) = learned else {
            refused += 1;
            continue;
        };
        assert!(obeys(&dag, &knowledge));
        assert!(dag.arcs().all(|(x, y)| graph.contains(x, y) || knowledge.requires_edge(x, y)));
        assert!((0..p as Variable).all(|x| dag.parents(x).len() <= max_parents));
    }
    assert!(refused < 500, "{refused} refused: required parents exceed the limit");
}

#[test]
fn cancellation_stops_it() {
    let run = Run::new(1).unwrap();
    run.canceller().cancel();
    let score = NoiseScore { n_variables: 3, seed: 0 };
    let graph = UndirectedGraph::complete(3);
    let result = hybrid_greedy_initialization(
        &graph,
        &[],
        &mut ScoreCache::new(&score),
        &HgiOptions::default(),
        &Knowledge::none(),
        &run,
    );
    assert_eq!(result, Err(phgs::Error::Interrupted));
}
