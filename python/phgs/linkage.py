"""Average linkage: scipy's, and for few and for very many variables the same algorithm row by row, with numpy.

Loading scipy takes longer than all else that a first graph of a small table needs. And its linkage is one call into
compiled code that holds the interpreter: at 10,000 variables a signal waits for seconds. The result is the same to
the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["average_linkage", "no_check"]

_SCIPY_FROM = 101
"""Below so many items the algorithm here takes three milliseconds at most, and loading scipy a third of a second."""

_SCIPY_UP_TO = 3000
"""Up to so many items scipy takes a fifth of a second at most; above, the algorithm here takes about as long."""

_SCIPY_UP_TO_IF_CHECKED = 1000
"""The same where somebody wants to be asked meanwhile, as under a time limit on a busy machine."""


def no_check() -> None:
    """Let all go on."""


def average_linkage(distances: NDArray[np.float64], check: Callable[[], None] = no_check) -> NDArray[np.float64]:
    """Return the merges of average linkage as scipy does.

    Parameters
    ----------
    distances
        Distances of all pairs, the upper triangle row by row: length p (p − 1) / 2; left as they are.
    check
        Called before each merge here (scipy makes all at once); what it raises ends the work.

    Returns
    -------
    merges
        The p − 1 merges by increasing distance, in the form of `scipy.cluster.hierarchy.linkage`: the two clusters
        (p + i is what merge i made), their distance, the size of the new cluster.
    """
    p = round((1 + (1 + 8 * len(distances)) ** 0.5) / 2)
    if _SCIPY_FROM <= p <= (_SCIPY_UP_TO if check is no_check else _SCIPY_UP_TO_IF_CHECKED):
        from scipy.cluster.hierarchy import linkage

        found: NDArray[np.float64] = linkage(distances, method="average")
        return found
    return _by_numbers(_chain(distances.copy(), p, check))


def _chain(distances: NDArray[np.float64], p: int, check: Callable[[], None]) -> NDArray[np.float64]:
    """Merge along chains of nearest neighbours.

    After Müllner 2011, *Modern hierarchical, agglomerative clustering algorithms*.

    A cluster has the number of its last member. Distances are overwritten by those of the clusters. Among neighbours
    that are equally near the cluster before in the chain comes first, then the lowest number, as in scipy.
    """
    items = np.arange(p)
    start = items * (2 * p - items - 1) // 2 - items - 1  # the pair (x, y) with x < y is at start[x] + y
    sizes = np.ones(p)
    merges = np.empty((p - 1, 4))
    chain: list[int] = []
    for merge in merges:
        if not chain:
            chain.append(int(items[0]))
        while True:
            check()
            x = chain[-1]
            at = int(np.searchsorted(items, x))
            places = np.concatenate([start[items[:at]] + x, start[x] + items[at + 1 :]])
            row = distances[places]
            nearest = int(row.argmin())
            if len(chain) > 1:
                before = int(np.searchsorted(items, chain[-2]))
                before -= before > at
                if row[before] <= row[nearest]:
                    break
            chain.append(int(items[nearest + (nearest >= at)]))
        # The last two are nearest to each other.
        low, high = sorted(chain[-2:])
        del chain[-2:]
        merge[:] = low, high, row[before], sizes[low] + sizes[high]
        items = items[items != low]
        at = int(np.searchsorted(items, high))
        others = np.concatenate([items[:at], items[at + 1 :]])
        to_low = start[np.minimum(others, low)] + np.maximum(others, low)
        to_high = start[np.minimum(others, high)] + np.maximum(others, high)
        total = sizes[low] * distances[to_low] + sizes[high] * distances[to_high]
        sizes[high] += sizes[low]
        distances[to_high] = total / sizes[high]
    return merges


def _by_numbers(merges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sort merges by distance, and number the clusters by the merges that made them."""
    p = len(merges) + 1
    merges = merges[np.argsort(merges[:, 2], kind="stable")]
    parent = list(range(2 * p - 1))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for made, merge in enumerate(merges, start=p):
        first, second = sorted(root(int(node)) for node in merge[:2])
        parent[first] = parent[second] = made
        merge[:2] = first, second
    return merges
