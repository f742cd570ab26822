//! Average linkage by the nearest-neighbour chain.

use crate::run::Run;
use crate::{Error, Result};

/// One merge of a dendrogram. Clusters 0..p are the single variables; merge `i` makes cluster p + i.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    /// The lower cluster.
    pub first: u32,
    /// The higher cluster.
    pub second: u32,
    /// Average distance between their members.
    pub distance: f64,
    /// Number of members of the new cluster.
    pub size: u32,
}

/// Position of the pair (x, y), x < y, in the condensed form: the upper triangle row by row.
pub(super) fn condensed(n: usize, x: usize, y: usize) -> usize {
    debug_assert!(x < y && y < n);
    x * (2 * n - x - 1) / 2 + y - x - 1
}

/// Number of items of a condensed distance matrix.
pub(super) fn n_items(distances: &[f64]) -> Result<usize> {
    let n = (1.0 + (1.0 + 8.0 * distances.len() as f64).sqrt()) / 2.0;
    let n = n.round() as usize;
    if n * (n - 1) / 2 != distances.len() {
        return Err(Error::Data(format!("{} distances are not those of all pairs", distances.len())));
    }
    if let Some(bad) = distances.iter().find(|d| !d.is_finite()) {
        return Err(Error::Data(format!("a distance is {bad}")));
    }
    Ok(n)
}

/// The dendrogram of average linkage, as merges by increasing distance: O(p²) time, in the memory of `distances`.
///
/// `distances` are those of all pairs in condensed form and are overwritten. Ties go to the lower item; merges of equal
/// distance keep the order in which the chain found them.
///
/// # Errors
///
/// [`Error::Data`] when a distance is not finite or their number is not p (p − 1) / 2 for any p;
/// [`Error::Interrupted`] when the run is cancelled.
///
/// # Examples
///
/// ```
/// use phgs::{partition::average_linkage, run::Run};
/// let merges = average_linkage(vec![1.0, 4.0, 6.0], &Run::new(1)?)?; // pairs (0, 1), (0, 2), (1, 2)
/// assert_eq!((merges[0].first, merges[0].second), (0, 1));
/// assert_eq!((merges[1].distance, merges[1].size), (5.0, 3));
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn average_linkage(mut distances: Vec<f64>, run: &Run) -> Result<Vec<Merge>> {
    let n = n_items(&distances)?;
    let d = &mut distances;
    let mut size = vec![1u32; n];
    // Items still alive, in increasing order, so that scans touch nothing else.
    let mut alive: Vec<usize> = (0..n).collect();
    let mut chain: Vec<usize> = Vec::with_capacity(n);
    // (item, item, distance); the merged cluster lives on in the higher item.
    let mut found: Vec<(usize, usize, f64)> = Vec::with_capacity(n.saturating_sub(1));
    while found.len() + 1 < n {
        run.check()?;
        if chain.is_empty() {
            chain.push(alive[0]);
        }
        let (x, y, distance) = loop {
            let x = chain[chain.len() - 1];
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            // The predecessor wins ties, or the chain would not end.
            let (mut y, mut least) = match before {
                Some(before) => (before, d[condensed(n, x.min(before), x.max(before))]),
                None => (usize::MAX, f64::INFINITY),
            };
            for &i in &alive {
                if i != x {
                    let distance = d[if i < x { condensed(n, i, x) } else { condensed(n, x, i) }];
                    if distance < least {
                        (y, least) = (i, distance);
                    }
                }
            }
            if before == Some(y) {
                break (x.min(y), x.max(y), least);
            }
            chain.push(y);
        };
        chain.truncate(chain.len() - 2);
        let (weight_x, weight_y) = (f64::from(size[x]), f64::from(size[y]));
        let at = alive.binary_search(&x).expect("an item of the chain is alive");
        alive.remove(at);
        for &i in &alive {
            if i != y {
                let from_x = d[condensed(n, i.min(x), i.max(x))];
                let to_y = &mut d[condensed(n, i.min(y), i.max(y))];
                *to_y = (weight_x * from_x + weight_y * *to_y) / (weight_x + weight_y);
            }
        }
        size[y] += size[x];
        found.push((x, y, distance));
    }
    Ok(in_order(n, found))
}

/// Sorts merges by distance and numbers the clusters.
fn in_order(n: usize, mut found: Vec<(usize, usize, f64)>) -> Vec<Merge> {
    found.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut root: Vec<u32> = (0..2 * n as u32).collect();
    let mut size = vec![1u32; 2 * n];
    let find = |root: &mut Vec<u32>, mut item: u32| {
        while root[item as usize] != item {
            root[item as usize] = root[root[item as usize] as usize];
            item = root[item as usize];
        }
        item
    };
    found
        .into_iter()
        .enumerate()
        .map(|(i, (x, y, distance))| {
            let (x, y) = (find(&mut root, x as u32), find(&mut root, y as u32));
            let new = n + i;
            root[x as usize] = new as u32;
            root[y as usize] = new as u32;
            size[new] = size[x as usize] + size[y as usize];
            Merge { first: x.min(y), second: x.max(y), distance, size: size[new] }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Average linkage by its definition: the closest pair of clusters, averages over members.
    fn plain(distances: &[f64], n: usize) -> Vec<(f64, Vec<usize>)> {
        let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        let mut merges = Vec::new();
        while clusters.len() > 1 {
            let mut best = (f64::INFINITY, 0, 0);
            for a in 0..clusters.len() {
                for b in a + 1..clusters.len() {
                    let pairs = clusters[a].iter().flat_map(|&x| clusters[b].iter().map(move |&y| (x, y)));
                    let sum: f64 = pairs.map(|(x, y)| distances[condensed(n, x.min(y), x.max(y))]).sum();
                    let mean = sum / (clusters[a].len() * clusters[b].len()) as f64;
                    if mean < best.0 {
                        best = (mean, a, b);
                    }
                }
            }
            let mut joined = clusters.remove(best.2);
            joined.append(&mut clusters.remove(best.1));
            joined.sort_unstable();
            merges.push((best.0, joined.clone()));
            clusters.push(joined);
        }
        merges
    }

    proptest! {
        #[test]
        fn merges_are_those_of_the_definition(
            (n, distances) in (2usize..14).prop_flat_map(|n| (Just(n), prop::collection::vec(0.0f64..1.0, n * (n - 1) / 2)))
        ) {
            let merges = average_linkage(distances.clone(), &Run::new(1).unwrap()).unwrap();
            let mut members: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
            for (merge, (distance, expected)) in merges.iter().zip(plain(&distances, n)) {
                let mut joined = members[merge.first as usize].clone();
                joined.extend(&members[merge.second as usize]);
                joined.sort_unstable();
                prop_assert!((merge.distance - distance).abs() < 1e-12);
                prop_assert_eq!(joined.len(), merge.size as usize);
                prop_assert_eq!(&joined, &expected);
                members.push(joined);
            }
        }
    }

    #[test]
    fn no_pairs_and_ties() {
        let run = Run::new(1).unwrap();
        assert!(average_linkage(vec![], &run).unwrap().is_empty());
        assert_eq!(average_linkage(vec![1.0; 45], &run).unwrap().len(), 9);
        assert!(average_linkage(vec![1.0; 4], &run).is_err());
        assert!(average_linkage(vec![f64::NAN], &run).is_err());
    }
}
