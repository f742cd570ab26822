"""phgs, GES whose phases are repeated until nothing changes."""

from __future__ import annotations

from typing import Any

import phgs
from comparison.packages import Input
from comparison.packages.ours import edges, version

__all__ = ["edges", "prepare", "version"]


def prepare(task: str, data: Input) -> Any:
    del task
    frame = data.frame
    learner = phgs.GES(schedule="rounds", threads=data.threads, progress=False, data_type="gaussian")
    return lambda: learner.learn(frame)
