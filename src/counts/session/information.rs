//! What a conditional test needs: the information of two variables given others, and its degrees of freedom.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::Variable;
use crate::counts::subsets::binary::{self, BinarySubsets, VisitSubsets};
use crate::counts::table::core::{MAX_SET, Set};
use crate::counts::table::strata::cells_within;
use crate::counts::{CountingSession, FixedSum};

/// What is done with the information of two variables given each set of a family, see
/// [`CountingSession::visit_binary`] and [`CountingSession::visit_around`].
pub trait InformationVisitor {
    /// Whether the set at these positions of the pool is to be counted.
    fn wants(&mut self, at: &[usize]) -> bool;

    /// Takes N times the conditional information, in fixed point, given the set at these positions of the pool (and the
    /// variable that is in all sets), and the degrees of freedom of the strata in which both variables vary, where
    /// they are at hand. Whether to go on.
    fn visit(&mut self, at: &[usize], information: i64, observed_degrees: Option<u32>) -> ControlFlow<()>;
}

impl CountingSession<'_, '_> {
    /// N times the conditional mutual information of x and y given `given` (any order, distinct, without x and y):
    /// F(x, y, z) + F(z) − F(x, z) − F(y, z). G² is twice its value. Symmetric in x and y.
    pub fn conditional_information(&mut self, x: Variable, y: Variable, given: &[Variable]) -> FixedSum {
        if self.engine.here().is_none() && self.count_strata(x, y, given) {
            return self.over_strata(x, y).0;
        }
        let mut set: SmallVec<[Variable; MAX_SET]> = given.into();
        set.push(x);
        set.push(y);
        set.sort_unstable();
        if set.len() > self.memo_size {
            let joint: FixedSum = self.sum_by_rows(&set);
            let mut sum = |without: &[Variable]| {
                let part: SmallVec<[Variable; MAX_SET]> =
                    set.iter().copied().filter(|v| !without.contains(v)).collect();
                self.sum_n_log_n(&part)
            };
            return joint + sum(&[x, y]) - sum(&[x]) - sum(&[y]);
        }
        let position = |variable| set.iter().position(|&v| v == variable).expect("just put in");
        let (at_x, at_y) = (position(x), position(y));
        let key = self.format.key(&set);
        let joint = match self.memo.sum(key) {
            Some(sum) => sum,
            None => {
                let set = Set::new(self.engine.shape(), self.format, &set);
                let (sum, by_rows) = self.new_sum(&set);
                if by_rows && set.cells() <= self.engine.shape().n_rows().min(self.table_limit()) {
                    self.sum_margins(&set, [at_x, at_y]);
                }
                sum
            }
        };
        let (low, high) = (at_x.min(at_y), at_x.max(at_y));
        let format = self.format;
        let (key_low, key_high) = (format.without(key, low), format.without(key, high));
        let mut margin: SmallVec<[Variable; MAX_SET]> = SmallVec::new();
        let mut sum = |key, skip: [usize; 2]| {
            if let Some(sum) = self.memo.sum(key) {
                return sum;
            }
            margin.clear();
            margin.extend(set.iter().enumerate().filter(|(i, _)| !skip.contains(i)).map(|(_, &v)| v));
            self.sum_n_log_n(&margin)
        };
        joint + sum(format.without(key_high, low), [low, high]) - sum(key_low, [low; 2]) - sum(key_high, [high; 2])
    }

    /// Puts down F of two margins of the table of a set that was just counted row by row.
    fn sum_margins(&mut self, set: &Set, positions: [usize; 2]) {
        for position in positions {
            let key = self.format.without(set.key, position);
            if set.variables().len() > 2
                && self.memo.sum(key).is_none()
                && self.past_sum(&set.without(self.format, position)).is_none()
            {
                let block: usize = set.arities()[..position].iter().map(|&arity| arity as usize).product();
                let arity = set.arities()[position] as usize;
                self.scratch.margin.clear();
                self.scratch.margin.resize(self.scratch.counts.len() / arity, 0);
                for (into, table) in
                    self.scratch.margin.chunks_exact_mut(block).zip(self.scratch.counts.chunks_exact(block * arity))
                {
                    for state in table.chunks_exact(block) {
                        into.iter_mut().zip(state).for_each(|(into, count)| *into += count);
                    }
                }
                let sum = self.engine.scale().sum(&self.scratch.margin);
                self.keep_sum(key, set.without(self.format, position).core(), sum);
            }
        }
    }

    /// The adjusted degrees of freedom of x ⫫ y | given: Σ over the strata of `given` that occur of (states of x that
    /// occur in the stratum − 1) (states of y that occur in it − 1).
    pub fn observed_degrees_of_freedom(&mut self, x: Variable, y: Variable, given: &[Variable]) -> u64 {
        if self.engine.here().is_none() && self.count_strata(x, y, given) {
            return self.over_strata(x, y).1;
        }
        let mut set: SmallVec<[Variable; MAX_SET]> = given.into();
        set.push(x);
        set.push(y);
        set.sort_unstable();
        if set.len() <= self.memo_size + 1 {
            let dense = self.count_supports(&set, y, x, 0) && self.count_supports(&set, x, y, 1);
            if dense {
                let [of_x, of_y] = &self.scratch.supports;
                let degrees = |(&x, &y): (&u32, &u32)| u64::from(x.saturating_sub(1)) * u64::from(y.saturating_sub(1));
                return of_x.iter().zip(of_y).map(degrees).sum();
            }
        }
        let r_x = self.engine.shape().arity(x);
        let mut total = 0;
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        self.for_each_stratum(&[x, y], given, |cells| {
            xs.clear();
            ys.clear();
            xs.extend(cells.iter().map(|&(cell, _)| cell % r_x));
            ys.extend(cells.iter().map(|&(cell, _)| cell / r_x));
            for states in [&mut xs, &mut ys] {
                states.sort_unstable();
                states.dedup();
            }
            total += (xs.len() as u64 - 1) * (ys.len() as u64 - 1);
        });
        total
    }

    /// Counts, into one of the scratch memory's supports, the states of `of` that occur with each configuration of `set` less
    /// `of` and `without`, in dense order; false when there are too many cells.
    fn count_supports(&mut self, set: &[Variable], without: Variable, of: Variable, to: usize) -> bool {
        let part: SmallVec<[Variable; MAX_SET]> = set.iter().copied().filter(|&v| v != without).collect();
        let shape = self.engine.shape();
        let below = part.iter().take_while(|&&v| v != of);
        let block = below.map(|&v| shape.arity(v) as usize).product::<usize>();
        let arity = shape.arity(of) as usize;
        let Some(place) = self.place_of_table(&part) else {
            return false;
        };
        let table = place.cells(&self.memo, &self.scratch.counts);
        let into = &mut self.scratch.supports[to];
        into.clear();
        into.resize(table.len() / arity, 0);
        for (into, table) in into.chunks_exact_mut(block).zip(table.chunks_exact(block * arity)) {
            for state in table.chunks_exact(block) {
                for (into, &count) in into.iter_mut().zip(state) {
                    *into += u32::from(count != 0);
                }
            }
        }
        true
    }

    /// N times the conditional information of x and y given `with` (if any) and every subset of `size` of the variables of
    /// `pool` (distinct, without x and y), in lexicographic order of positions, until `visitor` has enough: what
    /// [`conditional_information`](Self::conditional_information) and
    /// [`observed_degrees_of_freedom`](Self::observed_degrees_of_freedom) tell, many times faster.
    ///
    /// Whether that applies tells [`are_binary`](Self::are_binary); where it does not, nothing is visited.
    pub fn visit_binary(
        &mut self,
        x: Variable,
        y: Variable,
        with: Option<Variable>,
        pool: &[Variable],
        size: usize,
        visitor: &mut impl InformationVisitor,
    ) {
        if size > pool.len() || !self.are_binary(x, y, with, pool, size) {
            return;
        }
        let Some(source) = self.engine.here() else { return };
        let n_rows = source.data.n_rows() as u32;
        let (planes, n_log_n) = (source.planes, source.scale.table());
        let mut all: SmallVec<[Variable; 32]> = SmallVec::new();
        let always = usize::from(with.is_some());
        let pool = if always == 0 {
            pool
        } else {
            all.extend(with.iter().chain(pool).copied());
            &all
        };
        let subsets = BinarySubsets { planes, n_rows, n_log_n, x, y, pool, size: size + always, always };
        let _ = source.counter.run(VisitSubsets { subsets, scratch: &mut self.binary, visitor });
    }

    /// Whether [`visit_binary`](Self::visit_binary) applies: all variables must be binary, sets of one to three (`with`
    /// included), the pool not above 1,024 for three, and the rows not above 131,072.
    pub fn are_binary(&self, x: Variable, y: Variable, with: Option<Variable>, pool: &[Variable], size: usize) -> bool {
        let Some(source) = self.engine.here() else { return false };
        let always = usize::from(with.is_some());
        let (size, most) = (size + always, pool.len() + always);
        let binary = |v: &Variable| source.data.arity(*v) == 2;
        (1..=binary::MAX_SIZE).contains(&size)
            && (size < 3 || most <= binary::MAX_POOL_OF_THREES)
            && source.planes.lines_per_plane() <= binary::MAX_LINES
            && [x, y].iter().chain(&with).chain(pool).all(binary)
    }

    /// [`conditional_information`](Self::conditional_information) and
    /// [`observed_degrees_of_freedom`](Self::observed_degrees_of_freedom) together. Where the table must be counted row by
    /// row, one pass serves both.
    pub fn information_and_degrees(&mut self, x: Variable, y: Variable, given: &[Variable]) -> (FixedSum, u64) {
        let mut all: SmallVec<[Variable; MAX_SET]> = given.into();
        all.push(x);
        all.push(y);
        all.sort_unstable();
        let shape = self.engine.shape();
        let by_rows = all.len() > self.memo_size || {
            let set = Set::new(shape, self.format, &all);
            self.memo.table(set.key).is_none() && !self.pays_from_planes(&set)
        };
        if by_rows {
            // The one with more states runs fastest, for longer runs of cells.
            let (x, y) = if shape.arity(x) < shape.arity(y) { (y, x) } else { (x, y) };
            if self.count_strata(x, y, given) {
                return self.over_strata(x, y);
            }
        }
        (self.conditional_information(x, y, given), self.observed_degrees_of_freedom(x, y, given))
    }

    /// Counts the table of x, y and `given`, in this order, into the scratch memory; false when it has too many cells.
    fn count_strata(&mut self, x: Variable, y: Variable, given: &[Variable]) -> bool {
        let mut all: SmallVec<[Variable; MAX_SET]> = SmallVec::from_slice(&[x, y]);
        all.extend_from_slice(given);
        let cells = cells_within(self.engine.shape(), &all, self.table_limit());
        cells.is_some_and(|cells| {
            self.count_rows(&all, cells);
            true
        })
    }

    /// Information and degrees of freedom from `counts`, the table of x, y and the variables that form strata.
    fn over_strata(&mut self, x: Variable, y: Variable) -> (FixedSum, u64) {
        let (shape, scale) = (self.engine.shape(), self.engine.scale());
        let (r_x, r_y) = (shape.arity(x) as usize, shape.arity(y) as usize);
        let (mut information, mut degrees) = (FixedSum::default(), 0);
        for stratum in self.scratch.counts.chunks_exact(r_x * r_y) {
            if stratum.iter().fold(0, |any, &count| any | count) == 0 {
                continue;
            }
            self.scratch.margin.clear();
            self.scratch.margin.resize(r_x, 0);
            let mut states_of_y = 0u64;
            for of_y in stratum.chunks_exact(r_x) {
                let total: u32 = of_y.iter().sum();
                if total > 0 {
                    states_of_y += 1;
                    information += scale.sum(of_y) - scale.n_log_n(total);
                    self.scratch.margin.iter_mut().zip(of_y).for_each(|(margin, count)| *margin += count);
                }
            }
            let states_of_x = self.scratch.margin.iter().filter(|&&count| count > 0).count() as u64;
            information += scale.n_log_n(self.scratch.margin.iter().sum()) - scale.sum(&self.scratch.margin);
            degrees += (states_of_x - 1) * (states_of_y - 1);
        }
        (information, degrees)
    }
}
