//! Random DAGs and random tables for them.

use super::{BayesianNetwork, Node};
use crate::graph::Dag;
use crate::random_numbers::{below, dirichlet, generator, permutation, stream, uniform};
use crate::{Error, Result, Variable};

/// A kind of random DAG. Variables are numbered at random: an arc may go to a lower number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RandomDag {
    /// Every pair is adjacent with the same probability, which makes the average number of neighbours `degree`; arcs
    /// follow a random order (Erdős and Rényi).
    ErdosRenyi {
        /// Average number of neighbours, at least 0 and below the number of variables.
        degree: f64,
    },
    /// Variables come one after another; each gets `parents` parents (fewer while there are fewer), drawn with
    /// probability proportional to one plus the number of children that a variable has: few variables have many
    /// children (Barabási and Albert, with arcs from the old to the new).
    ScaleFree {
        /// Parents of each new variable.
        parents: usize,
    },
}

impl RandomDag {
    /// Draws a DAG.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when the degree cannot be had.
    pub fn draw(self, n_variables: usize, seed: u64) -> Result<Dag> {
        let mut rng = generator(seed);
        let order = permutation(&mut rng, n_variables);
        let mut arcs: Vec<(Variable, Variable)> = Vec::new();
        match self {
            Self::ErdosRenyi { degree } => {
                let most = n_variables.saturating_sub(1) as f64;
                if !(0.0..=most).contains(&degree) {
                    let problem = format!("{degree} neighbours on average: 0 to {most} are possible");
                    return Err(Error::parameter("degree", problem));
                }
                let probability = if most > 0.0 { degree / most } else { 0.0 };
                if probability > 0.0 {
                    // Skips over the pairs that are not adjacent: time is that of the arcs, not of the pairs.
                    let pairs = n_variables * (n_variables - 1) / 2;
                    let skip = (1.0 - probability).ln();
                    let mut pair = 0usize;
                    loop {
                        if probability < 1.0 {
                            pair = pair.saturating_add(((1.0 - uniform(&mut rng)).ln() / skip) as usize);
                        }
                        if pair >= pairs {
                            break;
                        }
                        let (earlier, later) = pair_of(pair);
                        arcs.push((order[earlier], order[later]));
                        pair += 1;
                    }
                }
            }
            Self::ScaleFree { parents } => {
                // Each variable once, and once more for each child: a uniform draw from the list is the one wanted.
                let mut tickets: Vec<Variable> = Vec::new();
                for (number, &x) in order.iter().enumerate() {
                    let mut chosen: Vec<Variable> = Vec::new();
                    while chosen.len() < parents.min(number) {
                        let parent = tickets[below(&mut rng, tickets.len())];
                        if !chosen.contains(&parent) {
                            chosen.push(parent);
                        }
                    }
                    arcs.extend(chosen.iter().map(|&parent| (parent, x)));
                    tickets.append(&mut chosen);
                    tickets.push(x);
                }
            }
        }
        Dag::from_arcs(n_variables, arcs)
    }
}

/// The pair (earlier, later) with this number: (0, 1), (0, 2), (1, 2), (0, 3), …
fn pair_of(number: usize) -> (usize, usize) {
    let mut later = (((8.0 * number as f64 + 1.0).sqrt() + 1.0) / 2.0) as usize;
    // The square root may be off by one where numbers are large.
    while later * (later - 1) / 2 > number {
        later -= 1;
    }
    while later * (later + 1) / 2 <= number {
        later += 1;
    }
    (number - later * (later - 1) / 2, later)
}

impl BayesianNetwork {
    /// A network on a DAG with random tables: the number of states of each variable is uniform between `states.0` and
    /// `states.1`, each row is a draw from a Dirichlet distribution with equal concentrations (1: uniform; smaller:
    /// rows closer to certainty). Variables are named `X0`, `X1`, …, states `0`, `1`, ….
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when the range of states is empty or the concentration is not positive; [`Error::Data`] when
    /// a table becomes too large.
    pub fn random(dag: &Dag, states: (usize, usize), concentration: f64, seed: u64) -> Result<Self> {
        if states.0 < 1 || states.1 < states.0 {
            return Err(Error::parameter("states", format!("{} to {} states", states.0, states.1)));
        }
        if !(concentration > 0.0 && concentration.is_finite()) {
            return Err(Error::parameter("concentration", format!("{concentration} is not a positive number")));
        }
        let mut rng = generator(seed);
        let arities: Vec<usize> =
            (0..dag.n_variables()).map(|_| states.0 + below(&mut rng, states.1 - states.0 + 1)).collect();
        let nodes = (0..dag.n_variables()).map(|x| {
            let parents = dag.parents(x as Variable).to_vec();
            let rows = parents.iter().try_fold(1usize, |rows, &v| rows.checked_mul(arities[v as usize]));
            let rows = rows.filter(|&rows| rows.saturating_mul(arities[x]) <= super::bayesian_network::MAX_TABLE);
            let rows = rows.ok_or_else(|| Error::Data(format!("the table of variable {x} has too many entries")))?;
            let mut rng = stream(seed, 1 + x as u64);
            Ok(Node {
                name: format!("X{x}"),
                states: (0..arities[x]).map(|s| s.to_string()).collect(),
                parents,
                probabilities: (0..rows).flat_map(|_| dirichlet(&mut rng, arities[x], concentration)).collect(),
            })
        });
        Self::new("random", nodes.collect::<Result<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        let mut number = 0;
        for later in 1..300 {
            for earlier in 0..later {
                assert_eq!(pair_of(number), (earlier, later));
                number += 1;
            }
        }
    }
}
