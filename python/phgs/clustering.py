"""The partition of variables into clusters, for partitioned PC.

Average linkage of the distances between variables, then the cut of Huang and Zhou, *Partitioned Hybrid Learning of
Bayesian Network Structures*, section 3.1.1 (after algorithm 1 of Gu and Zhou 2020). The paper's κ is the number of
clusters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from phgs.linkage import average_linkage, no_check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["partition", "set_apart"]


def partition(
    distances: NDArray[np.float64], max_clusters: int = 20, check: Callable[[], None] = no_check
) -> NDArray[np.uint32]:
    """Cluster variables by the distances between them.

    A cluster is *large* when it has at least ``max(3, ceil(p * min(0.05, 1 / max_clusters)))`` members. The dendrogram
    of average linkage is cut where the number of large clusters is highest (never above ``max_clusters``), as near
    the root as possible. Then the two closest clusters of which at least one is small are merged, again and again,
    until all are large; should there then be more than ``max_clusters``, closest pairs are merged until there are not.
    Ties go to the clusters with the lower members.

    Parameters
    ----------
    distances
        Distances of all pairs, the upper triangle row by row: length p (p − 1) / 2.
    max_clusters
        The most clusters; 1 means no partition.
    check
        Called again and again meanwhile; what it raises ends the work.

    Returns
    -------
    labels
        Cluster of each of the p variables, counted from 0 in the order of their lowest members.

    Examples
    --------
    >>> import numpy as np
    >>> near = lambda x, y: 0.2 if (x < 3) == (y < 3) else 0.9
    >>> distances = np.array([near(x, y) for x in range(6) for y in range(x + 1, 6)])
    >>> partition(distances).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    p = _n_items(len(distances))
    large = max(3, math.ceil(p * min(0.05, 1 / max_clusters)))
    if max_clusters == 1 or p < 2 * large:
        return np.zeros(p, dtype=np.uint32)
    merges = average_linkage(distances, check)
    labels = _labels_at(merges, _best_cut(merges, large, max_clusters))
    labels = _merge_small(distances, labels, large, check)
    # Small clusters that joined may have made more large ones than are allowed.
    while labels.max() >= max_clusters:
        labels = _merge_closest(distances, labels, check)
    return labels.astype(np.uint32)


def set_apart(distances: NDArray[np.float64], isolated: Sequence[int]) -> NDArray[np.float64]:
    """Put variables as far from all others as can be, so that they do not shape the partition of the others.

    Parameters
    ----------
    distances
        Distances of all pairs in [0, 1], the upper triangle row by row; left as they are.
    isolated
        Variables, such as identifiers, whose mutual informations mean nothing.
    """
    if not isolated:
        return distances
    p = _n_items(len(distances))
    apart: NDArray[np.float64] = distances.copy()
    others = np.arange(p)
    for x in isolated:
        low, high = np.minimum(others, x), np.maximum(others, x)
        places = low * (2 * p - low - 1) // 2 + high - low - 1
        apart[places[others != x]] = 1.0
    return apart


def _n_items(n_pairs: int) -> int:
    p = round((1 + math.sqrt(1 + 8 * n_pairs)) / 2)
    if p * (p - 1) // 2 != n_pairs:
        raise ValueError(f"distances: {n_pairs} values are not those of all pairs of any number of variables")
    return p


def _best_cut(merges: NDArray[np.float64], large: int, max_clusters: int) -> int:
    """Number of clusters of the highest cut that has the most large clusters."""
    p = len(merges) + 1
    sizes = np.concatenate([np.ones(p), merges[:, 3]])
    best, best_count, count = 1, 1, 1
    # Undo the merges from the root: i clusters are there after i − 1 of them.
    for i, (first, second) in enumerate(merges[::-1, :2].astype(np.intp), start=2):
        count += int(sizes[first] >= large) + int(sizes[second] >= large) - int(sizes[2 * p - i] >= large)
        if count == 0 or count > max_clusters:
            break
        if count > best_count:
            best, best_count = i, count
    return best


def _labels_at(merges: NDArray[np.float64], n_clusters: int) -> NDArray[np.intp]:
    """Cluster of each item when the dendrogram is cut into so many, in the order of lowest members."""
    p = len(merges) + 1
    parent = np.arange(2 * p - 1)
    for i in range(p - n_clusters):
        parent[merges[i, :2].astype(np.intp)] = p + i
    # Merges come after what they merge: from the last to the first, each takes the root of its parent.
    root = np.arange(2 * p - 1)
    for node in range(2 * p - 2, -1, -1):
        root[node] = root[parent[node]] if parent[node] != node else node
    return _in_order(root[:p])


def _in_order(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _merge_small(
    distances: NDArray[np.float64], labels: NDArray[np.intp], large: int, check: Callable[[], None]
) -> NDArray[np.intp]:
    """Merge the closest pair of clusters of which one is small, until none is."""
    sums, sizes = _sums_between(distances, labels, check)
    k = len(sizes)
    members = np.arange(k)  # the cluster that each initial cluster is in now
    with np.errstate(invalid="ignore"):
        average = sums / np.outer(sizes, sizes)
    np.fill_diagonal(average, np.inf)
    small = sizes < large
    average[np.ix_(~small, ~small)] = np.inf
    nearest = average.argmin(axis=1)
    rows = np.arange(k)
    while small.any():
        check()
        to = int(average[rows, nearest].argmin())
        to, gone = sorted((to, int(nearest[to])))
        members[members == gone] = to
        sums[to] += sums[gone]
        sums[:, to] += sums[:, gone]
        sizes[to] += sizes[gone]
        small[to], small[gone] = sizes[to] < large, False
        average[gone], average[:, gone] = np.inf, np.inf
        alive = sizes > 0
        alive[gone], sizes[gone] = False, 0
        row = np.full(k, np.inf)
        others = alive & (small | small[to])
        others[to] = False
        row[others] = sums[to, others] / (sizes[to] * sizes[others])
        average[to], average[:, to] = row, row
        stale = (nearest == gone) | (nearest == to) | (row < average[rows, nearest])
        stale[to] = True
        nearest[stale] = average[stale].argmin(axis=1)
    return _in_order(members[labels])


def _merge_closest(
    distances: NDArray[np.float64], labels: NDArray[np.intp], check: Callable[[], None]
) -> NDArray[np.intp]:
    """Merge the closest pair of clusters."""
    sums, sizes = _sums_between(distances, labels, check)
    average = sums / np.outer(sizes, sizes)
    np.fill_diagonal(average, np.inf)
    to, gone = sorted(np.unravel_index(average.argmin(), average.shape))
    return _in_order(np.where(labels == gone, to, labels))


def _sums_between(
    distances: NDArray[np.float64], labels: NDArray[np.intp], check: Callable[[], None]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of the distances between clusters, and the sizes of the clusters.

    Row by row of the condensed form, so that no square matrix over the variables is made.
    """
    p, k = len(labels), int(labels.max()) + 1
    sums = np.zeros((k, k))
    start = 0
    for x in range(p - 1):
        check()
        row = distances[start : start + p - 1 - x]
        sums[labels[x]] += np.bincount(labels[x + 1 :], weights=row, minlength=k)
        start += p - 1 - x
    sums += sums.T
    return sums, np.bincount(labels, minlength=k).astype(np.float64)
