//! Sampling: the same for any number of threads, and the right frequencies.

use phgs::run::Run;

use crate::support::network;

#[test]
fn rows_do_not_depend_on_threads() {
    let alarm = network("alarm");
    let one = alarm.sample(5000, 3, &Run::new(1).unwrap()).unwrap();
    for threads in [2, 3] {
        assert_eq!(alarm.sample(5000, 3, &Run::new(threads).unwrap()).unwrap(), one);
    }
    assert_ne!(alarm.sample(5000, 4, &Run::new(1).unwrap()).unwrap(), one);
}

#[test]
fn a_permutation_changes_nothing_but_the_order() {
    let child = network("child");
    let permuted = child.permuted(5).unwrap();
    assert_ne!(child, permuted);
    for (x, y) in child.dag().arcs() {
        let index = |v| permuted.variable(&child.node(v).name).unwrap();
        assert!(permuted.dag().contains(index(x), index(y)));
    }
    assert_eq!(permuted.n_parameters(), child.n_parameters());
    let back: Vec<u32> = child.nodes().iter().map(|node| permuted.variable(&node.name).unwrap()).collect();
    assert_eq!(permuted.reordered(&back).unwrap(), child);
    assert!(child.reordered(&[0, 1]).is_err());
    assert!(child.reordered(&[0; 20]).is_err());
}

/// Impossible states never come up and every row of every table has the frequencies it should: the sum of Pearson's
/// statistics over all rows with enough expected counts is within four standard deviations of its degrees of freedom.
#[test]
fn conditional_frequencies_are_those_of_the_tables() {
    let run = Run::new(2).unwrap();
    for (name, seed) in [("alarm", 1), ("hailfinder", 2), ("win95pts", 3), ("survey", 4)] {
        let network = network(name);
        let data = network.sample(50_000, seed, &run).unwrap();
        let (mut statistic, mut df) = (0.0, 0.0);
        for (x, node) in network.nodes().iter().enumerate() {
            let arity = node.arity();
            let mut counts = vec![0.0; node.probabilities.len()];
            for row in 0..data.n_rows() {
                let configuration = node.parents.iter().fold(0, |configuration, &parent| {
                    configuration * network.arity(parent) + data.column(parent).get(row) as usize
                });
                counts[configuration * arity + data.column(x as u32).get(row) as usize] += 1.0;
            }
            for (counts, row) in counts.chunks(arity).zip(node.rows()) {
                let n: f64 = counts.iter().sum();
                let total: f64 = row.iter().sum();
                assert!(counts.iter().zip(row).all(|(&count, &p)| p > 0.0 || count == 0.0), "{name} {}", node.name);
                let possible: Vec<(f64, f64)> =
                    counts.iter().zip(row).map(|(&c, &p)| (c, n * p / total)).filter(|&(_, e)| e > 0.0).collect();
                if possible.iter().all(|&(_, expected)| expected >= 5.0) && possible.len() > 1 {
                    statistic += possible.iter().map(|&(c, e)| (c - e) * (c - e) / e).sum::<f64>();
                    df += possible.len() as f64 - 1.0;
                }
            }
        }
        assert!(df > 10.0, "{name}");
        let z = (statistic - df) / (2.0 * df).sqrt();
        assert!(z.abs() < 4.0, "{name}: {statistic} on {df}");
    }
}

#[test]
fn bad_sizes_are_refused() {
    let asia = network("asia");
    let run = Run::new(1).unwrap();
    assert!(asia.sample(0, 1, &run).is_err());
    run.canceller().cancel();
    assert_eq!(asia.sample(10, 1, &run), Err(phgs::Error::Interrupted));
}
