//! Counting how often links between two layers cross.

/// Number of pairs that are out of order: `ends[i] > ends[j]` for i < j, by more than `tolerance`.
///
/// A tree of counts (Fenwick 1994; Barth, Mutzel and Jünger 2004), so that n ends take n log n.
pub fn count_crossings(ends: &[f64], tolerance: f64) -> u64 {
    let mut sorted = ends.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut tree = vec![0_u32; sorted.len() + 1];
    let mut count = 0;
    for (seen, &end) in ends.iter().enumerate() {
        // Those seen that lie at most at end + tolerance.
        let mut at = sorted.partition_point(|&x| x <= end + tolerance);
        let mut not_above = 0_u64;
        while at > 0 {
            not_above += u64::from(tree[at]);
            at &= at - 1;
        }
        count += seen as u64 - not_above;
        let mut at = sorted.partition_point(|&x| x < end) + 1;
        while at < tree.len() {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::count_crossings;

    proptest! {
        #[test]
        fn is_the_number_of_inversions(ends in prop::collection::vec(0_i32..20, 0..60)) {
            let ends: Vec<f64> = ends.into_iter().map(f64::from).collect();
            let slow = (0..ends.len()).map(|i| ends[..i].iter().filter(|&&x| x > ends[i] + 1e-9).count() as u64).sum::<u64>();
            prop_assert_eq!(count_crossings(&ends, 1e-9), slow);
        }
    }
}
