//! PATH: thresholds, and the choice of the true graph.

use phgs::graph::Dag;
use phgs::independence::Alpha;
use phgs::knowledge::Knowledge;
use phgs::orient::hgi::{HgiOptions, hybrid_greedy_initialization};
use phgs::orient::path::{Path, PathOptions, solution_path, thresholds};
use phgs::orient::{Oriented, Undecided, cpdag_of_dag, orient_within, v_structures_within};
use phgs::run::Run;
use phgs::score::ScoreCache;
use phgs::skeleton::{PairRecord, Skeleton};

use super::{PopulationScore, perfect_skeleton};
use crate::support::{below, random_dag, rng, uniform};

/// A path of n variables with the given Φ of its edges.
fn with_phi(values: &[f64]) -> Skeleton {
    let records = values
        .iter()
        .enumerate()
        .map(|(i, &p)| PairRecord {
            x: i as u32,
            y: i as u32 + 1,
            max_log_p_value: p.ln(),
            separating_set: Default::default(),
        })
        .collect();
    Skeleton::new(values.len() + 1, Alpha::default(), records)
}

fn edge_counts(skeleton: &Skeleton, path_length: usize, min_alpha: f64) -> Vec<usize> {
    let options = PathOptions { path_length, min_alpha: Alpha::at_log_p_value(min_alpha.ln()) };
    let path = thresholds(skeleton, &options).unwrap();
    assert!(path.windows(2).all(|pair| pair[0].log() > pair[1].log()));
    assert_eq!(path[0].value(), 0.05);
    path.into_iter().map(|t| skeleton.graph_at(t.log()).n_edges()).collect()
}

#[test]
fn thresholds_are_equally_spaced_in_edges() {
    let many: Vec<f64> = (0..100).map(|i| 0.04 * 0.9f64.powi(i)).collect();
    assert_eq!(edge_counts(&with_phi(&many), 11, 0.0), [100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 0]);
    assert_eq!(edge_counts(&with_phi(&many), 1, 0.0), [100]);
    assert_eq!(edge_counts(&with_phi(&many), 2, 0.04 * 0.9f64.powi(20) * 1.001), [100, 80]);
    // One edge at a time, and never more thresholds than edges.
    let few = [0.04, 0.03, 0.02, 1e-9];
    assert_eq!(edge_counts(&with_phi(&few), 10, 1e-5), [4, 3, 2, 1]);
    // Ties go together; nothing between the ends leaves a path of one.
    assert_eq!(edge_counts(&with_phi(&[0.04, 0.04, 0.04, 1e-9]), 4, 1e-5), [4, 1]);
    assert_eq!(edge_counts(&with_phi(&[1e-6, 1e-9, 0.0]), 10, 1e-5), [3]);
    assert_eq!(edge_counts(&with_phi(&[0.3, 0.0, 0.0]), 10, 0.0), [2]);
}

#[test]
fn bad_options_are_errors() {
    let skeleton = with_phi(&[0.01]);
    assert!(thresholds(&skeleton, &PathOptions { path_length: 0, min_alpha: Alpha::new(1e-4).unwrap() }).is_err());
    assert!(thresholds(&skeleton, &PathOptions { path_length: 5, min_alpha: Alpha::new(0.1).unwrap() }).is_err());
    assert!(thresholds(&skeleton, &PathOptions { path_length: 1, min_alpha: Alpha::new(0.1).unwrap() }).is_ok());
}

/// The skeleton of a DAG with false edges that a lower threshold removes, their separating sets right.
fn with_false_edges(rng: &mut impl rand_chacha::rand_core::RngCore, dag: &Dag) -> Skeleton {
    let perfect = perfect_skeleton(dag, 0.05f64.ln(), |_, _| -10.0);
    let mut records: Vec<PairRecord> = perfect.records().to_vec();
    for record in &mut records {
        if dag.adjacent(record.x, record.y) {
            record.max_log_p_value = -10.0 - 50.0 * uniform(rng);
        } else if uniform(rng) < 0.1 {
            record.max_log_p_value = -9.0 + 5.0 * uniform(rng);
        }
    }
    Skeleton::new(dag.n_variables(), Alpha::default(), records)
}

type Cache<'c> = ScoreCache<'c, PopulationScore>;

/// PATH over CPDAGs.
fn cpdag_path(
    skeleton: &Skeleton,
    options: &PathOptions,
    cache: &mut Cache<'_>,
    knowledge: &Knowledge,
    run: &Run,
) -> Path<Oriented> {
    let path = solution_path(skeleton, options, cache, run, |graph, _, _| {
        let v_structures = v_structures_within(graph, skeleton, knowledge, run)?;
        orient_within(graph, &v_structures, &Undecided::new(knowledge, []), knowledge, run)
    });
    path.unwrap()
}

/// PATH over DAGs made by HGI.
fn hgi_path(skeleton: &Skeleton, options: &PathOptions, cache: &mut Cache<'_>, run: &Run) -> Path<Dag> {
    let none = Knowledge::none();
    let path = solution_path(skeleton, options, cache, run, |graph, _, cache| {
        let v_structures = v_structures_within(graph, skeleton, &none, run)?;
        hybrid_greedy_initialization(graph, &v_structures, cache, &HgiOptions::default(), &none, run)
    });
    path.unwrap()
}

#[test]
fn the_true_class_is_on_the_path_and_chosen() {
    let mut rng = rng(30);
    let run = Run::new(1).unwrap();
    let none = Knowledge::none();
    for round in 0..300 {
        let (p, degree) = (5 + below(&mut rng, 20), 1.0 + 2.0 * uniform(&mut rng));
        let dag = random_dag(&mut rng, p, degree);
        let score = PopulationScore::new(&mut rng, &dag);
        let skeleton = with_false_edges(&mut rng, &dag);
        let options = PathOptions {
            path_length: 1 + skeleton.graph().n_edges(),
            min_alpha: Alpha::at_log_p_value(f64::NEG_INFINITY),
        };
        let mut cache = ScoreCache::new(&score);
        let path = cpdag_path(&skeleton, &options, &mut cache, &none, &run);
        assert_eq!(path.selected.pdag, cpdag_of_dag(&dag), "round {round}");
        assert!(path.selected.extendable && path.points[path.index].selected);
        assert_eq!(path.points.iter().filter(|point| point.selected).count(), 1);
        assert_eq!(path.points[path.index].n_edges, dag.n_arcs());
        assert_eq!(path.points.last().unwrap().n_edges, 0);
        let total: f64 = (0..p as u32).map(|x| cache.local_score(x, path.selected.dag.parents(x))).sum();
        let score_of_path = path.points[path.index].score;
        assert!(score_of_path == total || (options.path_length == 1 && score_of_path.is_nan()));
        let path = hgi_path(&skeleton, &options, &mut cache, &run);
        assert_eq!(cpdag_of_dag(&path.selected), cpdag_of_dag(&dag), "HGI, round {round}");
        assert_eq!(path.points[path.index].n_edges, dag.n_arcs(), "of equal scores the sparser");
    }
}

#[test]
fn required_edges_stay_on_the_whole_path() {
    let mut rng = rng(31);
    let run = Run::new(1).unwrap();
    let dag = random_dag(&mut rng, 10, 2.0);
    let score = PopulationScore::new(&mut rng, &dag);
    let required: Vec<_> = dag.arcs().take(2).collect();
    let knowledge = Knowledge::new(10, required.clone(), [], [], vec![]).unwrap();
    let skeleton = perfect_skeleton(&dag, 0.05f64.ln(), |x, y| {
        if knowledge.requires_edge(x, y) { f64::NEG_INFINITY } else { -5.0 - f64::from(x + y) }
    });
    let options = PathOptions { path_length: 50, min_alpha: Alpha::at_log_p_value(f64::NEG_INFINITY) };
    let path = cpdag_path(&skeleton, &options, &mut ScoreCache::new(&score), &knowledge, &run);
    assert_eq!(path.points.last().unwrap().n_edges, 2);
    assert!(required.iter().all(|&(x, y)| path.selected.pdag.has_arc(x, y)));
}
