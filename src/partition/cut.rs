//! The cut of a dendrogram, and the merging of what it leaves too small.

use super::linkage::{Merge, average_linkage, condensed, n_items};
use crate::run::Run;
use crate::{Error, Result};

/// Clusters variables: the label of each, counted from 0 in the order of the lowest member.
///
/// `distances` are those of all pairs in condensed form (the upper triangle row by row). With `max_clusters` 1 all
/// labels are 0. Ties go to the lower variables.
///
/// # Errors
///
/// [`Error::Parameter`] when `max_clusters` is 0; [`Error::Data`] when a distance is not finite or their number is not
/// p (p − 1) / 2 for any p; [`Error::Interrupted`] when the run is cancelled.
///
/// # Examples
///
/// ```
/// use phgs::{partition::partition, run::Run};
/// // Variables 0–2 are close to each other, and so are 3–5.
/// let near = |x: usize, y: usize| if (x < 3) == (y < 3) { 0.2 } else { 0.9 };
/// let distances = (0..6).flat_map(|x| (x + 1..6).map(move |y| near(x, y))).collect();
/// assert_eq!(partition(distances, 20, &Run::new(1)?)?, [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn partition(distances: Vec<f64>, max_clusters: usize, run: &Run) -> Result<Vec<u32>> {
    if max_clusters == 0 {
        return Err(Error::parameter("max_clusters", "must be at least 1 (1 means no partition)"));
    }
    let n = n_items(&distances)?;
    let large = large_size(n, max_clusters);
    if max_clusters == 1 || n < 2 * large {
        return Ok(vec![0; n]);
    }
    let merges = average_linkage(distances.clone(), run)?;
    let n_clusters = best_cut(n, &merges, large, max_clusters);
    let labels = labels_at(n, &merges, n_clusters);
    if n_clusters == 1 {
        return Ok(labels);
    }
    merge_small(&distances, labels, n_clusters, large, max_clusters, run)
}

/// Members that make a cluster large.
fn large_size(n: usize, max_clusters: usize) -> usize {
    n.div_ceil(max_clusters.max(20)).max(3)
}

/// The least number of clusters of a cut with the most large clusters, of which at most `max_clusters`.
fn best_cut(n: usize, merges: &[Merge], large: usize, max_clusters: usize) -> usize {
    let size = |cluster: u32| if (cluster as usize) < n { 1 } else { merges[cluster as usize - n].size as usize };
    let is_large = |cluster: u32| usize::from(size(cluster) >= large);
    // From one cluster down, each step undoes one merge. The count of large clusters changes by at most one.
    let (mut count, mut most, mut best) = (usize::from(n >= large), usize::from(n >= large), 1);
    for (undone, merge) in merges.iter().rev().enumerate() {
        count = count + is_large(merge.first) + is_large(merge.second) - usize::from(merge.size as usize >= large);
        if count > most && count <= max_clusters {
            (most, best) = (count, undone + 2);
        }
    }
    best
}

/// Labels of the cut into `n_clusters`, in the order of the lowest member.
fn labels_at(n: usize, merges: &[Merge], n_clusters: usize) -> Vec<u32> {
    let kept = n - n_clusters;
    let mut parent: Vec<usize> = (0..n + kept).collect();
    for (i, merge) in merges[..kept].iter().enumerate() {
        parent[merge.first as usize] = n + i;
        parent[merge.second as usize] = n + i;
    }
    // Parents have higher numbers, so one pass from the top finds all roots.
    for cluster in (0..n + kept).rev() {
        parent[cluster] = parent[parent[cluster]];
    }
    number(&parent[..n])
}

/// Numbers labels by first appearance.
fn number(labels: &[usize]) -> Vec<u32> {
    let mut new = vec![u32::MAX; labels.iter().max().map_or(0, |&m| m + 1)];
    let mut next = 0;
    labels
        .iter()
        .map(|&label| {
            if new[label] == u32::MAX {
                new[label] = next;
                next += 1;
            }
            new[label]
        })
        .collect()
}

/// Average distances between clusters, kept up to date while clusters merge.
struct Clusters {
    n: usize,
    large: usize,
    distance: Vec<f64>,
    size: Vec<usize>,
    alive: Vec<bool>,
    /// The closest cluster that each may merge with, and its distance.
    nearest: Vec<Option<(f64, usize)>>,
}

impl Clusters {
    fn between(&self, a: usize, b: usize) -> f64 {
        self.distance[condensed(self.n, a.min(b), a.max(b))]
    }

    fn is_small(&self, cluster: usize) -> bool {
        self.size[cluster] < self.large
    }

    fn may_merge(&self, a: usize, b: usize) -> bool {
        a != b && self.alive[a] && self.alive[b] && (self.is_small(a) || self.is_small(b))
    }

    fn find_nearest(&mut self, a: usize) {
        let mut nearest: Option<(f64, usize)> = None;
        for b in (0..self.n).filter(|&b| self.may_merge(a, b)) {
            let distance = self.between(a, b);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, b));
            }
        }
        self.nearest[a] = nearest;
    }

    /// Merges the cluster `gone` into `kept`.
    fn merge(&mut self, kept: usize, gone: usize) {
        let (weight_kept, weight_gone) = (self.size[kept] as f64, self.size[gone] as f64);
        self.alive[gone] = false;
        for other in (0..self.n).filter(|&other| self.alive[other] && other != kept) {
            let from_gone = self.between(gone, other);
            let to_kept = &mut self.distance[condensed(self.n, kept.min(other), kept.max(other))];
            *to_kept = (weight_kept * *to_kept + weight_gone * from_gone) / (weight_kept + weight_gone);
        }
        self.size[kept] += self.size[gone];
        for a in 0..self.n {
            if !self.alive[a] {
                continue;
            }
            let stale = self.nearest[a].is_some_and(|(_, b)| b == kept || b == gone);
            if a == kept || stale {
                self.find_nearest(a);
            } else if self.may_merge(a, kept) {
                let distance = self.between(a, kept);
                if self.nearest[a].is_none_or(|(least, b)| (distance, kept) < (least, b)) {
                    self.nearest[a] = Some((distance, kept));
                }
            }
        }
    }
}

/// Merges the closest pair of clusters of which at least one is small, until all are large; then, should there be more
/// than `max_clusters`, the closest pair of all.
fn merge_small(
    distances: &[f64],
    labels: Vec<u32>,
    k: usize,
    large: usize,
    max_clusters: usize,
    run: &Run,
) -> Result<Vec<u32>> {
    let n = labels.len();
    let mut size = vec![0usize; k];
    for &label in &labels {
        size[label as usize] += 1;
    }
    let mut distance = vec![0.0; k * (k - 1) / 2];
    let mut pairs = distances.iter();
    for x in 0..n {
        run.check()?;
        let a = labels[x] as usize;
        for (&label, &d) in labels[x + 1..].iter().zip(&mut pairs) {
            let b = label as usize;
            if a != b {
                distance[condensed(k, a.min(b), a.max(b))] += d;
            }
        }
    }
    for a in 0..k {
        for b in a + 1..k {
            distance[condensed(k, a, b)] /= (size[a] * size[b]) as f64;
        }
    }
    let mut clusters = Clusters { n: k, large, distance, size, alive: vec![true; k], nearest: vec![None; k] };
    for a in 0..k {
        clusters.find_nearest(a);
    }
    let mut into: Vec<usize> = (0..k).collect();
    loop {
        run.check()?;
        let alive: Vec<usize> = (0..k).filter(|&a| clusters.alive[a]).collect();
        if alive.iter().all(|&a| clusters.size[a] >= large) {
            if alive.len() <= max_clusters {
                break;
            }
            if clusters.large == large {
                // Small clusters have made more large ones than are allowed: from here on any pair may merge.
                clusters.large = usize::MAX;
                alive.iter().for_each(|&a| clusters.find_nearest(a));
            }
        }
        let closest = (0..k)
            .filter(|&a| clusters.alive[a])
            .filter_map(|a| clusters.nearest[a].map(|(d, b)| (d, a, b)))
            .reduce(|best, pair| if pair.0 < best.0 { pair } else { best });
        // A small cluster is alone only when it holds every variable.
        let Some((_, a, b)) = closest else { break };
        let (kept, gone) = (a.min(b), a.max(b));
        clusters.merge(kept, gone);
        into[gone] = kept;
    }
    let final_labels: Vec<usize> = labels
        .iter()
        .map(|&label| {
            let mut cluster = label as usize;
            while into[cluster] != cluster {
                cluster = into[cluster];
            }
            cluster
        })
        .collect();
    Ok(number(&final_labels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run() -> Run {
        Run::new(1).unwrap()
    }

    fn from(n: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..n).flat_map(|x| (x + 1..n).map(move |y| (x, y))).map(|(x, y)| distance(x, y)).collect()
    }

    #[test]
    fn small_clusters_join_the_closest() {
        // Two groups of three; 6 is near the second, 7 nearest to 6.
        let distances = from(8, |x, y| match (x, y) {
            (0..3, 0..3) | (3..6, 3..6) => 0.1,
            (0..3, 3..6) => 0.9,
            (0..3, _) => 0.8,
            (3..6, _) => 0.6,
            _ => 0.5,
        });
        assert_eq!(partition(distances.clone(), 20, &run()).unwrap(), [0, 0, 0, 1, 1, 1, 1, 1]);
        assert_eq!(partition(distances, 1, &run()).unwrap(), [0; 8]);
    }

    #[test]
    fn two_small_clusters_may_become_a_large_one() {
        // Groups of 3, 3, 2, 2: the two pairs are closer to each other than to a large group.
        let group = |x: usize| [0, 0, 0, 1, 1, 1, 2, 2, 3, 3][x];
        let distances = from(10, |x, y| match (group(x), group(y)) {
            (a, b) if a == b => 0.1,
            (2, 3) => 0.5,
            _ => 0.9,
        });
        assert_eq!(partition(distances, 20, &run()).unwrap(), [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn the_highest_of_equal_cuts_is_taken() {
        // Three variables cannot make two large clusters.
        assert_eq!(partition(vec![0.1, 0.9, 0.9], 20, &run()).unwrap(), [0; 3]);
        assert_eq!(best_cut(3, &average_linkage(vec![0.1, 0.9, 0.9], &run()).unwrap(), 3, 20), 1);
    }

    #[test]
    fn small_clusters_do_not_make_too_many_large_ones() {
        // Two large groups, and two pairs that join each other: three large clusters, of which two are allowed.
        let group = |x: usize| [0, 0, 0, 1, 1, 1, 2, 2, 3, 3][x];
        let distances = from(10, |x, y| match (group(x), group(y)) {
            (a, b) if a == b => 0.1,
            (2, 3) => 0.5,
            (1, _) => 0.8,
            _ => 0.9,
        });
        let labels = vec![0, 0, 0, 1, 1, 1, 2, 2, 3, 3];
        let merged = |k| merge_small(&distances, labels.clone(), 4, 3, k, &run()).unwrap();
        assert_eq!(merged(3), [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(merged(2), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn limits() {
        assert_eq!(partition(vec![], 20, &run()).unwrap(), [0]);
        assert!(partition(vec![0.5], 0, &run()).is_err());
        let distances = from(40, |x, y| if x / 4 == y / 4 { 0.1 } else { 0.9 });
        let count = |k| partition(distances.clone(), k, &run()).unwrap().into_iter().max().unwrap() + 1;
        assert_eq!((count(20), count(10), count(4), count(2)), (10, 10, 4, 2));
    }

    proptest! {
        #[test]
        fn every_cluster_is_large_and_labels_are_in_order(
            (n, k, distances) in (1usize..40, 1usize..25)
                .prop_flat_map(|(n, k)| (Just(n), Just(k), prop::collection::vec(0.0f64..1.0, n * (n - 1) / 2)))
        ) {
            let labels = partition(distances, k, &run()).unwrap();
            let n_clusters = labels.iter().max().unwrap() + 1;
            prop_assert!(n_clusters as usize <= k);
            let mut seen = 0;
            for &label in &labels {
                prop_assert!(label <= seen);
                seen = seen.max(label + 1);
            }
            for cluster in 0..n_clusters {
                let size = labels.iter().filter(|&&label| label == cluster).count();
                prop_assert!(size >= large_size(n, k) || n_clusters == 1);
            }
        }
    }
}
