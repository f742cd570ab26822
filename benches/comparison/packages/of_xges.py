"""xges (Gaussian BIC, numba): extremely greedy equivalence search."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from xges import XGES

from comparison.packages import Input, Pairs, of_matrix


def prepare(task: str, data: Input) -> Any:
    alpha = 2.0 if task == "gaussian-best" else 1.0
    array = data.array
    # Its numba functions are compiled before they are timed. Its penalty is alpha / 2 · log n for each parameter.
    XGES(alpha=alpha).fit(array[:100, :5], verbose=0)
    return lambda: XGES(alpha=alpha).fit(array, verbose=0)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task, data
    return of_matrix(found.to_adjacency_matrix()), {}


def version() -> str:
    return installed("xges")
