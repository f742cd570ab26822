//! F of every variable and of every pair of variables.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::counts::extend::each::{Candidates, Source};
use crate::counts::fixed::Total;
use crate::counts::simd::{Line, TILE, Tile};
use crate::counts::{CountingEngine, FixedSum};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// F(S) = Σ n ln n for every set of at most two variables: 8 bytes for each pair.
///
/// With N rows, the entropy of x is ln N − F(x) / N, and N times the mutual information of x and y is
/// F(x, y) + F(∅) − F(x) − F(y).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairwiseSums {
    n_variables: usize,
    total: FixedSum,
    singles: Vec<FixedSum>,
    pairs: Vec<FixedSum>,
}

/// Variables whose planes are counted together, each way: a panel stays in a core's cache.
const PANEL: usize = 16;

/// Lines of a plane taken at a time (65,536 rows).
const BLOCK: usize = 128;

/// The rows of a panel in the triangle of pairs: sums, and cells that occur where these are counted.
type Part<'r> = (&'r mut [FixedSum], &'r mut [u32]);

/// How many cells of the table of each pair of variables occur: 4 bytes for each pair, in the order of [`PairwiseSums`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairwiseCells(Vec<u32>);

impl PairwiseCells {
    /// The cells of two different variables, of `n_variables` in all, in either order.
    pub(crate) fn pair(&self, n_variables: usize, x: Variable, y: Variable) -> u32 {
        let (x, y) = (x.min(y) as usize, x.max(y) as usize);
        self.0[x * (2 * n_variables - x - 1) / 2 + y - x - 1]
    }
}

impl PairwiseSums {
    /// All pairs, with the number of cells that occur if `T` counts them.
    pub(crate) fn compute<T: Total>(engine: &CountingEngine<'_>, run: &Run) -> Result<(Self, PairwiseCells)> {
        let p = engine.data().n_variables();
        if run.out_of_time() {
            // The memory alone takes a while at thousands of variables.
            return Err(Error::OutOfTime);
        }
        let n_pairs = p * (p - 1) / 2;
        let mut pairs = vec![FixedSum::default(); n_pairs];
        let mut cells = vec![0; if T::COUNTS_CELLS { n_pairs } else { 0 }];
        // Each item fills the rows of one panel, which lie together.
        let (mut rest, mut rest_of_cells) = (pairs.as_mut_slice(), cells.as_mut_slice());
        let mut parts = Vec::new();
        for first in (0..p).step_by(PANEL) {
            let length: usize = (first..(first + PANEL).min(p)).map(|x| p - x - 1).sum();
            let (part, others) = rest.split_at_mut(length);
            let (cells, others_of_cells) = rest_of_cells.split_at_mut(if T::COUNTS_CELLS { length } else { 0 });
            parts.push(Mutex::new((part, cells)));
            (rest, rest_of_cells) = (others, others_of_cells);
        }
        run.map(
            parts.len(),
            || Panels::<T>::new(engine),
            |panels, item| {
                let mut part = parts[item].lock().unwrap_or_else(PoisonError::into_inner);
                panels.fill(item * PANEL, &mut part, run);
            },
        )?;
        run.check()?;
        if run.was_cut_short() {
            return Err(Error::OutOfTime);
        }
        drop(parts);
        let singles = (0..p as Variable).map(|x| engine.single(x)).collect();
        Ok((Self { n_variables: p, total: engine.total(), singles, pairs }, PairwiseCells(cells)))
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// F(∅) = N ln N with N the number of rows.
    pub fn total(&self) -> FixedSum {
        self.total
    }

    /// F of one variable.
    pub fn single(&self, x: Variable) -> FixedSum {
        self.singles[x as usize]
    }

    /// F of two different variables, in either order.
    pub fn pair(&self, x: Variable, y: Variable) -> FixedSum {
        let (x, y) = (x.min(y), x.max(y));
        self.row(x)[(y - x - 1) as usize]
    }

    /// F(x, y) for y = x + 1, x + 2, …, by increasing y.
    pub fn row(&self, x: Variable) -> &[FixedSum] {
        let (x, p) = (x as usize, self.n_variables);
        let start = x * (2 * p - x - 1) / 2;
        &self.pairs[start..start + p - x - 1]
    }
}

/// One thread's scratch memory.
struct Panels<'e, 'd, T> {
    engine: &'e CountingEngine<'d>,
    source: Source<'e>,
    /// Counts of the planes of two panels: `[plane of the first][plane of the second]`.
    counts: Vec<u32>,
    candidates: Candidates,
    others: Vec<Variable>,
    sums: Vec<T>,
}

impl<'e, 'd, T: Total> Panels<'e, 'd, T> {
    fn new(engine: &'e CountingEngine<'d>) -> Self {
        let (counts, candidates, others, sums) = Default::default();
        Self { engine, source: engine.source(), counts, candidates, others, sums }
    }

    /// Fills the rows of the variables from `first` in the triangle of pairs.
    /// Stops when the run does.
    fn fill(&mut self, first: usize, rows: &mut Part<'_>, run: &Run) {
        let p = self.engine.data().n_variables();
        let end = (first + PANEL).min(p);
        for start in (first..p).step_by(PANEL) {
            if run.check().is_err() || run.out_of_time() {
                return;
            }
            self.count(first..end, start..(start + PANEL).min(p));
            self.sum(first..end, start..(start + PANEL).min(p), rows);
        }
        self.sum_without_planes(first..end, rows, run);
    }

    /// Counts the planes of two panels.
    fn count(&mut self, xs: Range<usize>, ys: Range<usize>) {
        let planes = self.source.planes;
        let (numbers_x, numbers_y) = (planes.range(xs), planes.range(ys));
        let width = numbers_y.len();
        self.counts.clear();
        self.counts.resize(numbers_x.len() * width, 0);
        let total = planes.lines_per_plane();
        for start in (0..total).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(total);
            let tile = |numbers: &Range<usize>, at: usize| -> ([&[Line]; TILE], usize) {
                let n = TILE.min(numbers.len() - at);
                let plane = |i| if i < n { &planes.numbered(numbers.start + at + i)[block.clone()] } else { &[][..] };
                (std::array::from_fn(plane), n)
            };
            for at_y in (0..width).step_by(TILE) {
                let (of_y, n_y) = tile(&numbers_y, at_y);
                for at_x in (0..numbers_x.len()).step_by(TILE) {
                    let (of_x, n_x) = tile(&numbers_x, at_x);
                    let mut counts = Tile::default();
                    self.source.counter.tile(&[], &of_y[..n_y], &of_x[..n_x], &mut counts);
                    for (i, counts) in counts[..n_x].iter().enumerate() {
                        let to = &mut self.counts[(at_x + i) * width + at_y..][..n_y];
                        to.iter_mut().zip(counts).for_each(|(to, count)| *to += count);
                    }
                }
            }
        }
    }

    /// Completes and sums the tables of the pairs of two panels.
    fn sum(&self, xs: Range<usize>, ys: Range<usize>, rows: &mut Part<'_>) {
        let planes = self.source.planes;
        let p = self.engine.data().n_variables();
        let table = self.source.scale.table();
        let (first_x, first_y) = (planes.range(xs.clone()).start, planes.range(ys.clone()).start);
        let width = planes.range(ys.clone()).len();
        let mut row = 0;
        for x in xs {
            let counts_x = self.engine.single_counts(x as Variable);
            let start_x = planes.numbers(x as Variable).start - first_x;
            if planes.has(x as Variable, counts_x.len() as u32) {
                for y in ys.clone().skip_while(|&y| y <= x) {
                    let counts_y = self.engine.single_counts(y as Variable);
                    if !planes.has(y as Variable, counts_y.len() as u32) {
                        continue;
                    }
                    let start_y = planes.numbers(y as Variable).start - first_y;
                    // The first state of y within each state of x, then the first state of x.
                    let (mut sum, mut occupied) = (0i64, 0);
                    let mut add = |count: u32| {
                        sum += table[count as usize];
                        if T::COUNTS_CELLS {
                            occupied += u32::from(count > 0);
                        }
                    };
                    let mut corner = counts_y[0];
                    for (s, &count_x) in counts_x[1..].iter().enumerate() {
                        let cells = &self.counts[(start_x + s) * width + start_y..][..counts_y.len() - 1];
                        let rest = count_x - cells.iter().sum::<u32>();
                        cells.iter().for_each(|&cell| add(cell));
                        add(rest);
                        corner -= rest;
                    }
                    add(corner);
                    for (t, &count_y) in counts_y[1..].iter().enumerate() {
                        let cells = (0..counts_x.len() - 1).map(|s| self.counts[(start_x + s) * width + start_y + t]);
                        add(count_y - cells.sum::<u32>());
                    }
                    put(rows, row + y - x - 1, T::new(FixedSum(sum), occupied));
                }
            }
            row += p - x - 1;
        }
    }

    /// The pairs in which a variable has no planes.
    fn sum_without_planes(&mut self, xs: Range<usize>, rows: &mut Part<'_>, run: &Run) {
        let p = self.engine.data().n_variables();
        let arity = |x: usize| self.engine.data().arity(x as Variable);
        let planar = |x: usize| self.source.planes.has(x as Variable, arity(x));
        let mut row = 0;
        for x in xs {
            if run.check().is_err() || run.out_of_time() {
                return;
            }
            let others = (x + 1..p).filter(|&y| !planar(x) || !planar(y));
            self.others.clear();
            self.others.extend(others.map(|y| y as Variable));
            if !self.others.is_empty() {
                self.candidates.sums_with_each(
                    self.source,
                    &[x as Variable],
                    &self.others,
                    &self.others,
                    &mut self.sums,
                );
                for (&y, &sum) in self.others.iter().zip(&self.sums) {
                    put(rows, row + y as usize - x - 1, sum);
                }
            }
            row += p - x - 1;
        }
    }
}

fn put<T: Total>((sums, cells): &mut Part<'_>, at: usize, total: T) {
    sums[at] = total.sum();
    if T::COUNTS_CELLS {
        cells[at] = total.occupied();
    }
}
