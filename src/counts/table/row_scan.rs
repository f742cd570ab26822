//! Dense tables counted row by row.

use super::unpack::unpack;
use crate::Variable;
use crate::counts::simd::{Counter, Instructions, Job};
use crate::data::{CodesView, DiscreteData};

/// Rows whose cells are worked out at a time.
const CHUNK: usize = 1024;

/// Up to this many cells are counted in four tables in turn, so that equal cells in a row do not wait for each other.
const MAX_SPLIT: usize = 4096;

/// Adds the counts of the table of `variables` (the first one fastest) to `table`, which has all its cells.
/// `scratch` holds further tables, which are zero between calls.
pub(crate) fn count(
    counter: Counter,
    data: &DiscreteData,
    variables: &[Variable],
    table: &mut [u32],
    scratch: &mut Vec<u32>,
) {
    counter.run(Count { data, variables, table, scratch });
}

struct Count<'a> {
    data: &'a DiscreteData,
    variables: &'a [Variable],
    table: &'a mut [u32],
    scratch: &'a mut Vec<u32>,
}

impl Job for Count<'_> {
    type Output = ();

    /// Cells of many rows are worked out at once.
    const ON_BYTES: bool = true;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) {
        count_all(instructions, self.data, self.variables, self.table, self.scratch);
    }
}

#[inline(always)]
fn count_all<I: Instructions>(
    instructions: I,
    data: &DiscreteData,
    variables: &[Variable],
    table: &mut [u32],
    scratch: &mut Vec<u32>,
) {
    if table.len() <= MAX_SPLIT {
        scratch.resize(4 * MAX_SPLIT, 0);
        let (first, rest) = scratch.split_at_mut(MAX_SPLIT);
        let (second, rest) = rest.split_at_mut(MAX_SPLIT);
        let (third, fourth) = rest.split_at_mut(MAX_SPLIT);
        chunks::<u16, I>(instructions, data, variables, |cells| {
            let fours = cells.chunks_exact(4);
            for &cell in fours.remainder() {
                first[usize::from(cell) % MAX_SPLIT] += 1;
            }
            for four in fours {
                first[usize::from(four[0]) % MAX_SPLIT] += 1;
                second[usize::from(four[1]) % MAX_SPLIT] += 1;
                third[usize::from(four[2]) % MAX_SPLIT] += 1;
                fourth[usize::from(four[3]) % MAX_SPLIT] += 1;
            }
        });
        for part in [first, second, third, fourth] {
            for (cell, part) in table.iter_mut().zip(&mut *part) {
                *cell += *part;
            }
            part[..table.len()].fill(0);
        }
    } else if table.len() <= 1 << 16 {
        chunks::<u16, I>(instructions, data, variables, |cells| {
            cells.iter().for_each(|&cell| table[usize::from(cell)] += 1)
        });
    } else {
        chunks::<u32, I>(instructions, data, variables, |cells| {
            cells.iter().for_each(|&cell| table[cell as usize] += 1)
        });
    }
}

/// An integer wide enough for the cells of a table.
trait Cell: Copy + Default {
    fn step(self, arity: u32, state: u16) -> Self;
}

impl Cell for u16 {
    #[inline(always)]
    fn step(self, arity: u32, state: u16) -> Self {
        self.wrapping_mul(arity as u16).wrapping_add(state)
    }
}

impl Cell for u32 {
    #[inline(always)]
    fn step(self, arity: u32, state: u16) -> Self {
        self.wrapping_mul(arity).wrapping_add(u32::from(state))
    }
}

#[inline(always)]
fn step_all<T: Cell, C: Copy + Into<u16>>(cells: &mut [T], arity: u32, codes: &[C]) {
    for (cell, &state) in cells.iter_mut().zip(codes) {
        *cell = cell.step(arity, state.into());
    }
}

#[inline(always)]
fn chunks<T: Cell, I: Instructions>(
    instructions: I,
    data: &DiscreteData,
    variables: &[Variable],
    mut visit: impl FnMut(&[T]),
) {
    let mut cells = [T::default(); CHUNK];
    let mut unpacked = [0; CHUNK];
    for start in (0..data.n_rows()).step_by(CHUNK) {
        let end = (start + CHUNK).min(data.n_rows());
        let cells = &mut cells[..end - start];
        cells.fill(T::default());
        for &variable in variables.iter().rev() {
            let arity = data.arity(variable);
            match data.column(variable).view() {
                CodesView::Narrow(codes) => step_all(cells, arity, &codes[start..end]),
                CodesView::Wide(codes) => step_all(cells, arity, &codes[start..end]),
                CodesView::Packed(codes) => {
                    let unpacked = &mut unpacked[..end - start];
                    unpack(instructions, codes, start, unpacked);
                    step_all(cells, arity, unpacked);
                }
            }
        }
        visit(cells);
    }
}
