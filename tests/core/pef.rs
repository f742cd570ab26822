//! Partition, estimation and fusion.

use phgs::counts::CountingEngine;
use phgs::graph::Dag;
use phgs::hybrid::{Fused, partition_estimation_fusion};
use phgs::independence::{Alpha, DSeparationOracle, G2Test};
use phgs::knowledge::Knowledge;
use phgs::orient::cpdag_of_dag;
use phgs::run::{Ledger, Phase, Run};
use phgs::score::{LocalScore, PenalizedLikelihood, PopulationScore, ScoreSession, score_dag};
use phgs::skeleton::PcOptions;
use phgs::{Error, Variable};

use crate::knowledge::random_knowledge;
use crate::support::{below, golden_data, random_dag, random_labels, rng};

fn fuse(dag: &Dag, seed: u64, labels: &[u32], max_parents: Option<usize>, knowledge: &Knowledge) -> Fused {
    let options = PcOptions::new(Alpha::default()).with_max_conditioning_size(None);
    let (oracle, score) = (DSeparationOracle::new(dag), PopulationScore::new(dag, seed));
    let run = Run::new(1).unwrap();
    partition_estimation_fusion(&oracle, &score, labels, &options, max_parents, knowledge, &run, &mut Ledger::new())
        .unwrap()
}

#[test]
fn a_collider_between_clusters_is_fused() {
    let dag = Dag::from_arcs(5, [(0, 2), (1, 2), (2, 3), (3, 4)]).unwrap();
    let fused = fuse(&dag, 1, &[0, 1, 0, 1, 1], None, &Knowledge::none());
    assert_eq!(cpdag_of_dag(&fused.dag), cpdag_of_dag(&dag));
}

#[test]
fn with_the_oracle_no_arc_can_be_improved_and_no_true_pair_is_dropped() {
    for seed in 0..300 {
        let rng = &mut rng(40_000 + seed);
        let p = 4 + below(rng, 14);
        let dag = random_dag(rng, p, 2.0);
        let labels = random_labels(rng, p, 3);
        let fused = fuse(&dag, seed, &labels, None, &Knowledge::none());
        let score = PopulationScore::new(&dag, seed);
        let mut session = score.session();
        assert!(dag.arcs().all(|(x, y)| fused.skeleton.graph().contains(x, y)), "seed {seed}");
        assert!(fused.dag.arcs().all(|(x, y)| fused.skeleton.graph().contains(x, y)), "seed {seed}");
        for (x, y) in fused.skeleton.graph().edges() {
            let mut without = fused.dag.clone();
            without.remove(x, y);
            without.remove(y, x);
            // A pair that was once independent given the parents of both is not visited again.
            if !fused.dag.adjacent(x, y) && !dag.adjacent(x, y) {
                continue;
            }
            let mut value = |dag: &Dag| session.local_score(x, dag.parents(x)) + session.local_score(y, dag.parents(y));
            let reached = value(&fused.dag);
            assert!(value(&without) <= reached, "seed {seed}: {x} {y}");
            for (from, to) in [(x, y), (y, x)] {
                let mut with = without.clone();
                if with.try_insert(from, to) {
                    assert!(value(&with) <= reached + 1e-9 * reached.abs(), "seed {seed}: {from} {to}");
                }
            }
        }
    }
}

#[test]
fn knowledge_and_the_limit_of_parents_are_honoured() {
    for seed in 0..200 {
        let rng = &mut rng(50_000 + seed);
        let p = 4 + below(rng, 12);
        let dag = random_dag(rng, p, 2.5);
        let labels = random_labels(rng, p, 2);
        let knowledge = random_knowledge(rng, p, Some(&dag), true);
        let fused = fuse(&dag, seed, &labels, None, &knowledge).dag;
        assert!(fused.arcs().all(|(from, to)| knowledge.allows_arc(from, to)), "seed {seed}");
        for (x, y) in knowledge.required_pairs() {
            assert!(fused.adjacent(x, y), "seed {seed}");
        }
        let narrow = fuse(&dag, seed, &labels, Some(1), &Knowledge::none()).dag;
        assert!((0..p as Variable).all(|x| narrow.parents(x).len() <= 1));
    }
}

#[test]
fn on_data_it_is_the_same_for_any_number_of_threads() {
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let (test, score) = (G2Test::new(&engine), PenalizedLikelihood::bic(&engine));
    let labels: Vec<u32> = (0..data.n_variables() as u32).map(|x| x % 3).collect();
    let learn = |threads| {
        let (run, mut ledger) = (Run::new(threads).unwrap(), Ledger::new());
        let options = PcOptions::new(Alpha::default());
        let none = Knowledge::none();
        let fused =
            partition_estimation_fusion(&test, &score, &labels, &options, None, &none, &run, &mut ledger).unwrap();
        (fused.dag, fused.score, fused.rounds, Phase::ALL.map(|phase| ledger.calls(phase)))
    };
    let one = learn(1);
    assert_eq!(one, learn(2));
    assert!(one.2 > 1 && one.3[Phase::Complete as usize] == 0 && one.3[Phase::Search as usize] > 0);
    let run = Run::new(1).unwrap();
    let total = score_dag(&score, &one.0, &run).unwrap().total;
    assert!((total - one.1).abs() < 1e-6);
    assert!(one.1 > score_dag(&score, &Dag::empty(data.n_variables()), &run).unwrap().total);
    run.canceller().cancel();
    let options = PcOptions::new(Alpha::default());
    let cancelled = partition_estimation_fusion(
        &test,
        &score,
        &labels,
        &options,
        None,
        &Knowledge::none(),
        &run,
        &mut Ledger::new(),
    );
    assert!(matches!(cancelled, Err(Error::Interrupted)));
}
