//! The marginal distribution of every variable.

use super::cluster_tree;
use super::elimination::ancestral;
use crate::network::BayesianNetwork;
use crate::run::Run;
use crate::{Result, Variable};

/// Rows that estimate what is too large to be computed.
const ROWS: usize = 1_000_000;

/// Marginal distributions of all variables of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    distributions: Vec<Vec<f64>>,
    exact: Vec<bool>,
}

impl Marginals {
    /// The distribution of a variable over its states.
    pub fn distribution(&self, x: Variable) -> &[f64] {
        &self.distributions[x as usize]
    }

    /// Whether the distribution of a variable is exact (up to rounding) or estimated.
    pub fn is_exact(&self, x: Variable) -> bool {
        self.exact[x as usize]
    }

    /// Whether all are exact.
    pub fn all_exact(&self) -> bool {
        self.exact.iter().all(|&exact| exact)
    }
}

impl BayesianNetwork {
    /// The marginal distribution of every variable: exact wherever the tables that this takes (of the variable and its
    /// ancestors, in a tree of clusters) fit into memory, estimated from a million rows with a fixed seed otherwise.
    /// A state has probability 0 exactly when it is impossible, where the distribution is exact.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] once the run is cancelled.
    pub fn marginals(&self, run: &Run) -> Result<Marginals> {
        let p = self.n_variables();
        let nodes = self.nodes();
        let everything: Vec<Variable> = (0..p as Variable).collect();
        if let Some(distributions) = cluster_tree::marginals(nodes, &everything, run)? {
            return Ok(Marginals { distributions, exact: vec![true; p] });
        }
        let mut distributions: Vec<Vec<f64>> = vec![Vec::new(); p];
        let mut exact = vec![false; p];
        // Late variables first: their ancestors come along.
        for &x in self.dag().topological_order().iter().rev() {
            if exact[x as usize] {
                continue;
            }
            let set = ancestral(nodes, &[x]);
            if let Some(found) = cluster_tree::marginals(nodes, &set, run)? {
                for (&y, distribution) in set.iter().zip(found) {
                    distributions[y as usize] = distribution;
                    exact[y as usize] = true;
                }
            }
        }
        let missing: Vec<Variable> = everything.into_iter().filter(|&x| !exact[x as usize]).collect();
        if !missing.is_empty() {
            let data = self.sample(ROWS, 0, run)?;
            for x in missing {
                let mut counts = vec![0.0; self.arity(x)];
                for row in 0..ROWS {
                    counts[data.column(x).get(row) as usize] += 1.0;
                }
                distributions[x as usize] = counts.into_iter().map(|count: f64| count / ROWS as f64).collect();
            }
        }
        Ok(Marginals { distributions, exact })
    }
}
