//! The rows grouped by the configurations of a base set, and what it costs to count other variables within them.

use super::each::Source;
use super::tally::SortedRows;
use crate::Variable;
use crate::counts::cost;
use crate::counts::simd::HALF;
use crate::counts::table::strata::Strata;

/// Strata with fewer rows than this are counted one after the other; larger ones together, in the order of rows.
pub(super) const SMALL: u32 = 8;

/// Most memory of planes of strata: 8 MiB.
const MAX_LINES: usize = (8 << 20) / 64;

/// The rows by the configurations of a base set.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    strata: Strata,
    /// Rows of each stratum.
    sizes: Vec<u32>,
    place: Vec<u32>,
    /// Rows sorted by stratum, without those that are alone in theirs, and where each stratum ends.
    is_sorted: bool,
    sorted: Vec<u32>,
    ends: Vec<u32>,
}

impl Grouped {
    pub(super) fn group(&mut self, source: Source<'_>, base: &[Variable]) {
        self.strata.group(source.data, base);
        self.sizes.clear();
        self.sizes.resize(self.strata.n_strata(), 0);
        for &stratum in self.strata.ids() {
            self.sizes[stratum as usize] += 1;
        }
        self.is_sorted = false;
    }

    /// The stratum of each row.
    pub(super) fn ids(&self) -> &[u32] {
        self.strata.ids()
    }

    /// The rows of each stratum.
    pub(super) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Estimated cost of counting `lanes` variables of a block with `arity` states.
    pub(super) fn cost_of_block(&self, source: Source<'_>, arity: u32, lanes: usize) -> f32 {
        let states = (arity - 1) as f32;
        let of_rows = cost::row_of_block(source.counter.kernel(), states) * source.data.n_rows() as f32;
        let whole = of_rows + cost::CELL_OF_BLOCK * (states + 1.0) * self.sizes.len() as f32;
        if lanes > HALF { whole } else { 0.5 * whole }
    }

    /// Estimated cost of counting one candidate with `arity` states by itself.
    pub(super) fn cost_of_candidate(&self, source: Source<'_>, arity: u32) -> f32 {
        let states = arity as usize - 1;
        let least = self.least_rows_of_plane(source, Some(states));
        let (mut planes, mut rows) = (0, 0);
        for &size in self.sizes.iter().filter(|size| **size > 1) {
            if size >= least {
                planes += 1;
            } else {
                rows += size;
            }
        }
        let of_plane = cost::ROW * lines_as_rows(source) * states as f32 + cost::CELL * arity as f32;
        of_plane * planes as f32 + cost::ROW * rows as f32
    }

    /// The rows sorted by stratum, which is done once.
    pub(super) fn sorted(&mut self) -> SortedRows<'_> {
        if !std::mem::replace(&mut self.is_sorted, true) {
            self.sort();
        }
        SortedRows { rows: &self.sorted, ends: &self.ends }
    }

    fn sort(&mut self) {
        let Self { strata, sizes, place, sorted, ends, .. } = self;
        place.clear();
        ends.clear();
        let mut end = 0;
        for &size in sizes.iter() {
            place.push(end);
            if size > 1 {
                end += size;
                ends.push(end);
            }
        }
        sorted.clear();
        sorted.resize(end as usize, 0);
        for (row, &stratum) in (0..).zip(strata.ids()) {
            if sizes[stratum as usize] > 1 {
                let place = &mut place[stratum as usize];
                sorted[*place as usize] = row;
                *place += 1;
            }
        }
    }

    /// The least number of rows of a stratum that becomes a plane: a plane costs as much as some rows for each of its
    /// lines and each plane of a candidate, and all planes together keep within their budget of memory.
    pub(super) fn least_rows_of_plane(&self, source: Source<'_>, states: Option<usize>) -> u32 {
        let Some(states) = states else { return u32::MAX };
        let lines = source.planes.lines_per_plane();
        let mut least = ((lines_as_rows(source) * states as f32) as u32).max(2 * SMALL);
        while least < u32::MAX && self.sizes.iter().filter(|&&size| size >= least).count() > MAX_LINES / lines {
            least = least.saturating_mul(2);
        }
        least
    }
}

/// How many rows counted one by one cost as much as the lines of one plane joined with another.
fn lines_as_rows(source: Source<'_>) -> f32 {
    cost::rows_of_line(source.counter.kernel()) * source.planes.lines_per_plane() as f32
}
