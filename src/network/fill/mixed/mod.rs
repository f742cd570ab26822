//! Missing values of numbers beside categories.
//!
//! Numbers are drawn by their scores: those of their ranks among the known values, or standardised values. In the network
//! a number is a line over its parents as the mixed score sees them; a category has a table, or, with numbers among its
//! parents, linear discriminants. Missing values of a row are drawn in turn, each given all others. For a category this
//! is exact. For a number a few scores are proposed from what is normal of its distribution, and the present one or one of
//! them is taken with the right probability (sampling importance resampling by a Markov chain: Andrieu, Lee and Vihola
//! 2018). A drawn score becomes one of the column's known values.

mod children;
mod design;
mod families;
mod groups;
mod network;

use std::sync::Arc;

use self::design::Columns;
use self::network::Network;
use super::rows::{Pool, differ};
use super::values::KnownValues;
use super::{seed_of_sweep, weight_of_sweep};
use crate::data::{Codes, Gaps, MixedColumn, MixedOptions, RowWeights};
use crate::graph::Dag;
use crate::random_numbers::stream;
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Columns of numbers beside categories of which some values are missing: of a category the code after its last state, of
/// a number NaN.
#[derive(Debug, Clone)]
pub struct IncompleteMixed {
    columns: Vec<MixedColumn>,
    options: MixedOptions,
    weights: Option<Arc<RowWeights>>,
}

impl IncompleteMixed {
    /// The table of these columns, with numbers entering as the options say.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are none, they have no rows, differ in length, or a code is above the number of states;
    /// [`Error::Columns`] when they hold infinities.
    pub fn new(columns: Vec<MixedColumn>, options: MixedOptions) -> Result<Self> {
        let n_rows = columns.first().map_or(0, MixedColumn::n_rows);
        if n_rows == 0 || u32::try_from(n_rows).is_err() || columns.iter().any(|column| column.n_rows() != n_rows) {
            return Err(Error::Data("columns must have rows, as many in each".into()));
        }
        let mut infinite = Vec::new();
        for (x, column) in columns.iter().enumerate() {
            match column {
                MixedColumn::Number(values) if values.iter().any(|value| value.is_infinite()) => {
                    infinite.push(x as Variable);
                }
                MixedColumn::Category(codes, arity)
                    if *arity == 0 || (0..n_rows).any(|row| codes.get(row) > *arity) =>
                {
                    return Err(Error::Data(format!("column {x} has a code above its {arity} states")));
                }
                _ => {}
            }
        }
        if infinite.is_empty() {
            Ok(Self { columns, options, weights: None })
        } else {
            Err(Error::columns(infinite, "hold infinite values"))
        }
    }

    /// The same with sampling weights of rows, by which ranks, counts and moments are taken.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are not as many as rows.
    pub fn with_weights(self, weights: RowWeights) -> Result<Self> {
        if weights.scaled().len() != self.n_rows() {
            return Err(Error::Data(format!("{} weights for {} rows", weights.scaled().len(), self.n_rows())));
        }
        Ok(Self { weights: Some(weights).filter(differ).map(Arc::new), ..self })
    }

    fn n_rows(&self) -> usize {
        self.columns[0].n_rows()
    }

    fn gaps(&self) -> Gaps {
        Gaps::find(self.n_rows(), self.columns.iter().map(|column| move |row: usize| is_missing(column, row)))
    }

    /// Draws each missing value from the known ones of its column; where there are none, the first state or 0.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn fill_from_marginals(&self, seed: u64, run: &Run) -> Result<Vec<MixedColumn>> {
        run.map(
            self.columns.len(),
            || (),
            |(), x| {
                let (known, missing): (Vec<usize>, Vec<usize>) =
                    (0..self.n_rows()).partition(|&row| !is_missing(&self.columns[x], row));
                let pool = Pool::new(&known, self.weights.as_deref());
                let mut rng = stream(seed, x as u64);
                let mut drawn = self.columns[x].clone();
                for row in missing {
                    let from = pool.draw(&mut rng);
                    match &mut drawn {
                        MixedColumn::Category(codes, _) => {
                            let code = from.map_or(0, |row| codes.get(row));
                            codes.set(row, code);
                        }
                        MixedColumn::Number(values) => values[row] = from.map_or(0.0, |row| values[row]),
                    }
                }
                drawn
            },
        )
    }

    /// Draws each missing value given what is known of its row, in the network of a DAG that is estimated along the way.
    /// The first estimate is from `completed`, the same rows with all values, where the sweeps start too.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when the sizes of data, completed data and graph differ; [`Error::Interrupted`] once the run is
    /// cancelled; [`Error::OutOfTime`] when the deadline passes, since values that are drawn in part are of no use.
    pub fn fill(
        &self,
        completed: &[MixedColumn],
        dag: &Dag,
        sweeps: usize,
        seed: u64,
        run: &Run,
    ) -> Result<Vec<MixedColumn>> {
        let (p, n) = (self.columns.len(), self.n_rows());
        let same = |(own, other): (&MixedColumn, &MixedColumn)| {
            other.n_rows() == n
                && matches!(own, MixedColumn::Number(_)) == matches!(other, MixedColumn::Number(_))
                && (0..n).all(|row| !is_missing(other, row))
        };
        if completed.len() != p || dag.n_variables() != p || !self.columns.iter().zip(completed).all(same) {
            return Err(Error::Data("data, completed data and the graph differ in size or kind".into()));
        }
        let known = run.map(p, || (), |(), x| self.known_values(x))?;
        let (codes, scores) = scored(completed, &known, run)?;
        let mut columns = Columns { codes, scores, weights: self.weights.clone() };
        let gaps = self.gaps();
        let mut network = Network::estimate(&self.columns, known, self.options.powers, &columns, &gaps, dag, run)?;
        for sweep in 0..sweeps {
            if sweep > 0 {
                network.blend(&columns, weight_of_sweep(sweep, sweeps), run)?;
            }
            network.draw(&gaps, &mut columns, seed_of_sweep(seed, sweep), run)?;
        }
        let filled = |x: usize| match &self.columns[x] {
            MixedColumn::Category(_, arity) => MixedColumn::Category(columns.codes[x].clone(), *arity),
            MixedColumn::Number(values) => {
                let value = |(&own, &score): (&f64, &f64)| {
                    if own.is_nan() { network.known[x].as_ref().map_or(0.0, |known| known.value(score)) } else { own }
                };
                MixedColumn::Number(values.iter().zip(&columns.scores[x]).map(value).collect())
            }
        };
        run.map(p, || (), |(), x| filled(x))
    }

    fn known_values(&self, x: usize) -> Option<KnownValues> {
        match &self.columns[x] {
            MixedColumn::Number(values) => Some(KnownValues::of(values, self.options.numbers, self.weights.as_deref())),
            MixedColumn::Category(..) => None,
        }
    }
}

fn is_missing(column: &MixedColumn, row: usize) -> bool {
    match column {
        MixedColumn::Category(codes, arity) => codes.get(row) >= *arity,
        MixedColumn::Number(values) => values[row].is_nan(),
    }
}

/// Completed columns, with the scores of numbers.
fn scored(completed: &[MixedColumn], known: &[Option<KnownValues>], run: &Run) -> Result<(Vec<Codes>, Vec<Vec<f64>>)> {
    let parts = run.map(
        completed.len(),
        || (),
        |(), x| match (&completed[x], &known[x]) {
            (MixedColumn::Number(values), Some(known)) => {
                (Codes::Narrow(Vec::new()), values.iter().map(|&value| known.score(value)).collect())
            }
            (MixedColumn::Category(codes, _), _) => (codes.clone(), Vec::new()),
            (MixedColumn::Number(_), None) => unreachable!("a number has its known values"),
        },
    )?;
    Ok(parts.into_iter().unzip())
}

#[cfg(test)]
mod tests;
