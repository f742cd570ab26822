//! All marginal tests with p-values, and F of all pairs that they come from.

mod support;

use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use phgs::counts::CountingEngine;
use phgs::independence::{G2Test, IndependenceTest};
use phgs::run::Run;
use support::{mixed_arities, network_data, rng};

fn all_pairs_with_p_values(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pairs_with_p_values");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (p, n_rows) in [(1000, 25_000), (3000, 1000)] {
        let data = network_data(1, n_rows, &mixed_arities(&mut rng(2), p));
        group.throughput(Throughput::Elements((p * (p - 1) / 2) as u64));
        for threads in [1, 2] {
            let run = Run::new(threads).expect("threads");
            group.bench_function(format!("p{p}/n{n_rows}/threads{threads}"), |b| {
                b.iter_batched(
                    || CountingEngine::new(&data),
                    |engine| {
                        G2Test::new(&engine)
                            .marginal_dependences(&run, 0.05f64.ln(), |_, _| true)
                            .map(|pairs| pairs.len())
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, all_pairs_with_p_values);
criterion_main!(benches);
