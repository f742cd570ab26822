//! Missing values of jointly normal columns.
//!
//! The network of a DAG is estimated by least squares. In it the missing values of a row are normal given the known
//! ones, with the precision matrix Λ of the missing ones and the mean −Λ⁻¹ Λₘₖ (known − mean). Values that no path of
//! missing values connects in the moral graph are independent and are drawn apart.

use rustc_hash::FxHashMap;

use super::regression::{Regression, factor, regression, solve_lower, solve_upper};
use super::{seed_of_sweep, weight_of_sweep};
use crate::data::Gaps;
use crate::graph::Dag;
use crate::random_numbers::{below, normal, stream};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Rows that are drawn together.
const BLOCK: usize = 64;

/// So many values that depend on each other are drawn at once; of more, one after another, in sweeps.
const MOST_AT_ONCE: usize = 200;

/// Columns of numbers of which some are missing (NaN).
#[derive(Debug, Clone)]
pub struct IncompleteNumbers {
    columns: Vec<Vec<f64>>,
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
        if infinite.is_empty() { Ok(Self { columns }) } else { Err(Error::columns(infinite, "hold infinite values")) }
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
                let known: Vec<f64> = column.iter().copied().filter(|value| !value.is_nan()).collect();
                let mut rng = stream(seed, x as u64);
                let mut draw = || if known.is_empty() { normal(&mut rng) } else { known[below(&mut rng, known.len())] };
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
        let scales = run.map(p, || (), |(), x| Scale::of(&completed[x]))?;
        let standard = |x: usize| completed[x].iter().map(|&value| scales[x].standard(value)).collect::<Vec<f64>>();
        let mut columns = run.map(p, || (), |(), x| standard(x))?;
        let gaps = self.gaps();
        let mut families = Families::count(&columns, dag, run)?;
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

/// Mean and standard deviation of a column, by which its values are made comparable.
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    fn of(column: &[f64]) -> Self {
        let largest = column.iter().fold(0.0f64, |largest, value| largest.max(value.abs())).max(f64::MIN_POSITIVE);
        let n = column.len() as f64;
        // In units of the largest value nothing overflows.
        let mean = column.iter().map(|value| value / largest).sum::<f64>() / n;
        let variance = column.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>() / n;
        let deviation = variance.sqrt() * largest;
        Self { mean: mean * largest, deviation: if deviation > 0.0 { deviation } else { 1.0 } }
    }

    fn standard(&self, value: f64) -> f64 {
        value / self.deviation - self.mean / self.deviation
    }

    fn value(&self, standard: f64) -> f64 {
        self.mean + self.deviation * standard
    }
}

/// What each regression of a variable on its parents needs of the data.
struct Families<'d> {
    dag: &'d Dag,
    n_rows: usize,
    /// For each variable the means of products of any two of: 1, its parents, itself; the lower triangle, row by row.
    moments: Vec<Vec<f64>>,
}

impl<'d> Families<'d> {
    fn count(columns: &[Vec<f64>], dag: &'d Dag, run: &Run) -> Result<Self> {
        let moments = run.map(columns.len(), || (), |(), x| moments(columns, dag, x))?;
        Ok(Self { dag, n_rows: columns[0].len(), moments })
    }

    /// The mean of the moments so far and those of other completed data, which have this weight.
    fn blend(&mut self, columns: &[Vec<f64>], weight: f64, run: &Run) -> Result<()> {
        let new = run.map(columns.len(), || (), |(), x| moments(columns, self.dag, x))?;
        for (old, new) in self.moments.iter_mut().flatten().zip(new.iter().flatten()) {
            *old += weight * (new - *old);
        }
        Ok(())
    }

    fn network(&self, run: &Run) -> Result<Network> {
        let p = self.moments.len();
        let n = self.n_rows;
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

fn moments(columns: &[Vec<f64>], dag: &Dag, x: usize) -> Vec<f64> {
    let family: Vec<&[f64]> =
        dag.parents(x as Variable).iter().map(|&v| v as usize).chain([x]).map(|v| columns[v].as_slice()).collect();
    let n = columns[x].len() as f64;
    let mut found = vec![1.0];
    for (i, a) in family.iter().enumerate() {
        found.push(a.iter().sum::<f64>() / n);
        found.extend(family[..=i].iter().map(|b| a.iter().zip(*b).map(|(a, b)| a * b).sum::<f64>() / n));
    }
    found
}

/// A linear Gaussian network over standardised columns: means, and the precision matrix, of which most entries are 0.
struct Network {
    means: Vec<f64>,
    diagonal: Vec<f64>,
    /// For each variable the others with an entry that is not 0, in increasing order.
    others: Vec<Vec<(Variable, f64)>>,
}

/// What drawing a row needs room for.
struct Workspace {
    /// For each variable its place among those that are drawn now, and `NONE` for all others.
    place: Vec<u32>,
    group: Vec<Variable>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

const NONE: u32 = u32::MAX;
/// Missing, and not drawn yet.
const WAITING: u32 = u32::MAX - 1;

impl Workspace {
    fn new(p: usize) -> Self {
        Self { place: vec![NONE; p], group: Vec::new(), matrix: Vec::new(), right: Vec::new() }
    }
}

impl Network {
    /// Draws the missing values of all rows.
    fn draw(&self, gaps: &Gaps, columns: &mut [Vec<f64>], seed: u64, run: &Run) -> Result<()> {
        let p = columns.len();
        let before: &[Vec<f64>] = columns;
        let blocks = run.try_map(
            gaps.len().div_ceil(BLOCK),
            || (vec![0.0; p * BLOCK], Workspace::new(p)),
            |(rows, workspace), number| {
                if run.out_of_time() {
                    return Err(Error::OutOfTime);
                }
                let block = number * BLOCK..((number + 1) * BLOCK).min(gaps.len());
                // Column by column, which reads memory in order.
                for (x, column) in before.iter().enumerate() {
                    for (row, gap) in rows.chunks_exact_mut(p).zip(block.clone()) {
                        row[x] = column[gaps.row(gap).0] - self.means[x];
                    }
                }
                let mut drawn = Vec::new();
                for (row, gap) in rows.chunks_exact_mut(p).zip(block) {
                    let (at, missing) = gaps.row(gap);
                    let mut rng = stream(seed, at as u64);
                    self.draw_row(missing, row, workspace, &mut rng);
                    drawn.extend(missing.iter().map(|&x| row[x as usize] + self.means[x as usize]));
                }
                Ok(drawn)
            },
        )?;
        let mut values = blocks.iter().flatten();
        for gap in 0..gaps.len() {
            let (at, missing) = gaps.row(gap);
            for (&x, &value) in missing.iter().zip(&mut values) {
                columns[x as usize][at] = value;
            }
        }
        Ok(())
    }

    /// Draws the missing values of a row, from which the means are taken off.
    fn draw_row(
        &self,
        missing: &[Variable],
        row: &mut [f64],
        workspace: &mut Workspace,
        rng: &mut impl rand_core::RngCore,
    ) {
        for &x in missing {
            workspace.place[x as usize] = WAITING;
        }
        for &first in missing {
            if workspace.place[first as usize] != WAITING {
                continue;
            }
            self.collect(first, workspace);
            if workspace.group.len() <= MOST_AT_ONCE {
                self.draw_at_once(row, workspace, rng);
            } else {
                self.sweep(row, &workspace.group, rng);
            }
        }
        for &x in missing {
            workspace.place[x as usize] = NONE;
        }
    }

    /// The missing values that depend on each other and on this one, given the known ones.
    fn collect(&self, first: Variable, workspace: &mut Workspace) {
        let Workspace { place, group, .. } = workspace;
        group.clear();
        group.push(first);
        place[first as usize] = 0;
        let mut next = 0;
        while let Some(&x) = group.get(next) {
            next += 1;
            for &(other, _) in &self.others[x as usize] {
                if place[other as usize] == WAITING {
                    place[other as usize] = group.len() as u32;
                    group.push(other);
                }
            }
        }
    }

    fn draw_at_once(&self, row: &mut [f64], workspace: &mut Workspace, rng: &mut impl rand_core::RngCore) {
        let Workspace { place, group, matrix, right } = workspace;
        let k = group.len();
        matrix.clear();
        matrix.resize(k * k, 0.0);
        right.clear();
        for (i, &x) in group.iter().enumerate() {
            matrix[i * k + i] = self.diagonal[x as usize];
            let mut sum = 0.0;
            for &(other, entry) in &self.others[x as usize] {
                // Missing values of other groups are no neighbours.
                match place[other as usize] {
                    NONE => sum -= entry * row[other as usize],
                    j => matrix[i * k + j as usize] = entry,
                }
            }
            right.push(sum);
        }
        factor(matrix, k);
        // With Λ = L Lᵀ: the mean is L⁻ᵀ L⁻¹ right, and L⁻ᵀ times standard normal numbers has the covariance Λ⁻¹.
        solve_lower(matrix, k, right);
        right.iter_mut().for_each(|value| *value += normal(rng));
        solve_upper(matrix, k, right);
        for (&x, &value) in group.iter().zip(right.iter()) {
            row[x as usize] = value;
        }
    }

    fn sweep(&self, row: &mut [f64], group: &[Variable], rng: &mut impl rand_core::RngCore) {
        for &x in group {
            let sum: f64 = self.others[x as usize].iter().map(|&(other, entry)| entry * row[other as usize]).sum();
            let precision = self.diagonal[x as usize];
            row[x as usize] = -sum / precision + normal(rng) / precision.sqrt();
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::GaussianNetwork;

    fn network() -> GaussianNetwork {
        let dag = Dag::from_arcs(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).unwrap();
        GaussianNetwork::new(dag, vec![vec![], vec![0.9], vec![-0.7], vec![0.8, 1.1]], vec![1.0, 0.5, 0.8, 0.3])
            .unwrap()
    }

    fn sampled(n: usize, run: &Run) -> Vec<Vec<f64>> {
        let data = network().sample(n, 4, run).unwrap();
        (0..4).map(|x| data.column(x).iter().map(|value| 10.0 * f64::from(x) + value).collect()).collect()
    }

    fn estimate(complete: &[Vec<f64>], run: &Run) -> (Network, Vec<Scale>) {
        let scales: Vec<Scale> = complete.iter().map(|column| Scale::of(column)).collect();
        let columns: Vec<Vec<f64>> =
            complete.iter().zip(&scales).map(|(c, scale)| c.iter().map(|&v| scale.standard(v)).collect()).collect();
        let dag = network().dag().clone();
        (Families::count(&columns, &dag, run).unwrap().network(run).unwrap(), scales)
    }

    #[test]
    fn draws_have_the_conditional_mean_and_covariance() {
        // One row is there very often, without its second and third value.
        let run = Run::new(2).unwrap();
        let complete = sampled(20_000, &run);
        let precision = estimate(&complete, &run).0;
        let row: Vec<f64> = [0.7, f64::NAN, f64::NAN, -0.4].to_vec();
        let (mut workspace, mut rng) = (Workspace::new(4), stream(1, 1));
        let n = 40_000;
        for at_once in [true, false] {
            let draws: Vec<[f64; 2]> = (0..n)
                .map(|_| {
                    let mut values: Vec<f64> = row.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
                    if at_once {
                        precision.draw_row(&[1, 2], &mut values, &mut workspace, &mut rng);
                    } else {
                        (0..40).for_each(|_| precision.sweep(&mut values, &[1, 2], &mut rng));
                    }
                    [values[1], values[2]]
                })
                .collect();
            // Λₘₘ = [[a, b], [b, c]] of the two.
            let entry = |x: usize, y: Variable| precision.others[x].iter().find(|(o, _)| *o == y).unwrap().1;
            let (a, b, c) = (precision.diagonal[1], entry(1, 2), precision.diagonal[2]);
            let (r, s) =
                (-(entry(1, 0) * row[0] + entry(1, 3) * row[3]), -(entry(2, 0) * row[0] + entry(2, 3) * row[3]));
            let determinant = a * c - b * b;
            let mean = [(c * r - b * s) / determinant, (a * s - b * r) / determinant];
            let covariance = [c / determinant, a / determinant, -b / determinant];
            let average = |f: &dyn Fn(&[f64; 2]) -> f64| draws.iter().map(f).sum::<f64>() / f64::from(n);
            for i in 0..2 {
                let error = (covariance[i] / f64::from(n)).sqrt();
                assert!((average(&|d| d[i]) - mean[i]).abs() < 5.0 * error);
                let found = average(&|d| (d[i] - mean[i]).powi(2));
                assert!((found / covariance[i] - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt());
            }
            let found = average(&|d| (d[0] - mean[0]) * (d[1] - mean[1]));
            let spread = (covariance[0] * covariance[1] + covariance[2] * covariance[2]) / f64::from(n);
            assert!((found - covariance[2]).abs() < 5.0 * spread.sqrt());
        }
    }

    #[test]
    fn the_network_is_that_of_the_data() {
        let run = Run::new(1).unwrap();
        let complete = sampled(100_000, &run);
        let (precision, scales) = estimate(&complete, &run);
        // In units of the columns: Λ = (I − W)ᵀ D⁻¹ (I − W).
        let scale = |x: usize| scales[x].deviation;
        assert!((precision.diagonal[3] / scale(3).powi(2) * 0.3 - 1.0).abs() < 0.03);
        let right = 0.8 * 1.1 / 0.3;
        assert!(
            (precision.others[1].iter().find(|(o, _)| *o == 2).unwrap().1 / (scale(1) * scale(2)) - right).abs() < 0.1
        );
        assert!(precision.others[0].iter().all(|&(other, _)| other != 3));
    }

    #[test]
    fn draws_do_not_depend_on_threads_and_known_values_stay() {
        let complete = sampled(2000, &Run::new(1).unwrap());
        let mut rng = stream(9, 0);
        let gapped: Vec<Vec<f64>> = complete
            .iter()
            .map(|column| {
                column
                    .iter()
                    .map(|&v| if crate::random_numbers::uniform(&mut rng) < 0.3 { f64::NAN } else { v })
                    .collect()
            })
            .collect();
        let data = IncompleteNumbers::new(gapped.clone()).unwrap();
        let with = |threads: usize| {
            let run = Run::new(threads).unwrap();
            let start = data.fill_from_marginals(3, &run).unwrap();
            data.fill(&start, network().dag(), 8, 4, &run).unwrap()
        };
        let filled = with(1);
        assert!(filled == with(2) && filled == with(4));
        for (gapped, filled) in gapped.iter().zip(&filled) {
            assert!(
                gapped.iter().zip(filled).all(|(known, value)| known.is_nan() && value.is_finite() || known == value)
            );
        }
    }

    #[test]
    fn constants_copies_and_empty_columns_have_finite_draws() {
        let mut a: Vec<f64> = (0..50).map(|row| f64::from(row * row % 17)).collect();
        let mut copy = a.clone();
        a[3] = f64::NAN;
        copy[5] = f64::NAN;
        let mut constant = vec![2.5; 50];
        constant[9] = f64::NAN;
        let data = IncompleteNumbers::new(vec![a.clone(), copy, constant, vec![f64::NAN; 50]]).unwrap();
        let run = Run::new(1).unwrap();
        let start = data.fill_from_marginals(1, &run).unwrap();
        assert_eq!(start[2], [2.5; 50]);
        let dag = Dag::from_arcs(4, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]).unwrap();
        let mut filled = start;
        for round in 0..10 {
            filled = data.fill(&filled, &dag, 4, round, &run).unwrap();
        }
        assert!(filled.iter().flatten().all(|value| value.is_finite()));
        assert!(
            (filled[0][3] - 9.0).abs() < 0.5 && (filled[1][5] - 8.0).abs() < 0.5,
            "{} {}",
            filled[0][3],
            filled[1][5]
        );
        assert!(IncompleteNumbers::new(vec![vec![1.0, f64::INFINITY]]).is_err());
        assert!(IncompleteNumbers::new(vec![vec![1.0], vec![]]).is_err());
    }
}
