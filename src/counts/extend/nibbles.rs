//! The codes row by row: for each row a line with the states of 128 variables, four bits each.
//!
//! Bit planes count a cell of all rows at a time, so a table with many strata costs as many passes over the planes of a
//! variable. Where the rows are sorted by stratum, one pass over these lines counts all strata, for 128 variables at a time.

use std::sync::OnceLock;

use crate::Variable;
use crate::counts::simd::{HALF, Line};
use crate::data::{DiscreteData, with_codes_of_rows};

/// Variables of a line: [`HALF`] of them in the low four bits of its bytes, as many in the high ones.
pub(crate) const WIDTH: usize = 2 * HALF;

/// Variables with more states are in no line.
const MAX_ARITY: u32 = 16;

/// Of so many rows and more there are no lines. Tables from bit planes are as fast there, since strata are large, and the
/// lines of 37 variables would take eight times the memory of their planes.
const MOST_ROWS: usize = 1_000_000;

/// Rows filled at a time: their lines stay in a core's first cache.
const ROWS: usize = 256;

/// Blocks of variables with lines, those with alike numbers of states together. The lines of a block are made when they are
/// first asked for; all of them take half a byte for each row and variable.
#[derive(Debug)]
pub(crate) struct Nibbles {
    /// Variables that are in lines, block after block.
    variables: Vec<Variable>,
    /// Where each variable is in that list.
    place: Vec<u32>,
    blocks: Vec<OnceLock<Vec<Line>>>,
}

impl Nibbles {
    const NONE: u32 = u32::MAX;

    pub(crate) fn new(data: &DiscreteData) -> Self {
        let in_lines = |x: &Variable| data.n_rows() < MOST_ROWS && (2..=MAX_ARITY).contains(&data.arity(*x));
        let mut variables: Vec<Variable> = (0..data.n_variables() as Variable).filter(in_lines).collect();
        variables.sort_by_key(|&x| data.arity(x));
        let mut place = vec![Self::NONE; data.n_variables()];
        for (at, &x) in variables.iter().enumerate() {
            place[x as usize] = at as u32;
        }
        let blocks = (0..variables.len().div_ceil(WIDTH)).map(|_| OnceLock::new()).collect();
        Self { variables, place, blocks }
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block of a variable and its number in it, if it is in lines.
    pub(crate) fn place(&self, x: Variable) -> Option<(usize, usize)> {
        let place = self.place[x as usize];
        (place != Self::NONE).then_some((place as usize / WIDTH, place as usize % WIDTH))
    }

    /// The most states of a variable of a block.
    pub(crate) fn arity(&self, data: &DiscreteData, block: usize) -> u32 {
        data.arity(self.variables[((block + 1) * WIDTH).min(self.variables.len()) - 1])
    }

    /// The lines of a block: variable i is in the low four bits of byte i, or the high ones of byte i − [`HALF`].
    pub(crate) fn block(&self, data: &DiscreteData, block: usize) -> &[Line] {
        self.blocks[block].get_or_init(|| {
            let mut lines = Vec::new();
            fill(data, &self.variables[block * WIDTH..((block + 1) * WIDTH).min(self.variables.len())], &mut lines);
            lines
        })
    }
}

/// The lines of at most [`WIDTH`] variables of at most 16 states.
fn fill(data: &DiscreteData, variables: &[Variable], lines: &mut Vec<Line>) {
    lines.clear();
    lines.resize(data.n_rows(), Line::default());
    for (number, lines) in lines.chunks_mut(ROWS).enumerate() {
        let rows = number * ROWS..number * ROWS + lines.len();
        for (i, &x) in variables.iter().enumerate() {
            let (word, shift) = (i % HALF / 8, 8 * (i % 8) + 4 * (i / HALF));
            with_codes_of_rows!(data.column(x), rows.clone(), |codes| {
                for (line, &code) in lines.iter_mut().zip(codes) {
                    line.0[word] |= u64::from(code) << shift;
                }
            });
        }
    }
}

/// Some variables in lines of their own, for many requests about them alone.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The variables as they were given.
    given: Vec<Variable>,
    /// Those that are in lines, by their number of states.
    variables: Vec<Variable>,
    blocks: Vec<Vec<Line>>,
}

impl Gathered {
    pub(crate) fn gather(&mut self, data: &DiscreteData, variables: &[Variable]) {
        self.given.clear();
        self.given.extend_from_slice(variables);
        self.variables.clear();
        self.variables.extend(variables.iter().filter(|x| (2..=MAX_ARITY).contains(&data.arity(**x))));
        self.variables.sort_by_key(|&x| data.arity(x));
        self.blocks.resize_with(self.variables.len().div_ceil(WIDTH), Vec::new);
        for (variables, lines) in self.variables.chunks(WIDTH).zip(&mut self.blocks) {
            fill(data, variables, lines);
        }
    }

    pub(crate) fn is_of(&self, variables: &[Variable]) -> bool {
        self.given == variables
    }

    /// The blocks: their variables and their lines.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (&[Variable], &[Line])> {
        self.variables.chunks(WIDTH).zip(self.blocks.iter().map(Vec::as_slice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Codes;

    #[test]
    fn every_variable_is_in_its_lane() {
        let arities: Vec<u32> = (0..300).map(|x| [2, 16, 3, 17, 1, 9][x % 6]).collect();
        let code = |x: usize, row: usize| ((row as u64 * 0x9E37_79B9 + 77 * x as u64) >> 7) as u32 % arities[x];
        let columns = (0..arities.len()).map(|x| {
            let codes = (0..600).map(|row| code(x, row));
            if x % 5 == 0 {
                Codes::Wide(codes.map(|c| c as u16).collect())
            } else {
                Codes::Narrow(codes.map(|c| c as u8).collect())
            }
        });
        let data = DiscreteData::new(columns.collect(), arities.clone()).unwrap();
        let lanes = Nibbles::new(&data);
        assert_eq!(lanes.n_blocks(), 2);
        assert_eq!([lanes.arity(&data, 0), lanes.arity(&data, 1)], [9, 16]);
        for (x, &arity) in arities.iter().enumerate() {
            let Some((block, i)) = lanes.place(x as Variable) else {
                assert!(arity == 1 || arity > MAX_ARITY);
                continue;
            };
            assert!(arity <= lanes.arity(&data, block));
            for (row, line) in lanes.block(&data, block).iter().enumerate() {
                let byte = line.0[i % HALF / 8] >> (8 * (i % 8)) & 255;
                assert_eq!((byte >> (4 * (i / HALF)) & 15) as u32, code(x, row), "{x} {row}");
            }
        }
    }
}
