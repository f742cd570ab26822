//! What one session remembers: sums and dense tables of small sets of variables, within a bounded budget.

use crate::Variable;
use crate::counts::FixedSum;

/// Numbers of variables in increasing order, packed into one integer; the empty set is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Key(u128);

impl Key {
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) fn hash(self) -> u64 {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let mixed = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93 | 1);
        let mixed = (mixed as u64 ^ (mixed >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    }
}

/// How sets become keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyFormat {
    bits: u32,
}

impl KeyFormat {
    pub(crate) fn new(n_variables: usize) -> Self {
        // Variables are counted from 1 in keys, so that sets of different sizes differ.
        Self { bits: usize::BITS - n_variables.leading_zeros() }
    }

    /// The largest set that has a key.
    pub(crate) fn capacity(self) -> usize {
        (128 / self.bits) as usize
    }

    /// The key of a set of at most [`capacity`](Self::capacity) variables in increasing order.
    #[inline]
    pub(crate) fn key(self, variables: &[Variable]) -> Key {
        Key(variables.iter().rev().fold(0, |key, &variable| key << self.bits | (u128::from(variable) + 1)))
    }

    /// The key without the variable at a position.
    #[inline]
    pub(crate) fn without(self, key: Key, position: usize) -> Key {
        let below = self.bits * position as u32;
        let low = key.0 & ((1 << below) - 1);
        // Two shifts, since the last variable may end at bit 128.
        Key(((key.0 >> below) >> self.bits) << below | low)
    }
}

/// No table is kept.
const NO_TABLE: u32 = u32::MAX;

/// No sum is known: F is never negative.
const NO_SUM: i64 = -1;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: Key,
    sum: i64,
    table: u32,
    /// The slot is in use when this is the memo's generation.
    generation: u32,
}

const EMPTY: Slot = Slot { key: Key(0), sum: NO_SUM, table: NO_TABLE, generation: 0 };

/// Most slots: 4 MiB.
const MAX_SLOTS: usize = 1 << 17;

/// Most cells of all tables: 8 MiB.
const MAX_CELLS: usize = 1 << 21;

/// What may stay when the focus moves; more would no longer sit in a core's cache.
const KEPT_SLOTS: usize = 1 << 9;
const KEPT_CELLS: usize = 1 << 15;

/// A hash table with open addressing, emptied by counting generations.
#[derive(Debug)]
pub(crate) struct Memo {
    slots: Vec<Slot>,
    used: usize,
    generation: u32,
    cells: Vec<u32>,
}

impl Default for Memo {
    fn default() -> Self {
        Self { slots: vec![EMPTY; 1 << 8], used: 0, generation: 1, cells: Vec::new() }
    }
}

impl Memo {
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.cells.clear();
        if self.generation == u32::MAX {
            self.slots.fill(EMPTY);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Drops everything unless it is little.
    pub(crate) fn refocus(&mut self) {
        if self.used > KEPT_SLOTS || self.cells.len() > KEPT_CELLS {
            self.clear();
        }
    }

    /// Makes sure that `sets` sets with tables of `cells` cells in all can be added without dropping anything, by
    /// dropping everything now if need be. Whether that many cells can ever be kept.
    pub(crate) fn reserve(&mut self, sets: usize, cells: usize) -> bool {
        if cells > MAX_CELLS || sets > MAX_SLOTS / 4 {
            return false;
        }
        if self.used + sets > MAX_SLOTS / 2 || self.cells.len() + cells > MAX_CELLS {
            self.clear();
        }
        true
    }

    fn find(&self, key: Key) -> usize {
        let mut at = key.hash() as usize & (self.slots.len() - 1);
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    /// F of a set, when known.
    #[inline]
    pub(crate) fn sum(&self, key: Key) -> Option<FixedSum> {
        let slot = &self.slots[self.find(key)];
        (slot.generation == self.generation && slot.sum != NO_SUM).then_some(FixedSum(slot.sum))
    }

    /// Where the table of a set starts, when it is kept.
    #[inline]
    pub(crate) fn table(&self, key: Key) -> Option<u32> {
        let slot = &self.slots[self.find(key)];
        (slot.generation == self.generation && slot.table != NO_TABLE).then_some(slot.table)
    }

    pub(crate) fn set_sum(&mut self, key: Key, sum: FixedSum) {
        self.slot(key).sum = sum.0;
    }

    pub(crate) fn set_table(&mut self, key: Key, table: u32) {
        self.slot(key).table = table;
    }

    /// The cells of all tables.
    pub(crate) fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Room for a new table after all others: the others, where it starts and itself, zeroed.
    pub(crate) fn new_table(&mut self, cells: usize) -> (&[u32], u32, &mut [u32]) {
        let start = self.cells.len();
        self.cells.resize(start + cells, 0);
        let (others, table) = self.cells.split_at_mut(start);
        (others, start as u32, table)
    }

    /// Keeps the table of a set that was made elsewhere, where this leaves most of the room to others.
    pub(crate) fn offer_table(&mut self, key: Key, table: &[u32]) {
        if self.table(key).is_none() && self.used < MAX_SLOTS / 8 && self.cells.len() + table.len() < MAX_CELLS / 4 {
            let (_, start, kept) = self.new_table(table.len());
            kept.copy_from_slice(table);
            self.set_table(key, start);
        }
    }

    /// Gives back the room of the newest table, from where it starts.
    pub(crate) fn drop_newest(&mut self, start: u32) {
        self.cells.truncate(start as usize);
    }

    fn slot(&mut self, key: Key) -> &mut Slot {
        let mut at = self.find(key);
        if self.slots[at].generation != self.generation {
            if self.used >= self.slots.len() / 2 {
                if self.slots.len() < MAX_SLOTS {
                    self.grow();
                } else {
                    self.clear();
                }
                at = self.find(key);
            }
            self.used += 1;
            self.slots[at] = Slot { key, generation: self.generation, ..EMPTY };
        }
        &mut self.slots[at]
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.generation == self.generation) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lose_one_variable() {
        for p in [1, 2, 3, 1000, 65_535, 100_000] {
            let format = KeyFormat::new(p);
            let size = format.capacity().min(p);
            let set: Vec<Variable> = ((p - size) as Variable..p as Variable).collect();
            for position in 0..size {
                let mut without = set.clone();
                without.remove(position);
                assert_eq!(format.without(format.key(&set), position), format.key(&without));
            }
        }
    }

    #[test]
    fn what_was_put_in_is_found_until_dropped() {
        let format = KeyFormat::new(1000);
        let mut memo = Memo::default();
        for x in 0..1000 {
            let key = format.key(&[x]);
            assert_eq!((memo.sum(key), memo.table(key)), (None, None));
            memo.set_sum(key, FixedSum(i64::from(x)));
            if x % 2 == 0 {
                let (_, start, table) = memo.new_table(3);
                table.fill(x);
                memo.set_table(key, start);
            }
        }
        for x in 0..1000 {
            let key = format.key(&[x]);
            assert_eq!(memo.sum(key), Some(FixedSum(i64::from(x))));
            let table = memo.table(key).map(|start| memo.cells()[start as usize + 2]);
            assert_eq!(table, (x % 2 == 0).then_some(x));
        }
        memo.clear();
        assert_eq!(memo.sum(format.key(&[1])), None);
    }

    #[test]
    fn the_budget_holds() {
        let format = KeyFormat::new(10_000);
        let mut memo = Memo::default();
        for x in 0..500u32 {
            for y in 500..1000 {
                memo.set_sum(format.key(&[x, y]), FixedSum(1));
            }
        }
        assert!(memo.slots.len() <= MAX_SLOTS && memo.used <= MAX_SLOTS / 2);
        assert!(!memo.reserve(1, MAX_CELLS + 1));
        assert!(memo.reserve(1, MAX_CELLS));
        memo.new_table(MAX_CELLS);
        assert!(memo.reserve(1, 1));
        assert!(memo.cells().is_empty());
    }
}
