//! Rows sorted by the strata of a few variables, so that one pass over the words of a plane counts in every stratum.
//!
//! A stratum is a configuration of the prefix. Eight strata lie side by side, one in each word of a line, and below them the
//! rows of each state of the target: population counts of words are then counts of eight strata at once, and adding over
//! the states of the target is adding lines.

use smallvec::SmallVec;

use crate::Variable;
use crate::counts::simd::Eight;
use crate::data::{DiscreteData, with_codes};

/// Rows in a line of one stratum.
const WORD: usize = 64;

/// Strata side by side.
const LANES: usize = 8;

/// Most configurations of the prefix and the target together: they are numbered in bytes.
pub(super) const MAX_STRATA: usize = 256;

/// The planes of the variables of a roster, row by row: one bit for each state but the first.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// Rows of 64 bits each, with one more row than the data, of zeros.
    words: Vec<Vec<u64>>,
    /// The word, the first bit and the number of bits of each variable.
    places: Vec<Place>,
    used: u8,
}

/// Where the planes of a variable are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) word: u32,
    pub(super) bit: u8,
    pub(super) states: u8,
}

impl Records {
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.places.clear();
        self.used = 0;
    }

    /// Adds a variable of few states.
    pub(super) fn push(&mut self, data: &DiscreteData, variable: Variable) {
        let states = (data.arity(variable) - 1) as u8;
        if self.words.is_empty() || usize::from(self.used + states) > WORD {
            self.words.push(vec![0; data.n_rows() + 1]);
            self.used = 0;
        }
        let (word, bit) = (self.words.len() - 1, self.used);
        self.used += states;
        let set = |record: &mut u64, code: u32| *record |= (1u64 << code >> 1) << bit;
        with_codes!(data.column(variable), |codes| {
            self.words[word].iter_mut().zip(codes).for_each(|(record, &code)| set(record, code.into()));
        });
        self.places.push(Place { word: word as u32, bit, states });
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place(&self, position: usize) -> Place {
        self.places[position]
    }

    pub(super) fn word(&self, word: usize) -> &[u64] {
        &self.words[word]
    }
}

/// Lines of the rows of one state of the target in eight strata.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    first: u32,
    lines: u32,
}

impl Block {
    #[inline(always)]
    pub(super) fn rows(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.lines) as usize
    }
}

/// The rows sorted by a prefix.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    prefix: SmallVec<[Variable; 3]>,
    valid: bool,
    /// The blocks of each eight strata are neighbours; these are their ends.
    pub(super) ends: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// Rows of each block.
    pub(super) totals: Vec<Eight>,
    /// The row at each bit: line by line, bit by bit, word by word. Bits without a row have the row past the last one.
    pub(super) order: Vec<u32>,
    pub(super) lines: usize,
    codes: Vec<u8>,
}

impl Sorted {
    /// Forgets how the rows are sorted.
    pub(super) fn invalidate(&mut self) {
        self.valid = false;
    }

    /// Sorts the rows by the configurations of `prefix` and the states of the target, unless they are already. Strata in which
    /// the target has one state only are left out: they add nothing to its entropy. Whether the rows were sorted anew.
    pub(super) fn sort(&mut self, data: &DiscreteData, target: Variable, prefix: &[Variable]) -> bool {
        if self.valid && self.prefix.as_slice() == prefix {
            return false;
        }
        self.valid = true;
        self.prefix.clear();
        self.prefix.extend_from_slice(prefix);
        let states = data.arity(target) as usize;
        let mut strata = 1;
        self.codes.clear();
        self.codes.resize(data.n_rows(), 0);
        for &variable in prefix.iter().chain([&target]) {
            let arity = data.arity(variable) as usize;
            strata *= arity;
            with_codes!(data.column(variable), |codes| step_all(&mut self.codes, arity as u8, codes));
        }
        debug_assert!(strata <= MAX_STRATA);
        self.lay_out(strata, states);
        true
    }

    fn lay_out(&mut self, strata: usize, states: usize) {
        let n_rows = self.codes.len();
        let counts = histogram(&self.codes);
        let counts = &counts[..strata];
        // Strata with rows in the same states of the target lie together, so that whole blocks are empty.
        let mut kept: SmallVec<[(u64, u32, usize); 64]> = SmallVec::new();
        for (stratum, counts) in counts.chunks_exact(states).enumerate() {
            let pattern = counts.iter().take(64).fold(0u64, |bits, &count| bits << 1 | u64::from(count > 0));
            if counts.iter().filter(|&&count| count > 0).count() > 1 {
                kept.push((pattern, counts.iter().sum(), stratum));
            }
        }
        kept.sort_unstable_by(|a, b| b.cmp(a));
        self.ends.clear();
        self.blocks.clear();
        self.totals.clear();
        let (mut cursors, mut steps) = ([0u32; MAX_STRATA], [0u32; MAX_STRATA]);
        let mut lines = 0;
        for group in kept.chunks(LANES) {
            for state in 0..states {
                let mut total = Eight::default();
                for (lane, &(_, _, stratum)) in group.iter().enumerate() {
                    let cell = stratum * states + state;
                    total.0[lane] = counts[cell];
                    cursors[cell] = (lines * WORD * LANES + lane) as u32;
                    steps[cell] = LANES as u32;
                }
                let most = total.0.iter().copied().max().unwrap_or(0) as usize;
                if most > 0 {
                    let height = most.div_ceil(WORD);
                    self.blocks.push(Block { first: lines as u32, lines: height as u32 });
                    self.totals.push(total);
                    lines += height;
                }
            }
            self.ends.push(self.blocks.len() as u32);
        }
        self.lines = lines;
        // Rows of strata that are left out go to one place past the end.
        let end = lines * WORD * LANES;
        for (cursor, &step) in cursors.iter_mut().zip(&steps) {
            if step == 0 {
                *cursor = end as u32;
            }
        }
        self.order.clear();
        self.order.resize(end + 1, n_rows as u32);
        for (row, &code) in self.codes.iter().enumerate() {
            let cursor = &mut cursors[usize::from(code)];
            self.order[*cursor as usize] = row as u32;
            *cursor += steps[usize::from(code)];
        }
    }
}

/// The numbers of configurations with one more variable.
fn step_all<C: Copy + Into<u32>>(numbers: &mut [u8], arity: u8, codes: &[C]) {
    for (number, &code) in numbers.iter_mut().zip(codes) {
        *number = number.wrapping_mul(arity).wrapping_add(code.into() as u8);
    }
}

/// How often each byte occurs.
fn histogram(codes: &[u8]) -> [u32; MAX_STRATA] {
    let mut counts = [[0u32; MAX_STRATA]; 4];
    let (fours, rest) = codes.as_chunks::<4>();
    for four in fours {
        for (counts, &code) in counts.iter_mut().zip(four) {
            counts[usize::from(code)] += 1;
        }
    }
    for &code in rest {
        counts[0][usize::from(code)] += 1;
    }
    let [mut total, a, b, c] = counts;
    for (cell, total) in total.iter_mut().enumerate() {
        *total += a[cell] + b[cell] + c[cell];
    }
    total
}
