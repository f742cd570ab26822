//! One thread's access to the counting engine.

mod bounds;
mod cells;
mod elsewhere;
pub(super) mod information;
mod tables;
mod with_each;

use crate::counts::cache::memo::{Key, KeyFormat, Memo};
use crate::counts::cache::recent::RecentSums;
use crate::counts::extend::each::Candidates;
use crate::counts::fixed::Total;
use crate::counts::simd::Line;
use crate::counts::subsets::binary::BinaryScratch;
use crate::counts::subsets::target::AroundTarget;
use crate::counts::table::core::{MAX_SET, Set};
use crate::counts::table::strata::Strata;
use crate::counts::{CountingEngine, FixedSum, cost};
use crate::{Variable, VariableSet};

/// One thread's access to a [`CountingEngine`], with its scratch memory and its memo (at most about 32 MiB together
/// with the scratch memory, which is a few times the number of rows).
///
/// Results never depend on what the session did before.
#[derive(Debug)]
pub struct CountingSession<'e, 'd> {
    pub(crate) engine: &'e CountingEngine<'d>,
    pub(crate) format: KeyFormat,
    /// The largest set that goes through the memo.
    pub(crate) memo_size: usize,
    pub(crate) memo: Memo,
    recent: RecentSums,
    pub(crate) around: AroundTarget,
    pub(crate) candidates: Candidates,
    pub(crate) binary: BinaryScratch,
    pub(crate) scratch: Scratch,
}

/// The tables that a session has made, and its scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    memo: Memo,
    scratch: Scratch,
}

/// Memory that holds nothing from one call to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The cells of the table that was counted last.
    pub(crate) counts: Vec<u32>,
    margin: Vec<u32>,
    /// Further tables of [`row_scan`](crate::counts::table::row_scan).
    tables: Vec<u32>,
    lines: Vec<Line>,
    strata: Strata,
    codes: Vec<u64>,
    /// Positions of candidates whose sums are not known, and sums.
    missing: Vec<u32>,
    sums: Vec<FixedSum>,
    supports: [Vec<u32>; 2],
}

impl<'e, 'd> CountingSession<'e, 'd> {
    pub(crate) fn new(engine: &'e CountingEngine<'d>) -> Self {
        Self::with(engine, Remembered::default())
    }

    /// A session that goes on where another one of the same engine ended.
    pub(crate) fn with(engine: &'e CountingEngine<'d>, remembered: Remembered) -> Self {
        let format = KeyFormat::new(engine.shape().n_variables());
        let Remembered { memo, scratch } = remembered;
        Self {
            engine,
            format,
            memo_size: format.capacity().min(MAX_SET),
            memo,
            recent: RecentSums::default(),
            around: AroundTarget::default(),
            candidates: Candidates::default(),
            binary: BinaryScratch::default(),
            scratch,
        }
    }

    /// What another session may go on with.
    pub(crate) fn into_remembered(self) -> Remembered {
        Remembered { memo: self.memo, scratch: self.scratch }
    }

    /// The engine of this session.
    pub fn engine(&self) -> &'e CountingEngine<'d> {
        self.engine
    }

    /// Hints that the sums asked for next are of another neighbourhood, so that what was kept for the last one may be
    /// dropped. Never changes a result.
    pub fn next_neighbourhood(&mut self) {
        if self.engine.shape().n_rows() < cost::MANY_ROWS {
            self.memo.refocus();
        }
    }

    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing).
    pub fn sum_n_log_n(&mut self, variables: &[Variable]) -> FixedSum {
        debug_assert!(variables.windows(2).all(|w| w[0] < w[1]));
        match variables {
            [] => self.engine.total(),
            [x] => self.engine.single(*x),
            _ if variables.len() <= self.memo_size => match self.memo.sum(self.format.key(variables)) {
                Some(sum) => sum,
                None => self.new_sum(&Set::new(self.engine.shape(), self.format, variables)).0,
            },
            _ => self.sum_by_rows(variables),
        }
    }

    /// F of a set that is not known, and whether the counts of the scratch memory are its table, counted row by row.
    pub(crate) fn new_sum(&mut self, set: &Set) -> (FixedSum, bool) {
        let mut by_rows = false;
        let sum = if let Some(sum) = self.sum_of_table(set) {
            sum
        } else if let Some(sum) = self.engine.known_pair(set.variables()).or_else(|| self.past_sum(set)) {
            sum
        } else if let Some(sum) = self.sum_from_planes(set) {
            sum
        } else {
            by_rows = true;
            self.sum_by_rows(set.variables())
        };
        self.keep_sum(set.key, set.core(), sum);
        (sum, by_rows)
    }

    /// F of a set whose table is kept.
    pub(crate) fn sum_of_table<T: Total>(&self, set: &Set) -> Option<T> {
        let start = self.memo.table(set.key)? as usize;
        Some(T::of(self.engine.scale(), &self.memo.cells()[start..start + set.cells()]))
    }

    /// F of a set by a table made from bit planes, if that is fast.
    pub(crate) fn sum_from_planes<T: Total>(&mut self, set: &Set) -> Option<T> {
        if !self.pays_from_planes(set) {
            return None;
        }
        let start = self.make_table(set);
        let table = &self.memo.cells()[start as usize..start as usize + set.cells()];
        let sum = T::of(self.engine.scale(), table);
        if set.variables().len() < cost::TOP {
            self.memo.set_table(set.key, start);
        } else {
            self.memo.drop_newest(start);
        }
        Some(sum)
    }

    /// F of a set from before the memo was last emptied, or from another session.
    pub(crate) fn past_sum(&self, set: &Set) -> Option<FixedSum> {
        if set.core() < cost::CHEAP {
            return None;
        }
        self.recent.get(set.key).or_else(|| match *set.variables() {
            [x, y, z] => self.engine.rows()?.of_three([x, y, z]),
            _ => None,
        })
    }

    /// Puts down F of a set with a core of so many cells.
    pub(crate) fn keep_sum(&mut self, key: Key, core: usize, sum: FixedSum) {
        self.memo.set_sum(key, sum);
        if core >= cost::CHEAP {
            self.recent.put(key, sum);
        }
    }
}

/// A set in increasing order with one more variable.
pub(crate) fn joined(base: &[Variable], candidate: Variable) -> VariableSet {
    let mut set = VariableSet::from_slice(base);
    let at = base.partition_point(|&v| v < candidate);
    set.insert(at, candidate);
    set
}
