//! Bayesian networks as Python holds them.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::array::codes_to_array;
use super::dataset::{CategoricalDataset, IncompleteDataset, WeightedDataset};
use super::filling::row_weights;
use super::run::{AT_ONCE, Settings, run_job};
use crate::graph::Dag;
use crate::network::{BayesianNetwork, BifOptions, Node, ParameterEstimate, RandomDag, tile, tile_in_random_order};
use crate::{Error, Variable};

/// A discrete Bayesian network, never changed.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct Network {
    network: Arc<BayesianNetwork>,
}

impl Network {
    fn wrap(network: BayesianNetwork) -> Self {
        Self { network: Arc::new(network) }
    }
}

/// A list of arrays, one for each variable.
type Arrays<'py> = Vec<Bound<'py, PyArray1<f64>>>;

/// For each table with changed rows: the variable, rows divided by their sum, rows of NaN made uniform.
type Repairs = Vec<(Variable, usize, usize)>;

fn settings(threads: usize) -> Settings {
    Settings { threads, ..AT_ONCE }
}

fn estimate(equivalent_sample_size: Option<f64>) -> ParameterEstimate {
    equivalent_sample_size.map_or(ParameterEstimate::MaximumLikelihood, |equivalent_sample_size| {
        ParameterEstimate::Dirichlet { equivalent_sample_size }
    })
}

#[pymethods]
impl Network {
    /// Lists with one entry for each variable: its name, its states, its parents by position and its table as a flat
    /// list (one row of `len(states)` numbers for each configuration of the parents, the last parent running fastest).
    #[new]
    fn new(
        name: String,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        parents: Vec<Vec<Variable>>,
        tables: Vec<Vec<f64>>,
    ) -> PyResult<Self> {
        if states.len() != names.len() || parents.len() != names.len() || tables.len() != names.len() {
            return Err(Error::Data("names, states, parents and tables differ in length".into()).into());
        }
        let nodes = names.into_iter().zip(states).zip(parents).zip(tables);
        let nodes =
            nodes.map(|(((name, states), parents), probabilities)| Node { name, states, parents, probabilities });
        Ok(Self::wrap(BayesianNetwork::new(name, nodes.collect())?))
    }

    /// Reads the text of a BIF file. Also returns, for each table of which rows were changed as the tolerance allows,
    /// the variable, how many rows were divided by their sum, and how many rows of NaN were made uniform.
    #[staticmethod]
    #[pyo3(signature = (text, tolerance=None, max_entries=None))]
    fn from_bif(
        py: Python<'_>,
        text: &str,
        tolerance: Option<f64>,
        max_entries: Option<usize>,
    ) -> PyResult<(Self, Repairs)> {
        let defaults = BifOptions::default();
        let options = BifOptions { tolerance, max_entries: max_entries.unwrap_or(defaults.max_entries) };
        let (network, repairs) = run_job(py, &AT_ONCE, |run| BayesianNetwork::from_bif_with(text, &options, run))?;
        let repairs = repairs.into_iter().map(|repair| (repair.variable, repair.scaled, repair.unseen));
        Ok((Self::wrap(network), repairs.collect()))
    }

    /// The text of a BIF file.
    fn to_bif(&self, py: Python<'_>) -> PyResult<String> {
        run_job(py, &AT_ONCE, |run| self.network.to_bif_within(run))
    }

    /// Name of the network.
    #[getter]
    fn name(&self) -> &str {
        self.network.name()
    }

    /// Names of the variables.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.network.nodes().iter().map(|node| node.name.as_str()).collect()
    }

    /// States of each variable.
    #[getter]
    fn states(&self) -> Vec<Vec<String>> {
        self.network.nodes().iter().map(|node| node.states.clone()).collect()
    }

    /// Parents of each variable, by position, in the order in which its table runs through them.
    #[getter]
    fn parents(&self) -> Vec<Vec<Variable>> {
        self.network.nodes().iter().map(|node| node.parents.clone()).collect()
    }

    /// The table of a variable as a flat array.
    fn table<'py>(&self, py: Python<'py>, x: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match self.network.nodes().get(x) {
            Some(node) => Ok(PyArray1::from_slice(py, &node.probabilities)),
            None => Err(PyIndexError::new_err(format!("variable {x} of {}", self.network.n_variables()))),
        }
    }

    /// Number of free parameters.
    #[getter]
    fn n_parameters(&self) -> usize {
        self.network.n_parameters()
    }

    /// The same network with another name.
    fn renamed(&self, name: String) -> Self {
        Self::wrap((*self.network).clone().renamed(name))
    }

    /// The same network with its variables in this order.
    fn reordered(&self, order: Vec<Variable>) -> PyResult<Self> {
        Ok(Self::wrap(self.network.reordered(&order)?))
    }

    /// The same network with its variables in a random order.
    fn permuted(&self, seed: u64) -> PyResult<Self> {
        Ok(Self::wrap(self.network.permuted(seed)?))
    }

    /// Draws rows: the codes of each variable, `uint8` up to 256 states, else `uint16`.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let data = run_job(py, &settings(threads), |run| self.network.sample(n_rows, seed, run))?;
        Ok(data.columns().iter().map(|codes| codes_to_array(py, codes)).collect())
    }

    /// The marginal distribution of each variable, and whether each is exact.
    fn marginals<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<(Arrays<'py>, Vec<bool>)> {
        let marginals = run_job(py, &settings(threads), |run| self.network.marginals(run))?;
        let variables = 0..self.network.n_variables() as Variable;
        Ok((
            variables.clone().map(|x| PyArray1::from_slice(py, marginals.distribution(x))).collect(),
            variables.map(|x| marginals.is_exact(x)).collect(),
        ))
    }

    /// The network prepared as in the paper: (network, names of the variables dropped, number of states dropped, names
    /// of the variables with merged states).
    fn prepare(
        &self,
        py: Python<'_>,
        max_states: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<(Self, Vec<String>, usize, Vec<String>)> {
        let prepared = run_job(py, &settings(threads), |run| self.network.prepare(max_states, seed, run))?;
        Ok((
            Self::wrap(prepared.network),
            prepared.dropped_variables,
            prepared.dropped_states,
            prepared.merged_variables,
        ))
    }

    /// Copies of the network, tiled: (network, number of connecting arcs, minimal nodes whose parents were drawn again).
    fn tile(&self, py: Python<'_>, copies: usize, seed: u64, threads: usize) -> PyResult<(Self, usize, usize)> {
        let tiled = run_job(py, &settings(threads), |run| self.network.tile(copies, seed, run))?;
        Ok((Self::wrap(tiled.network), tiled.connecting_arcs, tiled.redrawn))
    }

    /// Several networks, tiled in this order or in a random one.
    #[staticmethod]
    fn tile_all(
        py: Python<'_>,
        networks: Vec<PyRef<'_, Self>>,
        random_order: bool,
        seed: u64,
        threads: usize,
    ) -> PyResult<(Self, usize, usize)> {
        let networks: Vec<Arc<BayesianNetwork>> = networks.iter().map(|network| Arc::clone(&network.network)).collect();
        let tiled = run_job(py, &settings(threads), |run| {
            let networks: Vec<&BayesianNetwork> = networks.iter().map(AsRef::as_ref).collect();
            if random_order { tile_in_random_order(&networks, seed, run) } else { tile(&networks, seed, run) }
        })?;
        Ok((Self::wrap(tiled.network), tiled.connecting_arcs, tiled.redrawn))
    }

    /// Estimates tables from data; by maximum likelihood where there is no equivalent sample size.
    #[staticmethod]
    fn learn_parameters(
        py: Python<'_>,
        dataset: Counted<'_>,
        arcs: Vec<(Variable, Variable)>,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        equivalent_sample_size: Option<f64>,
        threads: usize,
    ) -> PyResult<Self> {
        let dag = Dag::from_arcs(names.len(), arcs)?;
        let estimate = estimate(equivalent_sample_size);
        let settings = settings(threads);
        let network = match dataset {
            Counted::Rows(dataset) => {
                let data = dataset.data();
                run_job(py, &settings, |run| {
                    BayesianNetwork::learn_parameters(&data, &dag, names, states, estimate, run)
                })?
            }
            Counted::Weights(dataset) => {
                let data = dataset.data();
                run_job(py, &settings, |run| {
                    BayesianNetwork::learn_weighted_parameters(&data, &dag, names, states, estimate, run)
                })?
            }
        };
        Ok(Self::wrap(network))
    }

    /// The same from data with missing values, by EM.
    #[staticmethod]
    #[pyo3(signature = (dataset, arcs, names, states, equivalent_sample_size, threads, weights = None))]
    fn learn_parameters_em(
        py: Python<'_>,
        dataset: &IncompleteDataset,
        arcs: Vec<(Variable, Variable)>,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        equivalent_sample_size: Option<f64>,
        threads: usize,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let data = dataset.data();
        let dag = Dag::from_arcs(data.n_variables(), arcs)?;
        let weights = weights.as_ref().map(row_weights).transpose()?;
        let estimate = estimate(equivalent_sample_size);
        let network = run_job(py, &settings(threads), |run| {
            BayesianNetwork::learn_parameters_em(&data, weights.as_ref(), &dag, names, states, estimate, run)
        })?;
        Ok(Self::wrap(network))
    }

    /// A network with random tables on a DAG.
    #[staticmethod]
    fn random(
        n_variables: usize,
        arcs: Vec<(Variable, Variable)>,
        states: (usize, usize),
        concentration: f64,
        seed: u64,
    ) -> PyResult<Self> {
        let dag = Dag::from_arcs(n_variables, arcs)?;
        Ok(Self::wrap(BayesianNetwork::random(&dag, states, concentration, seed)?))
    }
}

/// Complete data of categories.
#[derive(FromPyObject)]
pub(crate) enum Counted<'py> {
    Rows(PyRef<'py, CategoricalDataset>),
    Weights(PyRef<'py, WeightedDataset>),
}

/// The arcs of a random DAG: with this average number of neighbours where `degree` is given, else scale-free with this
/// many parents.
#[pyfunction]
#[pyo3(signature = (n_variables, degree, parents, seed))]
pub(crate) fn random_dag(
    n_variables: usize,
    degree: Option<f64>,
    parents: usize,
    seed: u64,
) -> PyResult<Vec<(Variable, Variable)>> {
    let kind = match degree {
        Some(degree) => RandomDag::ErdosRenyi { degree },
        None => RandomDag::ScaleFree { parents },
    };
    Ok(kind.draw(n_variables, seed)?.arcs().collect())
}
