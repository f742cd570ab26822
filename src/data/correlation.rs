//! The correlation matrix, which is all that Gaussian methods need of the data.

use super::continuous::CONSTANT;
use super::sums::{Centring, ProductSums};
use super::{ContinuousData, RowWeights};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// A correlation matrix and the number of rows behind it: all that Gaussian tests and scores need. Stored as one
/// triangle, p (p − 1) / 2 numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlation {
    n_variables: usize,
    n_rows: usize,
    effective_rows: f64,
    /// Below the diagonal, row by row.
    lower: Vec<f64>,
    log_variances: Vec<f64>,
}

/// How far from 1 an absolute correlation has to be for two columns to count as different.
const DUPLICATE: f64 = 1e-12;

impl Correlation {
    /// The correlations of a table: one blocked product, in parallel.
    ///
    /// # Errors
    ///
    /// [`Error::Columns`] when two columns are copies of each other up to scale and shift; [`Error::Interrupted`].
    pub fn of(data: &ContinuousData, run: &Run) -> Result<Self> {
        let (found, copies) = Self::with_copies(data, run)?;
        found.without(&copies)
    }

    /// The correlations of a table in which columns may be constant, or copies of others: each such column correlates
    /// with nothing, so that it stays isolated. Of copies the first is left as it is.
    ///
    /// Returns the variables that were set apart, too.
    ///
    /// # Errors
    ///
    /// As [`ContinuousData::from_columns`], but for constant columns; [`Error::Interrupted`].
    pub fn of_degenerate(
        columns: Vec<Vec<f64>>,
        weights: Option<RowWeights>,
        run: &Run,
    ) -> Result<(Self, Vec<Variable>)> {
        let (data, constant) = ContinuousData::with_constants(columns, weights)?;
        let (mut found, copies) = Self::with_copies(&data, run)?;
        let mut apart = constant;
        if found.n_rows > 2 {
            // Pairs come by increasing first variable: copies of one that was set apart are copies of the first, too.
            for (x, y) in copies {
                if !apart.contains(&x) && !apart.contains(&y) {
                    apart.push(y);
                }
            }
        }
        apart.sort_unstable();
        for &x in &apart {
            for y in (0..found.n_variables as Variable).filter(|&y| y != x) {
                let (low, high) = (x.min(y) as usize, x.max(y) as usize);
                found.lower[high * (high - 1) / 2 + low] = 0.0;
            }
        }
        Ok((found, apart))
    }

    /// The correlations of an embedding, R ← (R + εI)/(1 + ε) with ε = 1/n, which is regular whatever the columns; and the
    /// pairs of columns that were copies of each other.
    pub(super) fn of_embedding(data: &ContinuousData, run: &Run) -> Result<(Self, Vec<(Variable, Variable)>)> {
        let (mut found, copies) = Self::with_copies(data, run)?;
        let shrunk = (1.0 + 1.0 / found.effective_rows).recip();
        found.lower.iter_mut().for_each(|r| *r *= shrunk);
        Ok((found, copies))
    }

    /// The correlations, and the pairs of columns that are copies of each other, in order. A constant column correlates
    /// with nothing, and has a variance of 1.
    fn with_copies(data: &ContinuousData, run: &Run) -> Result<(Self, Vec<(Variable, Variable)>)> {
        let mut sums = ProductSums::new(data.n_variables());
        sums.add(&data.columns(), data.centrings(), data.roots().as_deref(), run)?;
        Ok(Self::of_sums(&sums, data.centrings(), data.n_rows(), data.effective_rows()))
    }

    /// The correlations of columns of which sums are known, over all rows; see [`ProductSums`].
    ///
    /// # Errors
    ///
    /// [`Error::Columns`] as of [`ContinuousData::from_columns`] and [`Correlation::of`].
    pub fn from_sums(sums: &ProductSums, centrings: &[Option<Centring>], n_rows: usize) -> Result<Self> {
        let constant: Vec<Variable> =
            (0..).zip(centrings).filter(|(_, centring)| centring.is_none()).map(|(x, _)| x).collect();
        if !constant.is_empty() {
            return Err(Error::columns(constant, CONSTANT));
        }
        let (found, copies) = Self::of_sums(sums, centrings, n_rows, n_rows as f64);
        found.without(&copies)
    }

    fn of_sums(
        sums: &ProductSums,
        centrings: &[Option<Centring>],
        n_rows: usize,
        effective_rows: f64,
    ) -> (Self, Vec<(Variable, Variable)>) {
        let p = centrings.len();
        let all: Vec<f64> = (0..p as Variable).map(|x| sums.sum(x)).collect();
        let mut squares = vec![0.0; p];
        // What rounding left in the mean is taken out here.
        sums.for_each_square(|x, square| squares[x] = square - all[x] * all[x] / effective_rows);
        let inverses: Vec<f64> =
            squares.iter().map(|&square| if square > 0.0 { square.sqrt().recip() } else { 0.0 }).collect();
        let means: Vec<f64> =
            all.iter().zip(&inverses).map(|(sum, inverse)| sum * inverse / effective_rows.sqrt()).collect();
        let mut lower = vec![0.0; p * p.saturating_sub(1) / 2];
        let mut copies: Vec<(Variable, Variable)> = Vec::new();
        sums.for_each_product(|x, y, product| {
            let r = product * (inverses[x] * inverses[y]) - means[x] * means[y];
            if 1.0 - r.abs() < DUPLICATE {
                copies.push((y as Variable, x as Variable));
            }
            lower[x * (x - 1) / 2 + y] = r.clamp(-1.0, 1.0);
        });
        copies.sort_unstable();
        let log_variance = |(centring, square): (&Option<Centring>, &f64)| {
            centring.map_or(0.0, |centring| (square / effective_rows).ln() + 2.0 * centring.log_unit())
        };
        let log_variances = centrings.iter().zip(&squares).map(log_variance).collect();
        (Self { n_variables: p, n_rows, effective_rows, lower, log_variances }, copies)
    }

    /// Refuses copies, unless two rows make all columns copies.
    fn without(self, copies: &[(Variable, Variable)]) -> Result<Self> {
        match copies.first() {
            Some(&(x, y)) if self.n_rows > 2 => {
                let problem = "are copies of each other up to scale and shift; leave one of them out";
                Err(Error::columns(vec![x, y], problem))
            }
            _ => Ok(self),
        }
    }

    /// The correlations of all pairs, the upper triangle row by row, and logarithms of variances, as another of these had them.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are not as many as there are pairs.
    pub fn from_upper(upper: &[f64], log_variances: Vec<f64>, n_rows: usize) -> Result<Self> {
        let p = log_variances.len();
        if upper.len() != p * p.saturating_sub(1) / 2 {
            return Err(Error::Data(format!("{} correlations of {p} columns", upper.len())));
        }
        let mut lower = Vec::with_capacity(upper.len());
        for x in 0..p {
            lower.extend((0..x).map(|y| upper[y * (2 * p - y - 1) / 2 + x - y - 1]));
        }
        Ok(Self { n_variables: p, n_rows, effective_rows: n_rows as f64, lower, log_variances })
    }

    /// A correlation matrix that was computed elsewhere: its rows and the number of data rows behind it. Variances are
    /// taken to be 1.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] or [`Error::Columns`] unless the matrix is square, symmetric, with ones on its diagonal, within
    /// \[−1, 1\] and positive semi-definite, and no two variables are copies of each other.
    pub fn from_matrix(rows: &[Vec<f64>], n_rows: usize) -> Result<Self> {
        Self::from_matrix_within(rows, n_rows, &Run::unlimited())
    }

    /// [`Correlation::from_matrix`] for many variables: to check the matrix takes p³ steps.
    ///
    /// # Errors
    ///
    /// As for [`Correlation::from_matrix`]; [`Error::Interrupted`] when the run is cancelled.
    pub fn from_matrix_within(rows: &[Vec<f64>], n_rows: usize, run: &Run) -> Result<Self> {
        let p = rows.len();
        if p == 0 {
            return Err(Error::Data("the correlation matrix is empty".into()));
        }
        if n_rows < 2 {
            return Err(Error::parameter("n_rows", "a correlation matrix needs at least two rows of data behind it"));
        }
        if rows.iter().any(|row| row.len() != p) {
            return Err(Error::Data("the correlation matrix is not square".into()));
        }
        const TOLERANCE: f64 = 1e-8;
        let mut lower = Vec::with_capacity(p * (p - 1) / 2);
        for (x, row) in rows.iter().enumerate() {
            let of = |y: usize| vec![y as Variable, x as Variable];
            if let Some(y) = row.iter().position(|r| r.is_nan()) {
                return Err(Error::columns(of(y), "have NaN for a correlation"));
            }
            if (row[x] - 1.0).abs() > TOLERANCE {
                return Err(Error::columns(vec![x as Variable], "have no 1 on the diagonal of the correlation matrix"));
            }
            for (y, &r) in row.iter().enumerate().take(x) {
                if (r - rows[y][x]).abs() > TOLERANCE {
                    return Err(Error::columns(of(y), "have a correlation matrix that is not symmetric"));
                }
                if r.abs() > 1.0 + TOLERANCE {
                    return Err(Error::columns(of(y), "have a correlation outside [-1, 1]"));
                }
                if 1.0 - r.abs() < DUPLICATE {
                    return Err(Error::columns(of(y), "have a correlation of 1 or -1; leave one of them out"));
                }
                lower.push(r);
            }
        }
        let effective_rows = n_rows as f64;
        let this = Self { n_variables: p, n_rows, effective_rows, lower, log_variances: vec![0.0; p] };
        this.factorise(run, |x, parts| match parts {
            Some(_) => Ok(()),
            None => Err(Error::columns(vec![x], "make the correlation matrix not positive semi-definite")),
        })?;
        Ok(this)
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// Number of rows of data behind the matrix.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows of equal weight that these are worth: what tests and penalties take for the number of rows.
    pub fn effective_rows(&self) -> f64 {
        self.effective_rows
    }

    /// The correlation of two variables.
    #[inline]
    pub fn get(&self, x: Variable, y: Variable) -> f64 {
        let (low, high) = (x.min(y) as usize, x.max(y) as usize);
        if low == high { 1.0 } else { self.lower[high * (high - 1) / 2 + low] }
    }

    /// The correlations of a variable with those before it.
    #[inline]
    pub(super) fn below(&self, x: usize) -> &[f64] {
        &self.lower[x * x.saturating_sub(1) / 2..][..x]
    }

    /// The variance of a variable (sum of squares divided by the number of rows); 0 or infinite where floats do not
    /// reach it.
    pub fn variance(&self, x: Variable) -> f64 {
        self.log_variances[x as usize].exp()
    }

    /// The natural logarithm of the variance, which is finite for columns of any scale.
    pub fn log_variance(&self, x: Variable) -> f64 {
        self.log_variances[x as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_numbers::{generator, uniform};

    fn run() -> Run {
        Run::new(2).unwrap()
    }

    /// Columns of pseudo-random numbers.
    fn columns(p: usize, n: usize) -> Vec<Vec<f64>> {
        let random = &mut generator(1);
        (0..p).map(|_| (0..n).map(|_| uniform(random)).collect()).collect()
    }

    #[test]
    fn blocked_product_equals_the_formula() {
        let columns = columns(70, 31);
        let data = ContinuousData::from_columns(columns.clone()).unwrap();
        let correlation = Correlation::of(&data, &run()).unwrap();
        assert_eq!(correlation, Correlation::of(&data, &Run::new(1).unwrap()).unwrap());
        for x in 0..70 {
            for y in 0..70 {
                let mean = |c: &[f64]| c.iter().sum::<f64>() / 31.0;
                let (mx, my) = (mean(&columns[x]), mean(&columns[y]));
                let s = |a: &[f64], ma: f64, b: &[f64], mb: f64| -> f64 {
                    a.iter().zip(b).map(|(u, v)| (u - ma) * (v - mb)).sum()
                };
                let (a, b) = (&columns[x], &columns[y]);
                let expected = s(a, mx, b, my) / (s(a, mx, a, mx) * s(b, my, b, my)).sqrt();
                assert!((correlation.get(x as u32, y as u32) - expected).abs() < 1e-13);
            }
            let mean = columns[x].iter().sum::<f64>() / 31.0;
            let variance = columns[x].iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 31.0;
            assert!((correlation.variance(x as u32) / variance - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn shift_and_scale_change_nothing() {
        let plain = columns(3, 50);
        let moved: Vec<Vec<f64>> = plain
            .iter()
            .zip([(1e9, 1.0), (0.0, 1e200), (-3.0, 1e-200)])
            .map(|(c, (shift, scale))| c.iter().map(|v| (v + shift) * scale).collect())
            .collect();
        let of = |c| Correlation::of(&ContinuousData::from_columns(c).unwrap(), &run()).unwrap();
        let (a, b) = (of(plain), of(moved));
        for (x, y) in [(0, 1), (0, 2), (1, 2)] {
            assert!((a.get(x, y) - b.get(x, y)).abs() < 1e-6);
        }
    }

    #[test]
    fn bad_columns_are_named() {
        let named = |result: Result<ContinuousData>| match result {
            Err(Error::Columns { columns, .. }) => columns,
            other => panic!("{other:?}"),
        };
        let good = vec![0.5, 1.5, -2.0];
        assert_eq!(named(ContinuousData::from_columns(vec![good.clone(), vec![3.1; 3]])), [1]);
        assert_eq!(named(ContinuousData::from_columns(vec![vec![0.1 + 0.2, 0.3, 0.3], good.clone()])), [0]);
        assert_eq!(named(ContinuousData::from_columns(vec![vec![f64::NAN; 3], good.clone()])), [0]);
        assert_eq!(named(ContinuousData::from_columns(vec![good.clone(), vec![1.0, 2.0, f64::INFINITY]])), [1]);
        assert!(ContinuousData::from_columns(vec![]).is_err());
        assert!(ContinuousData::from_columns(vec![vec![]]).is_err());
        assert!(ContinuousData::from_columns(vec![vec![1.0]]).is_err());
        assert!(ContinuousData::from_columns(vec![good.clone(), vec![1.0]]).is_err());
        let twice = good.iter().map(|v| 7.0 - 2.0 * v).collect();
        let data = ContinuousData::from_columns(vec![vec![1.0, 2.0, 2.5], good, twice]).unwrap();
        let error = Correlation::of(&data, &run()).unwrap_err();
        assert!(matches!(error, Error::Columns { columns, .. } if columns == [1, 2]));
    }

    #[test]
    fn collinear_columns_are_found_with_their_parts() {
        let mut table = columns(6, 40);
        table[4] = (0..40).map(|i| table[1][i] - 0.5 * table[3][i] + 2.0).collect();
        let correlation = Correlation::of(&ContinuousData::from_columns(table).unwrap(), &run()).unwrap();
        assert_eq!(correlation.collinear(), [(4, vec![1, 3])]);
        let few = Correlation::of(&ContinuousData::from_columns(columns(6, 5)).unwrap(), &run()).unwrap();
        assert!(few.collinear().is_empty());
    }

    #[test]
    fn matrices_are_checked() {
        let matrix = |a: f64, b: f64, c: f64| vec![vec![1.0, a, b], vec![a, 1.0, c], vec![b, c, 1.0]];
        assert_eq!(Correlation::from_matrix(&matrix(0.5, 0.2, -0.3), 10).unwrap().get(2, 1), -0.3);
        assert!(Correlation::from_matrix(&matrix(0.9, 0.9, -0.9), 10).is_err(), "indefinite");
        assert!(Correlation::from_matrix(&matrix(0.5, 1.2, 0.1), 10).is_err());
        assert!(Correlation::from_matrix(&matrix(f64::NAN, 0.2, 0.1), 10).is_err());
        assert!(Correlation::from_matrix(&matrix(1.0, 0.2, 0.2), 10).is_err(), "copies");
        assert!(Correlation::from_matrix(&matrix(0.5, 0.2, 0.1), 1).is_err());
        let mut skewed = matrix(0.5, 0.2, 0.1);
        skewed[0][1] = 0.4;
        assert!(Correlation::from_matrix(&skewed, 10).is_err());
        skewed[0][0] = 2.0;
        assert!(Correlation::from_matrix(&skewed, 10).is_err());
        assert!(Correlation::from_matrix(&[vec![1.0, 0.0]], 10).is_err());
        // Singular but semi-definite: 2 = (0 + 1) / √2.
        let half = 0.5f64.sqrt();
        let singular = Correlation::from_matrix(&matrix(0.0, half, half), 10).unwrap();
        assert_eq!(singular.collinear(), [(2, vec![0, 1])]);
    }
}
