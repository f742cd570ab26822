//! Sums of columns and of their products that are the same bit for bit however the rows are split.
//!
//! A sum of floats depends on its order. Here rows are summed in floats within chunks of [`CHUNK`] rows, counted from the first
//! row of all, and the sums of chunks are added exactly, as whole numbers of 128 bits. Whoever has whole chunks, in one
//! process or in many, by any number of threads, comes to the same.
//!
//! Before that each column is put into units of its own ([`Centring`]): shifted by its mean and scaled so that no value is
//! larger than 1, and the largest more than ½. A sum of squares is then at least ¼, and the unit of the whole numbers, 2⁻⁸⁰, is
//! below the rounding of floats beside it, whatever the column holds; and 2³² rows make no more than 2¹¹². Means need sums,
//! and sums a scale, which the least and the largest value give: so there are three passes over rows, each of which can be
//! split.

use crate::run::Run;
use crate::{Error, Result, Variable};

/// Rows that are summed as floats: parts of a table begin at multiples of it.
pub const CHUNK: usize = 1024;

/// One in the whole numbers that are added up.
const ONE: f64 = (1u128 << 80) as f64;

/// Columns of one panel of the blocked product.
pub(super) const PANEL: usize = 4;
/// Panels of one block; a pair of blocks is one item of work.
const BLOCK: usize = 16;
/// Values that are centred at a time (64 MiB), but at least one chunk of rows.
const AT_ONCE: usize = 8 << 20;
/// Items of work that are wanted at least, so that threads have some where there are few columns.
const ITEMS: usize = 16;
/// Below this deviation from its mean, in units of its largest value, a column is constant up to rounding.
const CONSTANT: f64 = 4.0 * f64::EPSILON;

fn exact(sum: f64) -> i128 {
    (sum * ONE) as i128
}

fn float(sum: i128) -> f64 {
    sum as f64 / ONE
}

/// The least and the largest value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The largest.
    pub largest: f64,
}

impl Range {
    /// That of finite values.
    pub fn of(column: &[f64]) -> Self {
        let none = Self { least: f64::INFINITY, largest: f64::NEG_INFINITY };
        column.iter().fold(none, |range, &v| Self { least: range.least.min(v), largest: range.largest.max(v) })
    }

    /// That of the values of both.
    pub fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), largest: self.largest.max(other.largest) }
    }
}

/// How a column is put into units of its own: (value · scale − centre) · unit, where scale and unit are powers of two, so
/// that the one rounding is that of the difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centring {
    /// The power of two that brings the largest absolute value below 1.
    pub scale: f64,
    /// What is taken off.
    pub centre: f64,
    /// The power of two that brings the largest absolute deviation to between ½ and 1.
    pub unit: f64,
}

/// The power of two that brings a positive number to between ½ and 1, or towards it where floats do not reach.
fn power_below_one(number: f64) -> f64 {
    let normal = if number < f64::MIN_POSITIVE { number * 2f64.powi(64) } else { number };
    let shift = if number < f64::MIN_POSITIVE { 64 } else { 0 };
    2f64.powi((shift - 1 - exponent(normal)).clamp(-1000, 1000))
}

/// The exponent of two in a normal number.
fn exponent(number: f64) -> i32 {
    ((number.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

impl Centring {
    /// Around the middle of a range; `None` for a column of one value.
    pub fn around_middle(range: Range) -> Option<Self> {
        if range.least >= range.largest {
            return None;
        }
        let scale = power_below_one(range.least.abs().max(range.largest.abs()));
        let centre = 0.5 * (range.least * scale) + 0.5 * (range.largest * scale);
        Some(Self { scale, centre, unit: 1.0 }.in_units_of(Self::deviation(range, scale, centre)))
    }

    /// Around the mean, from the sum of the values as they are centred now; `None` for a column that is constant up to the
    /// rounding of its values.
    pub fn around_mean(self, range: Range, sum: i128, n_rows: f64) -> Option<Self> {
        let centre = self.centre + float(sum) / n_rows / self.unit;
        let deviation = Self::deviation(range, self.scale, centre);
        let largest = self.scale * range.least.abs().max(range.largest.abs());
        (deviation > CONSTANT * largest).then(|| Self { centre, ..self }.in_units_of(deviation))
    }

    fn deviation(range: Range, scale: f64, centre: f64) -> f64 {
        (range.largest * scale - centre).max(centre - range.least * scale)
    }

    fn in_units_of(self, deviation: f64) -> Self {
        Self { unit: power_below_one(deviation), ..self }
    }

    /// A value in these units.
    #[inline]
    pub(super) fn of(self, value: f64) -> f64 {
        (value * self.scale - self.centre) * self.unit
    }

    /// The natural logarithm of one of these units in those of the column.
    pub(super) fn log_unit(self) -> f64 {
        // As a logarithm: squares of columns at scales such as 1e200 are out of the range of floats.
        -f64::from(exponent(self.scale) + exponent(self.unit)) * std::f64::consts::LN_2
    }

    /// The mean, where the column is centred around it.
    pub fn mean(self) -> f64 {
        self.centre / self.scale
    }

    /// The exact sum of a column that begins with a chunk, in these units; of weighted rows of each value times its weight.
    pub fn sum(self, column: &[f64], weights: Option<&[f64]>) -> i128 {
        let chunks = column.chunks(CHUNK).enumerate();
        let sum = |(at, chunk): (usize, &[f64])| match weights {
            None => in_lanes(chunk.len(), |row| self.of(chunk[row])),
            Some(weights) => {
                let weights = &weights[at * CHUNK..][..chunk.len()];
                in_lanes(chunk.len(), |row| self.of(chunk[row]) * weights[row])
            }
        };
        chunks.map(|chunk| exact(sum(chunk))).sum()
    }

    /// Around the mean of a whole column; see [`around_mean`](Self::around_mean). Of weighted rows the mean is weighted, and
    /// deviations are multiplied by the roots of weights before they are scaled.
    pub(super) fn of_column(column: &[f64], weights: Option<(&[f64], f64)>) -> Option<Self> {
        let range = Range::of(column);
        let middle = Self::around_middle(range)?;
        let Some((weights, effective_rows)) = weights else {
            return middle.around_mean(range, middle.sum(column, None), column.len() as f64);
        };
        let mean = middle.around_mean(range, middle.sum(column, Some(weights)), effective_rows)?;
        let at_one = Self { unit: 1.0, ..mean };
        let weighted = column.iter().zip(weights).map(|(&v, &w)| at_one.of(v).abs() * w.sqrt());
        Some(at_one.in_units_of(weighted.fold(0.0, f64::max)))
    }
}

/// Exact sums of centred columns and of their products over some of the rows.
///
/// # Examples
///
/// ```
/// use phgs::Run;
/// use phgs::data::{CHUNK, Centring, ContinuousData, Correlation, ProductSums, Range};
///
/// let x: Vec<f64> = (0..3000).map(|i| f64::from(i % 17)).collect();
/// let y: Vec<f64> = (0..3000).map(|i| f64::from(i % 17 + i % 5)).collect();
/// let columns = [x.as_slice(), y.as_slice()];
/// let parts = columns.map(|column| column.split_at(CHUNK));
///
/// let centrings = parts.map(|(first, second)| {
///     let range = Range::of(first).and(Range::of(second));
///     let middle = Centring::around_middle(range)?;
///     middle.around_mean(range, middle.sum(first, None) + middle.sum(second, None), 3000.0)
/// });
/// let run = Run::new(2)?;
/// let mut sums = ProductSums::new(2);
/// sums.add(&parts.map(|(_, second)| second), &centrings, None, &run)?;
/// sums.add(&parts.map(|(first, _)| first), &centrings, None, &run)?;
/// let whole = ContinuousData::from_columns(vec![x.clone(), y.clone()])?;
/// assert_eq!(Correlation::from_sums(&sums, &centrings, 3000)?, Correlation::of(&whole, &run)?);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductSums {
    n_variables: usize,
    sums: Vec<i128>,
    /// By tile: pairs of blocks of panels, each panel with each other, 16 sums; empty ones are zeros.
    tiles: Vec<Vec<i128>>,
}

impl ProductSums {
    /// Of no rows.
    pub fn new(n_variables: usize) -> Self {
        let mut new = Self { n_variables, sums: vec![0; n_variables], tiles: Vec::new() };
        new.tiles = vec![Vec::new(); new.pairs_of_blocks().len()];
        new
    }

    fn n_sums(&self, tile: (usize, usize)) -> usize {
        self.panels_of(tile).count() * PANEL * PANEL
    }

    fn n_panels(&self) -> usize {
        self.n_variables.div_ceil(PANEL)
    }

    fn pairs_of_blocks(&self) -> Vec<(usize, usize)> {
        (0..self.n_panels().div_ceil(BLOCK)).flat_map(|a| (0..=a).map(move |b| (a, b))).collect()
    }

    /// The pairs of panels of a tile, the first not before the second.
    fn panels_of(&self, (a, b): (usize, usize)) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n_panels = self.n_panels();
        let block = move |i: usize| i * BLOCK..((i + 1) * BLOCK).min(n_panels);
        block(a).flat_map(move |i| block(b).take_while(move |&j| j <= i).map(move |j| (i, j)))
    }

    /// Adds rows that begin with a chunk. `roots` are those of the weights of rows.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`], and the sums are then of no use.
    pub fn add(
        &mut self,
        columns: &[&[f64]],
        centrings: &[Option<Centring>],
        roots: Option<&[f64]>,
        run: &Run,
    ) -> Result<()> {
        let n_rows = columns.first().map_or(0, |column| column.len());
        let at_once = rows_at_once(self.n_variables);
        for start in (0..n_rows).step_by(at_once) {
            let rows = start..n_rows.min(start + at_once);
            let some: Vec<&[f64]> = columns.iter().map(|column| &column[rows.clone()]).collect();
            self.add_few(&some, centrings, roots.map(|roots| &roots[rows]), run)?;
        }
        Ok(())
    }

    fn add_few(
        &mut self,
        columns: &[&[f64]],
        centrings: &[Option<Centring>],
        roots: Option<&[f64]>,
        run: &Run,
    ) -> Result<()> {
        let panels = run.map(
            self.n_panels(),
            || (),
            |(), panel| {
                let first = panel * PANEL;
                let last = (first + PANEL).min(self.n_variables);
                packed(&columns[first..last], &centrings[first..last], roots)
            },
        )?;
        for (panel, (_, sums)) in panels.iter().enumerate() {
            let into = &mut self.sums[panel * PANEL..];
            into.iter_mut().zip(sums).for_each(|(into, sum)| *into += sum);
        }
        let tiles = self.pairs_of_blocks();
        let n_chunks = columns.first().map_or(0, |column| column.len().div_ceil(CHUNK));
        let split = ITEMS.div_ceil(tiles.len()).min(n_chunks.max(1));
        let products = run.map(
            tiles.len() * split,
            || (),
            |(), item| {
                let (tile, part) = (item / split, item % split);
                let mut sums = vec![0i128; self.n_sums(tiles[tile])];
                for chunk in n_chunks * part / split..n_chunks * (part + 1) / split {
                    if run.check().is_err() {
                        break;
                    }
                    let rows = |panel: usize| {
                        let packed = &panels[panel].0;
                        &packed[chunk * CHUNK..((chunk + 1) * CHUNK).min(packed.len())]
                    };
                    for ((i, j), sums) in self.panels_of(tiles[tile]).zip(sums.chunks_exact_mut(PANEL * PANEL)) {
                        let products = product(rows(i), rows(j));
                        sums.iter_mut().zip(products.as_flattened()).for_each(|(sum, &product)| *sum += exact(product));
                    }
                }
                sums
            },
        )?;
        run.check()?;
        for (item, sums) in products.into_iter().enumerate() {
            let into = &mut self.tiles[item / split];
            if into.is_empty() {
                *into = sums;
            } else {
                into.iter_mut().zip(sums).for_each(|(into, sum)| *into += sum);
            }
        }
        Ok(())
    }

    /// All sums as numbers, in the order in which [`merge`](Self::merge) reads them.
    pub fn numbers(&self) -> Vec<i128> {
        let mut all = self.sums.clone();
        for (tile, sums) in self.pairs_of_blocks().into_iter().zip(&self.tiles) {
            let end = all.len() + self.n_sums(tile);
            all.extend(sums);
            all.resize(end, 0);
        }
        all
    }

    /// Adds the sums over other rows.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are not as many numbers.
    pub fn merge(&mut self, numbers: &[i128]) -> Result<()> {
        let sizes: Vec<usize> = self.pairs_of_blocks().into_iter().map(|tile| self.n_sums(tile)).collect();
        if numbers.len() != self.n_variables + sizes.iter().sum::<usize>() {
            return Err(Error::Data(format!("{} sums of {} columns", numbers.len(), self.n_variables)));
        }
        let (sums, mut numbers) = numbers.split_at(self.n_variables);
        self.sums.iter_mut().zip(sums).for_each(|(into, number)| *into += number);
        for (into, size) in self.tiles.iter_mut().zip(sizes) {
            let (of_tile, rest) = numbers.split_at(size);
            into.resize(size, 0);
            into.iter_mut().zip(of_tile).for_each(|(into, number)| *into += number);
            numbers = rest;
        }
        Ok(())
    }

    /// The sum of a column.
    pub(super) fn sum(&self, x: Variable) -> f64 {
        float(self.sums[x as usize])
    }

    /// Calls `visit` with each column and its sum of squares.
    pub(super) fn for_each_square(&self, mut visit: impl FnMut(usize, f64)) {
        self.for_each_panel(|i, j, sums| {
            if i == j {
                (0..PANEL.min(self.n_variables - i * PANEL))
                    .for_each(|a| visit(i * PANEL + a, float(sums[a * PANEL + a])));
            }
        });
    }

    /// Calls `visit` with each pair of columns, the later one first, and the sum of their products.
    pub(super) fn for_each_product(&self, mut visit: impl FnMut(usize, usize, f64)) {
        self.for_each_panel(|i, j, sums| {
            for a in 0..PANEL.min(self.n_variables - i * PANEL) {
                for b in 0..if i == j { a } else { PANEL } {
                    visit(i * PANEL + a, j * PANEL + b, float(sums[a * PANEL + b]));
                }
            }
        });
    }

    fn for_each_panel(&self, mut visit: impl FnMut(usize, usize, &[i128])) {
        for (tile, sums) in self.pairs_of_blocks().into_iter().zip(&self.tiles) {
            for ((i, j), sums) in self.panels_of(tile).zip(sums.chunks_exact(PANEL * PANEL)) {
                visit(i, j, sums);
            }
        }
    }
}

/// The sum of so many terms, in eight fixed lanes, so that the compiler may use vector registers.
#[inline]
fn in_lanes(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let whole = n - n % LANES;
    for first in (0..whole).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(first + lane);
        }
    }
    lanes.iter().sum::<f64>() + (whole..n).map(term).sum::<f64>()
}

/// Rows of so many columns that are centred and multiplied at a time: whole chunks.
pub fn rows_at_once(n_variables: usize) -> usize {
    (AT_ONCE / n_variables.max(1) / CHUNK).max(1) * CHUNK
}

/// Up to four columns, centred, row by row, the last filled up with zeros, and their sums. Values are multiplied by `roots`;
/// a constant column is all zeros.
fn packed(
    columns: &[&[f64]],
    centrings: &[Option<Centring>],
    roots: Option<&[f64]>,
) -> (Vec<[f64; PANEL]>, [i128; PANEL]) {
    let mut packed = vec![[0.0; PANEL]; columns[0].len()];
    let mut sums = [0; PANEL];
    for (lane, (column, centring)) in columns.iter().zip(centrings).enumerate() {
        let Some(centring) = centring else { continue };
        packed.iter_mut().zip(*column).for_each(|(row, &v)| row[lane] = centring.of(v));
    }
    let mut add = |chunk: [f64; PANEL]| sums.iter_mut().zip(chunk).for_each(|(sum, chunk)| *sum += exact(chunk));
    match roots {
        None => {
            for rows in packed.chunks(CHUNK) {
                add(sums_of(rows));
            }
        }
        Some(roots) => {
            for (rows, roots) in packed.chunks_mut(CHUNK).zip(roots.chunks(CHUNK)) {
                let mut chunk = [0.0; PANEL];
                for (row, root) in rows.iter_mut().zip(roots) {
                    for (value, sum) in row.iter_mut().zip(&mut chunk) {
                        *value *= root;
                        *sum += *value * root;
                    }
                }
                add(chunk);
            }
        }
    }
    (packed, sums)
}

/// The sums of the columns of a panel, of even and odd rows apart.
fn sums_of(rows: &[[f64; PANEL]]) -> [f64; PANEL] {
    let mut sums = [[0.0; PANEL]; 2];
    for pair in rows.chunks(2) {
        for (row, sums) in pair.iter().zip(&mut sums) {
            row.iter().zip(sums).for_each(|(value, sum)| *sum += value);
        }
    }
    std::array::from_fn(|lane| sums[0][lane] + sums[1][lane])
}

/// The products of each column of one panel with each of another.
fn product(a: &[[f64; PANEL]], b: &[[f64; PANEL]]) -> [[f64; PANEL]; PANEL] {
    let mut sums = [[0.0; PANEL]; PANEL];
    for (x, y) in a.iter().zip(b) {
        for i in 0..PANEL {
            for j in 0..PANEL {
                sums[i][j] += x[i] * y[j];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{ContinuousData, Correlation};

    fn run() -> Run {
        Run::new(2).unwrap()
    }

    /// The sums of parts that end at these chunks, as workers make them.
    fn in_parts(columns: &[Vec<f64>], chunks: &[usize]) -> Correlation {
        let n = columns[0].len();
        let mut bounds: Vec<usize> = chunks.iter().map(|chunk| (chunk * CHUNK).min(n)).chain([0, n]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let parts: Vec<_> = bounds.windows(2).map(|bounds| (bounds[0], bounds[1])).collect();
        let centrings: Vec<Option<Centring>> = columns
            .iter()
            .map(|column| {
                let ranges = parts.iter().map(|&(start, end)| Range::of(&column[start..end]));
                let range = ranges.reduce(Range::and).unwrap();
                let middle = Centring::around_middle(range)?;
                let sum = parts.iter().map(|&(start, end)| middle.sum(&column[start..end], None)).sum();
                middle.around_mean(range, sum, n as f64)
            })
            .collect();
        let mut total = ProductSums::new(columns.len());
        // The last part first: the order does not matter.
        for &(start, end) in parts.iter().rev() {
            let mut sums = ProductSums::new(columns.len());
            let rows: Vec<&[f64]> = columns.iter().map(|column| &column[start..end]).collect();
            sums.add(&rows, &centrings, None, &run()).unwrap();
            total.merge(&sums.numbers()).unwrap();
        }
        Correlation::from_sums(&total, &centrings, n).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn any_parts_sum_to_the_same_bits(
            seed in any::<u64>(),
            n in 2usize..5000,
            p in 1usize..9,
            chunks in prop::collection::vec(0usize..5, 0..4),
            scales in prop::collection::vec((-290i32..290, -9i32..9), 9),
        ) {
            let random = &mut crate::random_numbers::generator(seed);
            let column = |&(scale, shift): &(i32, i32)| -> Vec<f64> {
                let mut draw = || crate::random_numbers::uniform(random);
                (0..n).map(|_| (draw() / draw().max(1e-6) + 10f64.powi(shift)) * 10f64.powi(scale)).collect()
            };
            let columns: Vec<Vec<f64>> = scales[..p].iter().map(column).collect();
            let whole = Correlation::of(&ContinuousData::from_columns(columns.clone()).unwrap(), &run());
            // Two rows make all columns copies, which is refused of more only.
            prop_assert_eq!(in_parts(&columns, &chunks), whole.unwrap());
        }
    }

    /// Whole numbers below 2²⁰ in 3,000 rows: sums of products are exact in 128 bits, and the correlation is known.
    #[test]
    fn correlations_of_whole_numbers_are_right_to_the_last_digits_far_from_zero() {
        let n = 3000;
        let draw = |seed: u64| -> Vec<i64> {
            let random = &mut crate::random_numbers::generator(seed);
            (0..n).map(|_| (crate::random_numbers::uniform(random) * 1e6) as i64).collect()
        };
        let x = draw(1);
        let y: Vec<i64> = draw(2).iter().zip(&x).map(|(y, x)| y + x).collect();
        let sum = |a: &[i64], b: &[i64]| -> i128 {
            let products: i128 = a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum();
            let sums = a.iter().map(|&a| i128::from(a)).sum::<i128>() * b.iter().map(|&b| i128::from(b)).sum::<i128>();
            n as i128 * products - sums
        };
        let expected = sum(&x, &y) as f64 / (sum(&x, &x) as f64 * sum(&y, &y) as f64).sqrt();
        for shift in [0, 1 << 30, 1 << 45] {
            let columns = [&x, &y].map(|column| column.iter().map(|&v| (v + shift) as f64).collect());
            let data = ContinuousData::from_columns(columns.to_vec()).unwrap();
            let found = Correlation::of(&data, &run()).unwrap();
            // Within a chunk 1,024 products are summed as floats.
            assert!((found.get(0, 1) - expected).abs() < 1e-14, "{shift}: {} {expected}", found.get(0, 1));
            let variance = sum(&x, &x) as f64 / (n * n) as f64;
            assert!((found.variance(0) / variance - 1.0).abs() < 1e-13);
        }
    }

    /// One value of 1 and others of ±2⁻²⁰ beside it: the columns share the large value alone, and are no copies.
    #[test]
    fn squares_beside_a_very_large_one_are_not_lost() {
        let small = 2f64.powi(-20);
        let column = |plus: fn(usize) -> bool| -> Vec<f64> {
            let value = |i: usize| if plus(i) { small } else { -small };
            (0..3000).map(|i| if i == 7 { 1.0 } else { value(i) }).collect()
        };
        let columns = vec![column(|i| i % 2 == 0), column(|i| i % 4 < 2)];
        let data = ContinuousData::from_columns(columns).unwrap();
        let r = Correlation::of(&data, &run()).unwrap().get(0, 1);
        // 1 − r = Σ small² / (1 + Σ small²), but for terms of order 1 / n of it.
        let rest = 2999.0 * small * small;
        assert!(((1.0 - r) / (rest / (1.0 + rest)) - 1.0).abs() < 2e-3, "{}", 1.0 - r);
    }

    #[test]
    fn powers_of_two_bring_numbers_below_one() {
        for number in [1.0, 0.75, 3.0, 1e-3, 5e200, 2f64.powi(52)] {
            let brought = number * power_below_one(number);
            assert!((0.5..1.0).contains(&brought), "{number}: {brought}");
        }
        // Where no power of two is a float the number comes as near as can be.
        for number in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            let brought = number * power_below_one(number);
            assert!((2f64.powi(-75)..2f64.powi(25)).contains(&brought), "{number}: {brought}");
        }
    }
}
