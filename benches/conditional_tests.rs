//! Conditional tests with p-values: one million in neighbourhoods of mixed variables, and all those of a pair of binary
//! variables given subsets of a pool.

mod support;

use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use phgs::Variable;
use phgs::counts::{CountingEngine, Kernel};
use phgs::independence::{
    DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, Rules, SubsetVisitor, Subsets, TestSession,
};
use phgs::run::Run;
use support::{mixed_arities, neighbourhoods, network_data, rng};

fn million_tests(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("million_tests_with_p_values");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    let data = network_data(1, 25_000, &mixed_arities(&mut rng(2), 1000));
    let work = neighbourhoods(4, 1000, 3572);
    let tests: usize = work.iter().map(|n| n.queries.len()).sum();
    group.throughput(Throughput::Elements(tests as u64));
    let engine = CountingEngine::new(&data);
    for threads in [1, 2] {
        let run = Run::new(threads).expect("threads");
        let test = G2Test::new(&engine);
        group.bench_function(format!("tests{tests}/p1000/n25000/threads{threads}"), |b| {
            b.iter(|| {
                run.map(
                    work.len(),
                    || test.session(),
                    |session, i| {
                        session.next_neighbourhood();
                        let p_values = work[i].queries.iter().map(|q| session.test(q.x, q.y, q.given()).log_p_value);
                        p_values.sum::<f64>()
                    },
                )
            });
        });
    }
    group.finish();
}

/// Keeps the largest p-value.
struct Largest {
    log_p_value: f64,
    tests: u64,
}

impl SubsetVisitor for Largest {
    fn floor(&self) -> f64 {
        self.log_p_value
    }

    fn visit(&mut self, _at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.tests += 1;
        self.log_p_value = self.log_p_value.max(log_p_value);
        ControlFlow::Continue(())
    }
}

fn binary_pool(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("binary_pool");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    let run = Run::new(1).expect("threads");
    let pool: Vec<Variable> = (2..66).collect();
    for n_rows in [1000, 25_000] {
        let data = network_data(1, n_rows, &[2; 66]);
        for (size, tests) in [(1, 64u64), (2, 2016), (3, 41_664)] {
            group.throughput(Throughput::Elements(tests));
            for &kernel in Kernel::available() {
                let engine = CountingEngine::with_kernel(&data, kernel).expect("available");
                for degrees in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
                    let test = G2Test::with_rules(&engine, Rules::new(degrees, MinimumSample::Off).expect("valid"));
                    let mut session = test.session();
                    let sets = Subsets::new(&pool, size);
                    group.bench_function(format!("{kernel}/{}/size{size}/pool64/n{n_rows}", test.name()), |b| {
                        b.iter(|| {
                            let mut largest = Largest { log_p_value: f64::NEG_INFINITY, tests: 0 };
                            session.test_subsets(0, 1, &sets, &run, &mut largest).map(|_| largest.tests)
                        });
                    });
                }
            }
        }
    }
    group.finish();
}

criterion_group!(benches, million_tests, binary_pool);
criterion_main!(benches);
