"""phgs, compositions of stages beyond the methods of others."""

from __future__ import annotations

from typing import Any

import phgs
from comparison.packages import Input
from comparison.packages.ours import edges, version

__all__ = ["edges", "prepare", "version"]


def prepare(task: str, data: Input) -> Any:
    frame = data.frame
    common = {"threads": data.threads, "progress": False, "data_type": data.data_type}
    if task == "best":
        learner: Any = phgs.PHGS(degrees_of_freedom="adjusted", refine="ges", **common)
    else:
        learner = phgs.Hybrid(
            init="empty", maximize=phgs.Tabu(ties="association"), refine=[phgs.BOSS(growing=False), "ges"], **common
        )
    return lambda: learner.learn(frame)
