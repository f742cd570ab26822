//! The counting engine: kernels by arity and conditioning size, all pairs, one million conditional tests and scores,
//! with the plain way (one table a test) beside them.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use phgs::Variable;
use phgs::counts::{CountingEngine, CountingSession, Kernel};
use phgs::data::DiscreteData;
use phgs::run::Run;
use support::{Neighbourhood, Plain, mixed_arities, neighbourhoods, network_data, rng};

const ROWS: usize = 25_000;

fn mixed(p: usize, n_rows: usize) -> DiscreteData {
    network_data(1, n_rows, &mixed_arities(&mut rng(2), p))
}

/// G² of the tests of one neighbourhood.
fn test_all(session: &mut CountingSession<'_, '_>, neighbourhood: &Neighbourhood) -> f64 {
    let scale = session.engine().scale();
    session.next_neighbourhood();
    let mut sum = 0.0;
    for query in &neighbourhood.queries {
        sum += 2.0 * scale.value(session.conditional_information(query.x, query.y, query.given()));
    }
    sum
}

fn sets(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one_set");
    for arity in [2, 3, 4, 8] {
        let data = network_data(3, ROWS, &[arity; 64]);
        for kernel in Kernel::available() {
            let engine = CountingEngine::with_kernel(&data, *kernel).expect("available");
            for size in 2..=if arity == 8 { 4 } else { 5 } {
                let id = BenchmarkId::new(kernel.name(), format!("arity{arity}/variables{size}/n{ROWS}"));
                group.bench_function(id, |b| {
                    let mut first = 0;
                    let mut session = engine.session();
                    b.iter(|| {
                        // Sets that share nothing, so that none is remembered.
                        let set: Vec<Variable> = (0..size).map(|i| first + i * 11).collect();
                        first = (first + 1) % 11;
                        if first == 0 {
                            session = engine.session();
                        }
                        black_box(session.sum_n_log_n(&set))
                    });
                });
            }
        }
    }
    group.finish();
}

fn all_pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all_pairs");
    group.sample_size(10);
    let data = mixed(1000, ROWS);
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        for kernel in Kernel::available() {
            let id = BenchmarkId::new(kernel.name(), format!("p1000/n{ROWS}/threads{threads}"));
            group.bench_function(id, |b| {
                b.iter_batched(
                    || CountingEngine::with_kernel(&data, *kernel).expect("available"),
                    |engine| {
                        let sums = engine.pairwise(&run).expect("not cancelled");
                        // Mutual information of every pair.
                        let mut sum = 0.0;
                        for x in 0..sums.n_variables() as Variable {
                            for (i, &pair) in sums.row(x).iter().enumerate() {
                                let y = x + 1 + i as Variable;
                                sum += engine.scale().value(pair + sums.total() - sums.single(x) - sums.single(y));
                            }
                        }
                        (sum, engine.kernel())
                    },
                    criterion::BatchSize::PerIteration,
                );
            });
        }
    }
    let plain = Plain::new(&data);
    // One pair in 125 of the 499,500.
    group.throughput(Throughput::Elements(499_500 / 125));
    group.bench_function(BenchmarkId::new("plain", format!("pairs3996/n{ROWS}/threads1")), |b| {
        b.iter(|| {
            let pairs = (0..1000).flat_map(|x| (x + 1..1000).map(move |y| (x, y))).step_by(125);
            pairs.map(|(x, y)| plain.g_squared(x, y, &[])).sum::<f64>()
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("all_pairs_wide");
    group.sample_size(10);
    let data = mixed(10_000, 1000);
    let run = Run::new(2).expect("threads");
    group.bench_function("p10000/n1000/threads2", |b| {
        b.iter_batched(
            || CountingEngine::new(&data),
            |engine| engine.pairwise(&run).map(|sums| sums.total()),
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn conditional_tests(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("million_tests");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    let data = mixed(1000, ROWS);
    let work = neighbourhoods(4, 1000, 3572);
    let tests: usize = work.iter().map(|n| n.queries.len()).sum();
    group.throughput(Throughput::Elements(tests as u64));
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        for kernel in Kernel::available() {
            let engine = CountingEngine::with_kernel(&data, *kernel).expect("available");
            let id = BenchmarkId::new(kernel.name(), format!("tests{tests}/p1000/n{ROWS}/threads{threads}"));
            group.bench_function(id, |b| {
                b.iter(|| run.map(work.len(), || engine.session(), |session, i| test_all(session, &work[i])));
            });
        }
    }
    let plain = Plain::new(&data);
    let few = &work[..10];
    group.throughput(Throughput::Elements(few.iter().map(|n| n.queries.len() as u64).sum()));
    group.bench_function(BenchmarkId::new("plain", format!("tests2800/n{ROWS}/threads1")), |b| {
        b.iter(|| {
            let queries = few.iter().flat_map(|n| &n.queries);
            queries.map(|q| plain.g_squared(q.x, q.y, q.given())).sum::<f64>()
        });
    });
    group.finish();
}

fn candidates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sums_with_each");
    let data = mixed(1000, ROWS);
    for kernel in Kernel::available() {
        let engine = CountingEngine::with_kernel(&data, *kernel).expect("available");
        for size in [1, 2, 3, 4, 6] {
            let base: Vec<Variable> = (0..size).map(|i| 300 + 3 * i).collect();
            let candidates: Vec<Variable> = (0..1000).filter(|v| !base.contains(v)).collect();
            group.throughput(Throughput::Elements(candidates.len() as u64));
            let id = BenchmarkId::new(kernel.name(), format!("base{size}/candidates{}/n{ROWS}", candidates.len()));
            group.bench_function(id, |b| {
                let mut session = engine.session();
                let mut sums = Vec::new();
                b.iter(|| session.sums_with_each(&base, &candidates, &mut sums));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, sets, all_pairs, conditional_tests, candidates);
criterion_main!(benches);
