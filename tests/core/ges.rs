//! Greedy equivalence search against the truth.

use phgs::Variable;
use phgs::data::{ContinuousData, Correlation};
use phgs::graph::{Dag, Pdag, UndirectedGraph};
use phgs::knowledge::Knowledge;
use phgs::network::{GaussianNetwork, conditional_independence_graph};
use phgs::orient::{consistent_extension, cpdag_of_dag};
use phgs::run::{Ledger, Phase, Run};
use phgs::score::{GaussianBic, LocalScore, ScoreSession};
use phgs::search::ges::{GesOptions, GesResult, Restriction, Schedule, ges};
use proptest::prelude::*;

use crate::support::{below, marginal_dependences, random_dag, rng, uniform};

fn search(score: &impl LocalScore, start: &Pdag, options: &GesOptions<'_>, knowledge: &Knowledge) -> GesResult {
    let mut ledger = Ledger::new();
    let result = ges(score, start, options, knowledge, &Run::new(1).unwrap(), &mut ledger).unwrap();
    assert!(result.complete && ledger.calls(options.phase) > 0);
    assert_eq!(cpdag_of_dag(&result.dag), result.cpdag);
    result
}

/// The exact correlations of a network whose weights are far from 0, so that no dependence hides in rounding.
fn population(dag: &Dag, seed: u64) -> Correlation {
    let mut rng = rng(seed);
    let p = dag.n_variables() as Variable;
    let mut weight = |_| (0.4 + 0.6 * uniform(&mut rng)) * if below(&mut rng, 2) == 0 { 1.0 } else { -1.0 };
    let weights = (0..p).map(|x| dag.parents(x).iter().map(&mut weight).collect()).collect();
    let network = GaussianNetwork::new(dag.clone(), weights, vec![1.0; p as usize]).unwrap();
    network.correlation(1_000_000_000_000).unwrap()
}

const OPTIONS: fn() -> GesOptions<'static> = GesOptions::default;
const SCHEDULES: [Schedule; 5] =
    [Schedule::Phases, Schedule::Rounds, Schedule::Interleaved, Schedule::CutLoose, Schedule::Extended];

#[test]
fn the_true_class_is_found_with_a_consistent_score() {
    let knowledge = Knowledge::none();
    let mut rng = rng(1);
    for seed in 0..500 {
        let p = 5 + below(&mut rng, 9);
        let degree = 1.0 + 2.0 * uniform(&mut rng);
        let dag = random_dag(&mut rng, p, degree);
        let truth = cpdag_of_dag(&dag);
        let correlation = population(&dag, seed);
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let empty = Pdag::empty(p);
        let plain = search(&score, &empty, &OPTIONS(), &knowledge);
        assert_eq!(plain.cpdag, truth, "GES, seed {seed}");
        let skeleton = dag.skeleton();
        let cig = conditional_independence_graph(&dag);
        for (restriction, name) in [(Restriction::Skeleton(&skeleton), "skeleton"), (Restriction::Cig(&cig), "CIG")] {
            let found = search(&score, &empty, &GesOptions { restriction, ..OPTIONS() }, &knowledge);
            assert_eq!(found.cpdag, truth, "ARGES-{name}, seed {seed}");
        }
        // What no test finds dependent is not scored.
        let dependent = marginal_dependences(&dag);
        let restriction = Restriction::Screened(&dependent);
        assert_eq!(
            search(&score, &empty, &GesOptions { restriction, ..OPTIONS() }, &knowledge).cpdag,
            truth,
            "screened"
        );
        let schedule = SCHEDULES[seed as usize % 5];
        let options = GesOptions { turning: true, schedule, ..OPTIONS() };
        assert_eq!(search(&score, &empty, &options, &knowledge).cpdag, truth, "with turns, seed {seed}");
        // From the class of another DAG.
        let start = cpdag_of_dag(&random_dag(&mut rng, p, 2.0));
        assert_eq!(search(&score, &start, &options, &knowledge).cpdag, truth, "from elsewhere, seed {seed}");
        let mut session = score.session();
        let total: f64 = (0..p as Variable).map(|x| session.local_score(x, plain.dag.parents(x))).sum();
        assert!((total - plain.score).abs() <= 1e-12 * total.abs());
    }
}

fn sample(p: usize, degree: f64, n: usize, seed: u64) -> (Dag, ContinuousData) {
    let dag = random_dag(&mut rng(seed), p, degree);
    let data = GaussianNetwork::random(dag.clone(), seed).sample(n, seed, &Run::new(1).unwrap()).unwrap();
    (dag, data)
}

#[test]
fn threads_and_phases_change_nothing_they_should_not() {
    let (dag, data) = sample(150, 3.0, 400, 4);
    let cig = conditional_independence_graph(&dag);
    let mut results = Vec::new();
    for threads in [1, 2, 3] {
        let run = Run::new(threads).unwrap();
        let correlation = Correlation::of(&data, &run).unwrap();
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let mut of_threads = Vec::new();
        for restriction in [Restriction::Unrestricted, Restriction::Cig(&cig)] {
            for schedule in SCHEDULES {
                let options = GesOptions { turning: true, schedule, restriction, phase: Phase::Refine, ..OPTIONS() };
                let mut ledger = Ledger::new();
                let start = Pdag::empty(150);
                let result = ges(&score, &start, &options, &Knowledge::none(), &run, &mut ledger).unwrap();
                of_threads.push((result, ledger.calls(Phase::Refine)));
            }
        }
        results.push(of_threads);
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    // More freedom, more score.
    let score = |i: usize| results[0][i].0.score;
    assert!(score(1) >= score(0) && score(2) >= score(0), "{} {} {}", score(0), score(1), score(2));
    assert!(score(3) > score(2) && score(4) > score(2), "{} {} {}", score(2), score(3), score(4));
}

#[test]
fn small_tables_work() {
    let run = Run::new(1).unwrap();
    let full = [vec![0.3, 1.9, -0.4, 2.2, 0.7], vec![1.3, 0.2, -1.4, 2.0, 0.1], vec![-0.3, 0.9, 0.4, -2.2, 1.7]];
    for p in 1..=3 {
        for n in 2..=5 {
            let columns = full[..p].iter().map(|column| column[..n].to_vec()).collect();
            let correlation = Correlation::of(&ContinuousData::from_columns(columns).unwrap(), &run).unwrap();
            let score = GaussianBic::new(&correlation, 0.5).unwrap();
            let options = GesOptions { turning: true, schedule: Schedule::Rounds, ..OPTIONS() };
            let result = search(&score, &Pdag::empty(p), &options, &Knowledge::none());
            assert!(result.score.is_finite());
        }
    }
}

#[test]
fn bad_arguments_are_refused() {
    let (_, data) = sample(4, 2.0, 50, 4);
    let run = Run::new(1).unwrap();
    let correlation = Correlation::of(&data, &run).unwrap();
    let score = GaussianBic::new(&correlation, 0.5).unwrap();
    let refused = |start: &Pdag, options: GesOptions<'_>| {
        ges(&score, start, &options, &Knowledge::none(), &run, &mut Ledger::new()).unwrap_err()
    };
    assert!(refused(&Pdag::empty(3), OPTIONS()).to_string().contains('3'));
    let without = GesOptions { backward: false, schedule: Schedule::Extended, ..OPTIONS() };
    assert!(refused(&Pdag::empty(4), without).to_string().contains("schedule"));
    let small = UndirectedGraph::empty(2);
    for restriction in [Restriction::Pairs(&small), Restriction::Screened(&small)] {
        refused(&Pdag::empty(4), GesOptions { restriction, ..OPTIONS() });
    }
    let square = Pdag::from_undirected(&UndirectedGraph::from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)]));
    assert!(refused(&square, OPTIONS()).to_string().contains("extension"));
    let collider = Pdag::from_dag(&Dag::from_arcs(4, [(0, 3), (1, 3), (2, 3)]).unwrap());
    assert!(refused(&collider, GesOptions { max_parents: Some(2), ..OPTIONS() }).to_string().contains("variable 3"));
    // A deadline in the past leaves the start as it is.
    let late = Run::new(1).unwrap().with_deadline(Some(std::time::Instant::now()));
    let result = ges(&score, &collider, &OPTIONS(), &Knowledge::none(), &late, &mut Ledger::new()).unwrap();
    assert!(!result.complete && result.cpdag == collider);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Limits hold: parents, pairs and knowledge.
    #[test]
    fn limits_hold(seed in 0u64..1 << 32, max_parents in 1usize..4, schedule in 0usize..5) {
        let mut rng = rng(seed);
        let p = 12;
        let (_, data) = sample(p, 4.0, 200, seed);
        let correlation = Correlation::of(&data, &Run::new(1).unwrap()).unwrap();
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let options = GesOptions { turning: true, schedule: SCHEDULES[schedule], ..OPTIONS() };
        let empty = Pdag::empty(p);

        let capped = search(&score, &empty, &GesOptions { max_parents: Some(max_parents), ..options }, &Knowledge::none());
        prop_assert!((0..p as Variable).all(|x| capped.dag.parents(x).len() <= max_parents));

        let pairs = random_dag(&mut rng, p, 4.0).skeleton();
        let restricted =
            search(&score, &empty, &GesOptions { restriction: Restriction::Pairs(&pairs), ..options }, &Knowledge::none());
        prop_assert!(restricted.dag.arcs().all(|(x, y)| pairs.contains(x, y)));

        let required: Vec<_> = random_dag(&mut rng, p, 0.5).arcs().collect();
        let mut forbidden = Vec::new();
        for x in 0..p as Variable {
            for y in 0..p as Variable {
                if x != y && uniform(&mut rng) < 0.25 && !required.contains(&(x, y)) {
                    forbidden.push((x, y));
                }
            }
        }
        let knowledge = Knowledge::new(p, required.clone(), [], forbidden, vec![]).unwrap();
        let informed = search(&score, &empty, &options, &knowledge);
        prop_assert!(informed.dag.arcs().all(|(x, y)| knowledge.allows_arc(x, y)));
        prop_assert!(required.iter().all(|&(x, y)| informed.dag.contains(x, y)));
    }
}

/// The best score of all DAGs, by dynamic programming over sets of variables (Silander and Myllymäki 2006).
fn best_score(score: &impl LocalScore) -> f64 {
    let p = score.n_variables();
    let mut session = score.session();
    let mut best = vec![f64::NEG_INFINITY; 1 << p];
    best[0] = 0.0;
    for set in 1usize..1 << p {
        for last in (0..p).filter(|last| set >> last & 1 == 1) {
            let others = set & !(1 << last);
            let mut of_last = f64::NEG_INFINITY;
            let mut subset = others;
            loop {
                let parents: Vec<Variable> = (0..p as Variable).filter(|x| subset >> x & 1 == 1).collect();
                of_last = of_last.max(session.local_score(last as Variable, &parents));
                if subset == 0 {
                    break;
                }
                subset = (subset - 1) & others;
            }
            best[set] = best[set].max(best[others] + of_last);
        }
    }
    best[(1 << p) - 1]
}

#[test]
fn searches_beyond_the_first_optimum_find_the_best_class_more_often() {
    let mut found = [0; 5];
    for seed in 0..40 {
        let (_, data) = sample(8, 4.0, 100, seed);
        let correlation = Correlation::of(&data, &Run::new(1).unwrap()).unwrap();
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let best = best_score(&score);
        let scores = SCHEDULES.map(|schedule| {
            let options = GesOptions { turning: true, schedule, ..OPTIONS() };
            search(&score, &Pdag::empty(8), &options, &Knowledge::none()).score
        });
        assert!(scores.iter().all(|&score| score <= best + 1e-9));
        assert!(scores[3].min(scores[4]) >= scores[2] - 1e-9, "seed {seed}: {scores:?}");
        found.iter_mut().zip(scores).for_each(|(found, score)| *found += usize::from(score > best - 1e-6));
    }
    assert!(found[4] >= found[3] && found[3] > found[2] && found[2] >= found[0], "{found:?}");
}

#[test]
fn a_start_is_never_made_worse() {
    for seed in 0..20 {
        let (_, data) = sample(15, 3.0, 100, seed);
        let correlation = Correlation::of(&data, &Run::new(1).unwrap()).unwrap();
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let start = cpdag_of_dag(&random_dag(&mut rng(seed), 15, 3.0));
        let dag = consistent_extension(&start).unwrap();
        let mut session = score.session();
        let before: f64 = (0..15).map(|x| session.local_score(x, dag.parents(x))).sum();
        for (forward, backward, turning) in [(true, false, false), (false, true, false), (false, false, true)] {
            let options = GesOptions { forward, backward, turning, ..OPTIONS() };
            let result = search(&score, &start, &options, &Knowledge::none());
            assert!(result.score >= before - 1e-9);
            assert!((result.score > before) == (result.insertions + result.deletions + result.turns > 0));
            assert!(forward || result.insertions == 0);
            assert!(backward || result.deletions == 0);
            assert!(turning || result.turns == 0);
        }
    }
}
