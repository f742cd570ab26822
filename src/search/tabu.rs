//! The tabu list: structures visited lately.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// The hashes of the last `length` structures.
#[derive(Debug, Clone)]
pub(super) struct TabuList {
    length: usize,
    order: VecDeque<u128>,
    listed: FxHashMap<u128, u32>,
}

impl TabuList {
    pub(super) fn new(length: usize) -> Self {
        Self { length, order: VecDeque::new(), listed: FxHashMap::default() }
    }

    pub(super) fn push(&mut self, hash: u128) {
        if self.length == 0 {
            return;
        }
        if self.order.len() == self.length
            && let Some(oldest) = self.order.pop_front()
            && let Some(times) = self.listed.get_mut(&oldest)
        {
            *times -= 1;
            if *times == 0 {
                self.listed.remove(&oldest);
            }
        }
        self.order.push_back(hash);
        *self.listed.entry(hash).or_default() += 1;
    }

    pub(super) fn contains(&self, hash: u128) -> bool {
        self.listed.contains_key(&hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_last_ones() {
        let mut list = TabuList::new(2);
        for hash in [1, 2, 2, 3] {
            list.push(hash);
        }
        assert!(!list.contains(1) && list.contains(2) && list.contains(3));
        list.push(4);
        assert!(!list.contains(2));
        let mut none = TabuList::new(0);
        none.push(1);
        assert!(!none.contains(1));
    }
}
