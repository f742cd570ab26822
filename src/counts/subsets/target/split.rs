//! The entropy of the target given a prefix and any three variables of the roster.
//!
//! Only rows in which all three are past their first states are counted, in every stratum; the other cells follow by
//! subtraction from counts with two of them, with one and with none, which are kept for the prefix.

use super::leaf::Leaf;
use super::sorted::{Place, Records, Sorted};
use crate::counts::simd::{Eight, Instructions, Job, Line};

/// Most states of a variable of the roster but the first.
pub(super) const MAX_STATES: usize = 3;

/// Most variables of a roster.
pub(super) const MAX_ROSTER: usize = 128;

/// Nothing is kept.
const NONE: u32 = u32::MAX;

/// What is counted for one prefix.
#[derive(Debug, Default)]
pub(crate) struct Split {
    pub(super) sorted: Sorted,
    planes: Planes,
    /// Counts in each block, with one variable past its first state and with two.
    counts: Vec<Eight>,
    singles: Vec<u32>,
    pairs: Vec<u32>,
    /// The rows of all states (but the first) of a pair, and which pair that is.
    masks: Vec<Line>,
    pair: Option<(usize, usize)>,
    /// As many zeros as there are blocks, for states that a variable does not have.
    no_counts: Vec<Eight>,
}

/// Planes in sorted order.
#[derive(Debug, Default)]
struct Planes {
    /// 64 for each word of the records, and which words are made.
    lines: Vec<Line>,
    stride: usize,
    made: u64,
    /// Lines of each plane.
    height: usize,
    /// As many zeros as there are lines, for states that a variable does not have.
    no_lines: Vec<Line>,
}

impl Planes {
    fn reset(&mut self, height: usize) {
        self.made = 0;
        self.height = height;
        self.stride = height | 1;
        self.no_lines.resize(height, Line::default());
    }

    fn no_lines(&self) -> &[Line] {
        &self.no_lines[..self.height]
    }

    /// A state of a variable, counted from 0.
    #[inline(always)]
    fn plane(&self, place: Place, state: usize) -> &[Line] {
        let start = (place.word as usize * 64 + usize::from(place.bit) + state) * self.stride;
        &self.lines[start..start + self.height]
    }

    /// The planes of at most Q states, with empty ones beyond the last.
    #[inline(always)]
    fn of<const Q: usize>(&self, place: Place) -> [&[Line]; Q] {
        let mut planes = [self.no_lines(); Q];
        for (state, plane) in planes.iter_mut().enumerate().take(usize::from(place.states)) {
            *plane = self.plane(place, state);
        }
        planes
    }

    /// Makes the planes of one word of the records, unless that is done.
    #[inline(always)]
    fn make<I: Instructions>(&mut self, instructions: I, order: &[u32], word: usize, records: &[u64]) {
        if self.made >> word & 1 != 0 {
            return;
        }
        self.made |= 1 << word;
        let end = (word + 1) * 64 * self.stride;
        if self.lines.len() < end {
            self.lines.resize(end, Line::default());
        }
        let planes = &mut self.lines[word * 64 * self.stride..end];
        for (at, order) in order.chunks_exact(512).enumerate() {
            let mut square = [Line::default(); 64];
            for (line, rows) in square.iter_mut().zip(order.as_chunks::<8>().0) {
                line.0 = rows.map(|row| records[row as usize]);
            }
            instructions.transpose(&mut square);
            for (bit, line) in square.iter().enumerate() {
                planes[bit * self.stride + at] = *line;
            }
        }
    }
}

/// [`Split::entropy`] with the widest instructions.
pub(super) struct Entropy<'a> {
    pub(super) split: &'a mut Split,
    pub(super) records: &'a Records,
    pub(super) n_log_n: &'a [i64],
    pub(super) last: [usize; 3],
}

impl Job for Entropy<'_> {
    type Output = i64;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) -> i64 {
        self.split.entropy(instructions, self.records, self.n_log_n, self.last)
    }
}

impl Split {
    /// Forgets everything that depends on how the rows are sorted.
    pub(super) fn reset(&mut self, records: &Records) {
        self.planes.reset(self.sorted.lines);
        self.counts.clear();
        self.singles.clear();
        self.singles.resize(records.len(), NONE);
        self.pairs.clear();
        self.pairs.resize(records.len() * records.len(), NONE);
        self.pair = None;
        self.no_counts.resize(self.sorted.blocks.len(), Eight::default());
    }

    /// Σ n ln n over the cells of the prefix and three variables of the roster, less that with the target as well, in fixed
    /// point: N times the entropy of the target given them.
    #[inline(always)]
    pub(super) fn entropy<I: Instructions>(
        &mut self,
        instructions: I,
        records: &Records,
        n_log_n: &[i64],
        [b, c, d]: [usize; 3],
    ) -> i64 {
        for position in [b, c, d] {
            self.make(instructions, records, position);
        }
        self.mask(instructions, records, b, c);
        self.count_pair(instructions, records, b, d);
        self.count_pair(instructions, records, c, d);
        let states = |position: usize| records.place(position).states;
        match states(b).max(states(c)).max(states(d)) {
            0 => self.entropy_of_prefix(n_log_n),
            1 => self.leaf::<I, 1, 2>(instructions, records, n_log_n, [b, c, d]),
            2 => self.leaf::<I, 2, 3>(instructions, records, n_log_n, [b, c, d]),
            _ => self.leaf::<I, MAX_STATES, { MAX_STATES + 1 }>(instructions, records, n_log_n, [b, c, d]),
        }
    }

    /// Where all three variables are constant.
    fn entropy_of_prefix(&self, n_log_n: &[i64]) -> i64 {
        let mut sum = 0i64;
        let mut first = 0;
        for &end in &self.sorted.ends {
            let mut margin = [0u32; 8];
            for total in &self.sorted.totals[first..end as usize] {
                for (margin, &count) in margin.iter_mut().zip(&total.0) {
                    *margin += count;
                    sum = sum.wrapping_sub(n_log_n[count as usize]);
                }
            }
            sum = margin.iter().fold(sum, |sum, &count| sum.wrapping_add(n_log_n[count as usize]));
            first = end as usize;
        }
        sum
    }

    /// Makes the planes and single counts of a variable.
    #[inline(always)]
    fn make<I: Instructions>(&mut self, instructions: I, records: &Records, position: usize) {
        if self.singles[position] != NONE {
            return;
        }
        let place = records.place(position);
        let word = place.word as usize;
        self.planes.make(instructions, &self.sorted.order, word, records.word(word));
        self.singles[position] = self.counts.len() as u32;
        for state in 0..usize::from(place.states) {
            let plane = self.planes.plane(place, state);
            for block in &self.sorted.blocks {
                let rows = &plane[block.rows()];
                let [[count]] = instructions.shared([rows], [rows]);
                self.counts.push(count);
            }
        }
    }

    /// The single counts of at most Q states.
    #[inline(always)]
    fn single_counts<const Q: usize>(&self, records: &Records, position: usize) -> [&[Eight]; Q] {
        let (start, blocks) = (self.singles[position] as usize, self.sorted.blocks.len());
        let mut counts = [&self.no_counts[..blocks]; Q];
        for (state, counts) in counts.iter_mut().enumerate().take(usize::from(records.place(position).states)) {
            *counts = &self.counts[start + state * blocks..][..blocks];
        }
        counts
    }

    /// The counts of at most Q states of each of two variables, by the state of the second.
    #[inline(always)]
    fn pair_counts<const Q: usize>(&self, records: &Records, a: usize, b: usize) -> [[&[Eight]; Q]; Q] {
        let (start, blocks) = (self.pairs[a * records.len() + b] as usize, self.sorted.blocks.len());
        let [of_a, of_b] = [a, b].map(|position| usize::from(records.place(position).states));
        let mut counts = [[&self.no_counts[..blocks]; Q]; Q];
        for (j, counts) in counts.iter_mut().enumerate().take(of_b) {
            for (i, counts) in counts.iter_mut().enumerate().take(of_a) {
                *counts = &self.counts[start + (i * of_b + j) * blocks..][..blocks];
            }
        }
        counts
    }

    /// Counts a pair of variables, unless that is done.
    #[inline(always)]
    fn count_pair<I: Instructions>(&mut self, instructions: I, records: &Records, a: usize, b: usize) {
        let at = a * records.len() + b;
        if self.pairs[at] != NONE {
            return;
        }
        self.pairs[at] = self.counts.len() as u32;
        let [of_a, of_b] = [a, b].map(|position| usize::from(records.place(position).states));
        let planes_a: [&[Line]; MAX_STATES] = self.planes.of(records.place(a));
        let planes_b: [&[Line]; MAX_STATES] = self.planes.of(records.place(b));
        for plane_a in &planes_a[..of_a] {
            for plane_b in &planes_b[..of_b] {
                for block in &self.sorted.blocks {
                    let [[count]] = instructions.shared([&plane_a[block.rows()]], [&plane_b[block.rows()]]);
                    self.counts.push(count);
                }
            }
        }
    }

    /// Makes the masks of a pair.
    #[inline(always)]
    fn mask<I: Instructions>(&mut self, instructions: I, records: &Records, b: usize, c: usize) {
        if self.pair == Some((b, c)) {
            return;
        }
        self.pair = Some((b, c));
        self.count_pair(instructions, records, b, c);
        let [of_b, of_c] = [b, c].map(|position| usize::from(records.place(position).states));
        let planes_b: [&[Line]; MAX_STATES] = self.planes.of(records.place(b));
        let planes_c: [&[Line]; MAX_STATES] = self.planes.of(records.place(c));
        self.masks.resize(of_b * of_c * self.sorted.lines, Line::default());
        let mut into = self.masks.iter_mut();
        for plane_b in &planes_b[..of_b] {
            for plane_c in &planes_c[..of_c] {
                for ((x, y), into) in plane_b.iter().zip(*plane_c).zip(&mut into) {
                    for lane in 0..8 {
                        into.0[lane] = x.0[lane] & y.0[lane];
                    }
                }
            }
        }
    }

    /// All cells of three variables with at most Q states past the first; R is Q + 1.
    #[inline(always)]
    fn leaf<I: Instructions, const Q: usize, const R: usize>(
        &self,
        instructions: I,
        records: &Records,
        n_log_n: &[i64],
        [b, c, d]: [usize; 3],
    ) -> i64 {
        let [of_b, of_c] = [b, c].map(|position| usize::from(records.place(position).states));
        let lines = self.sorted.lines;
        let mut masks = [[self.planes.no_lines(); Q]; Q];
        for (j, masks) in masks.iter_mut().enumerate().take(of_c) {
            for (i, mask) in masks.iter_mut().enumerate().take(of_b) {
                *mask = &self.masks[(i * of_c + j) * lines..][..lines];
            }
        }
        let leaf = Leaf::<Q> {
            ends: &self.sorted.ends,
            blocks: &self.sorted.blocks,
            totals: &self.sorted.totals,
            masks,
            planes: self.planes.of(records.place(d)),
            of_b: self.single_counts(records, b),
            of_c: self.single_counts(records, c),
            of_d: self.single_counts(records, d),
            of_bc: self.pair_counts(records, b, c),
            of_bd: self.pair_counts(records, b, d),
            of_cd: self.pair_counts(records, c, d),
        };
        leaf.entropy::<I, R>(instructions, n_log_n)
    }
}
