//! Scores of categories whose rows have sampling weights.

use rustc_hash::FxHashMap;

use super::likelihood::{self, n_parameters, per_parent};
use super::regret::{Cells, Regrets};
use super::unit::ScoreUnit;
use super::{DiscreteScoreKind, LocalScore, ScoreSession};
use crate::counts::{CellSum, WeightedEngine, WeightedSession};
use crate::{Error, Result, SortedSet, Variable, VariableSet};

/// Log-likelihood, AIC, BIC, extended BIC and quotient NML of weighted rows: those of
/// [`PenalizedLikelihood`](super::PenalizedLikelihood) and [`QuotientNml`](super::QuotientNml) with the weights of cells,
/// scaled to sum to the effective number of rows, in place of counts, and this number in place of the number of rows.
///
/// The regrets of quotient NML are those of the nearest whole number of rows. With equal weights scores are those without,
/// bit for bit. BDeu and K2 are probabilities of whole counts, and are not had.
///
/// # Examples
///
/// ```
/// use phgs::counts::WeightedEngine;
/// use phgs::data::{DiscreteData, WeightedData};
/// use phgs::score::{DiscreteScoreKind, LocalScore, ScoreSession, WeightedScore};
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1]])?;
/// let data = WeightedData::new(data, &[1.0, 1.0, 2.0])?;
/// let engine = WeightedEngine::new(&data);
/// let score = WeightedScore::new(&engine, DiscreteScoreKind::Bic(0.5))?;
/// // Of 16 / 6 effective rows half are in each of the two states.
/// let n = 16.0f64 / 6.0;
/// assert!((score.session().local_score(0, &[]) - (-n * 2f64.ln() - 0.5 * n.ln())).abs() < 1e-8);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct WeightedScore<'e, 'd> {
    engine: &'e WeightedEngine<'d>,
    unit: ScoreUnit,
    per_parent: f64,
    charge: Charge,
    name: &'static str,
}

/// What is taken off for the size of a table.
#[derive(Debug)]
enum Charge {
    /// So much for each parameter.
    PerParameter(f64),
    /// The regret of the table of each set, with or without the support coded.
    Regret { regrets: Regrets, support_coded: bool },
}

impl<'e, 'd> WeightedScore<'e, 'd> {
    /// The score of a kind.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for BDeu and K2, and when a parameter of the kind has no meaning.
    pub fn new(engine: &'e WeightedEngine<'d>, kind: DiscreteScoreKind) -> Result<Self> {
        let rows = engine.data().effective_rows();
        let per_parameter = |lambda: f64| likelihood::per_parameter(lambda, rows).map(Charge::PerParameter);
        // Half a row changes no regret to speak of.
        let regret = |support_coded| Charge::Regret { regrets: Regrets::new(rows.round() as usize), support_coded };
        let (charge, gamma, name) = match kind {
            DiscreteScoreKind::LogLikelihood => (Charge::PerParameter(0.0), 0.0, "loglik"),
            DiscreteScoreKind::Aic => (Charge::PerParameter(1.0), 0.0, "aic"),
            DiscreteScoreKind::Bic(lambda) => (per_parameter(lambda)?, 0.0, "bic"),
            DiscreteScoreKind::Ebic(lambda, gamma) => (per_parameter(lambda)?, gamma, "ebic"),
            DiscreteScoreKind::Qnml(gamma) => (regret(false), gamma, "qnml"),
            DiscreteScoreKind::Sqnml(gamma) => (regret(true), gamma, "sqnml"),
            DiscreteScoreKind::Bdeu(_) => return Err(needs_counts("bdeu")),
            DiscreteScoreKind::K2 => return Err(needs_counts("k2")),
        };
        let unit = ScoreUnit::of_sums(engine.scale());
        let charge = match charge {
            Charge::PerParameter(penalty) => Charge::PerParameter(unit.round(penalty)),
            regret @ Charge::Regret { .. } => regret,
        };
        let per_parent = unit.round(per_parent(gamma, engine.data().data().n_variables())?);
        Ok(Self { engine, unit, per_parent, charge, name })
    }

    /// The charge for the table of a set, in units.
    fn of_table(&self, set: &[Variable], occupied: u32) -> i64 {
        // Tables of more than e^10,000 cells are taken as that large, so that differences stay whole numbers.
        const MOST: i64 = 1 << 60;
        let Charge::Regret { regrets, support_coded } = &self.charge else { return 0 };
        let cells = Cells::of(self.engine.data().data().shape(), set);
        let charge = if *support_coded { regrets.of_support(cells, occupied) } else { regrets.of(cells) };
        self.unit.units(charge).min(MOST)
    }
}

fn needs_counts(name: &str) -> Error {
    let remedy = "use 'bic', 'ebic', 'qnml', 'sqnml', 'aic' or 'loglik'";
    Error::parameter("score", format!("'{name}' is a probability of whole counts, which weights are not; {remedy}"))
}

impl LocalScore for WeightedScore<'_, '_> {
    type Session<'s>
        = WeightedScoreSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.engine.data().data().n_variables()
    }

    fn session(&self) -> WeightedScoreSession<'_> {
        WeightedScoreSession { score: self, counting: self.engine.session(), values: FxHashMap::default() }
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// Sets that a session remembers before it starts anew; about 60 bytes each.
const REMEMBERED_SETS: usize = 1 << 17;

/// One thread's access to a [`WeightedScore`].
#[derive(Debug)]
pub struct WeightedScoreSession<'s> {
    score: &'s WeightedScore<'s, 's>,
    counting: WeightedSession<'s, 's>,
    /// F of sets less the charge for their tables, in units.
    values: FxHashMap<VariableSet, i64>,
}

impl WeightedScoreSession<'_> {
    /// F of a set in increasing order less the charge for its table, in units.
    fn value(&mut self, set: &[Variable]) -> i64 {
        if let Some(&value) = self.values.get(set) {
            return value;
        }
        let CellSum { sum, occupied } = self.counting.cell_sum(set);
        let value = ScoreUnit::units_of_sum(sum) - self.score.of_table(set, occupied);
        if self.values.len() >= REMEMBERED_SETS {
            self.values.clear();
        }
        self.values.insert(VariableSet::from_slice(set), value);
        value
    }
}

impl ScoreSession for WeightedScoreSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let units = self.value(&parents.with(child)) - self.value(parents);
        let score = self.score;
        let of_parameters = match score.charge {
            Charge::PerParameter(penalty) => penalty * n_parameters(score.engine.data().data().shape(), child, parents),
            Charge::Regret { .. } => 0.0,
        };
        score.unit.value(units) - of_parameters - score.per_parent * parents.len() as f64
    }
}
