//! From a DAG and data to a network.

use super::bayesian_network::MAX_TABLE;
use super::{BayesianNetwork, Node};
use crate::data::{DiscreteData, WeightedData};
use crate::graph::Dag;
use crate::run::Run;
use crate::{Error, Result, Variable};

/// How the rows of conditional tables are estimated from counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterEstimate {
    /// Relative frequencies; a row that the data never show is uniform.
    MaximumLikelihood,
    /// The posterior mean with a uniform Dirichlet prior (as in the BDeu score): every cell of the table of a variable
    /// with r states and q configurations of its parents has a prior count of `equivalent_sample_size` / (r q).
    Dirichlet {
        /// Prior counts of a table together; positive.
        equivalent_sample_size: f64,
    },
}

impl BayesianNetwork {
    /// Estimates the conditional tables of a DAG from data. `names` and `states` name the variables and the states of
    /// each, in the order of columns and codes; states beyond those that occur in the data are allowed.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when sizes do not match or a table becomes too large; [`Error::Parameter`] when the equivalent
    /// sample size is not positive; [`Error::Interrupted`] once the run is cancelled.
    pub fn learn_parameters(
        data: &DiscreteData,
        dag: &Dag,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        estimate: ParameterEstimate,
        run: &Run,
    ) -> Result<Self> {
        Self::learn(data, |_| 1.0, dag, names, states, estimate, run)
    }

    /// The same of rows with sampling weights, scaled to sum to the effective number of rows.
    ///
    /// # Errors
    ///
    /// As [`learn_parameters`](Self::learn_parameters).
    pub fn learn_weighted_parameters(
        data: &WeightedData,
        dag: &Dag,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        estimate: ParameterEstimate,
        run: &Run,
    ) -> Result<Self> {
        let weight = |row: usize| data.units()[row] as f64 / WeightedData::UNIT as f64;
        Self::learn(data.data(), weight, dag, names, states, estimate, run)
    }

    fn learn(
        data: &DiscreteData,
        weight: impl Fn(usize) -> f64 + Sync,
        dag: &Dag,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        estimate: ParameterEstimate,
        run: &Run,
    ) -> Result<Self> {
        let arities = checked_arities(data.arities(), dag, &names, &states, estimate)?;
        let tables = run.try_map(
            arities.len(),
            || (),
            |(), x| {
                table(data, &weight, dag, &arities, x as Variable, estimate)
                    .ok_or_else(|| Error::Data(format!("the table of '{}' has too many entries", names[x])))
            },
        )?;
        network_of(dag, names, states, tables)
    }
}

/// The number of states of each variable, after checks of all that parameters are learned from.
pub(super) fn checked_arities(
    arities: &[u32],
    dag: &Dag,
    names: &[String],
    states: &[Vec<String>],
    estimate: ParameterEstimate,
) -> Result<Vec<usize>> {
    let p = arities.len();
    if dag.n_variables() != p || names.len() != p || states.len() != p {
        return Err(Error::Data(format!(
            "data have {p} columns, the graph {} variables; there are {} names and {} lists of states",
            dag.n_variables(),
            names.len(),
            states.len()
        )));
    }
    if let ParameterEstimate::Dirichlet { equivalent_sample_size: size } = estimate
        && !(size > 0.0 && size.is_finite())
    {
        return Err(Error::parameter("equivalent_sample_size", format!("{size} is not a positive number")));
    }
    for ((name, &arity), states) in names.iter().zip(arities).zip(states) {
        if states.len() < arity as usize {
            let problem = format!("column '{name}' has {arity} states, only {} are named", states.len());
            return Err(Error::Data(problem));
        }
    }
    Ok(states.iter().map(Vec::len).collect())
}

/// The network of a DAG and its tables.
pub(super) fn network_of(
    dag: &Dag,
    names: Vec<String>,
    states: Vec<Vec<String>>,
    tables: Vec<Vec<f64>>,
) -> Result<BayesianNetwork> {
    let nodes = names.into_iter().zip(states).zip(tables).enumerate().map(|(x, ((name, states), probabilities))| {
        Node { name, states, parents: dag.parents(x as Variable).to_vec(), probabilities }
    });
    BayesianNetwork::new("", nodes.collect())
}

fn table(
    data: &DiscreteData,
    weight: impl Fn(usize) -> f64,
    dag: &Dag,
    arities: &[usize],
    x: Variable,
    estimate: ParameterEstimate,
) -> Option<Vec<f64>> {
    let arity = arities[x as usize];
    let parents = dag.parents(x);
    let rows = parents.iter().try_fold(1usize, |rows, &parent| rows.checked_mul(arities[parent as usize]))?;
    let size = rows.checked_mul(arity).filter(|&size| size <= MAX_TABLE)?;
    let mut cells = vec![0usize; data.n_rows()];
    for &v in parents.iter().chain([&x]) {
        let arity = arities[v as usize];
        let column = data.column(v).unpacked();
        let column = column.view();
        for (row, cell) in cells.iter_mut().enumerate() {
            *cell = *cell * arity + column.get(row) as usize;
        }
    }
    let prior = match estimate {
        ParameterEstimate::MaximumLikelihood => 0.0,
        ParameterEstimate::Dirichlet { equivalent_sample_size } => equivalent_sample_size / size as f64,
    };
    let mut table = vec![prior; size];
    for (row, cell) in cells.into_iter().enumerate() {
        table[cell] += weight(row);
    }
    for row in table.chunks_exact_mut(arity) {
        let total: f64 = row.iter().sum();
        let uniform = 1.0 / arity as f64;
        row.iter_mut().for_each(|value| *value = if total > 0.0 { *value / total } else { uniform });
    }
    Some(table)
}
