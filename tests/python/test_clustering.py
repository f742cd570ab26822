"""The partition of variables against a plain reference."""

import math
import signal
import sys
import time

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform

from phgs import linkage as ours
from phgs.clustering import partition


def plain(distances, max_clusters):
    """The partition, read off its description."""
    square = squareform(distances)
    p = len(square)
    large = max(3, math.ceil(p * min(0.05, 1 / max_clusters)))
    merges = linkage(distances, "average")
    best, most = None, 0
    for i in range(1, p + 1):
        labels = cut_tree(merges, i).ravel()
        count = (np.bincount(labels) >= large).sum()
        if count == 0 or count > max_clusters:
            break
        if count > most:
            best, most = labels, count
    clusters = [list(np.flatnonzero(best == label)) for label in np.unique(best)]
    while any(len(c) < large for c in clusters) or len(clusters) > max_clusters:
        some_small = any(len(c) < large for c in clusters)
        _, i, j = min(
            (square[np.ix_(a, b)].mean(), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters)
            if i < j and (not some_small or len(a) < large or len(b) < large)
        )
        clusters[i] += clusters.pop(j)
    labels = np.empty(p, int)
    for label, cluster in enumerate(sorted(clusters, key=min)):
        labels[cluster] = label
    return labels


@pytest.mark.parametrize("p", [6, 7, 12, 30, 60])
@pytest.mark.parametrize("max_clusters", [2, 3, 5, 20, 40])
def test_partition_is_what_its_description_says(p, max_clusters):
    rng = np.random.default_rng(p)
    for _ in range(10):
        points = rng.normal(size=(p, 2)) + 1.5 * rng.integers(0, 4, size=(p, 1))
        distances = pdist(points)
        found = partition(distances, max_clusters)
        np.testing.assert_array_equal(found, plain(distances, max_clusters))
        assert found.max() < max_clusters


def test_few_variables_and_one_cluster_are_not_partitioned():
    assert partition(np.ones(10)).tolist() == [0] * 5
    assert partition(np.random.default_rng(1).random(435), 1).tolist() == [0] * 30


def test_a_wrong_number_of_distances_is_refused():
    with pytest.raises(ValueError, match="distances"):
        partition(np.ones(4))


@pytest.mark.parametrize("p", [2, 3, 5, 20, 80, 300])
@pytest.mark.parametrize("decimals", [1, 15])
def test_the_linkage_without_scipy_is_that_of_scipy(monkeypatch, p, decimals):
    monkeypatch.setattr(ours, "_SCIPY_UP_TO", 0)
    rng = np.random.default_rng(p)
    for _ in range(3):
        # One decimal: many distances are equal.
        distances = np.round(rng.random(p * (p - 1) // 2), decimals)
        kept = distances.copy()
        np.testing.assert_array_equal(ours.average_linkage(distances), linkage(distances, "average"))
        np.testing.assert_array_equal(distances, kept)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_stops_the_linkage_of_many():
    distances = np.random.default_rng(1).random(5000 * 4999 // 2)

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        # Of the processor, so that other work on the machine does not count.
        start = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            ours.average_linkage(distances)
        assert time.process_time() - start < 0.6
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
