//! The choice of a score, and scores of given graphs.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::composition::{item, unknown};
use super::data::{Data, Table};
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use crate::counts::CountingEngine;
use crate::data::Correlation;
use crate::graph::Dag;
use crate::run::Run;
use crate::score::{DiscreteScore, DiscreteScoreKind, GaussianBic, LocalScore, ScoreSession, n_parameters, score_dag};
use crate::{Error, Result, Variable};

/// A score, without the data.
#[derive(Clone, Copy)]
pub(super) enum ScoreChoice {
    Discrete(DiscreteScoreKind),
    /// λ, and γ of the extended BIC.
    Gaussian(f64, Option<f64>),
}

impl ScoreChoice {
    /// The score that a dictionary describes: `name`, and `penalty`, `gamma` or `equivalent_sample_size` where it has one.
    pub(super) fn new(dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        let kind = match item::<String>(dict, "name")?.as_str() {
            "loglik" => DiscreteScoreKind::LogLikelihood,
            "aic" => DiscreteScoreKind::Aic,
            "bic" => DiscreteScoreKind::Bic(item(dict, "penalty")?),
            "ebic" => DiscreteScoreKind::Ebic(item(dict, "penalty")?, item(dict, "gamma")?),
            "bdeu" => DiscreteScoreKind::Bdeu(item(dict, "equivalent_sample_size")?),
            "k2" => DiscreteScoreKind::K2,
            "gaussian-bic" => return Ok(Self::Gaussian(item(dict, "penalty")?, None)),
            "gaussian-ebic" => return Ok(Self::Gaussian(item(dict, "penalty")?, Some(item(dict, "gamma")?))),
            other => return unknown("score", other),
        };
        Ok(Self::Discrete(kind))
    }

    pub(super) fn on_counts<'e, 'd>(self, engine: &'e CountingEngine<'d>) -> Result<DiscreteScore<'e, 'd>> {
        match self {
            Self::Discrete(kind) => DiscreteScore::new(engine, kind),
            Self::Gaussian(..) => Err(Error::parameter("score", "this one is for Gaussian data")),
        }
    }

    pub(super) fn on_correlation(self, correlation: &Correlation) -> Result<GaussianBic<'_>> {
        match self {
            Self::Gaussian(penalty, None) => GaussianBic::new(correlation, penalty),
            Self::Gaussian(penalty, Some(gamma)) => GaussianBic::extended(correlation, penalty, gamma),
            Self::Discrete(_) => Err(Error::parameter("score", "this one is for categories")),
        }
    }
}

fn unscored<T>() -> PyResult<T> {
    Err(PyValueError::new_err("data with missing values cannot be scored"))
}

fn dag(table: &Table, arcs: Vec<(Variable, Variable)>) -> PyResult<Dag> {
    check(table.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    Ok(Dag::from_arcs(table.n_variables(), arcs)?)
}

/// Scores a DAG: the total, the local score of each variable, the name of the score, and the number of parameters.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn score(
    py: Python<'_>,
    dataset: Data<'_>,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<(f64, Vec<f64>, &'static str, f64)> {
    let table = dataset.table();
    let dag = dag(&table, arcs)?;
    let choice = ScoreChoice::new(&score)?;
    let settings = Settings { threads, ..AT_ONCE };
    match table {
        Table::Discrete(data) => run_job(py, &settings, |run| {
            let parameters = (0..data.n_variables() as Variable).map(|x| n_parameters(&data, x, dag.parents(x))).sum();
            of_dag(&choice.on_counts(&CountingEngine::new(&data))?, &dag, parameters, run)
        }),
        Table::Gaussian(correlation) => run_job(py, &settings, |run| {
            let parameters = (dag.n_arcs() + 2 * dag.n_variables()) as f64;
            of_dag(&choice.on_correlation(&correlation)?, &dag, parameters, run)
        }),
        Table::Incomplete(_) => unscored(),
    }
}

fn of_dag(
    score: &impl LocalScore,
    dag: &Dag,
    parameters: f64,
    run: &Run,
) -> Result<(f64, Vec<f64>, &'static str, f64)> {
    let found = score_dag(score, dag, run)?;
    Ok((found.total, found.local, score.name(), parameters))
}

/// What each arc adds to the score of a DAG: the local score of its child minus that without this parent.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
#[allow(clippy::needless_pass_by_value)] // Arguments of a Python function are owned.
pub(crate) fn score_gains(
    py: Python<'_>,
    dataset: Data<'_>,
    arcs: Vec<(Variable, Variable)>,
    score: Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<Vec<f64>> {
    let table = dataset.table();
    let dag = dag(&table, arcs.clone())?;
    let choice = ScoreChoice::new(&score)?;
    let settings = Settings { threads, ..AT_ONCE };
    match table {
        Table::Discrete(data) => {
            run_job(py, &settings, |run| of_arcs(&choice.on_counts(&CountingEngine::new(&data))?, &dag, &arcs, run))
        }
        Table::Gaussian(correlation) => {
            run_job(py, &settings, |run| of_arcs(&choice.on_correlation(&correlation)?, &dag, &arcs, run))
        }
        Table::Incomplete(_) => unscored(),
    }
}

fn of_arcs(score: &impl LocalScore, dag: &Dag, arcs: &[(Variable, Variable)], run: &Run) -> Result<Vec<f64>> {
    run.map(
        arcs.len(),
        || score.session(),
        |session, i| {
            let (from, to) = arcs[i];
            let without: Vec<Variable> = dag.parents(to).iter().copied().filter(|&x| x != from).collect();
            session.local_score(to, dag.parents(to)) - session.local_score(to, &without)
        },
    )
}
