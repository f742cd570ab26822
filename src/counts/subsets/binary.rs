//! All conditional tests of one pair of binary variables, given the subsets of a pool of binary variables.
//!
//! A table of k + 2 binary variables follows from the number of rows in which all of S are in their second state, for
//! each subset S of them. When the last conditioning variable z moves on, only the counts with z are new, and of these
//! only the four with *all* conditioning variables were not met before: the others are kept for each variable and for each
//! pair of variables of the pool. So a test costs four population counts of two planes, and one pass over its 2^(k + 2)
//! cells, and nothing is hashed, looked up or allocated.

use std::ops::ControlFlow;

use crate::Variable;
use crate::counts::session::information::InformationVisitor;
use crate::counts::simd::{Cells, Instructions, Job, Line, Quad, halves};
use crate::counts::table::planes::BitPlanes;

/// The largest conditioning set.
pub(crate) const MAX_SIZE: usize = 3;

/// The largest pool for sets of three: counts of all its pairs are kept, 8 MiB at most.
pub(crate) const MAX_POOL_OF_THREES: usize = 1024;

/// Most lines of a plane, so that the masks stay in a core's cache (131,072 rows, 256 KiB).
pub(crate) const MAX_LINES: usize = 256;

/// A pair, a pool and a size from 1 to 3; every variable is binary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BinarySubsets<'a> {
    pub(crate) planes: &'a BitPlanes,
    pub(crate) n_rows: u32,
    /// `n ln n` of every count up to the number of rows.
    pub(crate) n_log_n: &'a [i64],
    pub(crate) x: Variable,
    pub(crate) y: Variable,
    pub(crate) pool: &'a [Variable],
    pub(crate) size: usize,
    /// How many variables of the pool, the first ones, are in all sets (0 or 1); they are not counted in the positions that a
    /// visitor sees.
    pub(crate) always: usize,
}

/// Scratch memory of a session.
#[derive(Debug, Default)]
pub(crate) struct BinaryScratch {
    /// Masks (all, x, y, both) within: all rows; the first variable of the set; the second; both.
    of_pair: Vec<[Line; 4]>,
    of_first: Vec<[Line; 4]>,
    of_second: Vec<[Line; 4]>,
    of_both: Vec<[Line; 4]>,
    /// Counts with each variable of the pool.
    singles: Vec<Quad>,
    /// Counts with each two variables of the pool, the higher position running faster.
    pairs: Vec<Quad>,
}

/// Visits all subsets in lexicographic order of positions, until the visitor has enough.
pub(crate) struct VisitSubsets<'a, 'v, V> {
    pub(crate) subsets: BinarySubsets<'a>,
    pub(crate) scratch: &'v mut BinaryScratch,
    pub(crate) visitor: &'v mut V,
}

impl<V: InformationVisitor> Job for VisitSubsets<'_, '_, V> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) -> ControlFlow<()> {
        self.subsets.enumerate(instructions, self.scratch, self.visitor)
    }
}

impl BinarySubsets<'_> {
    fn plane(&self, position: usize) -> &[Line] {
        self.planes.plane(self.pool[position], 1)
    }

    /// The first positions of sets.
    fn firsts(&self) -> std::ops::Range<usize> {
        0..if self.always > 0 { 1 } else { self.pool.len() }
    }

    /// What a visitor sees of positions.
    #[inline(always)]
    fn seen<const K: usize>(&self, positions: [usize; K]) -> [usize; K] {
        positions.map(|position| position.wrapping_sub(self.always))
    }

    #[inline(always)]
    fn enumerate<I: Instructions>(
        &self,
        instructions: I,
        scratch: &mut BinaryScratch,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        let (x, y) = (self.planes.plane(self.x, 1), self.planes.plane(self.y, 1));
        let all = [u64::MAX; 8];
        let masks = x.iter().zip(y).map(|(x, y)| [Line(all), *x, *y, Line(std::array::from_fn(|i| x.0[i] & y.0[i]))]);
        scratch.of_pair.clear();
        scratch.of_pair.extend(masks);
        let ones = |plane: &[Line]| plane.iter().flat_map(|line| line.0).map(u64::count_ones).sum::<u32>();
        let (of_x, of_y) = (ones(x), ones(y));
        let both: u32 = scratch.of_pair.iter().flat_map(|masks| masks[3].0).map(u64::count_ones).sum();
        let mut pair = Cells::default();
        pair[..4].copy_from_slice(&[self.n_rows + both - of_x - of_y, of_x - both, of_y - both, both]);
        scratch.singles.clear();
        scratch.singles.resize(self.pool.len(), Quad::default());
        match self.size {
            1 => self.ones(instructions, scratch, &pair, visitor),
            2 => self.twos(instructions, scratch, &pair, visitor),
            _ => self.threes(instructions, scratch, &pair, visitor),
        }
    }

    #[inline(always)]
    fn ones<I: Instructions>(
        &self,
        instructions: I,
        scratch: &mut BinaryScratch,
        pair: &Cells,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        for i in self.firsts() {
            let at = self.seen([i]);
            let at = &at[self.always..];
            if visitor.wants(at) {
                let with_i = instructions.quad(&scratch.of_pair, self.plane(i));
                let (information, degrees) = instructions.information(self.n_log_n, [&with_i], pair);
                visitor.visit(at, information, Some(degrees))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn twos<I: Instructions>(
        &self,
        instructions: I,
        scratch: &mut BinaryScratch,
        pair: &Cells,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        let BinaryScratch { of_pair, of_first, singles, .. } = scratch;
        singles[0] = instructions.quad(of_pair, self.plane(0));
        for i in self.firsts() {
            within(of_pair, self.plane(i), of_first);
            let of_i = table([&singles[i]], pair);
            for (j, with_j) in singles.iter_mut().enumerate().skip(i + 1) {
                if i == 0 {
                    *with_j = instructions.quad(of_pair, self.plane(j));
                }
                let at = self.seen([i, j]);
                let at = &at[self.always..];
                if visitor.wants(at) {
                    let with_both = instructions.quad(of_first, self.plane(j));
                    let groups = [&*with_j, &with_both];
                    let (information, degrees) = instructions.information(self.n_log_n, groups, &of_i);
                    visitor.visit(at, information, Some(degrees))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn threes<I: Instructions>(
        &self,
        instructions: I,
        scratch: &mut BinaryScratch,
        pair: &Cells,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        let BinaryScratch { of_pair, of_first, of_second, of_both, singles, pairs } = scratch;
        let width = self.pool.len();
        let n_pairs = width * (width - 1) / 2;
        if pairs.len() < n_pairs {
            pairs.resize(n_pairs, Quad::default());
        }
        // Pairs of lower position i lie together, those with i + 1 first.
        let row = |i: usize| i * (2 * width - i - 1) / 2;
        singles[0] = instructions.quad(of_pair, self.plane(0));
        for i in self.firsts() {
            within(of_pair, self.plane(i), of_first);
            let of_i = table([&singles[i]], pair);
            for j in i + 1..width {
                if (i, j) == (0, 1) {
                    singles[1] = instructions.quad(of_pair, self.plane(1));
                    pairs[0] = instructions.quad(of_first, self.plane(1));
                }
                let of_both_table = table([&singles[j], &pairs[row(i) + j - i - 1]], &of_i);
                within(of_first, self.plane(j), of_both);
                if i == 0 {
                    within(of_pair, self.plane(j), of_second);
                }
                for (k, with_k) in singles.iter_mut().enumerate().skip(j + 1) {
                    let (at_ik, at_jk) = (row(i) + k - i - 1, row(j) + k - j - 1);
                    let plane = self.plane(k);
                    // With the first variable, every pair of the pool is met.
                    if i == 0 {
                        if j == 1 {
                            *with_k = instructions.quad(of_pair, plane);
                            pairs[at_ik] = instructions.quad(of_first, plane);
                        }
                        pairs[at_jk] = instructions.quad(of_second, plane);
                    }
                    let at = self.seen([i, j, k]);
                    let at = &at[self.always..];
                    if visitor.wants(at) {
                        let with_all = instructions.quad(of_both, plane);
                        let groups = [&*with_k, &pairs[at_ik], &pairs[at_jk], &with_all];
                        let (information, degrees) = instructions.information(self.n_log_n, groups, &of_both_table);
                        visitor.visit(at, information, Some(degrees))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The rows of four masks that are in a plane.
#[inline(always)]
fn within(masks: &[[Line; 4]], plane: &[Line], into: &mut Vec<[Line; 4]>) {
    into.clear();
    let and = |mask: &Line, line: &Line| Line(std::array::from_fn(|i| mask.0[i] & line.0[i]));
    into.extend(masks.iter().zip(plane).map(|(masks, line)| std::array::from_fn(|mask| and(&masks[mask], line))));
}

/// The table of at most four variables from the counts with the last one and the table without it.
#[inline(always)]
fn table<const G: usize>(groups: [&Quad; G], below: &Cells) -> Cells {
    let (first, second) = halves(groups, below);
    let mut cells = Cells::default();
    cells[..4 * G].copy_from_slice(&first[..4 * G]);
    cells[4 * G..8 * G].copy_from_slice(&second[..4 * G]);
    cells
}
