//! The choice of a score, and scores of given graphs.

use pyo3::prelude::*;

use super::calls::{CalledScore, Calls};
use super::dataset::{AnyData, AnyDataset, OpenData};
use super::described::{item, unknown};
use super::graph::check;
use super::run::{AT_ONCE, Settings};
use crate::data::MixedData;
use crate::graph::Dag;
use crate::run::Run;
use crate::score::{
    ConditionalGaussian, DiscreteScore, DiscreteScoreKind, GaussianBic, LocalScore, MixedBic, NoScore, ScoreSession,
    WeightedScore, n_parameters, score_dag,
};
use crate::{Error, Result, SortedSet, Variable};

/// A score, without the data.
pub(super) enum ScoreChoice {
    Discrete(DiscreteScoreKind),
    /// λ, and γ of the extended BIC.
    Gaussian(f64, Option<f64>),
    /// λ, γ of the extended BIC, and the exact score of categories.
    Mixed(f64, Option<f64>, Option<DiscreteScoreKind>),
    /// λ and γ of the conditional Gaussian score.
    ConditionalGaussian(f64, f64),
    /// A Python function, and whether it scores equivalent DAGs alike.
    Own(Py<PyAny>, bool),
    /// None: every graph scores 0, for methods that learn by tests alone.
    None,
}

impl<'py> FromPyObject<'_, 'py> for ScoreChoice {
    type Error = PyErr;

    /// The score that a mapping describes: `name`, and `penalty`, `gamma` or `equivalent_sample_size` where it has one, or
    /// the `function` of a user's own.
    fn extract(score: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if score.is_none() {
            return Ok(Self::None);
        }
        let score: &Bound<'py, PyAny> = &score;
        let kind = match item::<String>(score, "name")?.as_str() {
            "own" => return Ok(Self::Own(item(score, "function")?, item(score, "equivalent")?)),
            "loglik" => DiscreteScoreKind::LogLikelihood,
            "aic" => DiscreteScoreKind::Aic,
            "bic" => DiscreteScoreKind::Bic(item(score, "penalty")?),
            "ebic" => DiscreteScoreKind::Ebic(item(score, "penalty")?, item(score, "gamma")?),
            "bdeu" => DiscreteScoreKind::Bdeu(item(score, "equivalent_sample_size")?),
            "k2" => DiscreteScoreKind::K2,
            "qnml" => DiscreteScoreKind::Qnml(item(score, "gamma")?),
            "sqnml" => DiscreteScoreKind::Sqnml(item(score, "gamma")?),
            "gaussian-bic" => return Ok(Self::Gaussian(item(score, "penalty")?, None)),
            "gaussian-ebic" => return Ok(Self::Gaussian(item(score, "penalty")?, Some(item(score, "gamma")?))),
            "cg" => return Ok(Self::ConditionalGaussian(item(score, "penalty")?, item(score, "gamma")?)),
            name @ ("mixed-bic" | "mixed-ebic") => {
                let penalty = item(score, "penalty")?;
                let gamma = if name == "mixed-ebic" { Some(item(score, "gamma")?) } else { None };
                let exact = match item::<String>(score, "exact")?.as_str() {
                    "none" => None,
                    "bic" => Some(DiscreteScoreKind::Bic(penalty)),
                    "sqnml" => Some(DiscreteScoreKind::Sqnml(0.0)),
                    other => return unknown("exact", other),
                };
                return Ok(Self::Mixed(penalty, gamma, exact));
            }
            other => return unknown("score", other),
        };
        Ok(Self::Discrete(kind))
    }
}

impl ScoreChoice {
    /// Whether it is a Python function, which is called on one thread.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Own(..))
    }

    /// Does a job with the score of some data.
    pub(super) fn on<J: WithScore>(
        &self,
        data: &OpenData<'_>,
        n_variables: usize,
        calls: &Calls<'_>,
        job: &J,
        run: &Run,
    ) -> Result<J::Output> {
        let unfit = |problem: &str| Err(Error::parameter("score", problem));
        match (self, data) {
            (Self::None, _) => job.with(&NoScore::new(n_variables), run),
            (Self::Own(function, equivalent), _) => {
                job.with(&CalledScore::new(function, *equivalent, n_variables, calls), run)
            }
            (Self::Discrete(kind), OpenData::Categorical(engine)) => job.with(&DiscreteScore::new(engine, *kind)?, run),
            (Self::Discrete(kind), OpenData::Weighted(engine)) => job.with(&WeightedScore::new(engine, *kind)?, run),
            (&Self::Gaussian(penalty, gamma), OpenData::Gaussian(correlation)) => {
                let score = match gamma {
                    None => GaussianBic::new(correlation, penalty)?,
                    Some(gamma) => GaussianBic::extended(correlation, penalty, gamma)?,
                };
                job.with(&score, run)
            }
            (&Self::Mixed(penalty, gamma, exact), OpenData::Mixed(data, engine)) => {
                let engine = if exact.is_some() { engine.as_ref() } else { None };
                let exact = exact.unwrap_or(DiscreteScoreKind::Bic(penalty));
                job.with(&MixedBic::new(data, engine, penalty, gamma, exact)?, run)
            }
            (&Self::ConditionalGaussian(penalty, gamma), OpenData::Mixed(data, _)) => {
                job.with(&ConditionalGaussian::new(data, penalty, gamma)?, run)
            }
            (_, OpenData::Incomplete(_) | OpenData::IncompleteElsewhere(..)) => {
                unfit("data with missing values cannot be scored")
            }
            (Self::Gaussian(..), _) => unfit("this one needs Gaussian data"),
            (Self::Mixed(..) | Self::ConditionalGaussian(..), _) => unfit("this one needs mixed data"),
            (Self::Discrete(_), _) => unfit("this one needs categories"),
        }
    }
}

/// What is to be done with a score, whatever its type.
pub(super) trait WithScore: Sync {
    type Output: Send;

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Self::Output>;
}

/// Does a job with the score of some data.
fn with_score<J: WithScore>(
    py: Python<'_>,
    data: &AnyData,
    score: &ScoreChoice,
    threads: usize,
    job: &J,
) -> PyResult<J::Output> {
    let threads = if score.is_own() { 1 } else { threads };
    data.run(py, Settings { threads, ..AT_ONCE }, |open, run, calls| {
        score.on(open, data.n_variables(), calls, job, run)
    })
}

fn dag(data: &AnyData, arcs: Vec<(Variable, Variable)>) -> PyResult<Dag> {
    check(data.n_variables(), arcs.iter().flat_map(|&(x, y)| [x, y]))?;
    Ok(Dag::from_arcs(data.n_variables(), arcs)?)
}

/// The local scores of a DAG and their total.
struct OfDag(Dag);

impl WithScore for OfDag {
    type Output = ScoredDag;

    fn with(&self, score: &impl LocalScore, run: &Run) -> Result<Self::Output> {
        let found = score_dag(score, &self.0, run)?;
        Ok(ScoredDag { value: found.total, local: found.local, name: score.name(), n_parameters: None })
    }
}

/// What [`score`] returns.
#[derive(IntoPyObject)]
pub(crate) struct ScoredDag {
    value: f64,
    local: Vec<f64>,
    name: &'static str,
    /// `None` for a score of one's own, which may be of any kind of model.
    n_parameters: Option<f64>,
}

/// Scores a DAG: the total, the local score of each variable, the name of the score, and the number of parameters.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
pub(crate) fn score(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    arcs: Vec<(Variable, Variable)>,
    score: ScoreChoice,
    threads: usize,
) -> PyResult<ScoredDag> {
    let data = dataset.data();
    let dag = dag(&data, arcs)?;
    let n_parameters = match (&data, data.shape()) {
        _ if score.is_own() => None,
        (_, Some(shape)) => {
            Some((0..shape.n_variables() as Variable).map(|x| n_parameters(shape, x, dag.parents(x))).sum())
        }
        (AnyData::Mixed(data), _) => Some(match score {
            ScoreChoice::ConditionalGaussian(..) => conditional_parameters(data, &dag),
            _ => embedded_parameters(data, &dag),
        }),
        _ => Some((dag.n_arcs() + 2 * dag.n_variables()) as f64),
    };
    let scored = with_score(py, &data, &score, threads, &OfDag(dag))?;
    Ok(ScoredDag { n_parameters, ..scored })
}

/// The weights of the embedded columns, and their means and covariances within blocks.
fn embedded_parameters(data: &MixedData, dag: &Dag) -> f64 {
    let of = |x: Variable| {
        let width = data.width(x) as f64;
        let parents: usize = dag.parents(x).iter().map(|&parent| data.width(parent)).sum();
        width * (parents as f64 + 1.0 + 0.5 * (width + 1.0))
    };
    (0..data.n_variables() as Variable).map(of).sum()
}

/// The parameters of the conditional Gaussian score: those of the distributions of all families, less those of the parents.
fn conditional_parameters(data: &MixedData, dag: &Dag) -> f64 {
    let of = |set: &[Variable]| {
        let arity = |&x: &Variable| data.categories().zip(data.category(x)).map(|(table, x)| f64::from(table.arity(x)));
        let configurations: f64 = set.iter().filter_map(arity).product();
        let k = set.iter().filter(|&&x| data.category(x).is_none() && data.width(x) > 0).count() as f64;
        configurations * (0.5 * k * (k + 3.0) + 1.0) - 1.0
    };
    let of_child = |x: Variable| {
        let parents = dag.parents(x);
        of(&[parents, &[x]].concat()) - of(parents)
    };
    (0..data.n_variables() as Variable).map(of_child).sum()
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
                session.local_score(to, parents) - session.local_score(to, &parents.without(from))
            },
        )
    }
}

/// What each arc adds to the score of a DAG: the local score of its child minus that without this parent.
#[pyfunction]
#[pyo3(signature = (dataset, arcs, score, threads))]
pub(crate) fn score_gains(
    py: Python<'_>,
    dataset: AnyDataset<'_>,
    arcs: Vec<(Variable, Variable)>,
    score: ScoreChoice,
    threads: usize,
) -> PyResult<Vec<f64>> {
    let data = dataset.data();
    let dag = dag(&data, arcs.clone())?;
    with_score(py, &data, &score, threads, &OfArcs { dag, arcs })
}
