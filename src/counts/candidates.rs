//! F of one base set joined with each of many candidates.
//!
//! Rows are grouped by the configurations of the base once. A large stratum becomes a bit plane, and its counts for all
//! candidates are a product of planes; the rows of small strata, which would cost a plane each, are counted one by one.

use super::kernels::{Counter, TILE, Tile};
use super::planes::{BitPlanes, Line};
use super::strata::Strata;
use super::{FixedScale, FixedSum};
use crate::Variable;
use crate::data::{Codes, DiscreteData};

/// A stratum becomes a plane when it has more rows than this for each line of a plane.
const ROWS_PER_LINE: usize = 2;

/// Most memory of planes of strata: 8 MiB.
const MAX_LINES: usize = (8 << 20) / 64;

/// Planes of candidates taken together.
const PLANES: usize = 32;

/// Scratch memory of [`sums_with_each`].
#[derive(Debug, Default)]
pub(super) struct Candidates {
    strata: Strata,
    sizes: Vec<u32>,
    /// For each stratum the number of its plane, or where its rows start among `rows`.
    place: Vec<u32>,
    planes: Vec<Line>,
    plane_sizes: Vec<u32>,
    /// Rows of the small strata with at least two rows, stratum by stratum.
    rows: Vec<u32>,
    /// The lengths of those strata.
    lengths: Vec<u32>,
    counts: Vec<u32>,
    states: Vec<u32>,
}

/// What is counted and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) data: &'a DiscreteData,
    pub(super) planes: &'a BitPlanes,
    pub(super) counter: Counter,
    pub(super) scale: &'a FixedScale,
}

impl Candidates {
    /// F(base ∪ {c}) for each candidate c.
    pub(super) fn sums_with_each(
        &mut self,
        source: Source<'_>,
        base: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<FixedSum>,
    ) {
        out.clear();
        out.resize(candidates.len(), FixedSum::default());
        self.strata.group(source.data, base);
        // Planes pay only for candidates that have planes; the others are counted row by row within all strata.
        let planar = |&&c: &&Variable| source.planes.has(c, source.data.arity(c));
        let with_planes = candidates.iter().filter(planar).count();
        if with_planes > 0 {
            self.split(source.planes.lines_per_plane(), true);
            self.count_planes(source, candidates, out);
            self.count_rows(source, candidates, true, out);
        }
        if with_planes < candidates.len() {
            self.split(source.planes.lines_per_plane(), false);
            self.count_rows(source, candidates, false, out);
        }
    }

    /// Splits the strata into those with a plane (when `planes` is true, and the stratum is large) and those with rows.
    fn split(&mut self, lines: usize, planes: bool) {
        const SINGLE: u32 = u32::MAX;
        self.sizes.clear();
        self.sizes.resize(self.strata.n_strata(), 0);
        for &stratum in self.strata.ids() {
            self.sizes[stratum as usize] += 1;
        }
        let most = if planes { MAX_LINES / lines } else { 0 };
        let mut least_rows = (ROWS_PER_LINE * lines).max(16) as u32;
        while self.sizes.iter().filter(|&&size| size >= least_rows).count() > most {
            least_rows = if planes { least_rows.saturating_mul(2) } else { u32::MAX };
            if least_rows == u32::MAX {
                break;
            }
        }
        let large = |size: u32| planes && size >= least_rows;
        self.plane_sizes.clear();
        self.lengths.clear();
        self.place.clear();
        let mut start = 0;
        for &size in &self.sizes {
            if large(size) {
                self.place.push(self.plane_sizes.len() as u32);
                self.plane_sizes.push(size);
            } else if size == 1 {
                // 1 ln 1 = 0 whatever the candidate.
                self.place.push(SINGLE);
            } else {
                self.place.push(start);
                self.lengths.push(size);
                start += size;
            }
        }
        self.planes.clear();
        self.planes.resize(self.plane_sizes.len() * lines, Line::default());
        self.rows.clear();
        self.rows.resize(start as usize, 0);
        for (row, &stratum) in self.strata.ids().iter().enumerate() {
            let place = &mut self.place[stratum as usize];
            if large(self.sizes[stratum as usize]) {
                let line = &mut self.planes[*place as usize * lines + row / 512];
                line.0[row % 512 / 64] |= 1 << (row % 64);
            } else if *place != SINGLE {
                self.rows[*place as usize] = row as u32;
                *place += 1;
            }
        }
    }

    /// Adds the cells of strata with planes, for all candidates with planes.
    fn count_planes(&mut self, source: Source<'_>, candidates: &[Variable], out: &mut [FixedSum]) {
        let lines = source.planes.lines_per_plane();
        let strata = self.plane_sizes.len();
        if strata == 0 {
            return;
        }
        let stratum = |number: usize| &self.planes[number * lines..(number + 1) * lines];
        let mut first = 0;
        while first < candidates.len() {
            let mut end = first;
            let mut group: [&[Line]; PLANES] = [&[]; PLANES];
            let mut n_planes = 0;
            while end < candidates.len() {
                let numbers = source.planes.numbers(candidates[end]);
                if n_planes + numbers.len() > PLANES {
                    break;
                }
                for number in numbers {
                    group[n_planes] = source.planes.numbered(number);
                    n_planes += 1;
                }
                end += 1;
            }
            // counts[stratum][plane]
            self.counts.clear();
            self.counts.resize(strata * n_planes, 0);
            for at in (0..n_planes).step_by(TILE) {
                let a = &group[at..(at + TILE).min(n_planes)];
                for number in (0..strata).step_by(TILE) {
                    let n_b = TILE.min(strata - number);
                    let b: [&[Line]; TILE] = std::array::from_fn(|j| if j < n_b { stratum(number + j) } else { &[] });
                    let mut counts = Tile::default();
                    source.counter.tile(&[], a, &b[..n_b], &mut counts);
                    for (j, counts) in counts[..n_b].iter().enumerate() {
                        let to = (number + j) * n_planes + at;
                        self.counts[to..to + a.len()].copy_from_slice(&counts[..a.len()]);
                    }
                }
            }
            let mut at = 0;
            for (&candidate, out) in candidates[first..end].iter().zip(&mut out[first..end]) {
                let states = source.planes.n_states(candidate);
                if !source.planes.has(candidate, source.data.arity(candidate)) {
                    continue;
                }
                for (stratum, &size) in self.plane_sizes.iter().enumerate() {
                    let mut rest = size;
                    for &count in &self.counts[stratum * n_planes + at..][..states] {
                        rest -= count;
                        *out += source.scale.n_log_n(count);
                    }
                    *out += source.scale.n_log_n(rest);
                }
                at += states;
            }
            first = end;
        }
    }

    /// Adds the cells of strata without planes, for the candidates that have planes or for those that have none.
    fn count_rows(&mut self, source: Source<'_>, candidates: &[Variable], planar: bool, out: &mut [FixedSum]) {
        if self.rows.is_empty() {
            return;
        }
        for (&candidate, out) in candidates.iter().zip(out) {
            let arity = source.data.arity(candidate);
            if source.planes.has(candidate, arity) != planar {
                continue;
            }
            self.states.clear();
            self.states.resize(arity as usize, 0);
            *out += match source.data.column(candidate) {
                Codes::Narrow(codes) => self.sum_rows(source.scale, codes),
                Codes::Wide(codes) => self.sum_rows(source.scale, codes),
            };
        }
    }

    fn sum_rows<T: Copy + Into<u32>>(&mut self, scale: &FixedScale, codes: &[T]) -> FixedSum {
        let mut sum = FixedSum::default();
        let mut start = 0;
        for &length in &self.lengths {
            let rows = &self.rows[start..start + length as usize];
            start += rows.len();
            if let &[row, other] = rows {
                if codes[row as usize].into() == codes[other as usize].into() {
                    sum += scale.n_log_n(2);
                }
                continue;
            }
            for &row in rows {
                self.states[codes[row as usize].into() as usize] += 1;
            }
            if rows.len() < self.states.len() {
                for &row in rows {
                    let count = &mut self.states[codes[row as usize].into() as usize];
                    sum += scale.n_log_n(std::mem::take(count));
                }
            } else {
                for count in &mut self.states {
                    sum += scale.n_log_n(std::mem::take(count));
                }
            }
        }
        sum
    }
}
