//! Runs whose deadline is past: every stage returns what it can, and the run remembers that it was cut short.

use std::time::{Duration, Instant};

use phgs::counts::CountingEngine;
use phgs::graph::{Dag, Pdag, UndirectedGraph};
use phgs::hybrid::{Hybrid, Initialise, Learned, Maximise, Order, Partition, Refine, Restrict, VStructureRule, learn};
use phgs::independence::{Alpha, G2Test};
use phgs::knowledge::Knowledge;
use phgs::orient::hgi::{HgiOptions, hybrid_greedy_initialization};
use phgs::orient::path::PathOptions;
use phgs::orient::{
    ColliderRule, MOST_CONFLICTS, Undecided, VStructure, consistent_extension, decide_colliders, extension_within,
    orient_within, skeleton_to_cpdag,
};
use phgs::run::{Ledger, Run};
use phgs::score::{LocalScore, PenalizedLikelihood, ScoreCache, ScoreSession};
use phgs::search::{ActiveSet, BossOptions, SearchOptions, boss, hill_climb};
use phgs::skeleton::local::{LocalLearner, LocalOptions, local_skeleton};
use phgs::skeleton::{PcOptions, partitioned_pc};
use phgs::{Error, Variable};

use crate::support::{below, golden_data, random_dag, rng};

/// A run whose deadline, and what is granted after it, is past.
fn late() -> Run {
    Run::new(2).unwrap().with_deadline(Some(Instant::now() - Duration::from_secs(5)))
}

fn v(x: Variable, centre: Variable, y: Variable, log_p_value: f64) -> VStructure {
    VStructure { x, centre, y, log_p_value }
}

#[test]
fn a_skeleton_that_nobody_has_time_for_stays_undirected() {
    let graph = UndirectedGraph::from_edges(5, [(0, 2), (1, 2), (2, 3), (3, 4)]);
    let knowledge = Knowledge::new(5, [(4, 3)], [], [], vec![]).unwrap();
    let (open, run) = (Undecided::new(&knowledge, []), late());
    let left = orient_within(&graph, &[v(0, 2, 1, 0.0)], &open, &knowledge, &run).unwrap();
    assert!(!left.directed && !left.extendable && run.was_cut_short());
    assert_eq!(left.pdag.directed_edges().collect::<Vec<_>>(), [(4, 3)]);
    assert_eq!(left.pdag.skeleton(), graph);
    assert_eq!(left.dag, Dag::from_arcs(5, [(4, 3)]).unwrap());
    // With time it is directed, and nobody was cut short.
    let run = Run::new(1).unwrap().with_deadline(Some(Instant::now() + Duration::from_secs(1000)));
    let directed = orient_within(&graph, &[v(0, 2, 1, 0.0)], &open, &knowledge, &run).unwrap();
    assert!(directed.directed && directed.pdag.has_arc(0, 2) && !run.was_cut_short());
}

#[test]
fn conflicts_are_listed_in_part_and_counted_in_full() {
    // Leaf a of hub 0 has a leaf of its own: 0 → a ← own, and then none of a → 0 ← b.
    let n_leaves: Variable = 160;
    let (leaf, own) = (|a: Variable| 1 + a, |a: Variable| 1 + n_leaves + a);
    let edges = (0..n_leaves).flat_map(|a| [(0, leaf(a)), (leaf(a), own(a))]);
    let graph = UndirectedGraph::from_edges(2 * n_leaves as usize + 1, edges);
    let mut v_structures: Vec<_> = (0..n_leaves).map(|a| v(0, leaf(a), own(a), 0.0)).collect();
    for a in 0..n_leaves {
        v_structures.extend((0..a).map(|b| v(leaf(b), 0, leaf(a), -1.0)));
    }
    let oriented = skeleton_to_cpdag(&graph, &v_structures, &Knowledge::none());
    assert_eq!(oriented.n_conflicts as Variable, n_leaves * (n_leaves - 1) / 2);
    assert_eq!(oriented.conflicts.len(), MOST_CONFLICTS);
    assert!(oriented.extendable && oriented.directed);
}

#[test]
fn extensions_are_those_without_a_limit() {
    for seed in 0..200 {
        let rng = &mut rng(seed);
        let p = 3 + below(rng, 12);
        let skeleton = random_dag(rng, p, 4.0_f64.min(p as f64 - 1.0)).skeleton();
        let pdag = Pdag::from_undirected(&skeleton);
        let found = extension_within(&pdag, &Undecided::none(), &Run::new(1).unwrap()).unwrap();
        assert_eq!(found, consistent_extension(&pdag), "seed {seed}");
        if let Some(dag) = found {
            assert!(dag.skeleton() == skeleton && dag.v_structures().is_empty(), "seed {seed}");
        }
    }
    // A complete graph, which takes p³ steps in place of p⁴.
    let complete = Pdag::from_undirected(&UndirectedGraph::complete(200));
    assert_eq!(consistent_extension(&complete).unwrap().n_arcs(), 200 * 199 / 2);
    assert_eq!(extension_within(&complete, &Undecided::none(), &late()), Err(Error::OutOfTime));
}

#[test]
fn screens_that_are_cut_short_join_only_what_is_required() {
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let test = G2Test::new(&engine);
    let p = data.n_variables();
    let knowledge = Knowledge::new(p, [(3, 1)], [], [], vec![]).unwrap();
    let labels: Vec<u32> = (0..p as u32).map(|x| x % 2).collect();
    for labels in [vec![0; p], labels] {
        let (run, mut ledger) = (late(), Ledger::new());
        let skeleton =
            partitioned_pc(&test, &labels, &PcOptions::new(Alpha::default()), &knowledge, &run, &mut ledger).unwrap();
        assert_eq!(skeleton.graph().edges().collect::<Vec<_>>(), [(1, 3)]);
        assert!(run.was_cut_short());
        assert_eq!(ledger.total_calls(), 0);
    }
    for learner in [LocalLearner::Mmpc, LocalLearner::Hpc, LocalLearner::FastIamb, LocalLearner::SiHitonPc] {
        let options = LocalOptions::new(learner, Alpha::default());
        let skeleton = local_skeleton(learner, &test, &options, &knowledge, &late(), &mut Ledger::new()).unwrap();
        assert_eq!(skeleton.graph().edges().collect::<Vec<_>>(), [(1, 3)], "{learner:?}");
    }
}

#[test]
fn collider_rules_stop_within_a_pair() {
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let test = G2Test::new(&engine);
    // Two variables with 35 common neighbours, which have 2^35 subsets.
    let p = data.n_variables() as Variable;
    let centres = 2..p;
    let graph = UndirectedGraph::from_edges(p as usize, centres.clone().flat_map(|z| [(0, z), (1, z)]));
    let none = Knowledge::none();
    for rule in [ColliderRule::Conservative, ColliderRule::Majority, ColliderRule::MaxP] {
        let decide = |run: &Run| {
            let start = Instant::now();
            let found = decide_colliders(&graph, &test, rule, 0.05f64.ln(), None, &none, run, &mut Ledger::new());
            assert!(start.elapsed() < Duration::from_secs(5), "{rule:?}");
            found
        };
        let run = Run::new(2).unwrap().with_deadline(Some(Instant::now() + Duration::from_millis(200)));
        let found = decide(&run).unwrap();
        assert!(run.was_cut_short());
        // What is not decided is left open, not taken for the one or the other.
        assert!(centres.clone().all(|z| found.undecided.contains(&(0, z, 1))), "{rule:?}");
        assert!(found.v_structures.iter().all(|v| (v.x, v.y) != (0, 1)), "{rule:?}");

        let run = Run::new(2).unwrap();
        let canceller = run.canceller();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                canceller.cancel();
            });
            decide(&run)
        });
        assert_eq!(outcome, Err(Error::Interrupted), "{rule:?}");
    }
}

#[test]
fn searches_return_their_start_with_its_score() {
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let score = PenalizedLikelihood::bic(&engine);
    let start = Dag::from_arcs(data.n_variables(), [(0, 1), (2, 1), (5, 9)]).unwrap();
    let mut session = score.session();
    let expected: f64 = (0..start.n_variables() as Variable).map(|x| session.local_score(x, start.parents(x))).sum();
    let none = Knowledge::none();
    for active in [ActiveSet::All, ActiveSet::Growing] {
        let found =
            hill_climb(&score, &start, active, &SearchOptions::default(), &none, &late(), &mut Ledger::new()).unwrap();
        assert_eq!((&found.dag, found.score, found.complete), (&start, expected, false));
    }
    for growing in [false, true] {
        let options = BossOptions { growing, ..BossOptions::default() };
        let found = boss(&score, &start, &options, &none, &late(), &mut Ledger::new()).unwrap();
        assert!(!found.complete && found.score >= expected);
    }
    let graph = UndirectedGraph::complete(6);
    let graph = UndirectedGraph::from_edges(data.n_variables(), graph.edges());
    let knowledge = Knowledge::new(data.n_variables(), [], [(0, 5)], [], vec![]).unwrap();
    let mut cache = ScoreCache::new(&score);
    let dag = hybrid_greedy_initialization(&graph, &[], &mut cache, &HgiOptions::default(), &knowledge, &late());
    let arcs: Vec<_> = dag.unwrap().arcs().collect();
    assert!(arcs == [(0, 5)] || arcs == [(5, 0)], "required edges are directed: {arcs:?}");
}

fn compositions() -> Vec<(&'static str, Hybrid)> {
    let pc = || Restrict::PartitionedPc(Partition::One, PcOptions::new(Alpha::default()));
    let climb = || Maximise::HillClimb(SearchOptions::default());
    let base = |restrict, initialise, maximise| Hybrid {
        restrict,
        select: PathOptions::default(),
        initialise,
        maximise,
        refine: vec![Refine::Growing(SearchOptions::default())],
        max_parents: None,
    };
    let alone = |restrict, initialise, maximise| Hybrid {
        select: PathOptions { path_length: 1, ..PathOptions::default() },
        refine: Vec::new(),
        ..base(restrict, initialise, maximise)
    };
    let complete = || Restrict::Given(UndirectedGraph::complete(37));
    let testing = VStructureRule::Testing { alpha: Alpha::default(), max_conditioning_size: None };
    vec![
        ("pc", base(pc(), Initialise::Oriented(VStructureRule::SeparatingSets), Maximise::None)),
        ("phgs", base(pc(), Initialise::HybridGreedy(VStructureRule::SeparatingSets), climb())),
        ("gsc-hgi", alone(complete(), Initialise::HybridGreedy(testing), climb())),
        ("given, oriented", alone(complete(), Initialise::Oriented(testing), Maximise::None)),
        (
            "pef",
            alone(
                Restrict::Fusion(Partition::One, PcOptions::new(Alpha::default())),
                Initialise::Empty,
                Maximise::None,
            ),
        ),
        ("hc", alone(Restrict::None, Initialise::Empty, climb())),
        (
            "boss",
            alone(
                Restrict::None,
                Initialise::Empty,
                Maximise::Boss(Order { options: BossOptions::default(), screen: None }),
            ),
        ),
    ]
}

fn learned(hybrid: &Hybrid, run: &Run) -> Learned {
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let (test, score) = (G2Test::new(&engine), PenalizedLikelihood::bic(&engine));
    learn(&test, &score, hybrid, |_| Ok(vec![0; 37]), &Knowledge::none(), run).unwrap()
}

#[test]
fn results_are_complete_when_no_stage_was_told_that_time_is_up() {
    for (name, hybrid) in compositions().into_iter().filter(|(name, _)| !name.contains("given") && *name != "gsc-hgi") {
        let run = Run::new(1).unwrap().with_deadline(Some(Instant::now() + Duration::from_secs(10_000)));
        assert!(learned(&hybrid, &run).complete, "{name}");
    }
    for (name, hybrid) in compositions() {
        let start = Instant::now();
        let found = learned(&hybrid, &late());
        assert!(start.elapsed() < Duration::from_secs(2), "{name}");
        assert!(!found.complete, "{name}");
        assert!(found.dag.is_some() || !found.extendable || found.directed, "{name}");
    }
}
