//! Bit planes: for each variable and each of its states but the first, one bit a row.
//!
//! A cell in which some variable is in its first state follows from the other cells and from tables of fewer variables
//! by subtraction, so that state needs no plane.

use crate::Variable;
use crate::counts::simd::{Line, equal};
use crate::data::{Codes, CodesView, DiscreteData, LINE_ROWS, PackedCodes};

pub(crate) use crate::data::MAX_PLANE_ARITY;

/// The planes of a table. Rows past the end are zero.
#[derive(Debug)]
pub(crate) struct BitPlanes {
    /// Those of columns that are not kept as planes.
    lines: Vec<Line>,
    /// Columns that are.
    packed: Vec<PackedCodes>,
    /// Where each plane is, if there are such columns; else a plane has its number among the lines.
    places: Vec<Place>,
    lines_per_plane: usize,
    /// Number of the first plane of each variable, and the end.
    first: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// The first of its lines.
    Lines(usize),
    /// A column and a state.
    Packed(u32, u32),
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
        let own = |v: &usize| !matches!(data.column(*v as Variable), Codes::Packed(_));
        let n_own: u32 = (0..data.n_variables()).filter(own).map(|v| first[v + 1] - first[v]).sum();
        let mut lines = Vec::with_capacity(n_own as usize * lines_per_plane);
        let mut packed = Vec::new();
        let mut places = Vec::with_capacity(first[first.len() - 1] as usize);
        for variable in 0..data.n_variables() {
            let n_planes = first[variable + 1] - first[variable];
            let column = data.column(variable as Variable);
            if let CodesView::Packed(codes) = column.view() {
                let codes = codes.clone().with_states(data.arity(variable as Variable));
                places.extend((1..=n_planes).map(|state| Place::Packed(packed.len() as u32, state)));
                packed.push(codes);
                continue;
            }
            let start = lines.len();
            places.extend((0..n_planes as usize).map(|plane| Place::Lines(start + plane * lines_per_plane)));
            lines.resize(start + n_planes as usize * lines_per_plane, Line::default());
            match column.view() {
                _ if n_planes == 0 => {}
                CodesView::Wide(codes) => {
                    // Codes may be wider than their arity needs.
                    let codes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
                    fill(&mut lines[start..], lines_per_plane, &codes);
                }
                CodesView::Narrow(codes) => fill(&mut lines[start..], lines_per_plane, codes),
                CodesView::Packed(_) => unreachable!("has planes"),
            }
        }
        if packed.is_empty() {
            places = Vec::new();
        }
        Self { lines, packed, places, lines_per_plane, first }
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
        let place = self.places.get(number).copied();
        match place.unwrap_or(Place::Lines(number * self.lines_per_plane)) {
            Place::Lines(start) => &self.lines[start..start + self.lines_per_plane],
            Place::Packed(column, state) => self.packed[column as usize].plane(state as usize),
        }
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

    #[test]
    fn a_plane_has_the_rows_of_its_state() {
        let codes: Vec<u32> = (0..1300u32).map(|row| row.wrapping_mul(2_654_435_761) >> 29).collect();
        let narrow = Codes::Narrow(codes.iter().map(|&code| code as u8).collect());
        let wide = Codes::Wide(codes.iter().map(|&code| code as u16).collect());
        let many = Codes::Wide((0..1300).collect());
        let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
        let packed = Codes::Packed(PackedCodes::pack(&bytes, 8));
        let constant = Codes::Packed(PackedCodes::pack(&[0; 1300], 1));
        let columns = vec![Codes::Narrow(vec![0; 1300]), narrow, many, wide, packed, constant];
        let data = DiscreteData::new(columns, vec![1, 8, 1300, 8, 9, 2]).unwrap();
        let planes = BitPlanes::new(&data);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|v| planes.n_states(v)), [0, 7, 0, 7, 8, 1]);
        assert_eq!(planes.numbered(planes.range(4..6).start + 2), planes.plane(1, 3));
        assert!([planes.plane(4, 8), planes.plane(5, 1)].concat().iter().all(|line| line.0 == [0; 8]));
        assert!(planes.has(0, 1) && planes.has(1, 8) && !planes.has(2, 1300));
        for state in 1..8 {
            let plane = planes.plane(1, state);
            assert_eq!(plane, planes.plane(3, state));
            assert_eq!(plane, planes.plane(4, state));
            assert_eq!(plane.len(), 3);
            for row in 0..3 * LINE_ROWS {
                let bit = plane[row / LINE_ROWS].0[row % LINE_ROWS / 64] >> (row % 64) & 1;
                assert_eq!(bit == 1, codes.get(row) == Some(&(state as u32)), "{state} {row}");
            }
        }
    }
}
