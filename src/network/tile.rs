//! Large networks from copies of small ones: tiling.
//!
//! Tsamardinos, Statnikov, Brown and Aliferis, *Generating realistic large Bayesian networks by tiling* (2006), as modified
//! in the paper (section 5.1): the copies are put one after another; every minimal node (one without parents) of a
//! later copy gets e parents, drawn from all variables of all earlier copies, where Pr(e = a) is the share of variables
//! with a parents among all variables of all copies, for a up to min(d, 4) with d the largest number of parents.
//!
//! The new tables preserve the marginal distribution of every minimal node. With A the new parents of a minimal node
//! with distribution p, a random positive table (gamma of shape ½) is scaled by rows and columns until its margins are
//! the joint distribution of A and p; it then gives P(k | a). The joint distribution of A is computed exactly where that
//! takes no table of more than [`MAX_JOINT`] entries, and else counted in 65,536 rows drawn from what is already there.
//! (Variables further down may change their marginals a little: the minimal nodes above them are no longer independent.)

use super::inference::joint;
use super::random_numbers::{below, gamma, generator, shuffle, stream, uniform};
use super::sample::Sampler;
use super::{BayesianNetwork, Node};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// The most parents a minimal node may get.
const MAX_NEW_PARENTS: usize = 4;
/// Shape of the random tables' entries.
const SHAPE: f64 = 0.5;
/// Rows in which joint distributions are counted that are too large to be computed.
const ROWS: usize = 1 << 16;
/// Entries of the largest table when the joint distribution of new parents is computed.
pub const MAX_JOINT: usize = 1 << 16;

/// A tiled network and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiled {
    /// The network; variable `NAME` of copy i (from 0) is `NAME_i`.
    pub network: BayesianNetwork,
    /// Number of arcs that connect copies.
    pub connecting_arcs: usize,
    /// Number of minimal nodes with new parents whose joint distribution was counted in a sample, not computed.
    pub estimated: usize,
}

impl BayesianNetwork {
    /// Connects `copies` copies of the network by tiling. One copy is the network itself, with its names.
    ///
    /// # Errors
    ///
    /// Those of [`tile`].
    pub fn tile(&self, copies: usize, seed: u64, run: &Run) -> Result<Tiled> {
        if copies == 0 {
            return Err(Error::parameter("copies", "at least one copy is needed"));
        }
        tile(&vec![self; copies], seed, run).map(|tiled| Tiled { network: tiled.network.renamed(self.name()), ..tiled })
    }
}

/// Connects networks, in this order, by tiling.
///
/// # Errors
///
/// [`Error::Parameter`] when there are none; [`Error::Interrupted`] once the run is cancelled.
pub fn tile(networks: &[&BayesianNetwork], seed: u64, run: &Run) -> Result<Tiled> {
    tile_within(networks, seed, MAX_JOINT, run)
}

fn tile_within(networks: &[&BayesianNetwork], seed: u64, limit: usize, run: &Run) -> Result<Tiled> {
    let [first, rest @ ..] = networks else {
        return Err(Error::parameter("networks", "at least one network is needed"));
    };
    if rest.is_empty() {
        return Ok(Tiled { network: (*first).clone(), connecting_arcs: 0, estimated: 0 });
    }
    let mut rng = generator(seed);
    let shares = in_degree_shares(networks);
    let mut nodes: Vec<Node> = Vec::new();
    let mut rows = Rows { seed, columns: Vec::new() };
    let (mut connecting_arcs, mut estimated) = (0, 0);
    for (number, network) in networks.iter().enumerate() {
        let earlier = nodes.len();
        for node in network.nodes() {
            let mut node = node.clone();
            node.name = format!("{}_{number}", node.name);
            for parent in &mut node.parents {
                *parent += earlier as Variable;
            }
            nodes.push(node);
        }
        if number == 0 {
            continue;
        }
        for x in earlier..nodes.len() {
            run.check()?;
            if !nodes[x].parents.is_empty() {
                continue;
            }
            let count = draw(&shares, uniform(&mut rng)).min(earlier);
            let mut parents: Vec<Variable> = Vec::with_capacity(count);
            while parents.len() < count {
                let parent = below(&mut rng, earlier) as Variable;
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
            if parents.is_empty() {
                continue;
            }
            let given = joint(&nodes, &parents, limit).unwrap_or_else(|| {
                estimated += 1;
                rows.joint(&nodes, &parents)
            });
            let node = &mut nodes[x];
            node.probabilities = random_table(&given, &node.probabilities, || gamma(&mut rng, SHAPE));
            node.parents = parents;
            connecting_arcs += count;
        }
    }
    Ok(Tiled { network: BayesianNetwork::new("tiled", nodes)?, connecting_arcs, estimated })
}

/// Networks in random order, tiled: the paper's MIX.
///
/// # Errors
///
/// Those of [`tile`].
pub fn tile_in_random_order(networks: &[&BayesianNetwork], seed: u64, run: &Run) -> Result<Tiled> {
    let mut order = networks.to_vec();
    // A seed of its own, so that the order does not use up numbers that tiling draws.
    shuffle(&mut stream(seed, 1), &mut order);
    tile(&order, seed, run)
}

/// Share of the variables with 0, 1, … parents; those with more than the cap count as having as many as the cap. (The
/// paper does not say what becomes of them; this gives its numbers of arcs.)
fn in_degree_shares(networks: &[&BayesianNetwork]) -> Vec<f64> {
    let mut counts = vec![0usize; MAX_NEW_PARENTS + 1];
    for node in networks.iter().flat_map(|network| network.nodes()) {
        counts[node.parents.len().min(MAX_NEW_PARENTS)] += 1;
    }
    let total: usize = counts.iter().sum();
    counts.into_iter().map(|count| count as f64 / total as f64).collect()
}

/// The index that a uniform number falls on.
fn draw(shares: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    let found = shares.iter().position(|share| {
        sum += share;
        uniform < sum
    });
    found.unwrap_or_else(|| shares.iter().rposition(|&share| share > 0.0).unwrap_or(0))
}

/// Rows drawn from the network as far as it is there, column by column when one is needed.
struct Rows {
    seed: u64,
    /// The codes of each variable; empty while nobody has asked.
    columns: Vec<Vec<u16>>,
}

impl Rows {
    /// The frequencies of all configurations of these variables, the last one running fastest.
    fn joint(&mut self, nodes: &[Node], variables: &[Variable]) -> Vec<f64> {
        self.columns.resize(nodes.len(), Vec::new());
        let mut configurations = vec![0usize; ROWS];
        for &x in variables {
            self.draw(nodes, x, &mut configurations);
        }
        configurations.fill(0);
        for &x in variables {
            let arity = nodes[x as usize].arity();
            for (configuration, &code) in configurations.iter_mut().zip(&self.columns[x as usize]) {
                *configuration = *configuration * arity + usize::from(code);
            }
        }
        let mut joint = vec![0.0; variables.iter().map(|&x| nodes[x as usize].arity()).product()];
        for configuration in configurations {
            joint[configuration] += 1.0 / ROWS as f64;
        }
        joint
    }

    /// Draws the column of a variable, after those of its ancestors.
    fn draw(&mut self, nodes: &[Node], x: Variable, configurations: &mut [usize]) {
        let mut stack = vec![x];
        while let Some(&x) = stack.last() {
            let missing = nodes[x as usize].parents.iter().copied().find(|&y| self.columns[y as usize].is_empty());
            match missing {
                Some(parent) => stack.push(parent),
                None => {
                    if self.columns[x as usize].is_empty() {
                        // A stream for each variable, so that columns do not depend on who asks first.
                        let mut rng = stream(self.seed, 2 + u64::from(x));
                        self.columns[x as usize] = Sampler::new(nodes, x).draw(&self.columns, configurations, &mut rng);
                    }
                    stack.pop();
                }
            }
        }
    }
}

/// A random conditional table, one row for each entry of `given`, whose mean over `given` is `marginal`: a random
/// positive table is scaled by rows and columns in turn (iterative proportional fitting).
fn random_table(given: &[f64], marginal: &[f64], mut entry: impl FnMut() -> f64) -> Vec<f64> {
    let arity = marginal.len();
    // Nothing is smaller than this, so that scaling converges quickly; the largest entries are of order 1.
    let mut table: Vec<f64> = (0..given.len() * arity).map(|_| entry().max(1e-6)).collect();
    let mut scale = vec![1.0; arity];
    for _ in 0..20_000 {
        let mut column = vec![0.0; arity];
        for (row, &weight) in table.chunks_exact(arity).zip(given).filter(|(_, weight)| **weight > 0.0) {
            let total: f64 = row.iter().zip(&scale).map(|(v, s)| v * s).sum();
            for ((sum, v), s) in column.iter_mut().zip(row).zip(&scale) {
                *sum += weight * v * s / total;
            }
        }
        let error = column.iter().zip(marginal).map(|(c, m)| (c - m).abs()).fold(0.0, f64::max);
        if error < 1e-13 {
            break;
        }
        for ((s, c), m) in scale.iter_mut().zip(&column).zip(marginal) {
            *s *= if *c > 0.0 { m / c } else { 0.0 };
        }
    }
    for (row, &weight) in table.chunks_exact_mut(arity).zip(given) {
        if weight > 0.0 {
            let total: f64 = row.iter().zip(&scale).map(|(v, s)| v * s).sum();
            row.iter_mut().zip(&scale).for_each(|(v, s)| *v *= s / total);
        } else {
            row.copy_from_slice(marginal);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> BayesianNetwork {
        let text = "
            variable a { type discrete [ 2 ] { 0, 1 }; }
            variable b { type discrete [ 3 ] { 0, 1, 2 }; }
            variable c { type discrete [ 3 ] { 0, 1, 2 }; }
            variable d { type discrete [ 2 ] { 0, 1 }; }
            probability ( a ) { table 0.05, 0.95; }
            probability ( b ) { table 0.2, 0, 0.8; }
            probability ( c | a, b ) { (0, 0) 1, 0, 0; (0, 1) 0, 1, 0; default 0.1, 0.3, 0.6; }
            probability ( d | c ) { (0) 0.9, 0.1; (1) 0.5, 0.5; (2) 0.3, 0.7; }";
        BayesianNetwork::from_bif(text).unwrap()
    }

    #[test]
    fn minimal_nodes_keep_their_distribution() {
        let run = Run::new(1).unwrap();
        let network = small();
        for (limit, tolerance) in [(MAX_JOINT, 1e-10), (1, 0.01)] {
            let mut estimated = 0;
            for seed in 0..20 {
                let tiled = tile_within(&[&network; 5], seed, limit, &run).unwrap();
                estimated += tiled.estimated;
                let exact = tiled.network.marginals(&run).unwrap();
                for (x, node) in tiled.network.nodes().iter().enumerate().filter(|(x, _)| x % 4 < 2) {
                    for (a, b) in exact.distribution(x as Variable).iter().zip(network.nodes()[x % 4].row(0)) {
                        assert!((a - b).abs() < tolerance, "limit {limit}, seed {seed}: {} {a} {b}", node.name);
                    }
                }
            }
            assert_eq!(estimated > 0, limit == 1);
        }
    }

    #[test]
    fn random_tables_have_the_margins_asked_for() {
        let mut rng = generator(5);
        let given = [0.3, 0.0, 0.6999, 0.0001];
        let marginal = [1e-6, 0.5, 0.0, 0.499_999];
        for _ in 0..100 {
            let table = random_table(&given, &marginal, || gamma(&mut rng, SHAPE));
            for row in table.chunks(4) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            for (state, &expected) in marginal.iter().enumerate() {
                let mean: f64 = given.iter().enumerate().map(|(i, p)| p * table[i * 4 + state]).sum();
                assert!((mean - expected).abs() < 1e-12, "{mean} {expected}");
            }
        }
    }
}
