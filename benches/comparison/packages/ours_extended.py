"""phgs, greedy equivalence search with its extended schedule."""

from __future__ import annotations

from typing import Any

import phgs
from comparison.packages import Input
from comparison.packages.ours import edges, version

__all__ = ["edges", "prepare", "version"]


def prepare(task: str, data: Input) -> Any:
    del task
    frame = data.frame
    common = {"threads": data.threads, "progress": False, "data_type": data.data_type}
    return lambda: phgs.learn(frame, "ges", schedule="extended", **common)
