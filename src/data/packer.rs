//! Packing codes that come part by part.

use super::packed::{LINE_ROWS, Line, PackedCodes};

/// Rows packed at a time.
const WORD: usize = 64;

/// A column that is packed part by part.
///
/// # Examples
///
/// ```
/// use phgs::data::Packer;
///
/// let mut packer = Packer::new(5);
/// packer.add(&[0, 1, 0]);
/// packer.add(&[2, 1]);
/// assert_eq!(packer.whole().to_bytes(), [0, 1, 0, 2, 1]);
/// ```
#[derive(Debug)]
pub struct Packer {
    /// Lines that a plane is made for.
    lines: usize,
    /// Rows in the planes, a multiple of 64.
    n_rows: usize,
    planes: Vec<Vec<Line>>,
    /// Codes of the last rows, fewer than 64.
    pending: Vec<u8>,
}

impl Packer {
    /// For so many rows; more may come, in memory that grows.
    pub fn new(n_rows: usize) -> Self {
        Self { lines: n_rows.div_ceil(LINE_ROWS), n_rows: 0, planes: Vec::new(), pending: Vec::with_capacity(WORD) }
    }

    /// Takes the codes of the next rows, which are below 32.
    ///
    /// # Panics
    ///
    /// When a code is not.
    pub fn add(&mut self, codes: &[u8]) {
        let (first, rest) = codes.split_at(((WORD - self.pending.len()) % WORD).min(codes.len()));
        self.pending.extend_from_slice(first);
        if let Ok(word) = <[u8; WORD]>::try_from(self.pending.as_slice()) {
            self.word(&word);
            self.pending.clear();
        }
        let (words, tail) = rest.as_chunks();
        words.iter().for_each(|word| self.word(word));
        self.pending.extend_from_slice(tail);
    }

    /// The whole column. States are those up to the largest code.
    pub fn whole(mut self) -> PackedCodes {
        let n_rows = self.n_rows + self.pending.len();
        if !self.pending.is_empty() {
            let mut word = [0; WORD];
            word[..self.pending.len()].copy_from_slice(&self.pending);
            self.word(&word);
        }
        let lines = n_rows.div_ceil(LINE_ROWS);
        self.planes.iter_mut().for_each(|plane| plane.resize(lines, Line::default()));
        PackedCodes::of(n_rows, self.planes)
    }

    fn word(&mut self, codes: &[u8; WORD]) {
        let largest = usize::from(codes.iter().fold(0, |largest, &code| largest.max(code)));
        assert!(largest < super::MAX_PLANE_ARITY as usize, "a code of a column with planes");
        let (line, at) = (self.n_rows / LINE_ROWS, self.n_rows % LINE_ROWS / WORD);
        self.n_rows += WORD;
        while self.planes.len() < largest {
            self.planes.push(Vec::with_capacity(self.lines));
        }
        if largest == 0 {
            return;
        }
        let n_bits = largest.ilog2() + 1;
        let mut bits = [0u64; 5];
        for (bit, word) in (0..n_bits).zip(&mut bits) {
            *word = bits_of(codes, bit);
        }
        for (state, plane) in (1usize..=largest).zip(&mut self.planes) {
            let has = |rows: u64, bit: usize| rows & if state >> bit & 1 == 1 { bits[bit] } else { !bits[bit] };
            let rows = (0..n_bits as usize).fold(!0, has);
            if rows != 0 {
                // A state that has no row in some lines has none there until it is seen again.
                if plane.len() <= line {
                    plane.resize(line + 1, Line::default());
                }
                plane[line].0[at] = rows;
            }
        }
    }
}

/// A bit of each of the codes.
fn bits_of(codes: &[u8; WORD], bit: u32) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    // The product brings the lowest bit of byte i to bit 56 + i, without carries.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = codes.as_chunks::<8>();
    (0..).step_by(8).zip(eights).fold(0, |bits, (at, &eight)| {
        let low = u64::from_le_bytes(eight) >> bit & LOW;
        bits | low.wrapping_mul(GATHER) >> 56 << at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_any_length_are_one_column() {
        let codes: Vec<u8> = (0..2000u32).map(|row| (row.wrapping_mul(2_654_435_761) >> 24) as u8 % 32).collect();
        // A state may come late, and none but the first may come at all.
        let late = [vec![0; 1500], vec![3; 100]].concat();
        for codes in [codes, late, vec![0; 700]] {
            for step in [1, 7, 64, 100, 513, 5000] {
                let mut packer = Packer::new(codes.len() / 2);
                codes.chunks(step).for_each(|part| packer.add(part));
                let packed = packer.whole();
                assert_eq!(packed.to_bytes(), codes);
                assert_eq!(packed.n_states(), usize::from(*codes.iter().max().unwrap()) + 1);
            }
        }
        assert_eq!(Packer::new(0).whole().n_rows(), 0);
    }

    #[test]
    #[should_panic(expected = "a code of a column with planes")]
    fn codes_without_planes_are_refused() {
        Packer::new(1).add(&[[0; 63].as_slice(), &[32]].concat());
    }
}
