//! Bit planes: for each variable and each of its states but the first, one bit a row.
//!
//! A cell in which some variable is in its first state follows from the other cells and from tables of fewer variables
//! by subtraction, so that state needs no plane.

use crate::Variable;
use crate::counts::simd::{Line, equal};
use crate::data::{CodesView, DiscreteData};

/// Rows in a line.
const LINE_ROWS: usize = 512;

/// Variables with more states have no planes: counting row by row is faster for nearly every table they are in, and
/// planes would take several times the memory of the codes.
pub(crate) const MAX_PLANE_ARITY: u32 = 32;

/// The planes of a table. Rows past the end are zero.
#[derive(Debug)]
pub(crate) struct BitPlanes {
    lines: Vec<Line>,
    lines_per_plane: usize,
    /// Number of the first plane of each variable, and the end.
    first: Vec<u32>,
}

impl BitPlanes {
    pub(crate) fn new(data: &DiscreteData) -> Self {
        let lines_per_plane = data.n_rows().div_ceil(LINE_ROWS);
        let mut first = Vec::with_capacity(data.n_variables() + 1);
        first.push(0);
        for &arity in data.arities() {
            let planes = if arity <= MAX_PLANE_ARITY { arity - 1 } else { 0 };
            first.push(first[first.len() - 1] + planes);
        }
        let planes = first[first.len() - 1] as usize;
        let mut lines = vec![Line::default(); planes * lines_per_plane];
        for variable in 0..data.n_variables() {
            let own = first[variable] as usize * lines_per_plane..first[variable + 1] as usize * lines_per_plane;
            match data.column(variable as Variable).view() {
                _ if own.is_empty() => {}
                CodesView::Narrow(codes) => fill(&mut lines[own], lines_per_plane, codes),
                CodesView::Wide(codes) => {
                    // Codes may be wider than their arity needs.
                    let codes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
                    fill(&mut lines[own], lines_per_plane, &codes);
                }
            }
        }
        Self { lines, lines_per_plane, first }
    }

    /// Whether a variable has planes; one with a single state has none and needs none.
    pub(crate) fn has(&self, variable: Variable, arity: u32) -> bool {
        debug_assert_eq!(self.n_states(variable) + 1 == arity as usize, arity <= MAX_PLANE_ARITY);
        arity <= MAX_PLANE_ARITY
    }

    /// Number of planes of a variable: its states but the first, or 0 when it has no planes.
    pub(crate) fn n_states(&self, variable: Variable) -> usize {
        (self.first[variable as usize + 1] - self.first[variable as usize]) as usize
    }

    /// The plane of a state of a variable, counted from 1.
    pub(crate) fn plane(&self, variable: Variable, state: usize) -> &[Line] {
        debug_assert!(state >= 1 && state <= self.n_states(variable));
        self.numbered(self.first[variable as usize] as usize + state - 1)
    }

    /// The numbers of the planes of a variable.
    pub(crate) fn numbers(&self, variable: Variable) -> std::ops::Range<usize> {
        self.first[variable as usize] as usize..self.first[variable as usize + 1] as usize
    }

    /// The numbers of the planes of neighbouring variables.
    pub(crate) fn range(&self, variables: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.first[variables.start] as usize..self.first[variables.end] as usize
    }

    /// A plane by its number.
    pub(crate) fn numbered(&self, number: usize) -> &[Line] {
        &self.lines[number * self.lines_per_plane..(number + 1) * self.lines_per_plane]
    }

    /// Lines in each plane.
    pub(crate) fn lines_per_plane(&self) -> usize {
        self.lines_per_plane
    }
}

/// Fills the planes of one variable, 16 rows at a time.
fn fill(planes: &mut [Line], lines_per_plane: usize, codes: &[u8]) {
    if lines_per_plane == 0 {
        return;
    }
    for (index, plane) in planes.chunks_exact_mut(lines_per_plane).enumerate() {
        let state = index as u8 + 1;
        for (rows, line) in codes.chunks(LINE_ROWS).zip(plane) {
            for (rows, word) in rows.chunks(64).zip(&mut line.0) {
                let (sixteens, tail) = rows.as_chunks::<16>();
                let mut bits = 0u64;
                for (i, sixteen) in sixteens.iter().enumerate() {
                    bits |= equal(sixteen, state) << (16 * i);
                }
                let done = rows.len() - tail.len();
                for (i, &code) in tail.iter().enumerate() {
                    bits |= u64::from(code == state) << (done + i);
                }
                *word = bits;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Codes;

    #[test]
    fn a_plane_has_the_rows_of_its_state() {
        let codes: Vec<u32> = (0..1300u32).map(|row| row.wrapping_mul(2_654_435_761) >> 29).collect();
        let narrow = Codes::Narrow(codes.iter().map(|&code| code as u8).collect());
        let wide = Codes::Wide(codes.iter().map(|&code| code as u16).collect());
        let many = Codes::Wide((0..1300).collect());
        let data = DiscreteData::new(vec![Codes::Narrow(vec![0; 1300]), narrow, many, wide], vec![1, 8, 1300, 8]);
        let data = data.unwrap();
        let planes = BitPlanes::new(&data);
        assert_eq!([0, 1, 2, 3].map(|v| planes.n_states(v)), [0, 7, 0, 7]);
        assert!(planes.has(0, 1) && planes.has(1, 8) && !planes.has(2, 1300));
        for state in 1..8 {
            let plane = planes.plane(1, state);
            assert_eq!(plane, planes.plane(3, state));
            assert_eq!(plane.len(), 3);
            for row in 0..3 * LINE_ROWS {
                let bit = plane[row / LINE_ROWS].0[row % LINE_ROWS / 64] >> (row % 64) & 1;
                assert_eq!(bit == 1, codes.get(row) == Some(&(state as u32)), "{state} {row}");
            }
        }
    }
}
