//! F of one base set joined with each of many candidates.
//!
//! Rows are grouped by the configurations of the base once. Where there are many strata and candidates, the rows are sorted
//! by stratum and all candidates of a block are counted row by row at once. Otherwise a large stratum becomes a bit plane,
//! and its counts for all candidates are a product of planes; the rows of small strata, which would cost a plane each, are
//! counted one by one.

use rustc_hash::FxHashMap;

use super::grouped::{Grouped, SMALL};
use super::nibbles::{Gathered, Nibbles, WIDTH};
use super::tally::{self, Block, Sums};
use crate::Variable;
use crate::counts::fixed::Total;
use crate::counts::simd::{Counter, Line, TILE, Tile};
use crate::counts::table::planes::{BitPlanes, MAX_PLANE_ARITY};
use crate::counts::{FixedScale, FixedSum, cost};
use crate::data::{CodesView, DiscreteData};

/// Planes of candidates taken together.
const PLANES: usize = 32;

/// Scratch memory of [`sums_with_each`].
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    grouped: Grouped,
    /// For each stratum the number of its plane, its number among the middling ones, or where its rows start among
    /// those of the small ones.
    place: Vec<u32>,
    planes: Vec<Line>,
    plane_sizes: Vec<u32>,
    /// Rows of the middling strata in order, each with the number of its stratum.
    middling: Vec<(u32, u32)>,
    n_middling: usize,
    /// Rows of the small strata with at least two rows, stratum by stratum.
    small: Vec<u32>,
    /// The lengths of those strata.
    lengths: Vec<u32>,
    counts: Vec<u32>,
    codes: Vec<u64>,
    gathered: Gathered,
}

/// What is counted and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) data: &'a DiscreteData,
    pub(crate) planes: &'a BitPlanes,
    pub(crate) lanes: &'a Nibbles,
    pub(crate) counter: Counter,
    pub(crate) scale: &'a FixedScale,
}

impl Candidates {
    /// Brings some variables together, for requests in which they are `of`.
    pub(crate) fn gather(&mut self, data: &DiscreteData, variables: &[Variable]) {
        self.gathered.gather(data, variables);
    }

    /// Whether these variables were the last ones to be brought together.
    pub(crate) fn has_gathered(&self, variables: &[Variable]) -> bool {
        self.gathered.is_of(variables)
    }

    /// F(base ∪ {c}) for each candidate c, which may be some `of` more variables; with the number of cells that occur if
    /// `T` counts them.
    pub(crate) fn sums_with_each<T: Total>(
        &mut self,
        source: Source<'_>,
        base: &[Variable],
        candidates: &[Variable],
        of: &[Variable],
        out: &mut Vec<T>,
    ) {
        out.clear();
        out.resize(candidates.len(), T::default());
        self.grouped.group(source, base);
        // A stratum with a plane costs as much as the candidate has planes, and a list of its rows costs the same for any
        // candidate: so candidates with few states are taken together, and those with many.
        let rest = if self.gathered.is_of(of) {
            self.count_gathered(source, candidates, out)
        } else {
            self.count_blocks(source, candidates, out)
        };
        let mut order: Vec<(u32, usize)> = Vec::with_capacity(rest.len());
        order.extend(rest.into_iter().map(|at| (source.planes.n_states(candidates[at]) as u32, at)));
        // Those without planes come last; constants have none and need none.
        let planar = |c: Variable| source.planes.has(c, source.data.arity(c));
        order.iter_mut().filter(|(_, at)| !planar(candidates[*at])).for_each(|(states, _)| *states = u32::MAX);
        order.sort_unstable();
        let mut rest = order.as_slice();
        let (mut class, mut sums): (Vec<Variable>, Vec<T>) = Default::default();
        while let Some(&(fewest, _)) = rest.first() {
            let most = if fewest == u32::MAX { fewest } else { (fewest + fewest / 2).min(MAX_PLANE_ARITY) };
            let alike = rest.iter().take_while(|(states, _)| *states <= most).count();
            let planes = rest.iter().take_while(|(states, _)| *states < u32::MAX).count();
            let n = if planes == 0 || planes - alike.min(planes) >= cost::FEW_ALIKE { alike } else { planes }
                .max(cost::FEW_ALIKE.min(planes));
            let (now, later) = rest.split_at(n);
            rest = later;
            class.clear();
            class.extend(now.iter().map(|&(_, at)| candidates[at]));
            sums.clear();
            sums.resize(class.len(), T::default());
            let states = now.iter().map(|&(states, _)| states as usize).sum::<usize>() / now.len();
            self.split(source, (fewest < u32::MAX).then_some(states.max(1)));
            if fewest < u32::MAX {
                self.count_planes(source, &class, &mut sums);
            }
            self.count_rows(source, &class, &mut sums);
            now.iter().zip(&sums).for_each(|(&(_, at), &sum)| out[at] = sum);
        }
        if T::COUNTS_CELLS {
            // A row that is alone in its stratum is a cell whatever the candidate.
            let alone = self.grouped.sizes().iter().map(|&size| u32::from(size == 1)).sum();
            out.iter_mut().for_each(|out| out.add(FixedSum::default(), alone));
        }
    }

    /// Counts the candidates of the blocks in which that costs less than to count each candidate by itself. Returns the
    /// positions of the others.
    fn count_blocks<T: Total>(&mut self, source: Source<'_>, candidates: &[Variable], out: &mut [T]) -> Vec<usize> {
        let mut blocks: Vec<Vec<(usize, usize)>> = vec![Vec::new(); source.lanes.n_blocks()];
        let mut rest = Vec::new();
        for (at, &candidate) in candidates.iter().enumerate() {
            match source.lanes.place(candidate) {
                Some((block, lane)) => blocks[block].push((at, lane)),
                None => rest.push(at),
            }
        }
        for (block, wanted) in blocks.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty()) {
            let arity = source.lanes.arity(source.data, block);
            if self.grouped.cost_of_block(source, arity, WIDTH)
                > wanted.len() as f32 * self.grouped.cost_of_candidate(source, arity)
            {
                rest.extend(wanted.iter().map(|&(at, _)| at));
                continue;
            }
            let lines = source.lanes.block(source.data, block);
            let mut sums = Sums::default();
            let block = Block { arity, lanes: WIDTH, lines };
            tally::add::<T>(source.counter, block, self.grouped.sorted(), source.scale, &mut sums);
            for &(at, lane) in wanted {
                out[at] = T::new(FixedSum(sums.sums[lane]), sums.cells[lane]);
            }
        }
        rest
    }

    /// [`count_blocks`](Self::count_blocks) where the candidates are among the variables brought together.
    fn count_gathered<T: Total>(&mut self, source: Source<'_>, candidates: &[Variable], out: &mut [T]) -> Vec<usize> {
        let mut place: FxHashMap<Variable, usize> = candidates.iter().enumerate().map(|(at, &c)| (c, at)).collect();
        for (variables, lines) in self.gathered.blocks() {
            let arity = variables.iter().map(|&x| source.data.arity(x)).max().expect("a block has variables");
            let wanted = variables.iter().filter(|x| place.contains_key(x)).count();
            if self.grouped.cost_of_block(source, arity, variables.len())
                > wanted as f32 * self.grouped.cost_of_candidate(source, arity)
            {
                continue;
            }
            let mut sums = Sums::default();
            let block = Block { arity, lanes: variables.len(), lines };
            tally::add::<T>(source.counter, block, self.grouped.sorted(), source.scale, &mut sums);
            for (lane, x) in variables.iter().enumerate() {
                if let Some(at) = place.remove(x) {
                    out[at] = T::new(FixedSum(sums.sums[lane]), sums.cells[lane]);
                }
            }
        }
        let mut rest: Vec<usize> = place.into_values().collect();
        rest.sort_unstable();
        rest
    }

    /// Sorts the strata: large ones have a plane (when there are `states` planes of a candidate on average), middling and
    /// small ones lists of rows.
    fn split(&mut self, source: Source<'_>, states: Option<usize>) {
        const NONE: u32 = u32::MAX;
        let lines = source.planes.lines_per_plane();
        let least = self.grouped.least_rows_of_plane(source, states);
        self.plane_sizes.clear();
        self.lengths.clear();
        self.place.clear();
        self.n_middling = 0;
        let mut start = 0;
        for &size in self.grouped.sizes() {
            self.place.push(if size >= least {
                self.plane_sizes.push(size);
                self.plane_sizes.len() as u32 - 1
            } else if size >= SMALL {
                self.n_middling += 1;
                self.n_middling as u32 - 1
            } else if size > 1 {
                self.lengths.push(size);
                start += size;
                start - size
            } else {
                // 1 ln 1 = 0 whatever the candidate.
                NONE
            });
        }
        self.planes.clear();
        self.planes.resize(self.plane_sizes.len() * lines, Line::default());
        self.middling.clear();
        self.small.clear();
        self.small.resize(start as usize, 0);
        for (row, &stratum) in self.grouped.ids().iter().enumerate() {
            let (size, place) = (self.grouped.sizes()[stratum as usize], &mut self.place[stratum as usize]);
            if size >= least {
                let line = &mut self.planes[*place as usize * lines + row / 512];
                line.0[row % 512 / 64] |= 1 << (row % 64);
            } else if size >= SMALL {
                self.middling.push((row as u32, *place));
            } else if *place != NONE {
                self.small[*place as usize] = row as u32;
                *place += 1;
            }
        }
    }

    /// Adds the cells of strata with planes, for all candidates with planes.
    fn count_planes<T: Total>(&mut self, source: Source<'_>, candidates: &[Variable], out: &mut [T]) {
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
                for (stratum, &size) in self.plane_sizes.iter().enumerate() {
                    let mut rest = size;
                    for &count in &self.counts[stratum * n_planes + at..][..states] {
                        rest -= count;
                        out.add(source.scale.n_log_n(count), u32::from(count > 0));
                    }
                    out.add(source.scale.n_log_n(rest), u32::from(rest > 0));
                }
                at += states;
            }
            first = end;
        }
    }

    /// Adds the cells of strata without planes.
    fn count_rows<T: Total>(&mut self, source: Source<'_>, candidates: &[Variable], out: &mut [T]) {
        if self.middling.is_empty() && self.small.is_empty() {
            return;
        }
        for (&candidate, out) in candidates.iter().zip(out) {
            let arity = source.data.arity(candidate);
            let (middling, small): (T, T) = match source.data.column(candidate).view() {
                CodesView::Narrow(codes) => self.sum_rows(source, |row| codes[row as usize].into(), arity),
                CodesView::Wide(codes) => self.sum_rows(source, |row| codes[row as usize].into(), arity),
                CodesView::Packed(codes) => self.sum_rows(source, |row| codes.get(row as usize), arity),
            };
            out.add(middling.sum(), middling.occupied());
            out.add(small.sum(), small.occupied());
        }
    }

    fn sum_rows<T: Total>(&mut self, source: Source<'_>, code: impl Fn(u32) -> u32, arity: u32) -> (T, T) {
        (self.sum_middling(source, &code, arity), self.sum_small(source.scale, &code))
    }

    /// All middling strata in one table. Rows that follow each other are seldom of one stratum, so that increments do
    /// not wait for each other.
    fn sum_middling<T: Total>(&mut self, source: Source<'_>, code: impl Fn(u32) -> u32, arity: u32) -> T {
        let scale = source.scale;
        let cells = self.n_middling * arity as usize;
        self.counts.clear();
        if cells <= 4 * source.data.n_rows() {
            self.counts.resize(cells, 0);
            for &(row, stratum) in &self.middling {
                self.counts[(stratum * arity + code(row)) as usize] += 1;
            }
            return T::of(scale, &self.counts);
        }
        // Too many cells: sort them.
        self.codes.clear();
        let cells =
            self.middling.iter().map(|&(row, stratum)| u64::from(stratum) * u64::from(arity) + u64::from(code(row)));
        self.codes.extend(cells);
        self.codes.sort_unstable();
        self.counts.extend(self.codes.chunk_by(|a, b| a == b).map(|cell| cell.len() as u32));
        T::of(scale, &self.counts)
    }

    /// Small strata one after the other: of each row, how many before it in the stratum have its state.
    fn sum_small<T: Total>(&mut self, scale: &FixedScale, code: impl Fn(u32) -> u32) -> T {
        let mut sum = T::default();
        let mut start = 0;
        for &length in &self.lengths {
            let rows = &self.small[start..start + length as usize];
            start += rows.len();
            let mut states = [0u32; SMALL as usize];
            for (i, &row) in rows.iter().enumerate() {
                let state = code(row);
                let before = states[..i].iter().filter(|&&other| other == state).count() as u32;
                states[i] = state;
                // The cell grows by this row.
                sum.add(scale.n_log_n(before + 1) - scale.n_log_n(before), u32::from(before == 0));
            }
        }
        sum
    }
}
