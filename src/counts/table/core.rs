//! Dense tables from bit planes, by inclusion and exclusion.
//!
//! Only cells in which every variable is past its first state are counted (the *core* of the table, ∏ (r − 1) cells).
//! A cell with some variable v in its first state is the cell of the table without v, less the cells with v in its
//! other states. So a table of five binary variables takes one population count and five smaller tables.

use crate::Variable;
use crate::counts::cache::memo::{Key, KeyFormat};
use crate::counts::simd::{Counter, Line, MASKS, TILE, Tile};
use crate::counts::table::planes::BitPlanes;
use crate::data::Shape;

/// The largest set whose tables are made by inclusion and exclusion.
pub(crate) const MAX_SET: usize = 10;

/// Lines of a plane taken at a time (65,536 rows, 8 KiB), so that the planes of one set stay in a core's cache.
const BLOCK: usize = 128;

/// A small set of variables in increasing order, with their arities and its key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Set {
    len: usize,
    variables: [Variable; MAX_SET],
    arities: [u32; MAX_SET],
    pub(crate) key: Key,
}

impl Set {
    /// The set of `variables` (increasing, at most [`MAX_SET`] and the capacity of keys).
    pub(crate) fn new(shape: &Shape, format: KeyFormat, variables: &[Variable]) -> Self {
        let len = variables.len();
        let mut set = Self { len, variables: [0; MAX_SET], arities: [1; MAX_SET], key: format.key(variables) };
        set.variables[..len].copy_from_slice(variables);
        for (arity, &variable) in set.arities.iter_mut().zip(variables) {
            *arity = shape.arity(variable);
        }
        set
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables[..self.len]
    }

    pub(crate) fn arities(&self) -> &[u32] {
        &self.arities[..self.len]
    }

    /// The set without the variable at a position.
    pub(crate) fn without(&self, format: KeyFormat, position: usize) -> Self {
        let mut set = *self;
        set.variables.copy_within(position + 1..self.len, position);
        set.arities.copy_within(position + 1..self.len, position);
        set.len -= 1;
        set.key = format.without(self.key, position);
        set
    }

    /// Number of cells; saturates.
    pub(crate) fn cells(&self) -> usize {
        self.arities().iter().fold(1, |cells: usize, &arity| cells.saturating_mul(arity as usize))
    }

    /// Number of cells to be counted; saturates.
    pub(crate) fn core(&self) -> usize {
        self.arities().iter().fold(1, |cells: usize, &arity| cells.saturating_mul(arity as usize - 1))
    }

    fn strides(&self) -> [usize; MAX_SET] {
        let mut strides = [0; MAX_SET];
        let mut stride = 1;
        for (to, &arity) in strides.iter_mut().zip(self.arities()) {
            *to = stride;
            stride *= arity as usize;
        }
        strides
    }
}

/// Moves to the next states (past the first) of the variables at `positions`, the first of them fastest, and `base`, the
/// cell of those states, with them. Returns which of the positions moved last, or `None` when all states are done.
#[inline]
fn advance(
    set: &Set,
    strides: &[usize; MAX_SET],
    positions: &[usize],
    states: &mut [u32; MAX_SET],
    base: &mut usize,
) -> Option<usize> {
    for (n, &i) in positions.iter().enumerate() {
        states[i] += 1;
        *base += strides[i];
        if states[i] < set.arities[i] {
            return Some(n);
        }
        *base -= strides[i] * (set.arities[i] as usize - 1);
        states[i] = 1;
    }
    None
}

/// Counts the core of the table of a set of at least two variables, all with planes; `table` has only zeros.
pub(crate) fn count_core(planes: &BitPlanes, counter: Counter, set: &Set, table: &mut [u32], scratch: &mut Vec<Line>) {
    if set.arities().contains(&1) {
        return;
    }
    let strides = set.strides();
    // The two variables with most states span tiles; the planes of the others are masks.
    let larger = |a: usize, b: usize| if set.arities[b] > set.arities[a] { b } else { a };
    let a = (1..set.len).fold(0, larger);
    let b = (0..set.len).filter(|&i| i != a).reduce(larger).unwrap_or(a);
    let mut masked = [0; MAX_SET];
    let mut n_masked = 0;
    for i in (0..set.len).filter(|&i| i != a && i != b) {
        masked[n_masked] = i;
        n_masked += 1;
    }
    let masked = &masked[..n_masked];
    // More masks than a tile takes: the slowest are joined once for many tiles.
    let single = if masked.len() > MASKS { MASKS - 1 } else { masked.len() };
    let (single, joined) = masked.split_at(single);
    let total = planes.lines_per_plane();
    for start in (0..total).step_by(BLOCK) {
        let end = (start + BLOCK).min(total);
        let plane = |i: usize, state: u32| &planes.plane(set.variables[i], state as usize)[start..end];
        let mut states = [1u32; MAX_SET];
        let mut base: usize = masked.iter().map(|&i| strides[i]).sum();
        join(joined.iter().map(|&i| plane(i, 1)), scratch);
        loop {
            let mut masks: [&[Line]; MASKS] = [scratch; MASKS];
            for (mask, &i) in masks.iter_mut().zip(single) {
                *mask = plane(i, states[i]);
            }
            let masks = &masks[..single.len() + usize::from(!joined.is_empty())];
            for state_b in (1..set.arities[b]).step_by(TILE) {
                let n_b = TILE.min((set.arities[b] - state_b) as usize);
                let of_b: [&[Line]; TILE] =
                    std::array::from_fn(|j| if j < n_b { plane(b, state_b + j as u32) } else { &[] });
                for state_a in (1..set.arities[a]).step_by(TILE) {
                    let n_a = TILE.min((set.arities[a] - state_a) as usize);
                    let of_a: [&[Line]; TILE] =
                        std::array::from_fn(|i| if i < n_a { plane(a, state_a + i as u32) } else { &[] });
                    let mut counts = Tile::default();
                    counter.tile(masks, &of_a[..n_a], &of_b[..n_b], &mut counts);
                    let corner = base + state_a as usize * strides[a] + state_b as usize * strides[b];
                    for (j, counts) in counts[..n_b].iter().enumerate() {
                        for (i, &count) in counts[..n_a].iter().enumerate() {
                            table[corner + i * strides[a] + j * strides[b]] += count;
                        }
                    }
                }
            }
            match advance(set, &strides, masked, &mut states, &mut base) {
                None => break,
                Some(moved) if moved >= single.len() => join(joined.iter().map(|&i| plane(i, states[i])), scratch),
                Some(_) => {}
            }
        }
    }
}

/// The rows that all of `planes` have in common.
fn join<'p>(mut planes: impl Iterator<Item = &'p [Line]>, into: &mut Vec<Line>) {
    into.clear();
    into.extend_from_slice(planes.next().unwrap_or_default());
    for plane in planes {
        for (into, from) in into.iter_mut().zip(plane) {
            into.0.iter_mut().zip(from.0).for_each(|(into, from)| *into &= from);
        }
    }
}

/// Fills the cells in which some variable is in its first state. `facets` are where the tables without each variable
/// start in `others`.
pub(crate) fn complete(set: &Set, facets: &[u32; MAX_SET], others: &[u32], table: &mut [u32]) {
    const POSITIONS: [usize; MAX_SET] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    let strides = set.strides();
    for level in 0..set.len {
        // Variables above this level are past their first states, those below are complete.
        if set.arities[level + 1..set.len].contains(&1) {
            continue;
        }
        let length = strides[level];
        let arity = set.arities[level] as usize;
        let facet = &others[facets[level] as usize..][..table.len() / arity];
        if level + 1 == set.len {
            subtract(table, facet, length, arity);
            return;
        }
        let inner = set.arities[level + 1] as usize;
        let outer = &POSITIONS[level + 2..set.len];
        let mut states = [1u32; MAX_SET];
        let mut base: usize = strides[level + 2..set.len].iter().sum();
        loop {
            // Strides above this level are multiples of its arity.
            let block = length * arity;
            let cells = table[base..base + block * inner].chunks_exact_mut(block).skip(1);
            let facets = facet[base / arity..][..length * inner].chunks_exact(length).skip(1);
            for (cells, facet) in cells.zip(facets) {
                subtract(cells, facet, length, arity);
            }
            if advance(set, &strides, outer, &mut states, &mut base).is_none() {
                break;
            }
        }
    }
}

/// The first `length` of `length × arity` cells become those of the facet less all further blocks of as many cells.
#[inline(always)]
fn subtract(cells: &mut [u32], facet: &[u32], length: usize, arity: usize) {
    let (first, rest) = cells.split_at_mut(length);
    if length == 1 {
        first[0] = rest.iter().fold(facet[0], |cell, other| cell - other);
        return;
    }
    let (second, rest) = if arity > 1 { rest.split_at(length) } else { return first.copy_from_slice(facet) };
    for ((cell, facet), other) in first.iter_mut().zip(facet).zip(second) {
        *cell = facet - other;
    }
    for other in rest.chunks_exact(length) {
        for (cell, other) in first.iter_mut().zip(other) {
            *cell -= other;
        }
    }
}
