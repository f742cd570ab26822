"""flopsearch (Gaussian BIC, Rust): an order search with local moves and iterated restarts."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import flopsearch

from comparison.packages import Input, Pairs, of_matrix


def prepare(task: str, data: Input) -> Any:
    array = data.complete_rows
    # Its penalty is lambda / 2 · log n for each parameter.
    penalty = 1.0 if task == "gaussian-boss" else 2.0
    return lambda: flopsearch.flop(array, penalty, restarts=20)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task, data
    return of_matrix(found), {}


def version() -> str:
    return installed("flopsearch")
