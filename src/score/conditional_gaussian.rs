//! The conditional Gaussian score of numbers beside categories.

use rustc_hash::FxHashMap;

use super::likelihood::{per_parameter, per_parent};
use super::{LocalScore, ScoreSession};
use crate::data::MixedData;
use crate::{Error, Result, SortedSet, Variable, VariableSet};

/// The conditional Gaussian score (Andrews, Ramsey and Cooper 2018): each configuration of categories has means and
/// covariances of its own.
///
/// With A the categories of a set V, X its k numbers, n_a the rows of a configuration a of A and Σ_a the covariances of X in
/// it,
///
/// ```text
/// S(V) = Σ_a n_a ln(n_a/n) − Σ_a n_a/2 · (ln|Σ_a| + k (1 + ln 2π)) − λ ln n · (f h + f − 1)
/// ```
///
/// with f the product of the arities of A and h = k (k + 3)/2, and the local score of x given P is
/// S(P ∪ x) − S(P) − γ ln p · |P|. S is a function of sets, so that equivalent DAGs score alike, up to rounding.
///
/// Numbers have mean 0 and variance 1, and 1/n is added to each variance, so that no determinant vanishes. Configurations of
/// fewer than k + 4 rows have the covariances within configurations of all rows.
#[derive(Debug)]
pub struct ConditionalGaussian<'a> {
    data: &'a MixedData,
    penalty: f64,
    per_parent: f64,
}

impl<'a> ConditionalGaussian<'a> {
    /// The score with penalty λ (½ is BIC) and γ ln p for each parent.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless λ and γ are finite and at least 0; [`Error::Data`] for data that do not keep their rows.
    pub fn new(data: &'a MixedData, lambda: f64, gamma: f64) -> Result<Self> {
        if data.n_variables() > 0 && data.rows(0).is_none() {
            return Err(Error::Data("the conditional Gaussian score needs data that keep their rows".into()));
        }
        let penalty = per_parameter(lambda, data.effective_rows())?;
        Ok(Self { data, penalty, per_parent: per_parent(gamma, data.n_variables())? })
    }
}

impl LocalScore for ConditionalGaussian<'_> {
    type Session<'s>
        = ConditionalGaussianSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    fn session(&self) -> ConditionalGaussianSession<'_> {
        ConditionalGaussianSession {
            score: self,
            sets: FxHashMap::default(),
            cells: Cells::default(),
            of: VariableSet::new(),
            sums: Vec::new(),
            pooled: Vec::new(),
            factor: Vec::new(),
        }
    }

    fn name(&self) -> &'static str {
        "cg"
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// Sets whose score a session remembers before it starts anew.
const REMEMBERED_SETS: usize = 1 << 18;

/// The configuration of each row, by number, and how many rows each has, and of what weight in all.
#[derive(Debug, Default)]
struct Cells {
    of_row: Vec<u32>,
    rows: Vec<u32>,
    mass: Vec<f64>,
}

/// One thread's access to a [`ConditionalGaussian`].
#[derive(Debug)]
pub struct ConditionalGaussianSession<'s> {
    score: &'s ConditionalGaussian<'s>,
    /// S of sets of variables.
    sets: FxHashMap<VariableSet, f64>,
    /// The configurations of the categories `of`.
    cells: Cells,
    of: VariableSet,
    /// For each configuration: sums of the numbers, and then of their products with each other.
    sums: Vec<f64>,
    pooled: Vec<f64>,
    factor: Vec<f64>,
}

impl Cells {
    /// Numbers the configurations of some categories by their first rows.
    fn find(&mut self, data: &MixedData, categories: &[Variable]) {
        let n = data.n_rows();
        self.of_row.clear();
        self.of_row.resize(n, 0);
        self.rows.clear();
        self.rows.push(n as u32);
        self.number(data, categories);
        self.mass.clear();
        self.mass.resize(self.rows.len(), 0.0);
        self.of_row.iter().enumerate().for_each(|(row, &cell)| self.mass[cell as usize] += data.weight(row));
    }

    fn number(&mut self, data: &MixedData, categories: &[Variable]) {
        let Some(table) = data.categories() else { return };
        for &x in categories {
            let Some(x) = data.category(x) else { continue };
            let (codes, arity) = (table.column(x).view(), table.arity(x) as usize);
            let mut number = vec![u32::MAX; self.rows.len() * arity];
            self.rows.clear();
            for (row, cell) in self.of_row.iter_mut().enumerate() {
                let number = &mut number[*cell as usize * arity + codes.get(row) as usize];
                if *number == u32::MAX {
                    *number = self.rows.len() as u32;
                    self.rows.push(0);
                }
                self.rows[*number as usize] += 1;
                *cell = *number;
            }
        }
    }
}

/// The logarithm of the determinant of a symmetric matrix of k rows (its lower triangle, row by row) plus a ridge.
fn log_determinant(matrix: &[f64], ridge: f64, k: usize, factor: &mut Vec<f64>) -> f64 {
    factor.clear();
    factor.extend_from_slice(matrix);
    let at = |i: usize| i * (i + 1) / 2;
    let mut log = 0.0;
    for i in 0..k {
        let (done, row) = factor.split_at_mut(at(i));
        for j in 0..i {
            let other = &done[at(j)..];
            let shared: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - shared) / other[j];
        }
        let explained: f64 = row[..i].iter().map(|a| a * a).sum();
        // Below a part of the ridge it is rounding.
        let left = (row[i] + ridge - explained).max(0.01 * ridge);
        log += left.ln();
        row[i] = left.sqrt();
    }
    log
}

impl ConditionalGaussianSession<'_> {
    /// S of a set of variables, in increasing order.
    fn of_set(&mut self, set: &[Variable]) -> f64 {
        if let Some(&known) = self.sets.get(set) {
            return known;
        }
        let found = self.compute(set);
        if self.sets.len() >= REMEMBERED_SETS {
            self.sets.clear();
        }
        self.sets.insert(VariableSet::from_slice(set), found);
        found
    }

    fn compute(&mut self, set: &[Variable]) -> f64 {
        let ConditionalGaussian { data, penalty, .. } = *self.score;
        let n = data.effective_rows();
        let categories: VariableSet = set.iter().copied().filter(|&x| data.category(x).is_some()).collect();
        if self.cells.of_row.is_empty() || self.of != categories {
            self.cells.find(data, &categories);
            self.of.clone_from(&categories);
        }
        let Cells { of_row, rows, mass } = &self.cells;
        let of_categories: f64 = mass.iter().map(|&m| m * (m / n).ln()).sum();
        let arity = |&x: &Variable| {
            let table = data.categories().zip(data.category(x));
            table.map_or(1.0, |(table, x)| f64::from(table.arity(x).max(1)))
        };
        let configurations = categories.iter().map(arity).product::<f64>().min(1e100);
        // Constants have no rows.
        let numbers: Vec<&[f64]> = set.iter().filter_map(|&x| data.rows(x)).filter(|rows| !rows.is_empty()).collect();
        let k = numbers.len();
        let parameters = configurations * (k * (k + 3)) as f64 / 2.0 + configurations - 1.0;
        let mut total = of_categories - penalty * parameters;
        if k == 0 {
            return total;
        }
        let (triangle, width) = (k * (k + 1) / 2, k + k * (k + 1) / 2);
        self.sums.clear();
        self.sums.resize(rows.len() * width, 0.0);
        for (row, &cell) in of_row.iter().enumerate() {
            let sums = &mut self.sums[cell as usize * width..][..width];
            let weight = data.weight(row);
            let mut at = k;
            for i in 0..k {
                let value = weight * numbers[i][row];
                sums[i] += value;
                for other in &numbers[..=i] {
                    sums[at] += value * other[row];
                    at += 1;
                }
            }
        }
        // Covariances in place of the sums of products.
        self.pooled.clear();
        self.pooled.resize(triangle, 0.0);
        for (cell, &m) in mass.iter().enumerate() {
            let (means, products) = self.sums[cell * width..][..width].split_at_mut(k);
            means.iter_mut().for_each(|mean| *mean /= m);
            let mut at = 0;
            for i in 0..k {
                for j in 0..=i {
                    products[at] = products[at] / m - means[i] * means[j];
                    self.pooled[at] += products[at] * m / n;
                    at += 1;
                }
            }
        }
        let constant = k as f64 * (1.0 + std::f64::consts::TAU.ln());
        let ridge = n.recip();
        let mut of_pooled = None;
        for (cell, (&m, &in_cell)) in mass.iter().zip(rows).enumerate() {
            let log = if (in_cell as usize) < k + 4 {
                *of_pooled.get_or_insert_with(|| log_determinant(&self.pooled, ridge, k, &mut self.factor))
            } else {
                log_determinant(&self.sums[cell * width + k..][..triangle], ridge, k, &mut self.factor)
            };
            total -= 0.5 * m * (log + constant);
        }
        total
    }
}

impl ScoreSession for ConditionalGaussianSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let family = parents.with(child);
        let charge = self.score.per_parent * parents.len() as f64;
        self.of_set(&family) - self.of_set(parents) - charge
    }
}
