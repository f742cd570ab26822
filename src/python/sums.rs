//! Gaussian data whose rows are elsewhere: what sums a part of them, and what makes correlations of all sums.

use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::dataset::GaussianDataset;
use super::run::{AT_ONCE, Settings, run_job};
use crate::data::{CHUNK, Centring, Correlation, ProductSums, Range, rows_at_once};
use crate::{Error, Result};

/// Whole numbers of 128 bits: the low and the high 64 bits of each.
type Wide<'py> = Bound<'py, PyArray2<u64>>;

fn wide(py: Python<'_>, numbers: impl Iterator<Item = i128>) -> PyResult<Wide<'_>> {
    let halves: Vec<u64> = numbers.flat_map(|number| [number as u64, (number >> 64) as u64]).collect();
    let n = halves.len() / 2;
    PyArray1::from_vec(py, halves).reshape([n, 2])
}

fn narrow(numbers: &PyReadonlyArray2<'_, u64>) -> Vec<i128> {
    let of = |halves: numpy::ndarray::ArrayView1<'_, u64>| (i128::from(halves[1] as i64) << 64) | i128::from(halves[0]);
    numbers.as_array().outer_iter().map(of).collect()
}

/// Reads scale, centre and unit of each column; NaN of constant ones.
fn centrings_of(array: &PyReadonlyArray2<'_, f64>) -> Vec<Option<Centring>> {
    let rows = array.as_array();
    let of = |row: numpy::ndarray::ArrayView1<'_, f64>| {
        (!row[0].is_nan()).then(|| Centring { scale: row[0], centre: row[1], unit: row[2] })
    };
    rows.outer_iter().map(of).collect()
}

fn as_array<'py>(py: Python<'py>, centrings: &[Option<Centring>]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let of = |centring: &Option<Centring>| centring.map_or([f64::NAN; 3], |it| [it.scale, it.centre, it.unit]);
    let all: Vec<f64> = centrings.iter().flat_map(of).collect();
    PyArray1::from_vec(py, all).reshape([centrings.len(), 3])
}

/// Consecutive rows of columns of numbers, the first of which begins a chunk.
#[pyclass(module = "phgs._core")]
pub(crate) struct NumberPart {
    columns: Vec<Vec<f64>>,
    products: ProductSums,
    /// Rows of which the products are added.
    done: usize,
}

#[pymethods]
impl NumberPart {
    #[new]
    fn new() -> Self {
        Self { columns: Vec::new(), products: ProductSums::new(0), done: 0 }
    }

    /// Takes the next column: finite numbers.
    fn push(&mut self, column: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let column = column.as_array().to_vec();
        if self.columns.first().is_some_and(|first| first.len() != column.len()) {
            return Err(Error::Data("columns differ in length".into()).into());
        }
        self.columns.push(column);
        self.products = ProductSums::new(self.columns.len());
        Ok(())
    }

    /// The least and the largest value of each column.
    fn ranges(&self) -> (Vec<f64>, Vec<f64>) {
        self.columns.iter().map(|column| Range::of(column)).map(|range| (range.least, range.largest)).unzip()
    }

    /// The sum of each column in the units of `centrings`.
    fn sums<'py>(&self, py: Python<'py>, centrings: PyReadonlyArray2<'_, f64>) -> PyResult<Wide<'py>> {
        let centrings = self.checked(&centrings)?;
        let pairs = centrings.iter().zip(&self.columns);
        wide(py, pairs.map(|(centring, column)| centring.map_or(0, |centring| centring.sum(column, None))))
    }

    /// Adds the products of columns in the units of `centrings` for about so long; returns how many rows are left.
    fn multiply(
        &mut self,
        py: Python<'_>,
        centrings: PyReadonlyArray2<'_, f64>,
        seconds: f64,
        threads: usize,
    ) -> PyResult<usize> {
        let centrings = self.checked(&centrings)?;
        let Self { columns, products, done } = self;
        let n_rows = columns.first().map_or(0, Vec::len);
        let at_once = rows_at_once(columns.len());
        let until = Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or_default();
        run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
            while *done < n_rows {
                let rows = *done..n_rows.min(*done + at_once);
                let some: Vec<&[f64]> = columns.iter().map(|column| &column[rows.clone()]).collect();
                products.add(&some, &centrings, None, run)?;
                *done = rows.end;
                if Instant::now() > until {
                    break;
                }
            }
            Ok(n_rows - *done)
        })
    }

    /// All sums of columns and of products.
    fn products<'py>(&self, py: Python<'py>) -> PyResult<Wide<'py>> {
        wide(py, self.products.numbers().into_iter())
    }
}

impl NumberPart {
    fn checked(&self, centrings: &PyReadonlyArray2<'_, f64>) -> Result<Vec<Option<Centring>>> {
        let found = centrings_of(centrings);
        if found.len() != self.columns.len() {
            return Err(Error::Data(format!("{} columns are centred, of {}", found.len(), self.columns.len())));
        }
        Ok(found)
    }
}

/// What is known of columns of numbers from the sums of all parts of their rows.
#[pyclass(module = "phgs._core")]
pub(crate) struct NumberSums {
    n_rows: usize,
    ranges: Vec<Range>,
    centrings: Vec<Option<Centring>>,
}

#[pymethods]
impl NumberSums {
    /// Rows whose parts begin at multiples of this can be summed apart.
    #[classattr]
    const CHUNK: usize = CHUNK;

    /// `ranges`: of each part the least and the largest value of each column.
    #[new]
    fn new(n_rows: usize, ranges: Vec<(Vec<f64>, Vec<f64>)>) -> Self {
        let of = |(least, largest): (Vec<f64>, Vec<f64>)| -> Vec<Range> {
            least.into_iter().zip(largest).map(|(least, largest)| Range { least, largest }).collect()
        };
        let together = |a: Vec<Range>, b: Vec<Range>| a.into_iter().zip(b).map(|(a, b)| a.and(b)).collect();
        let ranges = ranges.into_iter().map(of).reduce(together).unwrap_or_default();
        let centrings = ranges.iter().map(|&range| Centring::around_middle(range)).collect();
        Self { n_rows, ranges, centrings }
    }

    /// How columns are to be centred for the next pass over rows: scale, centre and unit of each; NaN of constant ones.
    #[getter]
    fn centrings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        as_array(py, &self.centrings)
    }

    /// Centres columns around their means; `sums` are those of each part.
    fn centre(&mut self, sums: Vec<PyReadonlyArray2<'_, u64>>) {
        let mut total = vec![0i128; self.ranges.len()];
        for part in &sums {
            total.iter_mut().zip(narrow(part)).for_each(|(total, sum)| *total += sum);
        }
        for ((centring, &range), sum) in self.centrings.iter_mut().zip(&self.ranges).zip(total) {
            *centring = centring.and_then(|middle| middle.around_mean(range, sum, self.n_rows as f64));
        }
    }

    /// The means, once columns are centred around them; of constant columns their value.
    fn means(&self) -> Vec<f64> {
        let mean = |(centring, range): (&Option<Centring>, &Range)| centring.map_or(range.least, Centring::mean);
        self.centrings.iter().zip(&self.ranges).map(mean).collect()
    }

    /// The correlations; `products` are those of each part.
    fn dataset(&self, products: Vec<PyReadonlyArray2<'_, u64>>) -> PyResult<GaussianDataset> {
        let mut total = ProductSums::new(self.ranges.len());
        for part in &products {
            total.merge(&narrow(part))?;
        }
        Ok(GaussianDataset::of(Correlation::from_sums(&total, &self.centrings, self.n_rows)?))
    }
}
