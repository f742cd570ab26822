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
    counter.run(Dense { rows: Rows { data, variables, ids: &[] }, table, scratch });
}

struct Dense<'a> {
    rows: Rows<'a>,
    table: &'a mut [u32],
    scratch: &'a mut Vec<u32>,
}

impl Job for Dense<'_> {
    type Output = ();

    /// Cells of many rows are worked out at once.
    const ON_BYTES: bool = true;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) {
        count_all(instructions, self.rows, self.table, self.scratch);
    }
}

#[inline(always)]
fn count_all<I: Instructions>(instructions: I, rows: Rows<'_>, table: &mut [u32], scratch: &mut Vec<u32>) {
    if table.len() <= MAX_SPLIT {
        scratch.resize(4 * MAX_SPLIT, 0);
        let (first, rest) = scratch.split_at_mut(MAX_SPLIT);
        let (second, rest) = rest.split_at_mut(MAX_SPLIT);
        let (third, fourth) = rest.split_at_mut(MAX_SPLIT);
        rows.chunks::<u16, I>(instructions, |cells| {
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
        rows.chunks::<u16, I>(instructions, |cells| cells.iter().for_each(|&cell| table[usize::from(cell)] += 1));
    } else {
        rows.chunks::<u32, I>(instructions, |cells| cells.iter().for_each(|&cell| table[cell as usize] += 1));
    }
}

/// An integer wide enough for the cells of a table.
pub(crate) trait Cell: Copy {
    /// The first cell of a row with this number.
    fn of(id: u32) -> Self;

    fn step(self, arity: u32, state: u16) -> Self;
}

macro_rules! cell {
    ($($type:ty)*) => {$(
        impl Cell for $type {
            #[inline(always)]
            fn of(id: u32) -> Self {
                id as $type
            }

            #[inline(always)]
            fn step(self, arity: u32, state: u16) -> Self {
                self.wrapping_mul(arity as $type).wrapping_add(state as $type)
            }
        }
    )*};
}

cell!(u16 u32 u64 u128);

#[inline(always)]
fn step_all<T: Cell, C: Copy + Into<u16>>(cells: &mut [T], arity: u32, codes: &[C]) {
    for (cell, &state) in cells.iter_mut().zip(codes) {
        *cell = cell.step(arity, state.into());
    }
}

/// Rows and the variables whose states make up their cells, the first one fastest.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) data: &'a DiscreteData,
    pub(super) variables: &'a [Variable],
    /// A number for each row, which runs slower than all variables; empty where there is none.
    pub(super) ids: &'a [u32],
}

impl Rows<'_> {
    /// Visits the cells of some rows after others.
    #[inline(always)]
    pub(super) fn chunks<T: Cell, I: Instructions>(self, instructions: I, mut visit: impl FnMut(&[T])) {
        let Self { data, variables, ids } = self;
        let mut cells = [T::of(0); CHUNK];
        let mut unpacked = [0; CHUNK];
        for start in (0..data.n_rows()).step_by(CHUNK) {
            let end = (start + CHUNK).min(data.n_rows());
            let cells = &mut cells[..end - start];
            cells.fill(T::of(0));
            if let Some(ids) = ids.get(start..end) {
                cells.iter_mut().zip(ids).for_each(|(cell, &id)| *cell = T::of(id));
            }
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
}
