//! Missing values of jointly normal columns.
//!
//! The network of a DAG is estimated by least squares. In it the missing values of a row are normal given the known
//! ones, with the precision matrix Λ of the missing ones and the mean −Λ⁻¹ Λₘₖ (known − mean). Values that no path of
//! missing values connects in the moral graph are independent and are drawn apart.

mod network;

use rustc_hash::FxHashMap;

use self::network::Network;
use super::regression::{Regression, regression};
use super::rows::{Pool, differ, weight_of, weight_of_all};
use super::scale::Scale;
use super::{seed_of_sweep, weight_of_sweep};
use crate::data::{Gaps, RowWeights};
use crate::graph::Dag;
use crate::random_numbers::{normal, stream};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Columns of numbers of which some are missing (NaN).
#[derive(Debug, Clone)]
pub struct IncompleteNumbers {
    columns: Vec<Vec<f64>>,
    weights: Option<RowWeights>,
}

impl IncompleteNumbers {
    /// The table of these columns.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are none, they have no rows, or differ in length; [`Error::Columns`] when they hold
    /// infinities.
    pub fn new(columns: Vec<Vec<f64>>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, Vec::len);
        if n_rows == 0 || u32::try_from(n_rows).is_err() || columns.iter().any(|column| column.len() != n_rows) {
            return Err(Error::Data("columns must have rows, as many in each".into()));
        }
        let infinite =
            |(x, column): (usize, &Vec<f64>)| column.iter().any(|value| value.is_infinite()).then_some(x as Variable);
        let infinite: Vec<Variable> = columns.iter().enumerate().filter_map(infinite).collect();
        if infinite.is_empty() {
            Ok(Self { columns, weights: None })
        } else {
            Err(Error::columns(infinite, "hold infinite values"))
        }
    }

    /// The same with sampling weights of rows, by which means and moments are taken.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are not as many as rows.
    pub fn with_weights(self, weights: RowWeights) -> Result<Self> {
        if weights.scaled().len() != self.n_rows() {
            return Err(Error::Data(format!("{} weights for {} rows", weights.scaled().len(), self.n_rows())));
        }
        Ok(Self { weights: Some(weights).filter(differ), ..self })
    }

    fn n_rows(&self) -> usize {
        self.columns[0].len()
    }

    fn gaps(&self) -> Gaps {
        Gaps::find(self.n_rows(), self.columns.iter().map(|column| move |row: usize| column[row].is_nan()))
    }

    /// Draws each missing value from the known ones of its column; where there are none, from the standard normal
    /// distribution.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn fill_from_marginals(&self, seed: u64, run: &Run) -> Result<Vec<Vec<f64>>> {
        run.map(
            self.columns.len(),
            || (),
            |(), x| {
                let column = &self.columns[x];
                let known: Vec<usize> = (0..column.len()).filter(|&row| !column[row].is_nan()).collect();
                let pool = Pool::new(&known, self.weights.as_ref());
                let mut rng = stream(seed, x as u64);
                let mut draw = || match pool.draw(&mut rng) {
                    Some(row) => column[row],
                    None => normal(&mut rng),
                };
                column.iter().map(|&value| if value.is_nan() { draw() } else { value }).collect()
            },
        )
    }

    /// Draws each missing value given what is known of its row, in the network of a DAG that is estimated along the way.
    /// The first estimate is from `completed`, the same rows with all values.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when the sizes of data, completed data and graph differ; [`Error::Interrupted`] once the run is
    /// cancelled; [`Error::OutOfTime`] when the deadline passes, since values that are drawn in part are of no use.
    pub fn fill(
        &self,
        completed: &[Vec<f64>],
        dag: &Dag,
        sweeps: usize,
        seed: u64,
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let p = self.columns.len();
        let n = self.n_rows();
        if completed.len() != p || completed.iter().any(|column| column.len() != n) || dag.n_variables() != p {
            return Err(Error::Data("data, completed data and the graph differ in size".into()));
        }
        let weights = self.weights.as_ref();
        let scales = run.map(p, || (), |(), x| Scale::of(&completed[x], |row| weight_of(weights, row)))?;
        let standard = |x: usize| completed[x].iter().map(|&value| scales[x].standard(value)).collect::<Vec<f64>>();
        let mut columns = run.map(p, || (), |(), x| standard(x))?;
        let gaps = self.gaps();
        let mut families = Families::count(&columns, weights, dag, run)?;
        for sweep in 0..sweeps {
            if sweep > 0 {
                families.blend(&columns, weight_of_sweep(sweep, sweeps), run)?;
            }
            let seed = seed_of_sweep(seed, sweep);
            families.network(run)?.draw(&gaps, &mut columns, seed, run)?;
        }
        let filled = |x: usize| {
            let drawn = columns[x].iter().map(|&value| scales[x].value(value));
            self.columns[x]
                .iter()
                .zip(drawn)
                .map(|(&known, drawn)| if known.is_nan() { drawn } else { known })
                .collect()
        };
        run.map(p, || (), |(), x| filled(x))
    }
}

/// What each regression of a variable on its parents needs of the data.
struct Families<'d> {
    dag: &'d Dag,
    weights: Option<&'d RowWeights>,
    /// What all rows weigh.
    n: f64,
    /// For each variable the means of products of any two of: 1, its parents, itself; the lower triangle, row by row.
    moments: Vec<Vec<f64>>,
}

impl<'d> Families<'d> {
    fn count(columns: &[Vec<f64>], weights: Option<&'d RowWeights>, dag: &'d Dag, run: &Run) -> Result<Self> {
        let moments = run.map(columns.len(), || (), |(), x| moments(columns, weights, dag, x))?;
        Ok(Self { dag, weights, n: weight_of_all(weights, columns[0].len()), moments })
    }

    /// The mean of the moments so far and those of other completed data, which have this weight.
    fn blend(&mut self, columns: &[Vec<f64>], weight: f64, run: &Run) -> Result<()> {
        let new = run.map(columns.len(), || (), |(), x| moments(columns, self.weights, self.dag, x))?;
        for (old, new) in self.moments.iter_mut().flatten().zip(new.iter().flatten()) {
            *old += weight * (new - *old);
        }
        Ok(())
    }

    fn network(&self, run: &Run) -> Result<Network> {
        let p = self.moments.len();
        let n = self.n;
        let families =
            run.map(p, || (), |(), x| regression(&self.moments[x], self.dag.parents(x as Variable).len(), n))?;
        let mut means = vec![0.0; p];
        for x in self.dag.topological_order() {
            let Regression { intercept, weights, .. } = &families[x as usize];
            let parents = self.dag.parents(x).iter().zip(weights);
            means[x as usize] =
                intercept + parents.map(|(&parent, weight)| weight * means[parent as usize]).sum::<f64>();
        }
        let mut diagonal = vec![0.0; p];
        let mut entries: Vec<FxHashMap<Variable, f64>> = vec![FxHashMap::default(); p];
        for (x, Regression { weights, variance, .. }) in families.iter().enumerate() {
            // The row of x in I − W: the precision matrix is the sum of their outer products, divided by the variances.
            let parents = self.dag.parents(x as Variable).iter().copied().zip(weights.iter().map(|weight| -weight));
            let row: Vec<(Variable, f64)> = parents.chain([(x as Variable, 1.0)]).collect();
            for &(a, of_a) in &row {
                for &(b, of_b) in &row {
                    let product = of_a * of_b / variance;
                    if a == b {
                        diagonal[a as usize] += product;
                    } else {
                        *entries[a as usize].entry(b).or_default() += product;
                    }
                }
            }
        }
        let sorted = |entries: FxHashMap<Variable, f64>| {
            let mut entries: Vec<(Variable, f64)> = entries.into_iter().collect();
            entries.sort_unstable_by_key(|&(other, _)| other);
            entries
        };
        Ok(Network { means, diagonal, others: entries.into_iter().map(sorted).collect() })
    }
}

fn moments(columns: &[Vec<f64>], weights: Option<&RowWeights>, dag: &Dag, x: usize) -> Vec<f64> {
    let family: Vec<&[f64]> =
        dag.parents(x as Variable).iter().map(|&v| v as usize).chain([x]).map(|v| columns[v].as_slice()).collect();
    let n = weight_of_all(weights, columns[x].len());
    let mut found = vec![1.0];
    let mut weighed = Vec::new();
    for (i, &a) in family.iter().enumerate() {
        let a = match weights {
            None => a,
            Some(weights) => {
                weighed.clear();
                weighed.extend(a.iter().zip(weights.scaled()).map(|(value, weight)| weight * value));
                &weighed
            }
        };
        found.push(a.iter().sum::<f64>() / n);
        found.extend(family[..=i].iter().map(|b| a.iter().zip(*b).map(|(a, b)| a * b).sum::<f64>() / n));
    }
    found
}

#[cfg(test)]
mod tests;
