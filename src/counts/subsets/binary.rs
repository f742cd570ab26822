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
use crate::counts::table::planes::{BitPlanes, Line};

/// The largest conditioning set.
pub(crate) const MAX_SIZE: usize = 3;

/// The largest pool for sets of three: counts of all its pairs are kept, 8 MiB at most.
pub(crate) const MAX_POOL_OF_THREES: usize = 1024;

/// Most lines of a plane, so that the masks stay in a core's cache (131,072 rows, 256 KiB).
pub(crate) const MAX_LINES: usize = 256;

/// Numbers of rows that a plane shares with each of four masks: all rows, x, y, x and y.
pub(crate) type Quad = [u32; 4];

/// The cells of a table of at most four binary variables, x running fastest, then y; zero beyond.
pub(crate) type Cells = [u32; 16];

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

/// How a kernel counts and sums.
pub(crate) trait BinaryKernel: Copy {
    /// The number of rows that `plane` shares with each of four masks, which lie line by line side by side.
    fn quad(self, masks: &[[Line; 4]], plane: &[Line]) -> Quad;

    /// The conditional information from `groups`, the counts with the last variable and each of the 1, 2 or 4 subsets of
    /// the others (the first of them running fastest), and `below`, the table without the last variable; and the number of
    /// strata in which both x and y vary.
    fn information<const G: usize>(self, n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32);
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

    /// Visits all subsets in lexicographic order of positions.
    #[inline(always)]
    pub(crate) fn enumerate<K: BinaryKernel>(
        &self,
        kernel: K,
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
            1 => self.ones(kernel, scratch, &pair, visitor),
            2 => self.twos(kernel, scratch, &pair, visitor),
            _ => self.threes(kernel, scratch, &pair, visitor),
        }
    }

    #[inline(always)]
    fn ones<K: BinaryKernel>(
        &self,
        kernel: K,
        scratch: &mut BinaryScratch,
        pair: &Cells,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        for i in self.firsts() {
            let at = self.seen([i]);
            let at = &at[self.always..];
            if visitor.wants(at) {
                let with_i = kernel.quad(&scratch.of_pair, self.plane(i));
                let (information, degrees) = kernel.information(self.n_log_n, [&with_i], pair);
                visitor.visit(at, information, Some(degrees))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn twos<K: BinaryKernel>(
        &self,
        kernel: K,
        scratch: &mut BinaryScratch,
        pair: &Cells,
        visitor: &mut impl InformationVisitor,
    ) -> ControlFlow<()> {
        let BinaryScratch { of_pair, of_first, singles, .. } = scratch;
        singles[0] = kernel.quad(of_pair, self.plane(0));
        for i in self.firsts() {
            within(of_pair, self.plane(i), of_first);
            let of_i = table([&singles[i]], pair);
            for (j, with_j) in singles.iter_mut().enumerate().skip(i + 1) {
                if i == 0 {
                    *with_j = kernel.quad(of_pair, self.plane(j));
                }
                let at = self.seen([i, j]);
                let at = &at[self.always..];
                if visitor.wants(at) {
                    let with_both = kernel.quad(of_first, self.plane(j));
                    let groups = [&*with_j, &with_both];
                    let (information, degrees) = kernel.information(self.n_log_n, groups, &of_i);
                    visitor.visit(at, information, Some(degrees))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn threes<K: BinaryKernel>(
        &self,
        kernel: K,
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
        singles[0] = kernel.quad(of_pair, self.plane(0));
        for i in self.firsts() {
            within(of_pair, self.plane(i), of_first);
            let of_i = table([&singles[i]], pair);
            for j in i + 1..width {
                if (i, j) == (0, 1) {
                    singles[1] = kernel.quad(of_pair, self.plane(1));
                    pairs[0] = kernel.quad(of_first, self.plane(1));
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
                            *with_k = kernel.quad(of_pair, plane);
                            pairs[at_ik] = kernel.quad(of_first, plane);
                        }
                        pairs[at_jk] = kernel.quad(of_second, plane);
                    }
                    let at = self.seen([i, j, k]);
                    let at = &at[self.always..];
                    if visitor.wants(at) {
                        let with_all = kernel.quad(of_both, plane);
                        let groups = [&*with_k, &pairs[at_ik], &pairs[at_jk], &with_all];
                        let (information, degrees) = kernel.information(self.n_log_n, groups, &of_both_table);
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

/// The cells in which the last variable is in its first state, and those in which it is in its second.
#[inline(always)]
fn halves<const G: usize>(groups: [&Quad; G], below: &Cells) -> (Cells, Cells) {
    let mut second = Cells::default();
    for (into, group) in second.as_chunks_mut::<4>().0.iter_mut().zip(groups) {
        *into = *group;
    }
    // From "at least these variables" to "exactly these", one variable at a time.
    let mut step = 1;
    while step < 4 * G {
        for cell in 0..4 * G {
            if cell & step == 0 {
                second[cell] = second[cell].wrapping_sub(second[cell | step]);
            }
        }
        step *= 2;
    }
    (std::array::from_fn(|cell| below[cell].wrapping_sub(second[cell])), second)
}

/// [`BinaryKernel`] in plain Rust.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl BinaryKernel for Plain {
    #[inline(always)]
    fn quad(self, masks: &[[Line; 4]], plane: &[Line]) -> Quad {
        let mut counts = Quad::default();
        for (masks, line) in masks.iter().zip(plane) {
            for (count, mask) in counts.iter_mut().zip(masks) {
                *count += mask.0.iter().zip(line.0).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            }
        }
        counts
    }

    #[inline(always)]
    fn information<const G: usize>(self, n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32) {
        let (first, second) = halves(groups, below);
        let f = |count: u32| n_log_n[count as usize];
        let (mut sum, mut degrees) = (0i64, 0);
        for half in [&first, &second] {
            for stratum in &half.as_chunks::<4>().0[..G] {
                let &[a, b, c, d] = stratum;
                sum = sum.wrapping_add(f(a) + f(b) + f(c) + f(d));
                sum = sum.wrapping_sub(f(a + b) + f(c + d) + f(a + c) + f(b + d));
                sum = sum.wrapping_add(f(a + b + c + d));
                degrees += u32::from((a + b != 0) & (c + d != 0) & (a + c != 0) & (b + d != 0));
            }
        }
        (sum, degrees)
    }
}
