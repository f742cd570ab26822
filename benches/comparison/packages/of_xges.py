"""xges (Gaussian BIC, numba): extremely greedy equivalence search."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from xges import XGES

from comparison.packages import Input, Pairs, of_matrix


def prepare(task: str, data: Input) -> Any:
    del task
    array = data.array
    # Its numba functions are compiled before they are timed. Its penalty is alpha / 2 · log n for each parameter.
    XGES(alpha=1.0).fit(array[:100, :5], verbose=0)
    return lambda: XGES(alpha=1.0).fit(array, verbose=0)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task, data
    return of_matrix(found.to_adjacency_matrix()), {}


def version() -> str:
    return installed("xges")
