"""ges (Gaussian BIC, numpy)."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import ges

from comparison.packages import Input, Pairs, of_matrix


def prepare(task: str, data: Input) -> Any:
    del task
    array = data.array
    return lambda: ges.fit_bic(array)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task, data
    return of_matrix(found[0]), {}


def version() -> str:
    return installed("ges")
