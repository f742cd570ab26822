//! Sums that one session worked out before, whatever its focus was.
//!
//! The searches around neighbouring variables ask for the sums of the same sets, long after the memo has moved on. A sum
//! takes microseconds, and looking it up here a tenth of one.

use super::FixedSum;
use super::memo::Key;

/// Slots: 16 MiB in all.
const SLOTS: usize = 1 << 19;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: Key,
    sum: FixedSum,
}

/// A table in which each set has one place, which the latest set takes.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// None until the first sum is put in. The key of the empty set marks an empty slot.
    slots: Vec<Slot>,
}

impl Past {
    /// F of a set that is not empty, if it is still there.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<FixedSum> {
        let slot = self.slots.get(key.hash() as usize % SLOTS)?;
        (slot.key == key).then_some(slot.sum)
    }

    pub(super) fn put(&mut self, key: Key, sum: FixedSum) {
        if self.slots.is_empty() {
            self.slots = vec![Slot { key: Key::default(), sum: FixedSum::default() }; SLOTS];
        }
        self.slots[key.hash() as usize % SLOTS] = Slot { key, sum };
    }
}

#[cfg(test)]
mod tests {
    use super::super::memo::KeyFormat;
    use super::*;

    #[test]
    fn a_sum_is_found_until_another_set_takes_its_place() {
        let format = KeyFormat::new(2000);
        let mut past = Past::default();
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
        // n sets thrown at random leave 1 − exp(−n / slots) of all slots taken.
        let expected = SLOTS as f64 * (1.0 - (-f64::from(n) / SLOTS as f64).exp());
        assert!((f64::from(found) / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }
}
