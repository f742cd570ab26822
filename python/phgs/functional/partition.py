"""Distances between variables, and the partition that they give."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core, parameters
from phgs.data import IncompleteGaussianTable, IncompleteMixedTable, IncompleteTable, as_data
from phgs.data.counts import PerRow, counted
from phgs.data.kinds import Given
from phgs.data.table import Missing
from phgs.data.weights import weighted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name


def distances(
    data: Any,
    *,
    missing: Missing = "auto",
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    threads: int = 0,
) -> Any:
    """Return the distances that pPC clusters variables by: 1 − mutual information / joint entropy.

    Of a `phgs.GaussianTable`: ``1 − |correlation|``. Of a `phgs.data.MixedTable` ``1 − √(1 − Λ^(1/w))`` with Wilks' Λ
    of the two embedded blocks and w the smaller width, which is the same for blocks of one column. Where values are
    missing, each pair has the rows that are complete in its columns (`missing` is as in `phgs.as_table`).

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    missing, kinds, counts, weights, threads
        As in learners.

    Returns
    -------
    numpy.ndarray
        The upper triangle of the p × p matrix row by row, of length p (p − 1) / 2, as scipy's ``linkage`` takes it.
    """
    checked = parameters.whole("threads", threads)
    table = as_data(weighted(counted(data, counts), weights), missing=missing, kinds=kinds, warn=False)
    if isinstance(table, IncompleteGaussianTable):
        return 1.0 - np.abs(table.correlations())
    if isinstance(table, IncompleteMixedTable):
        return table.distances(checked)
    if isinstance(table, IncompleteTable) and table.weights is not None:
        return _weighted_distances(table, table.weights)
    return _core.distances(table.core, checked)


def _weighted_distances(table: IncompleteTable, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances of categories with missing values, of weighted rows."""
    found = []
    shares = weights / weights.max()
    codes = [column.astype(np.int64) for column in table.codes]
    for x, y in combinations(range(table.n_variables), 2):
        of_x, of_y = table.arities[x], table.arities[y]
        known = (codes[x] < of_x) & (codes[y] < of_y)
        cells = np.bincount((codes[x] * of_y + codes[y])[known], weights=shares[known], minlength=of_x * of_y)
        joint = cells.reshape(of_x, of_y) / max(cells.sum(), np.finfo(float).tiny)
        of_both = _entropy(joint)
        information = _entropy(joint.sum(axis=0)) + _entropy(joint.sum(axis=1)) - of_both
        found.append(min(max(1.0 - information / of_both, 0.0), 1.0) if of_both > 0.0 else 1.0)
    return np.array(found)


def _entropy(shares: NDArray[np.float64]) -> float:
    there = shares[shares > 0.0]
    return float(-(there * np.log(there)).sum())


def cluster_variables(
    data: Any,
    max_clusters: int = 20,
    *,
    missing: Missing = "auto",
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    threads: int = 0,
) -> dict[Name, int]:
    """Return the partition that pPC works in: the cluster of each variable, counted from 0.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    max_clusters : int
        The most clusters.
    missing, kinds, counts, weights, threads
        As in `phgs.PPC`.
    """
    from phgs.clustering import partition, set_apart

    checked = parameters.whole("max_clusters", max_clusters, 1)
    table = as_data(weighted(counted(data, counts), weights), missing=missing, kinds=kinds, warn=False)
    labels = partition(set_apart(distances(table, threads=threads), table.isolated), checked)
    return dict(zip(table.names, labels.tolist(), strict=True))
