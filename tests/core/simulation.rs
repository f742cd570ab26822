//! The paper's simulated networks, random networks and parameter learning.

use phgs::data::DiscreteData;
use phgs::graph::Dag;
use phgs::network::{BayesianNetwork, MAX_STATES, ParameterEstimate, RandomDag, tile_in_random_order};
use phgs::run::Run;

use crate::support::network;

/// The paper's table of networks: copies, variables, arcs, largest in-degree, parameters.
const PAPER: [(&str, usize, usize, usize, usize, usize); 19] = [
    ("earthquake", 200, 1000, 1103, 2, 2380),
    ("cancer", 200, 1000, 1123, 2, 2399),
    ("asia", 125, 1000, 1243, 2, 2544),
    ("survey", 167, 1002, 1347, 2, 4444),
    ("andes", 5, 1115, 2245, 6, 7082),
    ("win95pts", 14, 1064, 2184, 7, 9525),
    ("child", 50, 1000, 1309, 2, 11_649),
    ("alarm", 28, 1036, 1689, 4, 16_574),
    ("sachs", 91, 1001, 1822, 3, 18_746),
    ("pigs", 3, 1323, 2182, 2, 20_102),
    ("hepar2", 15, 1050, 2077, 6, 23_007),
    ("insurance", 38, 1026, 2120, 3, 40_918),
    ("hailfinder", 18, 1008, 1541, 4, 54_322),
    ("water", 39, 1014, 2303, 5, 72_316),
    ("munin1", 7, 1064, 1776, 3, 83_208),
    ("pathfinder", 10, 1090, 1968, 5, 96_037),
    ("diabetes", 3, 1239, 2035, 2, 302_008),
    ("mildew", 29, 1015, 1913, 3, 345_575),
    ("barley", 21, 1008, 2101, 4, 1_771_800),
];

fn near(value: usize, expected: usize, tolerance: f64) -> bool {
    (value as f64 - expected as f64).abs() <= tolerance * expected as f64
}

#[test]
fn tiled_networks_are_those_of_the_paper() {
    let run = Run::new(2).unwrap();
    let seeds = 2;
    for (name, copies, p, arcs, in_degree, parameters) in PAPER {
        let network = network(name);
        let (mut total_arcs, mut total_parameters) = (0, 0);
        for seed in 0..seeds {
            let prepared = network.prepare(MAX_STATES, seed, &run).unwrap().network;
            assert!(prepared.nodes().iter().all(|node| (2..=8).contains(&node.arity())));
            let tiled = prepared.tile(copies, seed, &run).unwrap().network;
            assert_eq!((tiled.n_variables(), tiled.max_in_degree()), (p, in_degree), "{name}");
            total_arcs += tiled.dag().n_arcs();
            total_parameters += tiled.n_parameters();
        }
        let (found_arcs, found) = (total_arcs / seeds as usize, total_parameters / seeds as usize);
        assert!(near(found_arcs, arcs, 0.05), "{name}: {found_arcs} arcs, the paper has {arcs}");
        assert!(near(found, parameters, 0.1), "{name}: {found} parameters, the paper has {parameters}");
    }
}

#[test]
fn the_mixed_network_is_that_of_the_paper() {
    let run = Run::new(2).unwrap();
    let prepared: Vec<BayesianNetwork> =
        PAPER[..14].iter().map(|(name, ..)| network(name).prepare(MAX_STATES, 1, &run).unwrap().network).collect();
    let networks: Vec<&BayesianNetwork> = prepared.iter().collect();
    let (mut arcs, mut parameters) = (0, 0);
    for seed in 0..3 {
        let mixed = tile_in_random_order(&networks, seed, &run).unwrap().network;
        assert_eq!((mixed.n_variables(), mixed.max_in_degree()), (1011, 7));
        arcs += mixed.dag().n_arcs();
        parameters += mixed.n_parameters();
    }
    assert!(near(arcs / 3, 1877, 0.05), "{}", arcs / 3);
    assert!(near(parameters / 3, 17_319, 0.1), "{}", parameters / 3);
}

#[test]
fn preparation_drops_what_is_impossible_and_keeps_the_rest() {
    let run = Run::new(1).unwrap();
    let water = network("water");
    let prepared = water.prepare(MAX_STATES, 0, &run).unwrap();
    assert_eq!(prepared.dropped_variables.len(), 6);
    let marginals = water.marginals(&run).unwrap();
    let after = prepared.network.marginals(&run).unwrap();
    // Nothing is merged in this network, so that marginals are those of before without the zeros.
    assert!(prepared.merged_variables.is_empty());
    for (x, node) in prepared.network.nodes().iter().enumerate() {
        let before = marginals.distribution(water.variable(&node.name).unwrap());
        let possible: Vec<f64> = before.iter().copied().filter(|&v| v > 0.0).collect();
        assert_eq!(possible.len(), node.arity());
        for (a, b) in after.distribution(x as u32).iter().zip(&possible) {
            assert!((a - b).abs() < 1e-12, "{}", node.name);
        }
    }
    // Merging keeps the marginal of a variable whose ancestors are not merged: it is the sum over each group.
    let diabetes = network("diabetes");
    let prepared = diabetes.prepare(MAX_STATES, 3, &run).unwrap();
    assert!(!prepared.merged_variables.is_empty());
    let before = diabetes.marginals(&run).unwrap();
    let after = prepared.network.marginals(&run).unwrap();
    for (x, node) in prepared.network.nodes().iter().enumerate().filter(|(_, node)| node.parents.is_empty()) {
        let old = diabetes.variable(&node.name).unwrap();
        for (state, &value) in node.states.iter().zip(after.distribution(x as u32)) {
            let parts: Vec<&str> = state.split('+').collect();
            let sum: f64 = (0..diabetes.arity(old))
                .filter(|&s| parts.contains(&diabetes.node(old).states[s].as_str()))
                .map(|s| before.distribution(old)[s])
                .sum();
            assert!((sum - value).abs() < 1e-12, "{} {state}", node.name);
        }
    }
}

/// One variable with three states and its child, two of the parent's states merged: by hand.
#[test]
fn merged_rows_are_averaged_by_marginal_weight() {
    let text = "
        variable a { type discrete [ 3 ] { u, v, w }; }
        variable b { type discrete [ 2 ] { 0, 1 }; }
        probability ( a ) { table 0.1, 0.3, 0.6; }
        probability ( b | a ) { (u) 0.2, 0.8; (v) 0.6, 0.4; (w) 0.9, 0.1; }";
    let network = BayesianNetwork::from_bif(text).unwrap();
    let run = Run::new(1).unwrap();
    let mut seen = Vec::new();
    for seed in 0..30 {
        let prepared = network.prepare(2, seed, &run).unwrap().network;
        let (marginal, table) = match prepared.node(0).states.join(" ").as_str() {
            "u+v w" => ([0.4, 0.6], [0.25 * 0.2 + 0.75 * 0.6, 0.9]),
            "u+w v" => ([0.7, 0.3], [(0.1 * 0.2 + 0.6 * 0.9) / 0.7, 0.6]),
            "u v+w" => ([0.1, 0.9], [0.2, (0.3 * 0.6 + 0.6 * 0.9) / 0.9]),
            other => panic!("{other}"),
        };
        for (i, (m, t)) in marginal.into_iter().zip(table).enumerate() {
            assert!((prepared.node(0).row(0)[i] - m).abs() < 1e-12);
            assert!((prepared.node(1).row(i)[0] - t).abs() < 1e-12);
        }
        seen.push(prepared.node(0).states.clone());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 3, "states are merged at random");
}

/// Marginals of minimal nodes of tiled networks that exact inference can still check, and those of what lies below.
#[test]
fn tiling_preserves_marginals_of_minimal_nodes() {
    let run = Run::new(1).unwrap();
    for (name, copies) in [("asia", 20), ("child", 10), ("survey", 10), ("insurance", 3), ("alarm", 3), ("sachs", 6)] {
        let network = network(name).prepare(MAX_STATES, 0, &run).unwrap().network;
        let original = network.marginals(&run).unwrap();
        let tiled = network.tile(copies, 11, &run).unwrap();
        assert!(tiled.connecting_arcs > 0 && tiled.redrawn == 0, "{name}");
        let arcs = tiled.network.dag().n_arcs();
        assert_eq!(arcs, copies * network.dag().n_arcs() + tiled.connecting_arcs);
        let exact = tiled.network.marginals(&run).unwrap();
        assert!(exact.all_exact());
        for x in 0..tiled.network.n_variables() {
            let old = (x % network.n_variables()) as u32;
            let minimal = network.node(old).parents.is_empty();
            for (a, b) in exact.distribution(x as u32).iter().zip(original.distribution(old)) {
                assert!((a - b).abs() < if minimal { 1e-9 } else { 0.1 }, "{name} {a} {b}");
            }
        }
    }
    let asia = network("asia");
    assert_eq!(asia.tile(1, 0, &run).unwrap().network, asia);
    assert!(asia.tile(0, 0, &run).is_err());
}

#[test]
fn parameters_are_recovered_from_data() {
    let run = Run::new(2).unwrap();
    let asia = network("asia");
    let names: Vec<String> = asia.nodes().iter().map(|node| node.name.clone()).collect();
    let states: Vec<Vec<String>> = asia.nodes().iter().map(|node| node.states.clone()).collect();
    let mut previous = f64::INFINITY;
    for n in [1000, 100_000] {
        let data = asia.sample(n, 8, &run).unwrap();
        let learn = |estimate| {
            BayesianNetwork::learn_parameters(&data, asia.dag(), names.clone(), states.clone(), estimate, &run)
        };
        let likely = learn(ParameterEstimate::MaximumLikelihood).unwrap();
        let smooth = learn(ParameterEstimate::Dirichlet { equivalent_sample_size: 1.0 }).unwrap();
        assert!(learn(ParameterEstimate::Dirichlet { equivalent_sample_size: 0.0 }).is_err());
        // What the tables say about the whole is what counts: rows that hardly occur stay unknown.
        let exact = asia.marginals(&run).unwrap();
        let worst = [likely, smooth]
            .iter()
            .flat_map(|network| {
                let learned = network.marginals(&run).unwrap();
                (0..8).map(|x| (learned.distribution(x)[0] - exact.distribution(x)[0]).abs()).collect::<Vec<_>>()
            })
            .fold(0.0, f64::max);
        assert!(worst < previous / 3.0 && worst < 2.0 / (n as f64).sqrt(), "{n}: {worst}");
        previous = worst;
    }
}

/// Four rows by hand: b given a, where a = 1 with b unseen for one state.
#[test]
fn estimates_are_those_of_the_formulas() {
    let data = DiscreteData::from_columns(vec![vec![0, 0, 0, 1], vec![0, 0, 1, 1]]).unwrap();
    let dag = Dag::from_arcs(2, [(0, 1)]).unwrap();
    let run = Run::new(1).unwrap();
    let names = || vec!["a".to_string(), "b".to_string()];
    let states = || vec![vec!["x".into(), "y".into(), "z".into()], vec!["0".into(), "1".into()]];
    let learn = |estimate| BayesianNetwork::learn_parameters(&data, &dag, names(), states(), estimate, &run).unwrap();
    let likely = learn(ParameterEstimate::MaximumLikelihood);
    assert_eq!(likely.node(0).probabilities, [0.75, 0.25, 0.0]);
    assert_eq!(likely.node(1).probabilities, [2.0 / 3.0, 1.0 / 3.0, 0.0, 1.0, 0.5, 0.5]);
    let smooth = learn(ParameterEstimate::Dirichlet { equivalent_sample_size: 6.0 });
    assert_eq!(smooth.node(0).probabilities, [0.5, 0.3, 0.2]);
    assert_eq!(smooth.node(1).probabilities, [0.6, 0.4, 1.0 / 3.0, 2.0 / 3.0, 0.5, 0.5]);
    let too_few = vec![vec!["x".into()], vec!["0".into(), "1".into()]];
    let estimate = ParameterEstimate::MaximumLikelihood;
    assert!(BayesianNetwork::learn_parameters(&data, &dag, names(), too_few, estimate, &run).is_err());
}

#[test]
fn random_graphs_have_the_degrees_asked_for() {
    let dag = RandomDag::ErdosRenyi { degree: 3.0 }.draw(2000, 4).unwrap();
    // 3,000 arcs on average, with a standard deviation of about 55.
    assert!((2750..3250).contains(&dag.n_arcs()), "{}", dag.n_arcs());
    assert_eq!(RandomDag::ErdosRenyi { degree: 0.0 }.draw(50, 4).unwrap().n_arcs(), 0);
    assert_eq!(RandomDag::ErdosRenyi { degree: 9.0 }.draw(10, 4).unwrap().n_arcs(), 45);
    assert!(RandomDag::ErdosRenyi { degree: 10.0 }.draw(10, 4).is_err());
    assert!(RandomDag::ErdosRenyi { degree: 0.0 }.draw(1, 4).is_ok());
    let dag = RandomDag::ScaleFree { parents: 2 }.draw(2000, 4).unwrap();
    assert_eq!(dag.n_arcs(), 2 * 2000 - 3);
    let most = (0..2000).map(|x| dag.children(x).len()).max().unwrap();
    assert!(most > 40, "a few variables have many children: {most}");
    let network = BayesianNetwork::random(&dag, (2, 4), 0.5, 9).unwrap();
    assert_eq!(network.dag(), &dag);
    assert!(network.nodes().iter().all(|node| (2..=4).contains(&node.arity())));
    assert_eq!(network, BayesianNetwork::random(&dag, (2, 4), 0.5, 9).unwrap());
    assert!(BayesianNetwork::random(&dag, (3, 2), 0.5, 9).is_err());
    assert!(BayesianNetwork::random(&dag, (2, 2), 0.0, 9).is_err());
}
