//! One thread's access to the counting engine.

mod bounds;
mod cells;
pub(super) mod information;

use smallvec::SmallVec;

use crate::counts::cache::memo::{Key, KeyFormat, Memo};
use crate::counts::cache::recent::RecentSums;
use crate::counts::cache::shared::SharedSums;
use crate::counts::extend::each::Candidates;
use crate::counts::fixed::Total;
use crate::counts::subsets::binary::BinaryScratch;
use crate::counts::subsets::target::AroundTarget;
use crate::counts::table::core::{MAX_SET, Set, complete, count_core};
use crate::counts::table::planes::{Line, MAX_PLANE_ARITY};
use crate::counts::table::strata::{Strata, cells_within, reorder};
use crate::counts::{CountingEngine, FixedSum};
use crate::{Variable, VariableSet};

/// Tables of this many variables and more are kept only when a table of more variables is made from them: a caller who
/// asks for sums alone rarely comes back with a larger set.
const TOP: usize = 5;

/// Sorting all rows by the cells of a base set takes about as long as counting this many sets one by one.
pub(crate) const FEW: usize = 64;

/// That of variables that were brought together is done sooner.
const FEW_GATHERED: usize = 16;

/// A table with a smaller core is counted about as fast as its sum would be looked up among those of the past.
const CHEAP: usize = 32;

/// One thread's access to a [`CountingEngine`], with its scratch memory and its memo (at most about 32 MiB together
/// with the scratch memory, which is a few times the number of rows).
///
/// Results never depend on what the session did before.
#[derive(Debug)]
pub struct CountingSession<'e, 'd> {
    pub(crate) engine: &'e CountingEngine<'d>,
    pub(crate) format: KeyFormat,
    /// The largest set that goes through the memo.
    pub(crate) memo_size: usize,
    pub(crate) memo: Memo,
    past: RecentSums,
    strata: Strata,
    pub(crate) candidates: Candidates,
    pub(crate) binary: BinaryScratch,
    pub(crate) around: AroundTarget,
    pub(crate) counts: Vec<u32>,
    pub(crate) margin: Vec<u32>,
    scratch: Vec<u32>,
    missing: Vec<u32>,
    sums: Vec<FixedSum>,
    lines: Vec<Line>,
    codes: Vec<u64>,
    pub(crate) supports: [Vec<u32>; 2],
}

impl<'e, 'd> CountingSession<'e, 'd> {
    pub(crate) fn new(engine: &'e CountingEngine<'d>) -> Self {
        let format = KeyFormat::new(engine.data().n_variables());
        Self {
            engine,
            format,
            memo_size: format.capacity().min(MAX_SET),
            memo: Memo::new(),
            past: RecentSums::default(),
            strata: Strata::default(),
            candidates: Candidates::default(),
            binary: BinaryScratch::default(),
            around: AroundTarget::default(),
            counts: Vec::new(),
            margin: Vec::new(),
            scratch: Vec::new(),
            missing: Vec::new(),
            sums: Vec::new(),
            lines: Vec::new(),
            codes: Vec::new(),
            supports: Default::default(),
        }
    }

    /// The engine of this session.
    pub fn engine(&self) -> &'e CountingEngine<'d> {
        self.engine
    }

    /// Hints that the sums asked for next are of another neighbourhood, so that what was kept for the last one may be
    /// dropped. Never changes a result.
    pub fn next_neighbourhood(&mut self) {
        self.memo.refocus();
    }

    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing).
    pub fn sum_n_log_n(&mut self, variables: &[Variable]) -> FixedSum {
        debug_assert!(variables.windows(2).all(|w| w[0] < w[1]));
        match variables {
            [] => self.engine.total(),
            [x] => self.engine.single(*x),
            _ if variables.len() <= self.memo_size => match self.memo.sum(self.format.key(variables)) {
                Some(sum) => sum,
                None => self.new_sum(&Set::new(self.engine.data(), self.format, variables)).0,
            },
            _ => self.sum_by_rows(variables),
        }
    }

    /// Says that [`sums_with_each`](Self::sums_with_each) will be asked for many bases and these candidates, so that they are
    /// brought together in memory. It changes no result.
    pub fn gather(&mut self, candidates: &[Variable]) {
        self.candidates.gather(self.engine.data(), candidates);
    }

    /// Whether these were the last candidates to be brought together.
    pub fn has_gathered(&self, candidates: &[Variable]) -> bool {
        self.candidates.has_gathered(candidates)
    }

    /// F(base ∪ {c}) for each candidate c, written to `out` in the order of `candidates`. What depends on `base` alone
    /// is computed once. `base` is in any order, distinct; no candidate is in it.
    pub fn sums_with_each(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        match *base {
            [] => {
                out.clear();
                out.extend(candidates.iter().map(|&candidate| self.engine.single(candidate)));
                return;
            }
            [x] => {
                if let Some(pairs) = self.engine.known_pairs() {
                    out.clear();
                    out.extend(candidates.iter().map(|&candidate| pairs.pair(x, candidate)));
                    return;
                }
            }
            _ => {}
        }
        let n_variables = self.engine.data().n_variables();
        let mut key = VariableSet::from_slice(base);
        key.sort_unstable();
        let rows = self.engine.rows();
        rows.as_deref().unwrap_or(&SharedSums::default()).recall(&key, candidates, out, &mut self.missing);
        drop(rows);
        // A request for many candidates is likely to come again, from the search around another variable of the base.
        let is_wide = candidates.len() * SharedSums::PART >= n_variables;
        let is_small = base.len() < self.memo_size;
        let few = self.few(candidates);
        if self.missing.len() > few && !is_wide && is_small {
            let mut missing = std::mem::take(&mut self.missing);
            missing.retain(|&at| match self.past.get(self.format.key(&joined(&key, candidates[at as usize]))) {
                Some(sum) => {
                    out[at as usize] = sum;
                    false
                }
                None => true,
            });
            self.missing = missing;
        }
        if self.missing.is_empty() {
            return;
        }
        if self.missing.len() > FEW && 2 * candidates.len() >= n_variables {
            // All variables at once cost little more, and serve single sets too.
            let all: Vec<Variable> = (0..n_variables as Variable).filter(|v| key.binary_search(v).is_err()).collect();
            let mut sums = std::mem::take(&mut self.sums);
            self.candidates.sums_with_each(self.engine.source(), base, &all, &all, &mut sums);
            for (out, candidate) in out.iter_mut().zip(candidates) {
                *out = sums[all.binary_search(candidate).expect("no candidate is in the base")];
            }
            self.engine.rows_to_fill().keep(key, n_variables, &all, &sums);
            self.sums = sums;
            return;
        }
        let missing: Vec<Variable> = self.missing.iter().map(|&at| candidates[at as usize]).collect();
        let mut sums = std::mem::take(&mut self.sums);
        if missing.len() <= few && base.len() < MAX_SET {
            self.sums_one_by_one(&key, &missing, &mut sums);
        } else {
            self.candidates.sums_with_each(self.engine.source(), base, &missing, candidates, &mut sums);
            if is_small && !is_wide {
                for (&candidate, &sum) in missing.iter().zip(&sums) {
                    self.past.put(self.format.key(&joined(&key, candidate)), sum);
                }
            }
        }
        self.missing.iter().zip(&sums).for_each(|(&at, &sum)| out[at as usize] = sum);
        if is_wide {
            self.engine.rows_to_fill().keep(key, n_variables, &missing, &sums);
        }
        self.sums = sums;
    }

    /// Up to how many candidates sets are counted one by one.
    pub(crate) fn few(&self, candidates: &[Variable]) -> usize {
        if self.candidates.has_gathered(candidates) { FEW_GATHERED } else { FEW }
    }

    /// F of a set and each of a few candidates.
    fn sums_one_by_one(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        out.clear();
        for &candidate in candidates {
            let sum = self.sum_n_log_n(&joined(base, candidate));
            out.push(sum);
        }
    }

    /// The largest number of cells for which [`table`](Self::table) gives a dense table: 4 N within 4,096 and 2²⁰.
    pub fn table_limit(&self) -> usize {
        (4 * self.engine.data().n_rows()).clamp(1 << 12, 1 << 20)
    }

    /// The counts of all cells of the table of `variables` (any order, distinct), zeros included. The cell of states
    /// (s₁, …, sₖ) is s₁ + r₁ (s₂ + r₂ (s₃ + …)), the first variable running fastest. `None` when there are more than
    /// [`table_limit`](Self::table_limit) cells; [`for_each_stratum`](Self::for_each_stratum) serves those.
    pub fn table(&mut self, variables: &[Variable]) -> Option<&[u32]> {
        let data = self.engine.data();
        let cells = cells_within(data, variables, self.table_limit())?;
        if variables.len() > self.memo_size {
            self.count_rows(variables, cells);
            return Some(&self.counts);
        }
        if variables.windows(2).all(|w| w[0] < w[1]) {
            let set = Set::new(data, self.format, variables);
            return match self.known_table(&set) {
                Some(start) => Some(&self.memo.cells()[start as usize..start as usize + cells]),
                None => {
                    self.count_rows(variables, cells);
                    Some(&self.counts)
                }
            };
        }
        let mut sorted: SmallVec<[Variable; MAX_SET]> = variables.into();
        sorted.sort_unstable();
        let set = Set::new(data, self.format, &sorted);
        match self.known_table(&set) {
            Some(start) => {
                let table = &self.memo.cells()[start as usize..start as usize + cells];
                reorder(data, &sorted, variables, table, &mut self.counts);
            }
            None => self.count_rows(variables, cells),
        }
        Some(&self.counts)
    }

    /// Calls `visit(cells)` for every configuration of `given` that occurs in the data, by increasing configuration
    /// (the last variable most significant): `cells` are the pairs (cell, count) of the table of `inner` within that
    /// stratum that have a count, by increasing cell, the first variable of `inner` running fastest. Works for any
    /// number of cells in O(rows) memory.
    ///
    /// `inner` has one or two variables; all variables are distinct.
    pub fn for_each_stratum(&mut self, inner: &[Variable], given: &[Variable], mut visit: impl FnMut(&[(u32, u32)])) {
        debug_assert!(!inner.is_empty() && inner.len() <= 2);
        let data = self.engine.data();
        let mut all: SmallVec<[Variable; MAX_SET]> = inner.into();
        all.extend_from_slice(given);
        let mut cells: Vec<(u32, u32)> = Vec::new();
        let block: usize = inner.iter().map(|&v| data.arity(v) as usize).product();
        if let Some(table) = self.table(&all) {
            for stratum in table.chunks_exact(block) {
                cells.clear();
                let counted = stratum.iter().enumerate().filter(|(_, count)| **count > 0);
                cells.extend(counted.map(|(cell, &count)| (cell as u32, count)));
                if !cells.is_empty() {
                    visit(&cells);
                }
            }
            return;
        }
        self.strata.group(data, given);
        self.codes.clear();
        self.codes.extend(self.strata.ids().iter().map(|&id| u64::from(id) << 32));
        for (row, code) in self.codes.iter_mut().enumerate() {
            let cell = inner.iter().rev().fold(0, |cell, &v| cell * data.arity(v) + data.column(v).get(row));
            *code += u64::from(cell);
        }
        self.codes.sort_unstable();
        for stratum in self.codes.chunk_by(|a, b| a >> 32 == b >> 32) {
            cells.clear();
            cells.extend(stratum.chunk_by(|a, b| a == b).map(|run| (run[0] as u32, run.len() as u32)));
            visit(&cells);
        }
    }

    /// Calls `visit(cell, count)` for every cell of the table of `variables` (any order, distinct) that has a count,
    /// by increasing cell, numbered as in [`table`](Self::table). Memory is O(rows) however many cells there are.
    ///
    /// When there are more than 2¹²⁸ cells the last variables are taken together: their configuration is replaced by
    /// its rank among those that occur, and the numbering is as if that were one variable.
    pub fn for_each_cell(&mut self, variables: &[Variable], mut visit: impl FnMut(u128, u32)) {
        let data = self.engine.data();
        if let Some(table) = self.table(variables) {
            let counted = table.iter().enumerate().filter(|(_, count)| **count > 0);
            counted.for_each(|(cell, &count)| visit(cell as u128, count));
            return;
        }
        let arity = |variable: &Variable| u128::from(data.arity(*variable));
        let rows = data.n_rows() as u128;
        let mut plain = variables.len();
        if variables.iter().try_fold(1u128, |cells, v| cells.checked_mul(arity(v))).is_none() {
            let within = |head: &[Variable]| head.iter().try_fold(rows, |cells, v| cells.checked_mul(arity(v)));
            while within(&variables[..plain]).is_none() {
                plain -= 1;
            }
        }
        let (head, tail) = variables.split_at(plain);
        self.strata.group(data, tail);
        let mut codes: Vec<u128> = self.strata.ids().iter().map(|&id| u128::from(id)).collect();
        for variable in head.iter().rev() {
            let column = data.column(*variable);
            for (row, code) in codes.iter_mut().enumerate() {
                *code = *code * arity(variable) + u128::from(column.get(row));
            }
        }
        codes.sort_unstable();
        for run in codes.chunk_by(|a, b| a == b) {
            visit(run[0], run.len() as u32);
        }
    }

    /// F of a set that is not known, and whether `counts` is its table, counted row by row.
    pub(crate) fn new_sum(&mut self, set: &Set) -> (FixedSum, bool) {
        let mut by_rows = false;
        let sum = if let Some(sum) = self.sum_of_table(set) {
            sum
        } else if let Some(sum) = self.engine.known_pair(set.variables()).or_else(|| self.past_sum(set)) {
            sum
        } else if let Some(sum) = self.sum_from_planes(set) {
            sum
        } else {
            by_rows = true;
            self.sum_by_rows(set.variables())
        };
        self.keep_sum(set.key, set.core(), sum);
        (sum, by_rows)
    }

    /// F of a set whose table is kept.
    pub(crate) fn sum_of_table<T: Total>(&self, set: &Set) -> Option<T> {
        let start = self.memo.table(set.key)? as usize;
        Some(T::of(self.engine.scale(), &self.memo.cells()[start..start + set.cells()]))
    }

    /// F of a set by a table made from bit planes, if that is fast.
    pub(crate) fn sum_from_planes<T: Total>(&mut self, set: &Set) -> Option<T> {
        if !self.pays_from_planes(set) {
            return None;
        }
        let start = self.make_table(set);
        let table = &self.memo.cells()[start as usize..start as usize + set.cells()];
        let sum = T::of(self.engine.scale(), table);
        if set.variables().len() < TOP {
            self.memo.set_table(set.key, start);
        } else {
            self.memo.drop_newest(start);
        }
        Some(sum)
    }

    /// F of a set from before the memo was last emptied, or from another session.
    pub(crate) fn past_sum(&self, set: &Set) -> Option<FixedSum> {
        if set.core() < CHEAP {
            return None;
        }
        self.past.get(set.key).or_else(|| match *set.variables() {
            [x, y, z] => self.engine.rows()?.of_three([x, y, z]),
            _ => None,
        })
    }

    /// Puts down F of a set with a core of so many cells.
    pub(crate) fn keep_sum(&mut self, key: Key, core: usize, sum: FixedSum) {
        self.memo.set_sum(key, sum);
        if core >= CHEAP {
            self.past.put(key, sum);
        }
    }

    /// Where the table of a set starts, made if need be; `None` when it is better counted row by row.
    fn known_table(&mut self, set: &Set) -> Option<u32> {
        if let Some(start) = self.memo.table(set.key) {
            return Some(start);
        }
        self.pays_from_planes(set).then(|| {
            let start = self.make_table(set);
            self.memo.set_table(set.key, start);
            start
        })
    }

    /// Whether a table that is not kept is made faster from bit planes than row by row. If so there is room in the memo
    /// for it and for all the smaller tables that it needs.
    pub(crate) fn pays_from_planes(&mut self, set: &Set) -> bool {
        let limit = self.engine.plane_limit();
        if set.core() > limit || set.arities().iter().any(|&arity| arity > MAX_PLANE_ARITY) {
            return false;
        }
        let smaller = set.arities().iter().fold(1, |cells: usize, &arity| cells.saturating_mul(arity as usize + 1));
        self.memo.reserve(1 << set.variables().len(), smaller)
            && (set.cells() <= limit || self.missing(set, 0, limit) <= limit)
    }

    /// How many cells must be counted to make the table of a set: those of the core of every subset whose table is not
    /// kept. Of the subsets, only those that keep the variables before `from`. May stop above `limit`.
    fn missing(&self, set: &Set, from: usize, limit: usize) -> usize {
        // Where a table is kept, so are those of all subsets.
        if set.variables().len() < 2 || self.memo.table(set.key).is_some() {
            return 0;
        }
        let mut missing = set.core();
        for position in from..set.variables().len() {
            if missing > limit {
                break;
            }
            missing += self.missing(&set.without(self.format, position), position, limit);
        }
        missing
    }

    /// Makes the table of a set from bit planes as the newest one of the memo, without putting it down; those of all
    /// subsets are made and kept if need be.
    fn make_table(&mut self, set: &Set) -> u32 {
        let source = self.engine.source();
        if set.variables().len() < 2 {
            let (_, start, table) = self.memo.new_table(set.cells());
            match *set.variables() {
                [x] => table.copy_from_slice(self.engine.single_counts(x)),
                _ => table[0] = source.data.n_rows() as u32,
            }
            return start;
        }
        let mut facets = [0; MAX_SET];
        for (position, facet) in facets.iter_mut().enumerate().take(set.variables().len()) {
            *facet = match self.memo.table(self.format.without(set.key, position)) {
                Some(start) => start,
                None => {
                    let smaller = set.without(self.format, position);
                    let start = self.make_table(&smaller);
                    self.memo.set_table(smaller.key, start);
                    start
                }
            };
        }
        let (others, start, table) = self.memo.new_table(set.cells());
        count_core(source.planes, source.counter, set, table, &mut self.lines);
        complete(set, &facets, others, table);
        start
    }

    /// F of any set, counted row by row and not kept.
    pub(crate) fn sum_by_rows<T: Total>(&mut self, variables: &[Variable]) -> T {
        let data = self.engine.data();
        if let Some(cells) = cells_within(data, variables, self.table_limit()) {
            self.count_rows(variables, cells);
        } else {
            self.strata.group(data, variables);
            self.counts.clear();
            self.counts.resize(self.strata.n_strata(), 0);
            for &id in self.strata.ids() {
                self.counts[id as usize] += 1;
            }
        }
        T::of(self.engine.scale(), &self.counts)
    }

    /// Counts a dense table row by row.
    pub(crate) fn count_rows(&mut self, variables: &[Variable], cells: usize) {
        self.counts.clear();
        self.counts.resize(cells, 0);
        let source = self.engine.source();
        source.counter.count_rows(source.data, variables, &mut self.counts, &mut self.scratch);
    }
}

/// A set in increasing order with one more variable.
pub(crate) fn joined(base: &[Variable], candidate: Variable) -> VariableSet {
    let mut set = VariableSet::from_slice(base);
    let at = base.partition_point(|&v| v < candidate);
    set.insert(at, candidate);
    set
}
