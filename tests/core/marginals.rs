//! Exact marginals: against enumeration, and against samples by chi-squared.

use phgs::network::BayesianNetwork;
use phgs::run::Run;

use crate::support::network;

/// Marginals by summing the joint distribution over all configurations.
fn enumerated(network: &BayesianNetwork) -> Vec<Vec<f64>> {
    let p = network.n_variables();
    let mut marginals: Vec<Vec<f64>> = network.nodes().iter().map(|node| vec![0.0; node.arity()]).collect();
    let mut states = vec![0usize; p];
    loop {
        let probability: f64 = (0..p)
            .map(|x| {
                let node = &network.nodes()[x];
                let configuration = node
                    .parents
                    .iter()
                    .fold(0, |configuration, &parent| configuration * network.arity(parent) + states[parent as usize]);
                let row = node.row(configuration);
                row[states[x]] / row.iter().sum::<f64>()
            })
            .product();
        for (x, &state) in states.iter().enumerate() {
            marginals[x][state] += probability;
        }
        let Some(x) = (0..p).find(|&x| states[x] + 1 < network.arity(x as u32)) else { return marginals };
        states[x] += 1;
        states[..x].fill(0);
    }
}

#[test]
fn marginals_equal_enumeration() {
    let run = Run::new(1).unwrap();
    for name in ["asia", "cancer", "earthquake", "survey", "sachs"] {
        let network = network(name);
        let marginals = network.marginals(&run).unwrap();
        assert!(marginals.all_exact());
        for (x, expected) in enumerated(&network).iter().enumerate() {
            for (a, b) in marginals.distribution(x as u32).iter().zip(expected) {
                assert!((a - b).abs() < 1e-12, "{name} {x}");
            }
        }
    }
}

/// Sampled frequencies against exact marginals on networks too large to enumerate, over all variables of a network.
#[test]
fn samples_have_the_exact_marginals() {
    let run = Run::new(2).unwrap();
    for (name, seed) in [("alarm", 1), ("insurance", 2), ("hepar2", 3), ("andes", 4), ("pathfinder", 5), ("water", 6)] {
        let network = network(name);
        let marginals = network.marginals(&run).unwrap();
        assert!(marginals.all_exact(), "{name}");
        let data = network.sample(20_000, seed, &run).unwrap();
        for x in 0..network.n_variables() as u32 {
            let distribution = marginals.distribution(x);
            assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let mut counts = vec![0.0f64; network.arity(x)];
            for row in 0..data.n_rows() {
                counts[data.column(x).get(row) as usize] += 1.0;
            }
            assert!(counts.iter().zip(distribution).all(|(&count, &p)| p > 0.0 || count == 0.0), "{name} {x}");
            let expected: Vec<f64> = distribution.iter().map(|&p| p * data.n_rows() as f64).collect();
            let common = || counts.iter().zip(&expected).filter(|&(_, &e)| e >= 5.0);
            let statistic: f64 = common().map(|(&c, &e)| (c - e) * (c - e) / e).sum();
            let df = (common().count() as f64 - 1.0).max(1.0);
            // Six standard deviations and a bit for the skew: about 900 variables are tested.
            assert!(statistic < df + 6.0 * (2.0 * df).sqrt() + 12.0, "{name} {x}: {statistic} on {df}");
        }
    }
}
