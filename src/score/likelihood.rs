//! Log-likelihood, AIC, BIC and extended BIC of discrete variables.

use super::unit::ScoreUnit;
use super::{LocalScore, ScoreSession};
use crate::counts::{CountingEngine, CountingSession, FixedSum};
use crate::data::Shape;
use crate::run::Run;
use crate::{Error, Result, SortedSet, Variable, VariableSet};

/// The multinomial log-likelihood less a penalty for each parameter, and for each parent.
///
/// The local score of x with parents Π is F(x, Π) − F(Π) − c k with F(S) = Σ n ln n over the table of S and
/// k = (r_x − 1) Π r free parameters, parent configurations that do not occur included. The penalty c is 0 for the
/// log-likelihood, 1 for AIC and λ ln N for BIC, with λ = ½ unless chosen otherwise. Natural logarithms; larger is
/// better.
///
/// The extended BIC (Chen and Chen 2008) takes off γ ln p more for each parent, with p the number of variables. A search
/// over all pairs looks at so many of them that BIC, which penalises each as if it had been the only one, adds some by
/// chance: with 25,000 rows one in 700 pairs of independent binary variables. γ = 0 is BIC.
///
/// Scores are multiples of a power of two near 2⁻⁵⁰ N ln N, so that steps to equivalent DAGs change the score by equal
/// amounts bit for bit (as long as penalties are below about 2⁵⁰ units).
#[derive(Debug, Clone, Copy)]
pub struct PenalizedLikelihood<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    unit: ScoreUnit,
    penalty: f64,
    per_parent: f64,
    name: &'static str,
}

impl<'e, 'd> PenalizedLikelihood<'e, 'd> {
    /// The log-likelihood without penalty. It never prefers the smaller of two nested DAGs.
    pub fn log_likelihood(engine: &'e CountingEngine<'d>) -> Self {
        Self::with_penalty(engine, 0.0, "loglik")
    }

    /// Akaike's information criterion on the scale of the log-likelihood: −k.
    pub fn aic(engine: &'e CountingEngine<'d>) -> Self {
        Self::with_penalty(engine, 1.0, "aic")
    }

    /// The Bayesian information criterion on the scale of the log-likelihood: −½ ln(N) k.
    pub fn bic(engine: &'e CountingEngine<'d>) -> Self {
        Self::bic_with_multiplier(engine, 0.5).expect("½ is a valid multiplier")
    }

    /// BIC with another multiplier λ of ln(N) k (½ is BIC itself; larger is sparser).
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when λ is negative or not finite.
    pub fn bic_with_multiplier(engine: &'e CountingEngine<'d>, lambda: f64) -> Result<Self> {
        Ok(Self::with_penalty(engine, per_parameter(lambda, engine.shape().n_rows() as f64)?, "bic"))
    }

    /// The extended BIC with multipliers λ of ln(N) k and γ of ln(p) for each parent (½ and ½ are usual).
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when λ or γ is negative or not finite.
    pub fn extended_bic(engine: &'e CountingEngine<'d>, lambda: f64, gamma: f64) -> Result<Self> {
        let score = Self::bic_with_multiplier(engine, lambda)?;
        let per_parent = score.unit.round(per_parent(gamma, engine.shape().n_variables())?);
        Ok(Self { per_parent, name: "ebic", ..score })
    }

    fn with_penalty(engine: &'e CountingEngine<'d>, penalty: f64, name: &'static str) -> Self {
        let unit = ScoreUnit::of_sums(engine.scale());
        Self { engine, unit, penalty: unit.round(penalty), per_parent: 0.0, name }
    }

    /// The penalty of each parameter.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }
}

/// What BIC takes off for each parameter: λ ln n, of weighted rows with their effective number.
pub(super) fn per_parameter(lambda: f64, n_rows: f64) -> Result<f64> {
    if !(lambda >= 0.0 && lambda.is_finite()) {
        return Err(Error::parameter("penalty", format!("{lambda} is not a number of at least 0; BIC is 0.5")));
    }
    Ok(lambda * n_rows.ln())
}

/// What the extended BIC takes off for each parent: γ ln p.
pub(super) fn per_parent(gamma: f64, n_variables: usize) -> Result<f64> {
    if !(gamma >= 0.0 && gamma.is_finite()) {
        return Err(Error::parameter("gamma", format!("{gamma} is not a number of at least 0; 0 is BIC")));
    }
    Ok(gamma * (n_variables.max(1) as f64).ln())
}

/// The number of free parameters of a child with its parents: (r − 1) q with q the product of the parents' arities. In
/// floating point, because it overflows integers; at most 1e290, so that differences of scores stay numbers.
pub fn n_parameters(shape: &Shape, child: Variable, parents: &[Variable]) -> f64 {
    let configurations: f64 = parents.iter().map(|&v| f64::from(shape.arity(v))).product();
    (configurations.min(1e290) * (f64::from(shape.arity(child)) - 1.0)).min(1e290)
}

impl LocalScore for PenalizedLikelihood<'_, '_> {
    type Session<'s>
        = LikelihoodSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.engine.shape().n_variables()
    }

    fn session(&self) -> LikelihoodSession<'_> {
        LikelihoodSession { score: *self, counting: self.engine.session(), with_child: Vec::new(), without: Vec::new() }
    }

    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        if self.engine.has_too_many_pairs() {
            return Ok(());
        }
        self.engine.pairwise(run).map(|_| ())
    }

    fn batch(&self, x: Variable) -> usize {
        self.engine.batch(x)
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// One thread's access to a [`PenalizedLikelihood`].
#[derive(Debug)]
pub struct LikelihoodSession<'s> {
    score: PenalizedLikelihood<'s, 's>,
    counting: CountingSession<'s, 's>,
    with_child: Vec<FixedSum>,
    without: Vec<FixedSum>,
}

impl LikelihoodSession<'_> {
    fn score(&self, family: FixedSum, parents: FixedSum, n_parameters: f64, n_parents: usize) -> f64 {
        let units = ScoreUnit::units_of_sum(family) - ScoreUnit::units_of_sum(parents);
        self.score.unit.value(units) - self.score.penalty * n_parameters - self.score.per_parent * n_parents as f64
    }
}

impl ScoreSession for LikelihoodSession<'_> {
    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        // Sums of pairs are prepared.
        self.counting.expect(families.into_iter().filter(|family| family.len() > 2));
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let family = self.counting.sum_n_log_n(&parents.with(child));
        let alone = self.counting.sum_n_log_n(parents);
        self.score(family, alone, n_parameters(self.score.engine.shape(), child, parents), parents.len())
    }

    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        let shape = self.score.engine.shape();
        let (mut families, mut alone) = (std::mem::take(&mut self.with_child), std::mem::take(&mut self.without));
        self.counting.sums_with_each(&parents.with(child), candidates, &mut families);
        self.counting.sums_with_each(parents, candidates, &mut alone);
        let before = n_parameters(shape, child, parents);
        out.clear();
        out.extend(candidates.iter().zip(families.iter().zip(&alone)).map(|(&candidate, (&family, &alone))| {
            let product = before * f64::from(shape.arity(candidate));
            // A product that is not exact depends on the order of its factors.
            let exact = product < (1u64 << 53) as f64;
            let parameters = if exact { product } else { n_parameters(shape, child, &parents.with(candidate)) };
            self.score(family, alone, parameters, parents.len() + 1)
        }));
        (self.with_child, self.without) = (families, alone);
    }

    /// One more parent x tells at most what is left to tell of the child, and at most what the other parents leave to tell
    /// of x: N H(child | parents) and the least N H(x | z) over parents z.
    fn local_scores_with_each_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) -> f64 {
        // More than all rounding of scores, which are multiples of a unit far smaller.
        const SLACK: f64 = 1e-3;
        let (engine, penalty) = (self.score.engine, self.score.penalty);
        if penalty == 0.0 || least == f64::NEG_INFINITY {
            self.local_scores_with_each(child, parents, candidates, out);
            return f64::NEG_INFINITY;
        }
        let (shape, scale, pairs) = (engine.shape(), engine.scale(), engine.known_pairs());
        let total = self.counting.sum_n_log_n(&[]);
        let family = self.counting.sum_n_log_n(&parents.with(child));
        let likelihood = scale.value(family - self.counting.sum_n_log_n(parents));
        let before = n_parameters(shape, child, parents);
        let bound = |candidate: Variable| {
            let of_candidate = engine.single(candidate);
            let mut untold = scale.value(total - of_candidate);
            for &z in parents.iter().take_while(|_| pairs.is_some()) {
                let pair = pairs.map_or(total, |pairs| pairs.pair(z, candidate));
                untold = untold.min(scale.value(engine.single(z) - pair));
            }
            (likelihood + untold).min(0.0) - penalty * before * f64::from(shape.arity(candidate)) + SLACK
        };
        let mut left_out = f64::NEG_INFINITY;
        let mut promising: Vec<Variable> = Vec::with_capacity(candidates.len());
        out.clear();
        for &candidate in candidates {
            let bound = bound(candidate);
            if bound <= least {
                left_out = left_out.max(bound);
                out.push(f64::NEG_INFINITY);
            } else {
                promising.push(candidate);
                out.push(f64::NAN);
            }
        }
        super::score_the_rest(self, child, parents, &promising, out);
        left_out
    }
}
