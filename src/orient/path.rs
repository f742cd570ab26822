//! PATH: estimates along a path of thresholds on the maximum p-values, and the choice among them by score (the paper's
//! Algorithm 3, equation edge_diff and remark on validity).

use super::Oriented;
use crate::graph::{Dag, UndirectedGraph};
use crate::independence::Alpha;
use crate::run::Run;
use crate::score::{LocalScore, ScoreCache};
use crate::skeleton::Skeleton;
use crate::{Error, Result, Variable};

/// The path's length and end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// τ: the largest number of estimates; 1 turns PATH off (the one estimate is that at α).
    pub path_length: usize,
    /// The lowest threshold, α⁽τ⁾.
    pub min_alpha: Alpha,
}

impl Default for PathOptions {
    /// The paper's: 10 estimates down to 10⁻⁵.
    fn default() -> Self {
        Self { path_length: 10, min_alpha: Alpha::new(1e-5).expect("a level between 0 and 1") }
    }
}

/// An estimate at one threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The threshold.
    pub alpha: Alpha,
    /// Number of edges of the skeleton at the threshold.
    pub n_edges: usize,
    /// Score of the estimate's DAG; not a number where PATH is off, as one estimate needs none.
    pub score: f64,
    /// Whether the estimate is valid (always for estimates that are DAGs).
    pub extendable: bool,
    /// Whether this is the estimate that was chosen.
    pub selected: bool,
}

/// A solution path and the estimate chosen from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Path<E> {
    /// The points by decreasing threshold.
    pub points: Vec<PathPoint>,
    /// The chosen estimate.
    pub selected: E,
    /// Its index in `points`.
    pub index: usize,
}

/// What PATH can choose among.
pub trait Estimate {
    /// The DAG by which the estimate is scored.
    fn dag(&self) -> &Dag;
    /// Whether the estimate is valid; invalid ones are chosen only when all are.
    fn is_valid(&self) -> bool;
}

impl Estimate for Dag {
    fn dag(&self) -> &Dag {
        self
    }
    fn is_valid(&self) -> bool {
        true
    }
}

impl Estimate for Oriented {
    fn dag(&self) -> &Dag {
        &self.dag
    }
    fn is_valid(&self) -> bool {
        self.valid
    }
}

/// The decreasing thresholds of the path, the first of them α, such that the numbers of edges are about
/// equally spaced between those at α and at the lowest threshold. Thresholds between are order statistics of Φ.
/// Thresholds that give the same skeleton as one before are left out, so that there may be fewer than `path_length`.
///
/// # Errors
///
/// [`Error::Parameter`] when `path_length` is 0 or `min_alpha` is not below α and the path is longer than 1.
pub fn thresholds(skeleton: &Skeleton, options: &PathOptions) -> Result<Vec<Alpha>> {
    if options.path_length == 0 {
        return Err(Error::parameter("path_length", "must be at least 1 (1 turns PATH off)"));
    }
    let mut path = vec![skeleton.alpha()];
    if options.path_length == 1 {
        return Ok(path);
    }
    let (highest, lowest) = (skeleton.alpha().log(), options.min_alpha.log());
    if lowest.is_nan() || lowest >= highest {
        return Err(Error::parameter("min_alpha", "must be below alpha"));
    }
    let mut values: Vec<f64> = skeleton.records().iter().map(|r| r.max_log_p_value).filter(|&v| v <= highest).collect();
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    let n_removed = values.partition_point(|&v| v > lowest);
    // How many edges the last threshold removes; ties may remove fewer than the even spacing asks for.
    let mut removed = 0;
    let last = options.path_length - 1;
    for t in 1..=last {
        let target = (t * n_removed + last / 2) / last;
        let threshold = if t == last {
            options.min_alpha
        } else {
            Alpha::at_log_p_value(values.get(target).copied().unwrap_or(f64::NEG_INFINITY))
        };
        let now = values.partition_point(|&v| v > threshold.log());
        if now > removed {
            removed = now;
            path.push(threshold);
        }
    }
    Ok(path)
}

/// Makes an estimate at each threshold of the path and chooses the best: the highest score among the valid, or among
/// all when none is valid; of equal scores (to 10⁻⁹ of their size) the sparser.
///
/// Once the run is out of time no further threshold is looked at. What the first estimate then is, is for `estimate` to
/// say; where not even its score can be had in time, there is no point.
///
/// `estimate` gets the skeleton at the threshold and the threshold's logarithm. Scores go through `cache`, so that along the path only variables whose parents
/// change are evaluated. The caller reads the number of evaluations from the cache.
///
/// # Errors
///
/// Those of [`thresholds`] and of `estimate`; [`Error::Interrupted`] when the run is cancelled.
pub fn solution_path<'s, S: LocalScore, E: Estimate>(
    skeleton: &Skeleton,
    options: &PathOptions,
    cache: &mut ScoreCache<'s, S>,
    run: &Run,
    mut estimate: impl FnMut(&UndirectedGraph, f64, &mut ScoreCache<'s, S>) -> Result<E>,
) -> Result<Path<E>> {
    let thresholds = thresholds(skeleton, options)?;
    let n_variables = skeleton.graph().n_variables();
    let mut points: Vec<PathPoint> = Vec::with_capacity(thresholds.len());
    let mut best: Option<(usize, E)> = None;
    let mut scored: Option<Dag> = None;
    let mut local = Vec::new();
    let mut graph = skeleton.graph().clone();
    // The first estimate, where nobody could score it in time.
    let mut unscored = None;
    for alpha in thresholds {
        run.check()?;
        if best.is_some() && run.out_of_time() {
            break;
        }
        threshold(&mut graph, skeleton, alpha.log());
        let current = match estimate(&graph, alpha.log(), cache) {
            Err(Error::OutOfTime) if best.is_some() => break,
            other => other?,
        };
        if best.is_some() && run.out_of_time() {
            // It may have been cut short.
            break;
        }
        // A single estimate is compared with nothing.
        if options.path_length > 1 {
            local.resize(n_variables, f64::NAN);
            match score_what_changed(&mut local, scored.as_ref(), current.dag(), cache, run) {
                Err(Error::OutOfTime) => {
                    unscored = Some(current);
                    break;
                }
                other => other?,
            }
            scored = Some(current.dag().clone());
        }
        // The sum of all local scores, not of differences, so that equal DAGs have equal scores to the last bit.
        let point = PathPoint {
            alpha,
            n_edges: graph.n_edges(),
            score: if options.path_length > 1 { local.iter().sum() } else { f64::NAN },
            extendable: current.is_valid(),
            selected: false,
        };
        let better = best.as_ref().is_none_or(|&(index, _)| is_better(&point, &points[index]));
        if better {
            best = Some((points.len(), current));
        }
        points.push(point);
    }
    let Some((index, selected)) = best else {
        return Ok(Path { points, selected: unscored.ok_or(Error::OutOfTime)?, index: 0 });
    };
    points[index].selected = true;
    Ok(Path { points, selected, index })
}

/// Brings the local scores of `before` up to those of `now`: of all variables where there was no DAG before.
fn score_what_changed<S: LocalScore>(
    local: &mut [f64],
    before: Option<&Dag>,
    now: &Dag,
    cache: &mut ScoreCache<'_, S>,
    run: &Run,
) -> Result<()> {
    for x in 0..now.n_variables() as Variable {
        if before.is_none_or(|before| before.parents(x) != now.parents(x)) {
            run.check_overtime()?;
            local[x as usize] = cache.local_score(x, now.parents(x));
        }
    }
    Ok(())
}

/// Whether a sparser estimate is to be preferred to a denser one.
fn is_better(sparser: &PathPoint, denser: &PathPoint) -> bool {
    if sparser.extendable != denser.extendable {
        return sparser.extendable;
    }
    sparser.score >= denser.score - 1e-9 * denser.score.abs()
}

/// Removes the edges whose Φ is above a threshold.
fn threshold(graph: &mut UndirectedGraph, skeleton: &Skeleton, log_threshold: f64) {
    let above = |&(x, y): &(Variable, Variable)| {
        skeleton.record(x, y).is_some_and(|record| record.max_log_p_value > log_threshold)
    };
    let removed: Vec<_> = graph.edges().filter(above).collect();
    for (x, y) in removed {
        graph.remove(x, y);
    }
}
