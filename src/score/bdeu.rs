//! The BDeu score.

use rustc_hash::FxHashMap;

use super::unit::ScoreUnit;
use super::{LocalScore, ScoreSession, for_each_count};
use crate::counts::{CountingEngine, CountingSession};
use crate::stats::{ln_gamma, ln_gamma_increase};
use crate::{Error, Result, SortedSet, Variable, VariableSet};

/// The Bayesian Dirichlet score with uniform hyperparameters and no prior over structures (Heckerman, Geiger and
/// Chickering 1995).
///
/// With equivalent sample size s every cell of the table of a set S has the hyperparameter α_S = s / Π r over *all* cells
/// of S, whether they occur or not; the local score is G(x, Π) − G(Π) with G(S) = Σ \[ln Γ(α_S + n) − ln Γ(α_S)\] over
/// the cells that have a count. Natural logarithms; larger is better. Memory is that of one table with at most one
/// cell a row.
///
/// Each G is rounded to a power of two near 2⁻⁵⁰ of the largest there can be, so that equivalent DAGs tie exactly.
#[derive(Debug, Clone, Copy)]
pub struct Bdeu<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    equivalent_sample_size: f64,
    unit: ScoreUnit,
}

/// Below this a hyperparameter α is nothing beside a count n: ln Γ(α + n) − ln Γ(α) is ln Γ(n) + ln α.
const NEGLIGIBLE_HYPERPARAMETER: f64 = 1e-30;

impl<'e, 'd> Bdeu<'e, 'd> {
    /// The score with an equivalent sample size.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when the equivalent sample size is not positive and finite.
    pub fn new(engine: &'e CountingEngine<'d>, equivalent_sample_size: f64) -> Result<Self> {
        if !(equivalent_sample_size > 0.0 && equivalent_sample_size.is_finite()) {
            let problem = format!("{equivalent_sample_size} is not a positive number; usual values are 1 to 10");
            return Err(Error::parameter("equivalent_sample_size", problem));
        }
        // A row adds at most ln(n + s) or, alone in its cell, −ln of a hyperparameter (20 of it allows for 5e8 cells).
        let n = engine.shape().n_rows() as f64;
        let small = (-equivalent_sample_size.ln()).max(0.0);
        let largest = n * ((n + equivalent_sample_size).ln().max(0.0) + 20.0 + small);
        Ok(Self { engine, equivalent_sample_size, unit: ScoreUnit::for_magnitude(largest) })
    }
}

impl LocalScore for Bdeu<'_, '_> {
    type Session<'s>
        = BdeuSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.engine.shape().n_variables()
    }

    fn session(&self) -> BdeuSession<'_> {
        BdeuSession {
            score: *self,
            counting: self.engine.session(),
            sums: FxHashMap::default(),
            terms: FxHashMap::default(),
        }
    }

    fn name(&self) -> &'static str {
        "bdeu"
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// Sets whose sum a session remembers before it starts anew; about 60 bytes each.
const REMEMBERED_SETS: usize = 1 << 15;
/// Counts whose term is tabulated for each hyperparameter, and hyperparameters tabulated: at most 8 MB a session.
const TABULATED_COUNTS: usize = 1 << 12;
const TABULATED_HYPERPARAMETERS: usize = 1 << 8;

/// One thread's access to a [`Bdeu`].
#[derive(Debug)]
pub struct BdeuSession<'s> {
    score: Bdeu<'s, 's>,
    counting: CountingSession<'s, 's>,
    /// G of sets, in units.
    sums: FxHashMap<VariableSet, i64>,
    /// ln Γ(α + n) − ln Γ(α) by the bits of ln α, then n; NaN where not yet computed.
    terms: FxHashMap<u64, Vec<f64>>,
}

impl BdeuSession<'_> {
    /// G of a sorted set, in units.
    fn sum(&mut self, set: &[Variable]) -> i64 {
        if let Some(&sum) = self.sums.get(set) {
            return sum;
        }
        let shape = self.score.engine.shape();
        // In increasing order of variables, so that the hyperparameter depends on the set alone.
        let cells: f64 = set.iter().map(|&v| f64::from(shape.arity(v))).product();
        let alpha = self.score.equivalent_sample_size / cells;
        // Of tables with more cells than floats can count the logarithm is still a number.
        let log_cells: f64 = set.iter().map(|&v| f64::from(shape.arity(v)).ln()).sum();
        let log_alpha = self.score.equivalent_sample_size.ln() - log_cells;
        if self.terms.len() >= TABULATED_HYPERPARAMETERS {
            self.terms.clear();
        }
        let tabulated = TABULATED_COUNTS.min(shape.n_rows() + 1);
        let terms = self.terms.entry(log_alpha.to_bits()).or_insert_with(|| vec![f64::NAN; tabulated]);
        // Cells come by increasing cell, so the order of summation is that of the set.
        let mut sum = 0.0;
        for_each_count(&mut self.counting, set, |count| {
            let term = || {
                if alpha < NEGLIGIBLE_HYPERPARAMETER {
                    return if count == 0 { 0.0 } else { ln_gamma(f64::from(count)) + log_alpha };
                }
                ln_gamma_increase(alpha, f64::from(count))
            };
            sum += match terms.get_mut(count as usize) {
                Some(known) => {
                    if known.is_nan() {
                        *known = term();
                    }
                    *known
                }
                None => term(),
            };
        });
        let units = self.score.unit.units(sum);
        if self.sums.len() >= REMEMBERED_SETS {
            self.sums.clear();
        }
        self.sums.insert(VariableSet::from_slice(set), units);
        units
    }
}

impl ScoreSession for BdeuSession<'_> {
    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        self.counting.expect(families.into_iter());
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let units = self.sum(&parents.with(child)) - self.sum(parents);
        self.score.unit.value(units)
    }
}
