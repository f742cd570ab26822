//! Methods and their stages on tiled ALARM: PC and pPC, HGI and PATH, tabu search, pHGS as a whole.
//!
//! The clusters are the copies of the tiling, taken together to twenty, since clustering is not part of the core.

mod support;

use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use phgs::counts::CountingEngine;
use phgs::graph::Dag;
use phgs::hybrid::{Hybrid, Initialise, Maximise, Partition, Restrict, VStructureRule, learn};
use phgs::independence::{Alpha, G2Test};
use phgs::knowledge::Knowledge;
use phgs::orient::hgi::{HgiOptions, hybrid_greedy_initialization};
use phgs::orient::path::{PathOptions, solution_path};
use phgs::orient::{Undecided, orient_within, v_structures_within};
use phgs::run::{Ledger, Run};
use phgs::score::{PenalizedLikelihood, ScoreCache};
use phgs::search::{ActiveSet, SearchOptions, Tabu, hill_climb};
use phgs::skeleton::{PcOptions, Skeleton, partitioned_pc, pc};
use support::tiled::Alarm;

const ROWS: usize = 25_000;

fn group<'c>(criterion: &'c mut Criterion, name: &str, seconds: u64) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(seconds));
    group
}

fn tabu() -> SearchOptions {
    SearchOptions { tabu: Some(Tabu::default()), ..SearchOptions::default() }
}

fn skeletons(criterion: &mut Criterion) {
    let alarm = Alarm::new(28, ROWS);
    let options = PcOptions::new(Alpha::default());
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        let size = format!("{}/threads{threads}", alarm.size());
        let none = Knowledge::none();
        group(criterion, "ppc", 5).bench_function(&size, |b| {
            b.iter(|| {
                let engine = CountingEngine::new(&alarm.data);
                let test = G2Test::new(&engine);
                partitioned_pc(&test, &alarm.labels, &options, &none, &run, &mut Ledger::new())
            });
        });
        group(criterion, "pc", 5).bench_function(&size, |b| {
            b.iter(|| {
                let engine = CountingEngine::new(&alarm.data);
                pc(&G2Test::new(&engine), &options, &none, &run, &mut Ledger::new())
            });
        });
    }
}

fn skeleton(alarm: &Alarm, run: &Run) -> Skeleton {
    let engine = CountingEngine::new(&alarm.data);
    let (options, none) = (PcOptions::new(Alpha::default()), Knowledge::none());
    partitioned_pc(&G2Test::new(&engine), &alarm.labels, &options, &none, run, &mut Ledger::new()).expect("a skeleton")
}

fn orientation_and_search(criterion: &mut Criterion) {
    let alarm = Alarm::new(28, ROWS);
    let (path, hgi, none) = (PathOptions::default(), HgiOptions::default(), Knowledge::none());
    let one = Run::new(1).expect("threads");
    let skeleton = skeleton(&alarm, &one);
    let engine = CountingEngine::new(&alarm.data);
    let score = PenalizedLikelihood::bic(&engine);
    let size = format!("{}/threads1", alarm.size());
    let hgi_path = || {
        solution_path(&skeleton, &path, &mut ScoreCache::new(&score), &one, |graph, _, cache| {
            let v_structures = v_structures_within(graph, &skeleton, &none, &one)?;
            hybrid_greedy_initialization(graph, &v_structures, cache, &hgi, &none, &one)
        })
    };
    group(criterion, "hgi_path", 3).bench_function(&size, |b| b.iter(|| hgi_path().map(|p| p.index)));
    group(criterion, "orientation_path", 3).bench_function(&size, |b| {
        b.iter(|| {
            let path = solution_path(&skeleton, &path, &mut ScoreCache::new(&score), &one, |graph, _, _| {
                let v_structures = v_structures_within(graph, &skeleton, &none, &one)?;
                orient_within(graph, &v_structures, &Undecided::new(&none, []), &none, &one)
            });
            path.map(|p| p.index)
        });
    });
    let start = hgi_path().expect("a path").selected;
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        group(criterion, "tabu_within_skeleton", 3).bench_function(format!("{}/threads{threads}", alarm.size()), |b| {
            b.iter(|| {
                let active = ActiveSet::Pairs(skeleton.graph());
                hill_climb(&score, &start, active, &tabu(), &none, &run, &mut Ledger::new()).map(|found| found.score)
            });
        });
    }
}

fn unrestricted_tabu(criterion: &mut Criterion) {
    let alarm = Alarm::new(4, ROWS);
    let (empty, none) = (Dag::empty(alarm.data.n_variables()), Knowledge::none());
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        group(criterion, "tabu", 5).bench_function(format!("{}/threads{threads}", alarm.size()), |b| {
            b.iter(|| {
                let engine = CountingEngine::new(&alarm.data);
                let score = PenalizedLikelihood::bic(&engine);
                hill_climb(&score, &empty, ActiveSet::All, &tabu(), &none, &run, &mut Ledger::new()).map(|f| f.score)
            });
        });
    }
}

fn whole(criterion: &mut Criterion) {
    let alarm = Alarm::new(28, ROWS);
    let hybrid = Hybrid {
        restrict: Restrict::PartitionedPc(Partition::Labels(alarm.labels.clone()), PcOptions::new(Alpha::default())),
        select: PathOptions::default(),
        initialise: Initialise::HybridGreedy(VStructureRule::SeparatingSets),
        maximise: Maximise::HillClimb(tabu()),
        refine: Vec::new(),
        max_parents: None,
    };
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        group(criterion, "phgs", 6).bench_function(format!("{}/threads{threads}", alarm.size()), |b| {
            b.iter(|| {
                let engine = CountingEngine::new(&alarm.data);
                let (test, score) = (G2Test::new(&engine), PenalizedLikelihood::bic(&engine));
                let given = |_| unreachable!("labels are given");
                learn(&test, &score, &hybrid, given, &Knowledge::none(), &run).map(|learned| learned.score)
            });
        });
    }
}

criterion_group!(benches, skeletons, orientation_and_search, unrestricted_tabu, whole);
criterion_main!(benches);
