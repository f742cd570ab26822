"""phgs, a composition of searches: tabu, then BOSS, then GES."""

from __future__ import annotations

from typing import Any

import phgs
from comparison.packages import Input
from comparison.packages.ours import edges, version

__all__ = ["edges", "prepare", "version"]


def prepare(task: str, data: Input) -> Any:
    del task
    frame = data.frame
    learner = phgs.Hybrid(
        init="empty",
        maximize=phgs.Tabu(),
        refine=[phgs.BOSS(growing=False), "ges"],
        threads=data.threads,
        progress=False,
        data_type="gaussian",
    )
    return lambda: learner.learn(frame)
