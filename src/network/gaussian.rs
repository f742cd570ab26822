//! Linear Gaussian networks: random ones on a given DAG, their exact correlations, and samples from them.

use rand_core::RngCore;

use crate::data::{ContinuousData, Correlation};
use crate::graph::{Dag, UndirectedGraph};
use crate::random_numbers::{stream, uniform};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// A network in which each variable is a weighted sum of its parents and an independent normal disturbance of mean 0.
///
/// # Examples
///
/// ```
/// use phgs::graph::Dag;
/// use phgs::network::GaussianNetwork;
/// let dag = Dag::from_arcs(3, [(0, 1), (1, 2)])?;
/// let network = GaussianNetwork::new(dag, vec![vec![], vec![0.5], vec![-2.0]], vec![1.0, 1.0, 3.0])?;
/// let covariance = network.covariance();
/// assert_eq!((covariance[1][1], covariance[0][2]), (1.25, -1.0));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianNetwork {
    dag: Dag,
    weights: Vec<Vec<f64>>,
    variances: Vec<f64>,
}

/// Rows drawn from one stream of random numbers.
const BLOCK: usize = 1024;

impl GaussianNetwork {
    /// A network with these weights (for each variable, of its parents in increasing order) and variances of the
    /// disturbances.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when numbers are missing or not finite, or variances are not above 0.
    pub fn new(dag: Dag, weights: Vec<Vec<f64>>, variances: Vec<f64>) -> Result<Self> {
        let p = dag.n_variables();
        let fits = weights.len() == p
            && (0..p).all(|x| weights[x].len() == dag.parents(x as Variable).len())
            && weights.iter().flatten().all(|weight| weight.is_finite());
        if !fits {
            return Err(Error::parameter("weights", "every parent of every variable needs one finite weight"));
        }
        if variances.len() != p || !variances.iter().all(|v| v.is_finite() && *v > 0.0) {
            return Err(Error::parameter("variances", "every variable needs a finite variance above 0"));
        }
        Ok(Self { dag, weights, variances })
    }

    /// A random network as in the paper's section on Gaussian results: weights uniform on \[−1, −0.1\] ∪ \[0.1, 1\],
    /// variances uniform on \[1, 2\]. The same seed gives the same network.
    pub fn random(dag: Dag, seed: u64) -> Self {
        let mut rng = stream(seed, u64::MAX);
        let mut weights = Vec::with_capacity(dag.n_variables());
        let mut variances = Vec::with_capacity(dag.n_variables());
        for x in 0..dag.n_variables() as Variable {
            let mut weight = || {
                let sign = if rng.next_u64() >> 63 == 0 { 1.0 } else { -1.0 };
                sign * (0.1 + 0.9 * uniform(&mut rng))
            };
            weights.push(dag.parents(x).iter().map(|_| weight()).collect());
            variances.push(1.0 + uniform(&mut rng));
        }
        Self { dag, weights, variances }
    }

    /// The structure.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Weights of the parents of a variable, in increasing order of the parents.
    pub fn weights(&self, x: Variable) -> &[f64] {
        &self.weights[x as usize]
    }

    /// Variance of the disturbance of a variable.
    pub fn variance(&self, x: Variable) -> f64 {
        self.variances[x as usize]
    }

    /// The covariance matrix of the variables.
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        let p = self.dag.n_variables();
        let mut covariance = vec![vec![0.0; p]; p];
        let order = self.dag.topological_order();
        for (done, &y) in order.iter().enumerate() {
            let yi = y as usize;
            let mut row = vec![0.0; p];
            for (&x, weight) in self.dag.parents(y).iter().zip(&self.weights[yi]) {
                for &z in &order[..done] {
                    row[z as usize] += weight * covariance[x as usize][z as usize];
                }
            }
            let parents = self.dag.parents(y).iter().zip(&self.weights[yi]);
            row[yi] = self.variances[yi] + parents.map(|(&x, weight)| weight * row[x as usize]).sum::<f64>();
            for &z in &order[..done] {
                covariance[z as usize][yi] = row[z as usize];
            }
            covariance[yi] = row;
        }
        covariance
    }

    /// The exact correlations, as if they came from `n_rows` rows: with many, scores and tests answer as the network's
    /// d-separations say, and algorithms can be proven on them.
    ///
    /// # Errors
    ///
    /// As [`Correlation::from_matrix`]; strong weights can make variables the same up to rounding.
    pub fn correlation(&self, n_rows: usize) -> Result<Correlation> {
        let mut matrix = self.covariance();
        let deviations: Vec<f64> = (0..matrix.len()).map(|x| matrix[x][x].sqrt()).collect();
        for (x, row) in matrix.iter_mut().enumerate() {
            for (y, value) in row.iter_mut().enumerate() {
                *value = if x == y { 1.0 } else { *value / (deviations[x] * deviations[y]) };
            }
        }
        Correlation::from_matrix(&matrix, n_rows)
    }

    /// Draws rows. The same seed gives the same rows for any number of threads.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless there are at least two rows; [`Error::Interrupted`].
    pub fn sample(&self, n_rows: usize, seed: u64, run: &Run) -> Result<ContinuousData> {
        if n_rows < 2 {
            return Err(Error::parameter("n_rows", format!("{n_rows} is less than 2")));
        }
        let p = self.dag.n_variables();
        let order = self.dag.topological_order();
        let blocks = run.map(
            n_rows.div_ceil(BLOCK),
            || (),
            |(), number| {
                let rows = BLOCK.min(n_rows - number * BLOCK);
                let mut rng = stream(seed, number as u64);
                let mut block: Vec<Vec<f64>> = vec![Vec::new(); p];
                for &y in &order {
                    let mut column = normal(rows, self.variances[y as usize].sqrt(), &mut rng);
                    for (&x, weight) in self.dag.parents(y).iter().zip(&self.weights[y as usize]) {
                        column.iter_mut().zip(&block[x as usize]).for_each(|(value, parent)| *value += weight * parent);
                    }
                    block[y as usize] = column;
                }
                block
            },
        )?;
        let column = |x: usize| blocks.iter().flat_map(|block| block[x].iter().copied()).collect();
        ContinuousData::from_columns((0..p).map(column).collect())
    }
}

/// Normal numbers with mean 0, by the method of Box and Muller.
fn normal(n: usize, deviation: f64, rng: &mut impl RngCore) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(n + 1);
    while numbers.len() < n {
        // 1 − u is above 0.
        let radius = deviation * (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * uniform(rng)).sin_cos();
        numbers.extend([radius * cos, radius * sin]);
    }
    numbers.truncate(n);
    numbers
}

/// The conditional-independence graph of a distribution that is faithful to a DAG: x and y are adjacent unless they are
/// independent given all other variables, that is, the DAG's moral graph.
pub fn conditional_independence_graph(dag: &Dag) -> UndirectedGraph {
    let mut graph = dag.skeleton();
    for y in 0..dag.n_variables() as Variable {
        let parents = dag.parents(y);
        for (i, &x) in parents.iter().enumerate() {
            for &z in &parents[i + 1..] {
                graph.insert(x, z);
            }
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dag() -> Dag {
        Dag::from_arcs(6, [(0, 2), (1, 2), (2, 3), (1, 4), (3, 4)]).unwrap()
    }

    #[test]
    fn parameters_are_in_their_ranges() {
        let network = GaussianNetwork::random(dag(), 3);
        assert_eq!(network, GaussianNetwork::random(dag(), 3));
        assert_ne!(network, GaussianNetwork::random(dag(), 4));
        let weights: Vec<f64> = (0..6).flat_map(|x| network.weights(x).to_vec()).collect();
        assert_eq!(weights.len(), 5);
        assert!(weights.iter().all(|w| (0.1..=1.0).contains(&w.abs())));
        assert!((0..6).all(|x| (1.0..=2.0).contains(&network.variance(x))));
        assert!(GaussianNetwork::new(dag(), vec![vec![]; 6], vec![1.0; 6]).is_err());
    }

    #[test]
    fn samples_have_the_covariance_of_the_network() {
        let network = GaussianNetwork::random(dag(), 8);
        let run = Run::new(2).unwrap();
        let data = network.sample(100_000, 1, &run).unwrap();
        assert_eq!(data, network.sample(100_000, 1, &Run::new(1).unwrap()).unwrap());
        let covariance = network.covariance();
        let exact = network.correlation(100_000).unwrap();
        let sampled = Correlation::of(&data, &run).unwrap();
        for x in 0..6 {
            // The standard error of a variance is σ² √(2 / n), of a correlation at most 1 / √n.
            let expected = covariance[x as usize][x as usize];
            assert!((sampled.variance(x) / expected - 1.0).abs() < 5.0 * (2e-5f64).sqrt());
            for y in 0..x {
                assert!((sampled.get(x, y) - exact.get(x, y)).abs() < 5.0 * (1e-5f64).sqrt());
            }
        }
        assert!(network.sample(1, 1, &run).is_err());
    }

    #[test]
    fn moral_graph_marries_parents() {
        let graph = conditional_independence_graph(&dag());
        let edges: Vec<_> = graph.edges().collect();
        assert_eq!(edges, [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)]);
    }
}
