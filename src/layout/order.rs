//! An order of the nodes in which arcs go forward.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Orders nodes so that arcs go forward and nodes that are joined stay near.
///
/// Among the nodes whose parents all have their place, the one with the most placed neighbours comes next, then the one
/// with the most neighbours, then the first. Where a cycle leaves no such node it is broken at its first node.
pub fn downward_order(n: usize, arcs: &[(u32, u32)], edges: &[(u32, u32)]) -> Vec<u32> {
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut waiting_for = vec![0_u32; n];
    for &(a, b) in arcs {
        children[a as usize].push(b);
        waiting_for[b as usize] += 1;
    }
    for &(a, b) in arcs.iter().chain(edges) {
        near[a as usize].push(b);
        near[b as usize].push(a);
    }
    let mut placed_near = vec![0_u32; n];
    let key = |x: usize, placed_near: &[u32]| (Reverse(placed_near[x]), Reverse(near[x].len()), x);
    let mut left: BTreeSet<usize> = (0..n).collect();
    let mut free: BTreeSet<_> = (0..n).filter(|&x| waiting_for[x] == 0).map(|x| key(x, &placed_near)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(&first) = left.first() {
        let next = free.first().map_or(first, |&(_, _, x)| x);
        free.remove(&key(next, &placed_near));
        left.remove(&next);
        order.push(next as u32);
        for &other in &near[next] {
            let other = other as usize;
            let was_free = free.remove(&key(other, &placed_near));
            placed_near[other] += 1;
            if was_free {
                free.insert(key(other, &placed_near));
            }
        }
        for &child in &children[next] {
            let child = child as usize;
            waiting_for[child] -= 1;
            if waiting_for[child] == 0 && left.contains(&child) {
                free.insert(key(child, &placed_near));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::downward_order;

    #[test]
    fn arcs_go_forward_and_a_cycle_is_broken_at_its_first_node() {
        let order = downward_order(5, &[(4, 0), (0, 1), (3, 1)], &[(1, 2)]);
        let rank = |x: u32| order.iter().position(|&y| y == x);
        assert!(rank(4) < rank(0) && rank(0) < rank(1) && rank(3) < rank(1));
        assert_eq!(order.len(), 5);
        assert_eq!(downward_order(3, &[(1, 2), (2, 0), (0, 1)], &[]), [0, 1, 2]);
    }
}
