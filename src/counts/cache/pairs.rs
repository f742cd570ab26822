//! F of every variable and of every pair of variables.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::panels::{self, PANEL};
use crate::counts::extend::each::{Candidates, Source};
use crate::counts::fixed::Total;
use crate::counts::{CountingEngine, FixedSum};
use crate::run::Run;
use crate::{Error, Result, Variable, VariableSet};

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

/// Up to so many pairs are computed ahead for a search that will ask for all of them, some of them more than once (2 GiB).
const MOST_PREPARED: usize = 1 << 28;

/// Where rows are elsewhere, tables of pairs with this many cells are asked for together (16 MiB), and kept up to so many.
const MOST_ASKED: usize = 1 << 22;
const FEW_ASKED: usize = 1 << 18;

/// Up to so many pairs are computed once and kept (64 MiB); F of more of them is computed again where it is asked for.
const MOST_KEPT: usize = 1 << 23;

/// How many cells of the table of each pair of variables occur: 4 bytes for each pair, in the order of [`PairwiseSums`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairwiseCells(Vec<u32>);

impl PairwiseCells {
    /// The cells of two different variables, of `n_variables` in all, in either order.
    pub(crate) fn pair(&self, n_variables: usize, x: Variable, y: Variable) -> u32 {
        let (x, y) = (x.min(y) as usize, x.max(y) as usize);
        self.0[row_start(n_variables, x) + y - x - 1]
    }
}

impl PairwiseSums {
    /// All pairs, with the number of cells that occur if `T` counts them.
    pub(crate) fn compute<T: Total>(engine: &CountingEngine<'_>, run: &Run) -> Result<(Self, PairwiseCells)> {
        let p = engine.shape().n_variables();
        // The memory alone takes a while at thousands of variables.
        in_time(run)?;
        let n_pairs = n_pairs(p);
        let mut pairs = vec![FixedSum::default(); n_pairs];
        let mut cells = vec![0; if T::COUNTS_CELLS { n_pairs } else { 0 }];
        let (sums, occupied) = (Parts::of(&mut pairs, p), T::COUNTS_CELLS.then(|| Parts::of(&mut cells, p)));
        let start = |panel| (sums.take(panel), occupied.as_ref().map(|cells| cells.take(panel)));
        for_each_panel::<T, _>(engine, run, start, |(sums, occupied), x, y, total| {
            sums.put(x, y, total.sum());
            if let Some(cells) = occupied {
                cells.put(x, y, total.occupied());
            }
        })?;
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
        let start = row_start(p, x);
        &self.pairs[start..start + p - x - 1]
    }
}

/// The number of pairs of so many variables.
fn n_pairs(n_variables: usize) -> usize {
    n_variables * n_variables.saturating_sub(1) / 2
}

/// Where the row of the pairs x < y of x starts in the triangle of pairs.
fn row_start(n_variables: usize, x: usize) -> usize {
    x * (2 * n_variables - x - 1) / 2
}

fn in_time(run: &Run) -> Result<()> {
    run.check()?;
    if run.out_of_time() { Err(Error::OutOfTime) } else { Ok(()) }
}

/// A triangle of pairs in parts, one for the rows of each panel, that threads take and fill.
struct Parts<'r, E> {
    n_variables: usize,
    parts: Vec<Mutex<&'r mut [E]>>,
}

impl<'r, E> Parts<'r, E> {
    fn of(mut triangle: &'r mut [E], n_variables: usize) -> Self {
        let mut parts = Vec::new();
        for first in (0..n_variables).step_by(PANEL) {
            let end = (first + PANEL).min(n_variables);
            let length = row_start(n_variables, end) - row_start(n_variables, first);
            let (part, others) = triangle.split_at_mut(length);
            parts.push(Mutex::new(part));
            triangle = others;
        }
        Self { n_variables, parts }
    }

    /// The part of a panel, which is there once.
    fn take(&self, panel: usize) -> Part<'r, E> {
        let mut part = self.parts[panel].lock().unwrap_or_else(PoisonError::into_inner);
        Part {
            n_variables: self.n_variables,
            start: row_start(self.n_variables, panel * PANEL),
            part: std::mem::take(&mut *part),
        }
    }
}

/// The rows of one panel.
struct Part<'r, E> {
    n_variables: usize,
    start: usize,
    part: &'r mut [E],
}

impl<E> Part<'_, E> {
    #[inline]
    fn put(&mut self, x: usize, y: usize, value: E) {
        self.part[row_start(self.n_variables, x) - self.start + y - x - 1] = value;
    }
}

/// Calls `visit(part, x, y, F(x, y))` for all pairs x < y, in parallel: `start` makes the part of each panel of neighbouring
/// x, and pairs come to it in no order that anything may depend on. Returns the parts in order.
fn for_each_panel<T: Total, R: Send>(
    engine: &CountingEngine<'_>,
    run: &Run,
    start: impl Fn(usize) -> R + Sync,
    visit: impl Fn(&mut R, usize, usize, T) + Sync,
) -> Result<Vec<R>> {
    let n_panels = engine.shape().n_variables().div_ceil(PANEL);
    run.try_map(
        n_panels,
        || Panels::<T>::new(engine),
        |panels, panel| {
            let mut part = start(panel);
            panels.visit(panel * PANEL, run, &mut |x, y, total| visit(&mut part, x, y, total))?;
            Ok(part)
        },
    )
}

impl CountingEngine<'_> {
    /// Calls `visit(part, x, y, F(x, y))` for all pairs x < y, in parallel and in no order that anything may depend on:
    /// `start` makes a part for each few neighbouring x, and the parts come back by increasing x. Of many variables no sum
    /// is kept.
    ///
    /// # Errors
    ///
    /// As [`pairwise`](Self::pairwise).
    ///
    /// # Examples
    ///
    /// ```
    /// use phgs::{CountingEngine, DiscreteData, Run};
    ///
    /// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1], vec![0, 1, 0, 1]])?;
    /// let (engine, run) = (CountingEngine::new(&data), Run::new(1)?);
    /// // Of two copies the table of both is that of one.
    /// let parts = engine.visit_pairs(&run, Vec::new, |copies, x, y, sum| {
    ///     if sum == engine.session().sum_n_log_n(&[x]) {
    ///         copies.push((x, y));
    ///     }
    /// })?;
    /// assert_eq!(parts.concat(), [(0, 1)]);
    /// # Ok::<(), phgs::Error>(())
    /// ```
    pub fn visit_pairs<R: Send>(
        &self,
        run: &Run,
        start: impl Fn() -> R + Sync,
        visit: impl Fn(&mut R, Variable, Variable, FixedSum) + Sync,
    ) -> Result<Vec<R>> {
        let p = self.shape().n_variables();
        let Some(pairs) = self.pairs_to_keep(run)? else {
            return for_each_panel(self, run, |_| start(), |part, x, y, sum| visit(part, x as u32, y as u32, sum));
        };
        let of_panel = |panel: usize| {
            in_time(run)?;
            let mut part = start();
            for x in panel * PANEL..((panel + 1) * PANEL).min(p) {
                let x = x as Variable;
                ((x + 1)..).zip(pairs.row(x)).for_each(|(y, &sum)| visit(&mut part, x, y, sum));
            }
            Ok(part)
        };
        run.try_map(p.div_ceil(PANEL), || (), |(), panel| of_panel(panel))
    }

    /// `value(x, y, F(x, y))` for all pairs x < y, row by row. Of many variables no sum is kept.
    ///
    /// # Errors
    ///
    /// As [`pairwise`](Self::pairwise).
    pub fn map_pairs<E: Copy + Default + Send>(
        &self,
        run: &Run,
        value: impl Fn(Variable, Variable, FixedSum) -> E + Sync,
    ) -> Result<Vec<E>> {
        in_time(run)?;
        let p = self.shape().n_variables();
        let mut values = vec![E::default(); n_pairs(p)];
        let parts = Parts::of(&mut values, p);
        let put = |part: &mut Part<'_, E>, x: usize, y: usize, sum| part.put(x, y, value(x as u32, y as u32, sum));
        if let Some(pairs) = self.pairs_to_keep(run)? {
            let of_panel = |panel: usize| {
                in_time(run)?;
                let mut part = parts.take(panel);
                for x in panel * PANEL..((panel + 1) * PANEL).min(p) {
                    (x + 1..).zip(pairs.row(x as Variable)).for_each(|(y, &sum)| put(&mut part, x, y, sum));
                }
                Ok(())
            };
            run.try_map(p.div_ceil(PANEL), || (), |(), panel| of_panel(panel))?;
        } else {
            for_each_panel(self, run, |panel| parts.take(panel), put)?;
        }
        drop(parts);
        Ok(values)
    }

    /// Whether so many variables have more pairs than a search computes ahead.
    pub(crate) fn has_too_many_pairs(&self) -> bool {
        n_pairs(self.shape().n_variables()) > MOST_PREPARED
    }

    /// All pairs, where they are known already or few enough to be kept.
    fn pairs_to_keep(&self, run: &Run) -> Result<Option<&PairwiseSums>> {
        if self.known_pairs().is_none() && n_pairs(self.shape().n_variables()) > MOST_KEPT {
            return Ok(None);
        }
        self.pairwise(run).map(Some)
    }
}

/// One thread's scratch memory.
struct Panels<'e, 'd, T> {
    engine: &'e CountingEngine<'d>,
    /// Counts of the planes of two panels: `[plane of the first][plane of the second]`.
    counts: Vec<u32>,
    candidates: Candidates,
    others: Vec<Variable>,
    sums: Vec<T>,
}

impl<'e, 'd, T: Total> Panels<'e, 'd, T> {
    fn new(engine: &'e CountingEngine<'d>) -> Self {
        let (counts, candidates, others, sums) = Default::default();
        Self { engine, counts, candidates, others, sums }
    }

    /// Visits the pairs x < y of the panel of variables x from `first`.
    fn visit(&mut self, first: usize, run: &Run, put: &mut impl FnMut(usize, usize, T)) -> Result<()> {
        let p = self.engine.shape().n_variables();
        let end = (first + PANEL).min(p);
        let Some(source) = self.engine.here() else { return self.ask(first..end, run, put) };
        for start in (first..p).step_by(PANEL) {
            in_time(run)?;
            panels::count(source, first..end, start..(start + PANEL).min(p), &mut self.counts);
            self.sum(source, first..end, start..(start + PANEL).min(p), put);
        }
        self.sum_without_planes(source, first..end, run, put)
    }

    /// The same where the rows are elsewhere: asks for some thousands of tables at a time.
    fn ask(&mut self, xs: Range<usize>, run: &Run, put: &mut impl FnMut(usize, usize, T)) -> Result<()> {
        let shape = self.engine.shape();
        let mut pairs = xs.flat_map(|x| (x + 1..shape.n_variables()).map(move |y| (x, y))).peekable();
        while pairs.peek().is_some() {
            in_time(run)?;
            let (mut together, mut cells) = (Vec::new(), 0);
            while let Some((x, y)) = pairs.next_if(|_| cells < MOST_ASKED) {
                cells += shape.arity(x as Variable) as usize * shape.arity(y as Variable) as usize;
                together.push((x, y));
            }
            let set = |&(x, y): &(usize, usize)| VariableSet::from_slice(&[x as Variable, y as Variable]);
            let sets: Vec<VariableSet> = together.iter().map(set).collect();
            // Of few pairs the tables are kept for tests that need more of them than their sum.
            let totals = self.engine.totals(&sets, cells < FEW_ASKED);
            together.into_iter().zip(totals).for_each(|((x, y), total)| put(x, y, total));
        }
        Ok(())
    }

    /// Completes and sums the tables of the pairs of two panels.
    fn sum(&self, source: Source<'_>, xs: Range<usize>, ys: Range<usize>, put: &mut impl FnMut(usize, usize, T)) {
        let planes = source.planes;
        let scale = source.scale;
        let (first_x, first_y) = (planes.range(xs.clone()).start, planes.range(ys.clone()).start);
        let width = planes.range(ys.clone()).len();
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
                        sum += scale.n_log_n(count).0;
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
                    put(x, y, T::new(FixedSum(sum), occupied));
                }
            }
        }
    }

    /// The pairs in which a variable has no planes.
    fn sum_without_planes(
        &mut self,
        source: Source<'_>,
        xs: Range<usize>,
        run: &Run,
        put: &mut impl FnMut(usize, usize, T),
    ) -> Result<()> {
        let p = self.engine.shape().n_variables();
        let arity = |x: usize| self.engine.shape().arity(x as Variable);
        let planar = |x: usize| source.planes.has(x as Variable, arity(x));
        for x in xs {
            in_time(run)?;
            let others = (x + 1..p).filter(|&y| !planar(x) || !planar(y));
            self.others.clear();
            self.others.extend(others.map(|y| y as Variable));
            if !self.others.is_empty() {
                self.candidates.sums_with_each(source, &[x as Variable], &self.others, &self.others, &mut self.sums);
                for (&y, &sum) in self.others.iter().zip(&self.sums) {
                    put(x, y as usize, sum);
                }
            }
        }
        Ok(())
    }
}
