//! Sums that one session worked out before, whatever its focus was.
//!
//! The searches around neighbouring variables ask for the sums of the same sets, long after the memo has moved on. A sum
//! takes microseconds, and looking it up here a tenth of one.

use crate::counts::FixedSum;
use crate::counts::cache::memo::Key;

/// Most slots: 16 MiB in all.
const MAX_SLOTS: usize = 1 << 19;

/// Slots at first.
const MIN_SLOTS: usize = 1 << 10;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: Key,
    sum: FixedSum,
}

/// The key of the empty set marks an empty slot.
const EMPTY: Slot = Slot { key: Key::EMPTY, sum: FixedSum(0) };

/// A table in which each set has one place, which the latest set takes. It grows with the sums that are put in.
#[derive(Debug, Default)]
pub(crate) struct RecentSums {
    /// None, or a power of two.
    slots: Vec<Slot>,
    puts: usize,
}

impl RecentSums {
    #[inline]
    fn place(&self, key: Key) -> usize {
        key.hash() as usize & self.slots.len().wrapping_sub(1)
    }

    /// F of a set that is not empty, if it is still there.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<FixedSum> {
        let slot = self.slots.get(self.place(key))?;
        (slot.key == key).then_some(slot.sum)
    }

    pub(crate) fn put(&mut self, key: Key, sum: FixedSum) {
        if self.puts >= self.slots.len() && self.slots.len() < MAX_SLOTS {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![EMPTY; (4 * old.len()).clamp(MIN_SLOTS, MAX_SLOTS)];
            for slot in old.into_iter().filter(|slot| slot.key != Key::EMPTY) {
                let place = self.place(slot.key);
                self.slots[place] = slot;
            }
        }
        self.puts += 1;
        let place = self.place(key);
        self.slots[place] = Slot { key, sum };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::cache::memo::KeyFormat;

    #[test]
    fn a_sum_is_found_until_another_set_takes_its_place() {
        let format = KeyFormat::new(2000);
        let mut past = RecentSums::default();
        assert_eq!(past.get(format.key(&[1, 2, 3])), None);
        let sets = || (0..1000u32).flat_map(|x| (1000..1800u32).map(move |y| [x, y, 1999]));
        let (mut found, mut n) = (0, 0);
        for (i, set) in sets().enumerate() {
            past.put(format.key(&set), FixedSum(i as i64));
            assert_eq!(past.get(format.key(&set)), Some(FixedSum(i as i64)));
        }
        for (i, set) in sets().enumerate() {
            n += 1;
            if let Some(sum) = past.get(format.key(&set)) {
                assert_eq!(sum, FixedSum(i as i64));
                found += 1;
            }
        }
        // Of all slots, k sets thrown at random take a share of 1 − exp(−k / slots) from those that were there.
        let (mut expected, mut before, mut slots) = (0.0, 0.0, MIN_SLOTS as f64);
        while before < f64::from(n) {
            let until = if slots < MAX_SLOTS as f64 { slots } else { f64::from(n) };
            let left = (-(until - before) / slots).exp();
            expected = expected * left + slots * (1.0 - left);
            (before, slots) = (until, (4.0 * slots).min(MAX_SLOTS as f64));
        }
        assert!((f64::from(found) / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
}
