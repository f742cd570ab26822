//! Blocks of many columns, taken out of determinants once.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::blocks::BlockFactor;
use crate::data::MixedData;
use crate::{Variable, VariableSet};

/// From so many columns on a block is wide: a factor with it takes much longer than one of what it leaves.
const WIDE: usize = 16;
/// No more columns of narrow blocks than this: what a set of wide blocks leaves of them takes 16 MB.
const MOST_COLUMNS: usize = 1 << 11;
/// Numbers that are remembered before it starts anew.
const REMEMBERED: usize = 1 << 23;

/// What sets of wide blocks leave of the correlations of all narrow ones. The determinant of wide blocks W and narrow ones
/// N is |R_W| · |R_N − R_NW R_W⁻¹ R_WN|, and the second factor is as quick as if there were no wide blocks.
#[derive(Debug)]
pub(super) struct WideBlocks {
    is_wide: Vec<bool>,
    /// The place of each narrow column among the narrow ones.
    places: Vec<u32>,
    found: RwLock<FxHashMap<VariableSet, Arc<Left>>>,
}

/// What some wide blocks leave.
#[derive(Debug)]
pub(super) struct Left {
    /// The logarithm of the determinant of the wide blocks.
    pub(super) log: f64,
    /// The rest of the narrow columns: the lower triangle, row by row.
    lower: Vec<f64>,
}

impl WideBlocks {
    pub(super) fn of(data: &MixedData) -> Self {
        let p = data.n_variables() as Variable;
        let mut is_wide: Vec<bool> = (0..p).map(|x| data.width(x) >= WIDE).collect();
        let narrow = |is_wide: &[bool]| -> usize { (0..p).map(|x| narrow_width(data, is_wide, x)).sum() };
        if narrow(&is_wide) > MOST_COLUMNS {
            is_wide.fill(false);
        }
        let mut places = Vec::new();
        if is_wide.contains(&true) {
            places = vec![0; data.correlation().n_variables()];
            let columns = (0..p).filter(|&x| !is_wide[x as usize]).flat_map(|x| data.block(x));
            (0..).zip(columns).for_each(|(place, column)| places[column as usize] = place);
        }
        Self { is_wide, places, found: RwLock::default() }
    }

    pub(super) fn contains(&self, x: Variable) -> bool {
        self.is_wide[x as usize]
    }

    /// The wide ones of some variables.
    pub(super) fn among(&self, variables: &[Variable]) -> VariableSet {
        variables.iter().copied().filter(|&x| self.contains(x)).collect()
    }

    /// What a set of wide blocks leaves; `None` of the empty set, which leaves all.
    pub(super) fn left(&self, data: &MixedData, wide: &[Variable]) -> Option<Arc<Left>> {
        if wide.is_empty() {
            return None;
        }
        // Whatever a thread was at when it panicked, what is in the map is right.
        if let Some(known) = self.found.read().unwrap_or_else(PoisonError::into_inner).get(wide) {
            return Some(Arc::clone(known));
        }
        let left = Arc::new(self.eliminate(data, wide));
        let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
        if (found.len() + 1) * left.lower.len().max(1) > REMEMBERED {
            found.clear();
        }
        found.insert(VariableSet::from_slice(wide), Arc::clone(&left));
        Some(left)
    }

    fn eliminate(&self, data: &MixedData, wide: &[Variable]) -> Left {
        let mut factor = BlockFactor::default();
        let log = wide.iter().map(|&x| factor.push(data, x)).sum();
        let mut columns: Vec<Variable> = Vec::new();
        // What the wide columns explain of each narrow one, in coordinates in which they are uncorrelated.
        let mut explained: Vec<f64> = Vec::new();
        for x in (0..data.n_variables() as Variable).filter(|&x| !self.contains(x)) {
            factor.truncate(wide.len());
            factor.push(data, x);
            factor.of_last(|row| explained.extend_from_slice(row));
            columns.extend(data.block(x));
        }
        let length = wide.iter().map(|&x| data.width(x)).sum::<usize>().max(1);
        let rows: Vec<&[f64]> = explained.chunks_exact(length).collect();
        let mut lower = Vec::with_capacity(columns.len() * (columns.len() + 1) / 2);
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns[..=i].iter().enumerate() {
                let shared: f64 = rows[i].iter().zip(rows[j]).map(|(a, b)| a * b).sum();
                lower.push(data.correlation().get(a, b) - shared);
            }
        }
        Left { log, lower }
    }

    /// Appends the block of a narrow variable to a factor of narrow ones, given the wide ones that left these; returns the
    /// logarithm of the determinant of what is left of it.
    pub(super) fn push(&self, factor: &mut BlockFactor, data: &MixedData, left: Option<&Left>, x: Variable) -> f64 {
        match left {
            None => factor.push(data, x),
            Some(left) => factor.push_columns(data.block(x), |a, b| {
                let (a, b) = (self.places[a as usize] as usize, self.places[b as usize] as usize);
                let (low, high) = (a.min(b), a.max(b));
                left.lower[high * (high + 1) / 2 + low]
            }),
        }
    }
}

fn narrow_width(data: &MixedData, is_wide: &[bool], x: Variable) -> usize {
    if is_wide[x as usize] { 0 } else { data.width(x) }
}
