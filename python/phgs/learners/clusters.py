"""The partition of the variables, which the core asks for in the middle of a run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any


def clusters(distances: Any, max_clusters: int, isolated: Sequence[int] = (), until: float | None = None) -> Any:
    """Cluster variables by their distances, within time: those that are isolated are no neighbours of any."""
    from phgs.clustering import partition, set_apart

    def check() -> None:
        # A little later than the core's own limit, so that the core knows of it by then.
        if until is not None and time.perf_counter() >= until + 0.05:
            raise _OutOfTimeError

    apart = set_apart(distances, isolated)
    try:
        return partition(apart, max_clusters) if until is None else partition(apart, max_clusters, check)
    except _OutOfTimeError:
        # One cluster, in which nothing will be tested any more.
        return partition(distances, 1)


class _OutOfTimeError(Exception):
    """The time limit is past."""
