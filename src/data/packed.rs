//! State codes as bit planes: for each state but the first, one bit a row. A column of three states takes a quarter of a
//! byte a row, and contingency tables are counted from planes anyway.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::packer::Packer;
use crate::{Error, Result};

/// 512 bits, one cache line: as many rows of a plane, or the states of 128 variables in one row, four bits each.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub(crate) struct Line(pub(crate) [u64; 8]);

/// Rows in a line.
pub(crate) const LINE_ROWS: usize = 512;

/// A column with more states has no planes: counting row by row is faster for nearly every table that it is in, and planes
/// would take several times the memory of the codes.
pub const MAX_PLANE_ARITY: u32 = 32;

/// The state codes of a column, kept as bit planes alone.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, PackedCodes};
///
/// let packed = PackedCodes::pack(&[0, 2, 1, 2], 3);
/// assert_eq!((packed.n_rows(), packed.get(3)), (4, 2));
/// assert_eq!(Codes::from(packed), Codes::Narrow(vec![0, 2, 1, 2]));
/// ```
#[derive(Debug, Clone)]
pub struct PackedCodes {
    n_rows: usize,
    /// Of each state but the first. No two have a row in common, and rows past the end are in none.
    planes: Vec<Plane>,
}

/// The rows of a state.
#[derive(Clone)]
enum Plane {
    Own(Arc<Vec<Line>>),
    /// Some bytes of what someone else holds.
    Held(Arc<dyn AsRef<[u8]> + Send + Sync>, Range<usize>),
}

impl Plane {
    /// Of a state that no row has.
    fn empty(n_rows: usize) -> Self {
        Self::Own(Arc::new(vec![Line::default(); n_rows.div_ceil(LINE_ROWS)]))
    }

    fn lines(&self) -> &[Line] {
        match self {
            Self::Own(lines) => lines,
            Self::Held(owner, bytes) => lines_of(&owner.as_ref().as_ref()[bytes.clone()]).expect("was looked at"),
        }
    }
}

impl std::fmt::Debug for Plane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} lines", self.lines().len())
    }
}

fn lines_of(bytes: &[u8]) -> Option<&[Line]> {
    <[Line]>::ref_from_bytes(bytes).ok()
}

impl PackedCodes {
    /// Packs codes, all of them below the arity.
    ///
    /// # Panics
    ///
    /// When there are more states than planes are made for.
    pub fn pack(codes: &[u8], arity: u32) -> Self {
        let mut packer = Packer::new(codes.len());
        packer.add(codes);
        let new: Vec<u32> = (0..arity).collect();
        packer.whole().renumbered(&new, arity)
    }

    /// Planes that lie one after another in memory of any owner, as [`bytes`](Self::bytes) gave them.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when the bytes from `start` on are too few or begin at no multiple of 64.
    pub fn held(owner: Arc<dyn AsRef<[u8]> + Send + Sync>, start: usize, n_rows: usize, arity: u32) -> Result<Self> {
        let length = n_rows.div_ceil(LINE_ROWS) * size_of::<Line>();
        let of = |state: usize| start + state * length..start + (state + 1) * length;
        let planes = (0..arity.saturating_sub(1) as usize)
            .map(|state| {
                let bytes = owner.as_ref().as_ref().get(of(state))?;
                lines_of(bytes).map(|_| Plane::Held(Arc::clone(&owner), of(state)))
            })
            .collect::<Option<_>>();
        planes.map(|planes| Self { n_rows, planes }).ok_or_else(|| Error::Data("bit planes that are cut off".into()))
    }

    /// A copy of planes, as [`bytes`](Self::bytes) gave them.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when the bytes are too few or too many.
    pub fn from_bytes(bytes: &[u8], n_rows: usize, arity: u32) -> Result<Self> {
        let planes = arity.saturating_sub(1) as usize;
        let mut lines = vec![Line::default(); planes * n_rows.div_ceil(LINE_ROWS)];
        if lines.as_bytes().len() != bytes.len() {
            return Err(Error::Data("bit planes of another number of rows".into()));
        }
        lines.as_mut_bytes().copy_from_slice(bytes);
        let each = lines.len().checked_div(planes).unwrap_or(1).max(1);
        Ok(Self::of(n_rows, lines.chunks(each).map(<[Line]>::to_vec).collect()))
    }

    /// How many rows each state has that has a number.
    pub fn counts(&self) -> Vec<u64> {
        let ones =
            |plane: &Plane| plane.lines().iter().flat_map(|line| line.0).map(|word| u64::from(word.count_ones())).sum();
        let others: Vec<u64> = self.planes.iter().map(ones).collect();
        [vec![self.n_rows as u64 - others.iter().sum::<u64>()], others].concat()
    }

    /// The bytes of the planes, one after another.
    pub fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.planes.iter().map(|plane| plane.lines().as_bytes())
    }

    /// Planes that were filled.
    pub(super) fn of(n_rows: usize, planes: Vec<Vec<Line>>) -> Self {
        Self { n_rows, planes: planes.into_iter().map(|lines| Plane::Own(Arc::new(lines))).collect() }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of states that have a number, whether a row has them or not.
    pub fn n_states(&self) -> usize {
        self.planes.len() + 1
    }

    /// The rows of a state, counted from 1.
    pub(crate) fn plane(&self, state: usize) -> &[Line] {
        self.planes[state - 1].lines()
    }

    /// The code of a row.
    pub fn get(&self, row: usize) -> u32 {
        let (line, word, bit) = (row / LINE_ROWS, row % LINE_ROWS / 64, row % 64);
        let has = |plane: &Plane| plane.lines()[line].0[word] >> bit & 1 == 1;
        self.planes.iter().position(has).map_or(0, |at| at as u32 + 1)
    }

    /// The largest code of a row.
    pub(super) fn largest(&self) -> u32 {
        let there = |plane: &Plane| plane.lines().iter().any(|line| line.0 != [0; 8]);
        self.planes.iter().rposition(there).map_or(0, |at| at as u32 + 1)
    }

    /// The planes of all states but the first.
    pub(crate) fn planes(&self) -> impl Iterator<Item = &[Line]> {
        self.planes.iter().map(Plane::lines)
    }

    /// Writes the codes of consecutive rows.
    pub(crate) fn read(&self, rows: Range<usize>, codes: &mut [u8]) {
        debug_assert!(rows.len() == codes.len() && rows.end <= self.n_rows);
        let planes: SmallVec<[&[Line]; 8]> = self.planes().collect();
        let mut at = rows.start;
        while at < rows.end {
            let (first, end) = (at / 64 * 64, (at / 64 * 64 + 64).min(rows.end));
            let mut word = [0; 64];
            for (state, plane) in (1..).zip(&planes) {
                spread(plane[first / LINE_ROWS].0[first % LINE_ROWS / 64], state, &mut word);
            }
            codes[at - rows.start..end - rows.start].copy_from_slice(&word[at - first..end - first]);
            at = end;
        }
    }

    /// All codes, a byte each.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut codes = vec![0; self.n_rows];
        self.read(0..self.n_rows, &mut codes);
        codes
    }

    /// The same rows where state `i` has the number `new[i]` of `arity`.
    ///
    /// # Panics
    ///
    /// When two states have one number, or a number is not below the arity, or that is more than planes are made for.
    pub fn renumbered(self, new: &[u32], arity: u32) -> Self {
        assert!(arity <= MAX_PLANE_ARITY && new.len() >= self.n_states());
        let number = |state: usize| new[state] as usize;
        let mut planes: Vec<Option<Plane>> = vec![None; arity as usize];
        // The first state has no plane; where it gets another number it needs one.
        if number(0) != 0 {
            planes[number(0)] = Some(Plane::Own(Arc::new(self.first_state())));
        }
        for (state, plane) in (1..).zip(self.planes) {
            let former = planes[number(state)].replace(plane);
            assert!(former.is_none() && number(state) != number(0), "two states with one number");
        }
        let nobody = || Plane::empty(self.n_rows);
        let planes = planes.into_iter().skip(1).map(|plane| plane.unwrap_or_else(nobody)).collect();
        Self { n_rows: self.n_rows, planes }
    }

    /// The same codes with a plane for each of so many states but the first, if these have planes at all.
    pub(crate) fn with_states(mut self, arity: u32) -> Self {
        let planes = if arity <= MAX_PLANE_ARITY { arity.saturating_sub(1) as usize } else { 0 };
        if planes > self.planes.len() {
            self.planes.resize(planes, Plane::empty(self.n_rows));
        }
        self
    }

    /// The rows of the first state.
    fn first_state(&self) -> Vec<Line> {
        let lines = self.n_rows.div_ceil(LINE_ROWS);
        let mut first = vec![Line([!0; 8]); lines];
        if let Some(last) = first.last_mut() {
            let left = self.n_rows - (lines - 1) * LINE_ROWS;
            for (word, at) in last.0.iter_mut().zip((0..).step_by(64)) {
                *word = match left.saturating_sub(at) {
                    64.. => !0,
                    rows => (1 << rows) - 1,
                };
            }
        }
        for plane in &self.planes {
            for (line, of) in first.iter_mut().zip(plane.lines()) {
                line.0.iter_mut().zip(of.0).for_each(|(word, of)| *word &= !of);
            }
        }
        first
    }
}

/// Adds a state to the codes whose bit is set.
#[inline(always)]
pub(crate) fn spread(bits: u64, state: u8, codes: &mut [u8; 64]) {
    // Written so that it becomes vector instructions: the byte of each row, and its bit in that.
    const BIT: [u8; 64] = {
        let mut bit = [0; 64];
        let mut row = 0;
        while row < 64 {
            bit[row] = 1 << (row % 8);
            row += 1;
        }
        bit
    };
    let mut of_row = [0u8; 64];
    for (eight, byte) in of_row.as_chunks_mut::<8>().0.iter_mut().zip(bits.to_le_bytes()) {
        *eight = [byte; 8];
    }
    for ((code, byte), bit) in codes.iter_mut().zip(of_row).zip(BIT) {
        *code |= if byte & bit != 0 { state } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(n_rows: usize, arity: u32) -> Vec<u8> {
        (0..n_rows as u32).map(|row| ((row.wrapping_mul(2_654_435_761) >> 16) % arity) as u8).collect()
    }

    #[test]
    fn codes_come_back_whole_and_in_parts() {
        for n_rows in [1, 63, 64, 65, 511, 512, 513, 1300] {
            for arity in [1, 2, 3, 5, 32] {
                let codes = codes(n_rows, arity);
                let packed = PackedCodes::pack(&codes, arity);
                assert_eq!((packed.n_rows(), packed.n_states()), (n_rows, arity as usize));
                assert_eq!(packed.to_bytes(), codes);
                assert!((0..n_rows).all(|row| packed.get(row) == u32::from(codes[row])));
                assert_eq!(packed.largest(), u32::from(*codes.iter().max().unwrap()));
                let of = |state: u8| codes.iter().filter(|&&code| code == state).count() as u64;
                assert_eq!(packed.counts(), (0..arity as u8).map(of).collect::<Vec<_>>());
                let bytes = packed.bytes().collect::<Vec<_>>().concat();
                assert_eq!(PackedCodes::from_bytes(&bytes, n_rows, arity).unwrap().to_bytes(), codes);
                assert!(PackedCodes::from_bytes(&[bytes, vec![0]].concat(), n_rows, arity).is_err());
                for (start, end) in
                    [(0, n_rows), (n_rows / 3, n_rows / 2), (n_rows / 2, n_rows), (7.min(n_rows), n_rows)]
                {
                    let mut part = vec![9; end - start];
                    packed.read(start..end, &mut part);
                    assert_eq!(part, codes[start..end]);
                }
            }
        }
    }

    #[test]
    fn states_are_renumbered_row_by_row() {
        let before = codes(1300, 3);
        for new in [[0u32, 1, 2], [2, 0, 1], [4, 2, 0], [1, 0, 3]] {
            let after: Vec<u8> = before.iter().map(|&code| new[usize::from(code)] as u8).collect();
            let packed = PackedCodes::pack(&before, 3).renumbered(&new, 5);
            assert_eq!((packed.to_bytes(), packed.n_states()), (after, 5));
        }
    }

    #[test]
    #[should_panic(expected = "one number")]
    fn two_states_keep_two_numbers() {
        PackedCodes::pack(&[0, 1, 2], 3).renumbered(&[1, 0, 1], 3);
    }

    #[test]
    fn planes_in_other_memory_are_the_same() {
        let codes = codes(1300, 4);
        let packed = PackedCodes::pack(&codes, 4);
        // Lines are where 64 divides the address.
        let lines: Vec<Line> = vec![Line::default(); 1]
            .into_iter()
            .chain(packed.planes.iter().flat_map(|plane| plane.lines().to_vec()))
            .collect();
        struct Held(Vec<Line>);
        impl AsRef<[u8]> for Held {
            fn as_ref(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }
        assert_eq!(packed.bytes().map(<[u8]>::len).sum::<usize>(), 3 * 3 * 64);
        let owner: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new(Held(lines));
        assert_eq!(PackedCodes::held(Arc::clone(&owner), 64, 1300, 4).unwrap().to_bytes(), codes);
        assert!(PackedCodes::held(Arc::clone(&owner), 64, 1300, 5).is_err());
        assert!(PackedCodes::held(Arc::clone(&owner), 32, 1300, 2).is_err());
    }
}
