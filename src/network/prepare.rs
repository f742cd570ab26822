//! Preparing a published network for simulation, as the paper does (section 5.1).

use rustc_hash::FxHashSet;

use super::{BayesianNetwork, Marginals, Node};
use crate::random_numbers::{below, generator};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// The most states that the paper keeps.
pub const MAX_STATES: usize = 8;

/// A prepared network and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The network.
    pub network: BayesianNetwork,
    /// Names of the variables that had one possible state and were dropped.
    pub dropped_variables: Vec<String>,
    /// Number of impossible states dropped from the variables that stay.
    pub dropped_states: usize,
    /// Names of the variables of which states were merged.
    pub merged_variables: Vec<String>,
}

/// The states of a variable after preparation: which old state goes where, and with what weight.
struct Recoding {
    /// The new code of each old state; none where it is impossible.
    code: Vec<Option<usize>>,
    /// Marginal probability of each old state within its new one.
    weight: Vec<f64>,
    states: Vec<String>,
}

impl BayesianNetwork {
    /// Prepares the network as in the paper's simulations: states of probability 0 are dropped, variables with one
    /// remaining state are dropped, and states of variables with more than `max_states` are merged at random (two at a
    /// time, until enough are gone). A merged state's conditional distributions are averaged, weighted by the marginal
    /// probabilities of what it is made of. A merged state is named by its parts, joined by `+`.
    ///
    /// Marginals are exact where that is feasible ([`BayesianNetwork::marginals`]): on all networks of the repository.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when `max_states` is below 2; [`Error::Data`] when no variable has two possible states;
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn prepare(&self, max_states: usize, seed: u64, run: &Run) -> Result<Prepared> {
        if max_states < 2 {
            return Err(Error::parameter("max_states", "a variable needs at least 2 states"));
        }
        let marginals = self.marginals(run)?;
        let mut rng = generator(seed);
        let recodings: Vec<Recoding> = (0..self.n_variables() as Variable)
            .map(|x| recode(&self.node(x).states, &marginals, x, max_states, |n| below(&mut rng, n)))
            .collect();
        let mut position = vec![None; self.n_variables()];
        let mut kept = Vec::new();
        for (x, recoding) in recodings.iter().enumerate() {
            if recoding.states.len() > 1 {
                position[x] = Some(kept.len() as Variable);
                kept.push(x);
            }
        }
        if kept.is_empty() {
            return Err(Error::Data("no variable has two possible states".into()));
        }
        let nodes = kept.iter().map(|&x| recoded_node(self, x, &recodings, &position)).collect();
        let possible = |x: usize| recodings[x].code.iter().filter(|code| code.is_some()).count();
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            (0..self.n_variables()).filter(|&x| keep(x)).map(|x| self.nodes()[x].name.clone()).collect()
        };
        Ok(Prepared {
            network: BayesianNetwork::new(self.name(), nodes)?,
            dropped_variables: names(&|x| recodings[x].states.len() == 1),
            dropped_states: kept.iter().map(|&x| recodings[x].code.len() - possible(x)).sum(),
            merged_variables: names(&|x| recodings[x].states.len() < possible(x)),
        })
    }
}

fn recode(
    states: &[String],
    marginals: &Marginals,
    x: Variable,
    max_states: usize,
    mut below: impl FnMut(usize) -> usize,
) -> Recoding {
    let marginal = marginals.distribution(x);
    let mut groups: Vec<Vec<usize>> = (0..states.len()).filter(|&s| marginal[s] > 0.0).map(|s| vec![s]).collect();
    while groups.len() > max_states {
        let a = below(groups.len());
        let b = (a + 1 + below(groups.len() - 1)) % groups.len();
        let gone = groups.remove(a.max(b));
        groups[a.min(b)].extend(gone);
    }
    let mut recoding = Recoding { code: vec![None; states.len()], weight: vec![0.0; states.len()], states: Vec::new() };
    let mut names: FxHashSet<String> = FxHashSet::default();
    for (code, group) in groups.iter_mut().enumerate() {
        group.sort_unstable();
        let total: f64 = group.iter().map(|&s| marginal[s]).sum();
        for &s in group.iter() {
            recoding.code[s] = Some(code);
            recoding.weight[s] = marginal[s] / total;
        }
        let mut name = group.iter().map(|&s| states[s].as_str()).collect::<Vec<_>>().join("+");
        while !names.insert(name.clone()) {
            name.push('\'');
        }
        recoding.states.push(name);
    }
    recoding
}

fn recoded_node(network: &BayesianNetwork, x: usize, recodings: &[Recoding], position: &[Option<Variable>]) -> Node {
    let old = &network.nodes()[x];
    let own = &recodings[x];
    let arity = own.states.len();
    let parents: Vec<&Recoding> = old.parents.iter().map(|&parent| &recodings[parent as usize]).collect();
    let n_rows: usize = parents.iter().map(|parent| parent.states.len()).product();
    let mut probabilities = vec![0.0; n_rows * arity];
    let mut states = vec![0usize; parents.len()];
    for row in old.rows() {
        // Where this row goes and how much it weighs there; nowhere when a state is impossible.
        let place = parents.iter().zip(&states).try_fold((0, 1.0), |(row, weight), (parent, &state)| {
            parent.code[state].map(|code| (row * parent.states.len() + code, weight * parent.weight[state]))
        });
        if let Some((at, weight)) = place {
            for (&value, code) in row.iter().zip(&own.code) {
                if let Some(code) = *code {
                    probabilities[at * arity + code] += weight * value;
                }
            }
        }
        for (state, parent) in states.iter_mut().zip(&parents).rev() {
            *state += 1;
            if *state < parent.code.len() {
                break;
            }
            *state = 0;
        }
    }
    for row in probabilities.chunks_exact_mut(arity) {
        let total: f64 = row.iter().sum();
        if (total - 1.0).abs() > 1e-12 {
            // Rounded input, or a configuration that never occurs and gave weight to states that never occur.
            let uniform = 1.0 / arity as f64;
            row.iter_mut().for_each(|value| *value = if total > 0.0 { *value / total } else { uniform });
        }
    }
    let parents = old.parents.iter().filter_map(|&parent| position[parent as usize]).collect();
    Node { name: old.name.clone(), states: own.states.clone(), parents, probabilities }
}
