//! The cells of the last three variables of a set, in every stratum, and their sum of `n ln n`.

use super::sorted::Block;
use crate::counts::simd::{Eight, Instructions, Line};

/// Three variables b, c and d with at most Q states past the first: planes and counts of those states.
pub(super) struct Leaf<'a, const Q: usize> {
    pub(super) ends: &'a [u32],
    pub(super) blocks: &'a [Block],
    pub(super) totals: &'a [Eight],
    /// Rows by the states of c and of b, and planes of d.
    pub(super) masks: [[&'a [Line]; Q]; Q],
    pub(super) planes: [&'a [Line]; Q],
    /// Counts in each block, by the states of the later variable first.
    pub(super) of_b: [&'a [Eight]; Q],
    pub(super) of_c: [&'a [Eight]; Q],
    pub(super) of_d: [&'a [Eight]; Q],
    pub(super) of_bc: [[&'a [Eight]; Q]; Q],
    pub(super) of_bd: [[&'a [Eight]; Q]; Q],
    pub(super) of_cd: [[&'a [Eight]; Q]; Q],
}

/// Cells by the states of d, c and b.
type Cells<const R: usize> = [[[Eight; R]; R]; R];

impl<const Q: usize> Leaf<'_, Q> {
    /// Σ n ln n over the cells without the target, less that over the cells with it. R is Q + 1.
    #[inline(always)]
    pub(super) fn entropy<I: Instructions, const R: usize>(&self, instructions: I, n_log_n: &[i64]) -> i64 {
        let mut sum = 0i64;
        let mut first = 0;
        let mut cells = [[[Eight::default(); R]; R]; R];
        for &end in self.ends {
            let mut margin = [[[Eight::default(); R]; R]; R];
            for block in first..end as usize {
                self.fill::<I, R>(instructions, block, &mut cells);
                for k in 0..R {
                    for j in 0..R {
                        for i in 0..R {
                            margin[k][j][i] = margin[k][j][i].plus(cells[k][j][i]);
                        }
                    }
                }
                sum = sum.wrapping_sub(instructions.sum(n_log_n, cells.as_flattened().as_flattened()));
            }
            sum = sum.wrapping_add(instructions.sum(n_log_n, margin.as_flattened().as_flattened()));
            first = end as usize;
        }
        sum
    }

    /// The cells of a block.
    #[inline(always)]
    fn fill<I: Instructions, const R: usize>(&self, instructions: I, block: usize, cells: &mut Cells<R>) {
        let rows = self.blocks[block].rows();
        let planes = self.planes.map(|plane| &plane[rows.clone()]);
        for j in 0..Q {
            let counts = instructions.shared(self.masks[j].map(|mask| &mask[rows.clone()]), planes);
            for i in 0..Q {
                for k in 0..Q {
                    cells[k + 1][j + 1][i + 1] = counts[i][k];
                }
            }
        }
        // The slices of the states of d past the first, then what is left of the table without d.
        for k in 0..Q {
            let slice = &mut cells[k + 1];
            let of_c: [Eight; Q] = std::array::from_fn(|j| self.of_cd[k][j][block]);
            let of_b: [Eight; Q] = std::array::from_fn(|i| self.of_bd[k][i][block]);
            complete::<Q, R>(slice, self.of_d[k][block], of_b, of_c);
        }
        let mut table = [[Eight::default(); R]; R];
        for j in 0..Q {
            for i in 0..Q {
                table[j + 1][i + 1] = self.of_bc[j][i][block];
            }
        }
        let of_c: [Eight; Q] = std::array::from_fn(|j| self.of_c[j][block]);
        let of_b: [Eight; Q] = std::array::from_fn(|i| self.of_b[i][block]);
        complete::<Q, R>(&mut table, self.totals[block], of_b, of_c);
        for j in 0..R {
            for i in 0..R {
                let mut rest = table[j][i];
                for k in 0..Q {
                    rest = rest.less(cells[k + 1][j][i]);
                }
                cells[0][j][i] = rest;
            }
        }
    }
}

/// Fills the cells of two variables in which one is in its first state.
#[inline(always)]
fn complete<const Q: usize, const R: usize>(
    table: &mut [[Eight; R]; R],
    all: Eight,
    of_b: [Eight; Q],
    of_c: [Eight; Q],
) {
    let mut corner = all;
    for j in 0..Q {
        let mut rest = of_c[j];
        for i in 0..Q {
            rest = rest.less(table[j + 1][i + 1]);
        }
        table[j + 1][0] = rest;
        corner = corner.less(of_c[j]);
    }
    for i in 0..Q {
        let mut rest = of_b[i];
        for j in 0..Q {
            rest = rest.less(table[j + 1][i + 1]);
        }
        table[0][i + 1] = rest;
        corner = corner.less(rest);
    }
    table[0][0] = corner;
}
