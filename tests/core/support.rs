//! What the tests share: random DAGs from seeds, and the golden files.

#![allow(unreachable_pub)]

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use phgs::Variable;
use phgs::data::DiscreteData;
use phgs::graph::{Dag, UndirectedGraph};
use phgs::independence::{DSeparationOracle, IndependenceTest, SubsetVisitor};
use phgs::run::Run;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A random number generator for a test.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A uniform integer below `n`.
pub fn below(rng: &mut impl RngCore, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// A uniform number in [0, 1).
pub fn uniform(rng: &mut impl RngCore) -> f64 {
    (rng.next_u64() >> 11) as f64 * (-53f64).exp2()
}

/// A random order of `0..n`.
pub fn permutation(rng: &mut impl RngCore, n: usize) -> Vec<Variable> {
    let mut order: Vec<Variable> = (0..n as Variable).collect();
    for i in (1..n).rev() {
        order.swap(i, below(rng, i + 1));
    }
    order
}

/// A random DAG in which each pair is adjacent with probability `average_degree / (p − 1)`.
pub fn random_dag(rng: &mut impl RngCore, p: usize, average_degree: f64) -> Dag {
    let order = permutation(rng, p);
    let probability = average_degree / (p as f64 - 1.0);
    let mut arcs = Vec::new();
    for i in 0..p {
        for j in (i + 1)..p {
            if uniform(rng) < probability {
                arcs.push((order[i], order[j]));
            }
        }
    }
    Dag::from_arcs(p, arcs).expect("arcs follow an order")
}

/// Random labels of `clusters` clusters.
pub fn random_labels(rng: &mut impl RngCore, p: usize, clusters: usize) -> Vec<u32> {
    (0..p).map(|_| below(rng, clusters) as u32).collect()
}

/// A file of the test data.
pub fn data_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A simple CSV file (no quotes): its header and rows.
pub fn read_csv(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(data_path(name)).expect(name);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    (header, lines.collect())
}

/// A golden data set, its states re-coded to those observed, and the index of each variable name.
pub fn golden_data(name: &str) -> (DiscreteData, HashMap<String, Variable>) {
    let (header, rows) = read_csv(&format!("golden/data/{name}.csv"));
    let columns = (0..header.len())
        .map(|c| {
            let codes: Vec<u32> = rows.iter().map(|row| row[c].parse().expect("a code")).collect();
            let mut states = codes.clone();
            states.sort_unstable();
            states.dedup();
            codes.iter().map(|code| states.binary_search(code).expect("observed") as u32).collect()
        })
        .collect();
    let index = header.into_iter().enumerate().map(|(i, name)| (name, i as Variable)).collect();
    (DiscreteData::from_columns(columns).expect("golden data are valid"), index)
}

/// The text of a network of the Bayesian network repository, bundled or in the data archive.
pub fn network_text(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = ["python/phgs/network_files", "data/networks"].map(|folder| root.join(folder));
    let path = folders.iter().map(|folder| folder.join(format!("{name}.bif.gz"))).find(|path| path.exists());
    let file = std::fs::File::open(path.expect(name)).expect(name);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).expect(name);
    text
}

/// A network of the Bayesian network repository.
pub fn network(name: &str) -> phgs::network::BayesianNetwork {
    phgs::network::BayesianNetwork::from_bif(&network_text(name)).expect(name)
}

/// Looks for a set that separates a pair at level α, and keeps the largest p-value and its set.
#[derive(Debug, Clone, PartialEq)]
pub struct Separating<'a> {
    pool: &'a [Variable],
    log_alpha: f64,
    pub max_log_p_value: f64,
    pub set: Option<Vec<Variable>>,
    pub tests: u64,
    /// Sets whose members are all in one of these were tested before.
    pub tested: Vec<Vec<Variable>>,
}

impl<'a> Separating<'a> {
    pub fn new(pool: &'a [Variable], log_alpha: f64, max_log_p_value: f64) -> Self {
        Self { pool, log_alpha, max_log_p_value, set: None, tests: 0, tested: Vec::new() }
    }
}

impl SubsetVisitor for Separating<'_> {
    fn floor(&self) -> f64 {
        self.max_log_p_value.min(self.log_alpha)
    }

    fn wants(&mut self, at: &[usize]) -> bool {
        !self.tested.iter().any(|family| at.iter().all(|&at| family.contains(&self.pool[at])))
    }

    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.tests += 1;
        if log_p_value > self.max_log_p_value {
            self.max_log_p_value = log_p_value;
            self.set = Some(at.iter().map(|&at| self.pool[at]).collect());
        }
        if log_p_value > self.log_alpha { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The pairs that are not d-separated by the empty set.
pub fn marginal_dependences(dag: &Dag) -> UndirectedGraph {
    let oracle = DSeparationOracle::new(dag);
    let pairs = oracle.marginal_dependences(&Run::new(1).unwrap(), 0.01f64.ln(), |_, _| true).unwrap();
    UndirectedGraph::from_edges(dag.n_variables(), pairs.iter().map(|pair| (pair.x, pair.y)))
}
