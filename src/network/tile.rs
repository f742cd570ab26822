//! Large networks from copies of small ones: tiling.
//!
//! Tsamardinos, Statnikov, Brown and Aliferis, *Generating realistic large Bayesian networks by tiling* (2006), as modified
//! in the paper (section 5.1): the copies are put one after another; every minimal node (one without parents) of a
//! later copy gets e parents, drawn from all variables of all earlier copies, where Pr(e = a) is the share of variables
//! with a parents among all variables of all copies, for a up to min(d, 4) with d the largest number of parents.
//!
//! The new tables preserve the marginal distribution of every minimal node. With A the new parents of a minimal node
//! with distribution p, a random positive table (gamma of shape ½) is scaled by rows and columns until its margins are
//! the joint distribution of A and p; it then gives P(k | a). That joint distribution is always exact: where computing it
//! would take a table of more than [`MAX_JOINT`] entries, those parents that make it so are drawn again, among variables
//! with as many states. This favours variables with few ancestors among the earlier copies; e stays as drawn.
//! (Variables further down may change their marginals a little: the minimal nodes above them are no longer independent.)

use super::inference::joint;
use super::{BayesianNetwork, Node};
use crate::random_numbers::{below, gamma, generator, shuffle, stream, uniform};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// The most parents a minimal node may get.
const MAX_NEW_PARENTS: usize = 4;
/// Shape of the random tables' entries.
const SHAPE: f64 = 0.5;
/// Draws for a parent until its joint distribution with the others can be computed.
const TRIES: usize = 1000;
/// Entries of the largest table when the joint distribution of new parents is computed.
pub const MAX_JOINT: usize = 1 << 16;

/// A tiled network and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiled {
    /// The network; variable `NAME` of copy i (from 0) is `NAME_i`.
    pub network: BayesianNetwork,
    /// Number of arcs that connect copies.
    pub connecting_arcs: usize,
    /// Number of minimal nodes of whose new parents some were drawn again, since their joint distribution was too large.
    pub redrawn: usize,
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
        return Ok(Tiled { network: (*first).clone(), connecting_arcs: 0, redrawn: 0 });
    }
    let mut rng = generator(seed);
    let shares = in_degree_shares(networks);
    let mut nodes: Vec<Node> = Vec::new();
    let (mut connecting_arcs, mut redrawn) = (0, 0);
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
            let mut drawn: Vec<Variable> = Vec::with_capacity(count);
            while drawn.len() < count {
                let parent = below(&mut rng, earlier) as Variable;
                if !drawn.contains(&parent) {
                    drawn.push(parent);
                }
            }
            if drawn.is_empty() {
                continue;
            }
            let (parents, given) = match joint(&nodes, &drawn, limit) {
                Some(given) => (drawn, given),
                None => {
                    redrawn += 1;
                    match draw_again(&nodes, &drawn, limit, || below(&mut rng, earlier) as Variable, run)? {
                        Some(found) => found,
                        None => continue,
                    }
                }
            };
            connecting_arcs += parents.len();
            let node = &mut nodes[x];
            node.probabilities = random_table(&given, &node.probabilities, || gamma(&mut rng, SHAPE));
            node.parents = parents;
        }
    }
    Ok(Tiled { network: BayesianNetwork::new("tiled", nodes)?, connecting_arcs, redrawn })
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

/// As many parents as were drawn, with their joint distribution: those of the drawn ones whose joint distribution can be
/// computed, and others in place of the rest, with as many states while [`TRIES`] draws find such, so that the tables
/// keep their size. Fewer when as many draws among all find none either; none when they find nothing.
fn draw_again(
    nodes: &[Node],
    drawn: &[Variable],
    limit: usize,
    mut another: impl FnMut() -> Variable,
    run: &Run,
) -> Result<Option<(Vec<Variable>, Vec<f64>)>> {
    let mut parents: Vec<Variable> = Vec::with_capacity(drawn.len());
    let mut given = None;
    for &first in drawn {
        let arity = nodes[first as usize].arity();
        for draw in 0..=2 * TRIES {
            let parent = if draw == 0 { first } else { another() };
            if parents.contains(&parent) || (draw <= TRIES && nodes[parent as usize].arity() != arity) {
                continue;
            }
            run.check()?;
            parents.push(parent);
            if let Some(found) = joint(nodes, &parents, limit) {
                given = Some(found);
                break;
            }
            parents.pop();
        }
    }
    Ok(given.map(|given| (parents, given)))
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
        for limit in [MAX_JOINT, 12] {
            let mut redrawn = 0;
            for seed in 0..20 {
                let tiled = tile_within(&[&network; 5], seed, limit, &run).unwrap();
                redrawn += tiled.redrawn;
                assert_minimal_nodes_keep_their_distribution(&[&network; 5], &tiled.network, 1e-10);
                // And by another way of computing them.
                let exact = tiled.network.marginals(&run).unwrap();
                for (x, node) in network.nodes().iter().cycle().take(20).enumerate().filter(|(x, _)| x % 4 < 2) {
                    for (a, b) in exact.distribution(x as Variable).iter().zip(node.row(0)) {
                        assert!((a - b).abs() < 1e-10, "limit {limit}, seed {seed}: {} {a} {b}", node.name);
                    }
                }
            }
            assert_eq!(redrawn > 0, limit == 12);
        }
    }

    fn assert_minimal_nodes_keep_their_distribution(
        parts: &[&BayesianNetwork],
        tiled: &BayesianNetwork,
        tolerance: f64,
    ) {
        let minimal = parts.iter().flat_map(|part| part.nodes()).enumerate().filter(|(_, n)| n.parents.is_empty());
        for (x, node) in minimal {
            let parents = &tiled.nodes()[x].parents;
            let given = joint(tiled.nodes(), parents, MAX_JOINT).expect("no table is too large");
            for (state, expected) in node.row(0).iter().enumerate() {
                let rows = tiled.nodes()[x].rows();
                let found: f64 = rows.zip(&given).map(|(row, weight)| weight * row[state]).sum();
                assert!((found - expected).abs() < tolerance, "{}: {found} {expected}", node.name);
            }
        }
    }

    /// As many copies as in the paper, of networks that get too large for it without care.
    #[test]
    fn networks_of_the_paper_keep_the_distribution_of_minimal_nodes() {
        let run = Run::new(1).unwrap();
        let networks = [
            ("data/networks/barley", 21),
            ("data/networks/diabetes", 3),
            ("data/networks/pathfinder", 10),
            ("python/phgs/network_files/munin1", 7),
            ("python/phgs/network_files/alarm", 28),
        ];
        for (file, copies) in networks {
            let file = std::fs::File::open(format!("{}/{file}.bif.gz", env!("CARGO_MANIFEST_DIR"))).unwrap();
            let mut text = String::new();
            std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).unwrap();
            let network = BayesianNetwork::from_bif(&text).unwrap().prepare(8, 1, &run).unwrap().network;
            let tiled = network.tile(copies, 1, &run).unwrap();
            assert_eq!(tiled.redrawn > 0, copies != 10);
            assert_minimal_nodes_keep_their_distribution(&vec![&network; copies], &tiled.network, 1e-10);
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
