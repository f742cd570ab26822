"""A restriction that leaves nothing to connect."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.errors import PhgsWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray


def warn_of_nothing(described: Mapping[str, Any], n_variables: int, stacklevel: int) -> None:
    """Warn where the graph that is given as restriction joins no pair that knowledge allows.

    Parameters
    ----------
    described
        The method as the core reads it.
    n_variables
        Number of variables; with one there is nothing to connect in any case.
    stacklevel
        Where the warning points, as if the caller warned.
    """
    composition = described["composition"]
    restrict = composition["restrict"]
    if restrict["kind"] != "given" or composition["refine"] or n_variables < 2:
        return
    known = described["knowledge"]
    edges = restrict["edges"]
    if _may_be_joined(edges, known, described["isolated"], n_variables).any():
        return
    if known is not None and (known["required"] or known["required_edges"]):
        return
    what = "joins only pairs that knowledge forbids" if len(edges) else "joins no variables"
    warnings.warn(
        f"the graph that is given as skeleton, cig or restriction {what}, so that nothing may be connected and the"
        " result has no edges; give the pairs that may be connected, or use a method without a restriction, such as"
        " phgs.Tabu()",
        PhgsWarning,
        stacklevel=stacklevel + 1,
    )


def _may_be_joined(
    edges: NDArray[np.int64], known: Mapping[str, Any] | None, isolated: Sequence[int], n_variables: int
) -> NDArray[np.bool_]:
    """Return for each pair, of millions, whether an arc between its ends is allowed."""
    x, y = edges.T
    apart = np.zeros(n_variables, dtype=np.bool_)
    apart[list(isolated)] = True
    joined: NDArray[np.bool_] = ~apart[x] & ~apart[y]
    if known is None:
        return joined
    tiers = np.array([np.nan if tier is None else tier for tier in known["tiers"] or [None] * n_variables])
    forbidden = np.array([a * n_variables + b for a, b in known["forbidden"]], dtype=np.int64)

    def allowed(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~(tiers[a] > tiers[b]) & ~np.isin(a * n_variables + b, forbidden)

    return joined & (allowed(x, y) | allowed(y, x))
