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
            "qnml" => DiscreteScoreKind::Qnml(item(dict, "gamma")?),
            "sqnml" => DiscreteScoreKind::Sqnml(item(dict, "gamma")?),
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

/// What is to be done with a score, whatever its type.
trait WithScore: Sync {
    type Output: Send;

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Self::Output>;
}

/// Does a job with the score of a table that a dictionary describes.
fn with_score<J: WithScore>(
    py: Python<'_>,
    table: &Table,
    score: &Bound<'_, PyDict>,
    threads: usize,
    job: &J,
) -> PyResult<J::Output> {
    let choice = ScoreChoice::new(score)?;
    let settings = Settings { threads, ..AT_ONCE };
    match table {
        Table::Discrete(data) => run_job(py, &settings, |run| job.with(&choice.on_counts(&data.engine())?, run)),
        Table::Gaussian(correlation) => {
            run_job(py, &settings, |run| job.with(&choice.on_correlation(correlation)?, run))
        }
        Table::Incomplete(_) => Err(PyValueError::new_err("data with missing values cannot be scored")),
    }
}

fn dag(table: &Table, arcs: Vec<(Variable, Variable)>) -> PyResult<Dag> {
    check(table.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    Ok(Dag::from_arcs(table.n_variables(), arcs)?)
}

/// The score of a DAG: its total, the local scores, and its name.
struct OfDag(Dag);

impl WithScore for OfDag {
    type Output = (f64, Vec<f64>, &'static str);

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Self::Output> {
        let found = score_dag(score, &self.0, run)?;
        Ok((found.total, found.local, score.name()))
    }
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
    let n_parameters = match &table {
        Table::Discrete(data) => {
            (0..data.n_variables() as Variable).map(|x| n_parameters(data, x, dag.parents(x))).sum()
        }
        Table::Gaussian(_) | Table::Incomplete(_) => (dag.n_arcs() + 2 * dag.n_variables()) as f64,
    };
    let (total, local, name) = with_score(py, &table, &score, threads, &OfDag(dag))?;
    Ok((total, local, name, n_parameters))
}

/// What each arc of a DAG adds to its score.
struct OfArcs {
    dag: Dag,
    arcs: Vec<(Variable, Variable)>,
}

impl WithScore for OfArcs {
    type Output = Vec<f64>;

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Self::Output> {
        run.map(
            self.arcs.len(),
            || score.session(),
            |session, i| {
                let (from, to) = self.arcs[i];
                let parents = self.dag.parents(to);
                let without: Vec<Variable> = parents.iter().copied().filter(|&x| x != from).collect();
                session.local_score(to, parents) - session.local_score(to, &without)
            },
        )
    }
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
    with_score(py, &table, &score, threads, &OfArcs { dag, arcs })
}
