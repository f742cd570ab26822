//! The BIC of linear Gaussian networks, and its extension for many variables.

use super::cholesky::{PANEL, append, eliminate_many};
use super::{LocalScore, ScoreSession};
use crate::data::{Correlation, SINGULAR};
use crate::run::Run;
use crate::{Result, Variable};

/// Gaussian BIC: log-likelihood − λ · ln n · parameters, where λ = ½ is BIC.
///
/// The local score of x with k parents is
///
/// ```text
/// −n/2 · (ln(2π σ²) + 1) − λ ln n · (k + 2)
/// ```
///
/// with σ² the residual variance of the least-squares regression of x on its parents and an intercept (sum of squares
/// divided by n); the parameters are k weights, the intercept and σ². For a correlation matrix that was given without
/// data, variances are 1; that shifts the score of every DAG by the same constant.
///
/// The extended BIC ([`GaussianBic::extended`]; Chen and Chen 2008, Foygel and Drton 2010) takes off γ ln p more for each
/// parent, with p the number of variables.
///
/// A parent that is a linear combination of those before it (in the order of their indices) changes no variance. A
/// residual variance below 1e-10 of the variable's own counts as that much, so that every score is finite: with
/// deterministic relations, or about as many parents as rows, larger sets of parents then cost only their penalty.
///
/// # Examples
///
/// ```
/// use phgs::data::Correlation;
/// use phgs::score::{GaussianBic, LocalScore, ScoreSession};
/// let correlation = Correlation::from_matrix(&[vec![1.0, 0.6], vec![0.6, 1.0]], 100)?;
/// let score = GaussianBic::new(&correlation, 0.5)?;
/// let mut session = score.session();
/// let gain = session.local_score(1, &[0]) - session.local_score(1, &[]);
/// assert!((gain - (-50.0 * 0.64f64.ln() - 0.5 * 100f64.ln())).abs() < 1e-10);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct GaussianBic<'c> {
    correlation: &'c Correlation,
    penalty: f64,
    per_parent: f64,
    name: &'static str,
}

impl<'c> GaussianBic<'c> {
    /// The score with penalty λ.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] unless λ is finite and at least 0.
    pub fn new(correlation: &'c Correlation, lambda: f64) -> Result<Self> {
        let penalty = super::likelihood::per_parameter(lambda, correlation.effective_rows())?;
        Ok(Self { correlation, penalty, per_parent: 0.0, name: "gaussian-bic" })
    }

    /// The extended BIC with penalty λ, and γ ln p for each parent.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] unless λ and γ are finite and at least 0.
    pub fn extended(correlation: &'c Correlation, lambda: f64, gamma: f64) -> Result<Self> {
        let per_parent = super::likelihood::per_parent(gamma, correlation.n_variables())?;
        Ok(Self { per_parent, name: "gaussian-ebic", ..Self::new(correlation, lambda)? })
    }

    /// The score from the share of the variance of `child` that `n_parents` parents leave.
    fn score(&self, child: Variable, left: f64, n_parents: usize) -> f64 {
        let log_variance = left.max(SINGULAR).ln() + self.correlation.log_variance(child);
        let n = self.correlation.effective_rows();
        -0.5 * n * (std::f64::consts::TAU.ln() + log_variance + 1.0)
            - self.penalty * (n_parents as f64 + 2.0)
            - self.per_parent * n_parents as f64
    }
}

impl LocalScore for GaussianBic<'_> {
    type Session<'s>
        = GaussianSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.correlation.n_variables()
    }

    fn session(&self) -> GaussianSession<'_> {
        GaussianSession { score: *self, factor: Vec::new(), tail: Vec::new() }
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn order_from_data(&self, run: &Run) -> Result<Option<Vec<Variable>>> {
        self.correlation.least_explained_first(run).map(Some)
    }
}

/// One thread's access to a [`GaussianBic`].
#[derive(Debug)]
pub struct GaussianSession<'s> {
    score: GaussianBic<'s>,
    /// Cholesky's factor of the parents and then the child, row by row with `width` columns; the diagonal holds
    /// inverse pivots (0: a combination of earlier variables).
    factor: Vec<f64>,
    /// The rows after a candidate, while it is among the parents.
    tail: Vec<f64>,
}

impl GaussianSession<'_> {
    /// Factors the parents (at least one), with the child's row after theirs. Returns the least that is left of any of
    /// their variances, and what is left of the child's.
    fn factorise(&mut self, parents: &[Variable], child: Variable) -> (f64, f64) {
        let (correlation, k) = (self.score.correlation, parents.len());
        self.factor.clear();
        let mut least_left = 1.0f64;
        for (j, &x) in parents.iter().enumerate() {
            let left = append(correlation, &mut self.factor, k, parents[..j].iter().copied(), x);
            least_left = least_left.min(left);
        }
        let left = append(correlation, &mut self.factor, k, parents.iter().copied(), child);
        (least_left.min(left), left)
    }
}

impl ScoreSession for GaussianSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let width = parents.len() + 1;
        self.factor.clear();
        let mut left = 1.0;
        for (k, &x) in parents.iter().chain([&child]).enumerate() {
            left = append(self.score.correlation, &mut self.factor, width, parents[..k].iter().copied(), x);
        }
        self.score.score(child, left, parents.len())
    }

    /// Factors the parents once. A candidate takes its place in the order of the indices, so that the result is that
    /// of [`ScoreSession::local_score`] to the bit: the rows before it are shared, those after it are done again.
    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        let correlation = self.score.correlation;
        let k = parents.len();
        let width = k + 2;
        self.factor.clear();
        for (j, &x) in parents.iter().enumerate() {
            append(correlation, &mut self.factor, width, parents[..j].iter().copied(), x);
        }
        let mut factor = std::mem::take(&mut self.factor);
        out.clear();
        for &candidate in candidates {
            let at = parents.partition_point(|&parent| parent < candidate);
            self.tail.clear();
            self.tail.extend_from_slice(&factor[at * width..]);
            factor.truncate(at * width);
            let with = || parents[..at].iter().chain([&candidate]).chain(&parents[at..]).copied();
            let mut left = append(correlation, &mut factor, width, parents[..at].iter().copied(), candidate);
            for j in (at + 1)..=(k + 1) {
                let x = if j <= k { parents[j - 1] } else { child };
                left = append(correlation, &mut factor, width, with().take(j), x);
            }
            out.push(self.score.score(child, left, k + 1));
            factor.truncate(at * width);
            factor.extend_from_slice(&self.tail);
        }
        self.factor = factor;
    }

    /// Candidates are screened with the candidate eliminated last: one forward substitution each, not a part of the
    /// factor anew. What is not clearly below `least` by that, and what is nearly collinear, is scored as it is alone.
    fn local_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        // Shares of variance from which on rounding is far below the margin.
        const SAFE: f64 = 1e-3;
        let (correlation, k) = (self.score.correlation, parents.len());
        let margin = 1e-6 * correlation.effective_rows();
        if k == 0 {
            return self.local_scores_with_each(child, parents, candidates, out);
        }
        let (least_left, left) = self.factorise(parents, child);
        let of_child = k * k;
        if least_left < SAFE {
            return self.local_scores_with_each(child, parents, candidates, out);
        }
        let mut promising: Vec<Variable> = Vec::with_capacity(candidates.len());
        out.clear();
        for &candidate in candidates {
            self.factor.truncate(of_child + k);
            let left_of_candidate = append(correlation, &mut self.factor, k, parents.iter().copied(), candidate);
            let (of_child, of_candidate) = self.factor[of_child..].split_at(k);
            let shared: f64 = of_child.iter().zip(of_candidate).map(|(a, b)| a * b).sum();
            let partial = correlation.get(candidate, child) - shared;
            let with = left - partial * partial / left_of_candidate;
            let safe = left_of_candidate > SAFE && with > SAFE * left;
            if safe && self.score.score(child, with, k + 1) + margin <= least {
                out.push(f64::NEG_INFINITY);
            } else {
                promising.push(candidate);
                out.push(f64::NAN);
            }
        }
        super::score_the_rest(self, child, parents, &promising, out);
    }

    fn ranks_by_scores(&self) -> bool {
        false
    }

    /// One factor of the parents and the child, and forward substitution for many candidates at a time, each eliminated
    /// last. Nearly collinear candidates are scored as alone.
    fn rank_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        _least: f64,
        out: &mut Vec<f64>,
    ) {
        // What is left of a variance from which on rounding does not change a rank.
        const SAFE: f64 = 1e-6;
        let (correlation, k) = (self.score.correlation, parents.len());
        if k == 0 {
            return self.local_scores_with_each(child, parents, candidates, out);
        }
        let (least_left, left) = self.factorise(parents, child);
        if least_left < SAFE {
            return self.local_scores_with_each(child, parents, candidates, out);
        }
        out.clear();
        let mut collinear = Vec::new();
        let mut panel = std::mem::take(&mut self.tail);
        for some in candidates.chunks(PANEL) {
            let (left_of_candidate, partial) =
                eliminate_many(correlation, &self.factor, parents, child, some, &mut panel);
            for i in 0..some.len() {
                let with = left - partial[i] * partial[i] / left_of_candidate[i];
                if left_of_candidate[i] > SAFE && with > SAFE * left {
                    out.push(self.score.score(child, with, k + 1));
                } else {
                    collinear.push(some[i]);
                    out.push(f64::NAN);
                }
            }
        }
        self.tail = panel;
        if !collinear.is_empty() {
            super::score_the_rest(self, child, parents, &collinear, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A correlation matrix with entries that decay with distance and a wave on top.
    fn correlation(p: usize, n_rows: usize) -> Correlation {
        let r = |x: usize, y: usize| 0.6f64.powi(x.abs_diff(y) as i32);
        let rows: Vec<Vec<f64>> = (0..p).map(|x| (0..p).map(|y| r(x, y)).collect()).collect();
        Correlation::from_matrix(&rows, n_rows).unwrap()
    }

    #[test]
    fn each_candidate_scores_as_alone_to_the_bit() {
        let correlation = correlation(12, 250);
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let (mut one, mut all) = (score.session(), score.session());
        for (child, parents) in [(5, vec![]), (0, vec![3]), (4, vec![0, 3, 7]), (11, vec![1, 2, 8, 9])] {
            let candidates: Vec<Variable> = (0..12).filter(|x| *x != child && !parents.contains(x)).collect();
            let mut out = Vec::new();
            all.local_scores_with_each(child, &parents, &candidates, &mut out);
            for (&candidate, &value) in candidates.iter().zip(&out) {
                let mut with = parents.clone();
                with.push(candidate);
                with.sort_unstable();
                assert_eq!(one.local_score(child, &with), value);
            }
        }
    }

    #[test]
    fn only_scores_that_do_not_exceed_are_left_out() {
        // The second time with parents that are nearly collinear.
        for (decay, some) in [(0.6f64, true), (0.9999, false)] {
            let row = |x: usize| (0..12).map(|y| decay.powi(x.abs_diff(y) as i32)).collect();
            let correlation = Correlation::from_matrix(&(0..12).map(row).collect::<Vec<_>>(), 250).unwrap();
            let score = GaussianBic::new(&correlation, 0.5).unwrap();
            let mut session = score.session();
            let mut left_out = false;
            for (child, parents) in [(5, vec![]), (0, vec![3]), (4, vec![0, 3, 7]), (11, vec![1, 2, 8, 9])] {
                let candidates: Vec<Variable> = (0..12).filter(|x| *x != child && !parents.contains(x)).collect();
                let (mut all, mut above) = (Vec::new(), Vec::new());
                let least = session.local_score(child, &parents);
                session.local_scores_with_each(child, &parents, &candidates, &mut all);
                session.local_scores_above(child, &parents, &candidates, least, &mut above);
                for (&exact, &screened) in all.iter().zip(&above) {
                    assert!(screened == exact || (screened == f64::NEG_INFINITY && exact <= least));
                    left_out |= screened == f64::NEG_INFINITY;
                }
            }
            assert_eq!(left_out, some);
        }
    }

    #[test]
    fn candidates_are_ranked_by_their_scores() {
        // The second time with candidates that are nearly collinear.
        for decay in [0.6f64, 1.0 - 1e-9] {
            let row = |x: usize| (0..70).map(|y| decay.powi(x.abs_diff(y) as i32)).collect();
            let correlation = Correlation::from_matrix(&(0..70).map(row).collect::<Vec<_>>(), 250).unwrap();
            let score = GaussianBic::extended(&correlation, 1.0, 0.5).unwrap();
            let mut session = score.session();
            for (child, parents) in [(5, vec![]), (0, vec![3]), (4, vec![0, 3, 7]), (11, vec![1, 2, 8, 9, 69])] {
                let candidates: Vec<Variable> = (0..70).filter(|x| *x != child && !parents.contains(x)).collect();
                let (mut exact, mut ranks) = (Vec::new(), Vec::new());
                session.local_scores_with_each(child, &parents, &candidates, &mut exact);
                session.rank_scores_above(child, &parents, &candidates, f64::NEG_INFINITY, &mut ranks);
                assert_eq!(exact.len(), ranks.len());
                for (a, b) in exact.iter().zip(&ranks) {
                    assert!((a - b).abs() < 1e-6, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn singular_parents_stay_finite() {
        let half = 0.5f64.sqrt();
        let rows = [vec![1.0, 0.0, half], vec![0.0, 1.0, half], vec![half, half, 1.0]];
        let correlation = Correlation::from_matrix(&rows, 50).unwrap();
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let mut session = score.session();
        for (child, parents) in [(2, vec![0, 1]), (0, vec![1, 2]), (1, vec![0, 2])] {
            assert!(session.local_score(child, &parents).is_finite());
        }
        assert!(GaussianBic::new(&correlation, f64::NAN).is_err());
        assert!(GaussianBic::new(&correlation, -1.0).is_err());
    }
}
