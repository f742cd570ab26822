//! Dense tables and their cells.

use std::ops::Range;

use smallvec::SmallVec;

use super::CountingSession;
use crate::Variable;
use crate::counts::cache::memo::Memo;
use crate::counts::cost;
use crate::counts::extend::each::Source;
use crate::counts::fixed::Total;
use crate::counts::table::core::{MAX_SET, Set, complete, count_core};
use crate::counts::table::planes::MAX_PLANE_ARITY;
use crate::counts::table::strata::{cells_within, most_cells, reorder};
use crate::counts::table::{occurring, row_scan};

/// Where a table is.
pub(super) enum Place {
    /// Among the cells of the memo.
    Kept(Range<usize>),
    /// In the counts of the scratch memory.
    Counted,
}

impl Place {
    pub(super) fn cells<'a>(&self, memo: &'a Memo, counts: &'a [u32]) -> &'a [u32] {
        match self {
            Self::Kept(at) => &memo.cells()[at.clone()],
            Self::Counted => counts,
        }
    }
}

impl CountingSession<'_, '_> {
    /// The largest number of cells for which [`table`](Self::table) gives a dense table: 4 N within 4,096 and 2²⁰.
    pub fn table_limit(&self) -> usize {
        most_cells(self.engine.shape())
    }

    /// The counts of all cells of the table of `variables` (any order, distinct), zeros included. The cell of states
    /// (s₁, …, sₖ) is s₁ + r₁ (s₂ + r₂ (s₃ + …)), the first variable running fastest. `None` when there are more than
    /// [`table_limit`](Self::table_limit) cells; [`for_each_stratum`](Self::for_each_stratum) serves those.
    pub fn table(&mut self, variables: &[Variable]) -> Option<&[u32]> {
        let place = self.place_of_table(variables)?;
        Some(place.cells(&self.memo, &self.scratch.counts))
    }

    /// Where the table of `variables` is, made if need be; `None` when it has too many cells.
    pub(super) fn place_of_table(&mut self, variables: &[Variable]) -> Option<Place> {
        let shape = self.engine.shape();
        let cells = cells_within(shape, variables, self.table_limit())?;
        if variables.len() <= self.memo_size {
            let in_order = variables.is_sorted();
            let mut sorted: SmallVec<[Variable; MAX_SET]> = SmallVec::new();
            if !in_order {
                sorted.extend_from_slice(variables);
                sorted.sort_unstable();
            }
            let set = if in_order { variables } else { &sorted };
            if let Some(start) = self.known_table(&Set::new(shape, self.format, set)) {
                let kept = start as usize..start as usize + cells;
                if in_order {
                    return Some(Place::Kept(kept));
                }
                reorder(shape, set, variables, &self.memo.cells()[kept], &mut self.scratch.counts);
                return Some(Place::Counted);
            }
        }
        self.count_rows(variables, cells);
        Some(Place::Counted)
    }

    /// Adds the counts of the table of a set (increasing) to `into`, which has all its cells, however many these are.
    pub(crate) fn add_table(&mut self, set: &[Variable], into: &mut [u32]) {
        if let Some(table) = self.table(set) {
            into.iter_mut().zip(table).for_each(|(into, count)| *into += count);
        } else {
            self.for_each_cell(set, |cell, count| into[cell as usize] += count);
        }
    }

    /// Keeps the table of a set (increasing) that was counted otherwise, for larger ones to be made of it.
    pub(crate) fn remember_table(&mut self, set: &[Variable], table: &[u32]) {
        if set.len() <= self.memo_size {
            self.memo.offer_table(self.format.key(set), table);
        }
    }

    /// Calls `visit(cells)` for every configuration of `given` that occurs in the data, by increasing configuration
    /// (the last variable most significant): `cells` are the pairs (cell, count) of the table of `inner` within that
    /// stratum that have a count, by increasing cell, the first variable of `inner` running fastest. Works for any
    /// number of cells in O(rows) memory.
    ///
    /// `inner` has one or two variables; all variables are distinct.
    pub fn for_each_stratum(&mut self, inner: &[Variable], given: &[Variable], mut visit: impl FnMut(&[(u32, u32)])) {
        debug_assert!(!inner.is_empty() && inner.len() <= 2);
        let engine = self.engine;
        let mut all: SmallVec<[Variable; MAX_SET]> = inner.into();
        all.extend_from_slice(given);
        let mut cells: Vec<(u32, u32)> = Vec::new();
        let block = engine.shape().n_cells(inner);
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
        let Some(Source { data, .. }) = engine.here().filter(|source| source.data.n_rows() <= occurring::TOGETHER)
        else {
            // By increasing cell, the variables of `inner` fastest: strata follow each other.
            let mut current = 0;
            self.for_each_cell(&all, |cell, count| {
                let stratum = cell / block as u128;
                if stratum != current && !cells.is_empty() {
                    visit(&cells);
                    cells.clear();
                }
                current = stratum;
                cells.push(((cell % block as u128) as u32, count));
            });
            if !cells.is_empty() {
                visit(&cells);
            }
            return;
        };
        self.scratch.strata.group(data, given);
        self.scratch.codes.clear();
        self.scratch.codes.extend(self.scratch.strata.ids().iter().map(|&id| u64::from(id) << 32));
        let unpacked: SmallVec<[_; 2]> = inner.iter().map(|&v| (data.arity(v), data.column(v).unpacked())).collect();
        let columns: SmallVec<[_; 2]> = unpacked.iter().map(|(arity, codes)| (arity, codes.view())).collect();
        for (row, code) in self.scratch.codes.iter_mut().enumerate() {
            let cell = columns.iter().rev().fold(0, |cell, &(arity, codes)| cell * arity + codes.get(row));
            *code += u64::from(cell);
        }
        self.scratch.codes.sort_unstable();
        for stratum in self.scratch.codes.chunk_by(|a, b| a >> 32 == b >> 32) {
            cells.clear();
            cells.extend(stratum.chunk_by(|a, b| a == b).map(|run| (run[0] as u32, run.len() as u32)));
            visit(&cells);
        }
    }

    /// Calls `visit(cell, count)` for every cell of the table of `variables` (any order, distinct) that has a count,
    /// by increasing cell, numbered as in [`table`](Self::table). Memory is that of the cells that have a count.
    ///
    /// When there are more than 2¹²⁸ cells the last variables are taken together: their configuration is replaced by
    /// its rank among those that occur, and the numbering is as if that were one variable. Memory is O(rows) then.
    pub fn for_each_cell(&mut self, variables: &[Variable], mut visit: impl FnMut(u128, u32)) {
        let engine = self.engine;
        if let Some(table) = self.table(variables) {
            let counted = table.iter().enumerate().filter(|(_, count)| **count > 0);
            counted.for_each(|(cell, &count)| visit(cell as u128, count));
            return;
        }
        let Some(Source { data, counter, .. }) = engine.here() else {
            return engine.cells(variables).into_iter().for_each(|(cell, count)| visit(cell, count));
        };
        let within = |first: u128, some: &[Variable]| {
            some.iter().try_fold(first, |cells, &v| cells.checked_mul(u128::from(data.arity(v))))
        };
        match within(1, variables) {
            Some(cells) if cells <= u128::from(u64::MAX) => {
                let found = occurring::cells::<u64>(counter, data, variables, &[]);
                found.into_iter().for_each(|(cell, count)| visit(u128::from(cell), count));
            }
            Some(_) => {
                let found = occurring::cells::<u128>(counter, data, variables, &[]);
                found.into_iter().for_each(|(cell, count)| visit(cell, count));
            }
            None => {
                let mut plain = variables.len();
                while within(data.n_rows() as u128, &variables[..plain]).is_none() {
                    plain -= 1;
                }
                let (head, tail) = variables.split_at(plain);
                self.scratch.strata.group(data, tail);
                let found = occurring::cells::<u128>(counter, data, head, self.scratch.strata.ids());
                found.into_iter().for_each(|(cell, count)| visit(cell, count));
            }
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
        let Some(Source { counter, .. }) = self.engine.here() else { return false };
        let limit = cost::most_cells_from_planes(counter.kernel());
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
    pub(super) fn make_table(&mut self, set: &Set) -> u32 {
        let source = self.engine.here().expect("planes are made of rows");
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
        count_core(source.planes, source.counter, set, table, &mut self.scratch.lines);
        complete(set, &facets, others, table);
        start
    }

    /// F of any set, counted row by row and not kept.
    pub(crate) fn sum_by_rows<T: Total>(&mut self, variables: &[Variable]) -> T {
        let engine = self.engine;
        if let Some(cells) = cells_within(engine.shape(), variables, self.table_limit()) {
            self.count_rows(variables, cells);
        } else if let Some(Source { data, .. }) =
            engine.here().filter(|source| source.data.n_rows() <= occurring::TOGETHER)
        {
            self.scratch.strata.group(data, variables);
            self.scratch.counts.clear();
            self.scratch.counts.resize(self.scratch.strata.n_strata(), 0);
            for &id in self.scratch.strata.ids() {
                self.scratch.counts[id as usize] += 1;
            }
        } else {
            let mut counts = std::mem::take(&mut self.scratch.counts);
            counts.clear();
            self.for_each_cell(variables, |_, count| counts.push(count));
            self.scratch.counts = counts;
        }
        T::of(self.engine.scale(), &self.scratch.counts)
    }

    /// Counts a dense table row by row, or asks for it where rows are elsewhere.
    pub(crate) fn count_rows(&mut self, variables: &[Variable], cells: usize) {
        let Some(source) = self.engine.here() else { return self.ask_table(variables) };
        self.scratch.counts.clear();
        self.scratch.counts.resize(cells, 0);
        row_scan::count(source.counter, source.data, variables, &mut self.scratch.counts, &mut self.scratch.tables);
    }
}
