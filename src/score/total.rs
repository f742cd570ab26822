//! The score of a whole DAG.

use super::{LocalScore, ScoreSession};
use crate::graph::Dag;
use crate::run::Run;
use crate::{Error, Result, Variable};

/// The score of a DAG and its local terms.
#[derive(Debug, Clone, PartialEq)]
pub struct DagScore {
    /// The sum of the local terms.
    pub total: f64,
    /// The local score of each variable with its parents.
    pub local: Vec<f64>,
}

/// Scores a DAG: the local scores of all variables, computed in parallel, and their sum (rounded once, so that equal
/// sums of equivalent DAGs are equal numbers where the score's terms are exact).
///
/// # Errors
///
/// [`Error::Graph`] when the DAG has another number of variables than the score; [`Error::Interrupted`].
///
/// # Examples
///
/// ```
/// use phgs::{counts::CountingEngine, data::DiscreteData, graph::Dag, run::Run, score::{PenalizedLikelihood, score_dag}};
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1]])?;
/// let engine = CountingEngine::new(&data);
/// let bic = PenalizedLikelihood::bic(&engine);
/// let run = Run::new(1)?;
/// let forward = score_dag(&bic, &Dag::from_arcs(2, [(0, 1)])?, &run)?;
/// let backward = score_dag(&bic, &Dag::from_arcs(2, [(1, 0)])?, &run)?;
/// assert_eq!(forward.total, backward.total);
/// assert!((forward.total - (4.0 * 0.5f64.ln() - 1.5 * 4f64.ln())).abs() < 1e-9);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn score_dag<S: LocalScore>(score: &S, dag: &Dag, run: &Run) -> Result<DagScore> {
    let p = score.n_variables();
    if dag.n_variables() != p {
        return Err(Error::Graph(format!("the graph has {} variables, the data {p}", dag.n_variables())));
    }
    let local = run.map(
        p,
        || score.session(),
        |session, x| {
            let x = x as Variable;
            session.local_score(x, dag.parents(x))
        },
    )?;
    Ok(DagScore { total: sum(&local), local })
}

/// The sum of some numbers, rounded once (Neumaier's compensated summation).
pub(crate) fn sum(values: &[f64]) -> f64 {
    let (mut sum, mut compensation) = (0.0f64, 0.0);
    for &value in values {
        let next = sum + value;
        compensation += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    // Infinite terms have no compensation.
    if sum.is_finite() { sum + compensation } else { sum }
}
