"""causal-learn. It takes arrays, not frames."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    array = data.array
    if task == "pc-adjusted":
        from causallearn.search.ConstraintBased.PC import pc

        return lambda: pc(array, 0.05, "gsq", max_k=3, show_progress=False).G
    if task == "missing":
        from causallearn.search.ConstraintBased.PC import pc

        rows = data.complete_rows
        return lambda: pc(rows, 0.05, "gsq", max_k=3, show_progress=False).G
    if task == "gaussian-missing":
        from causallearn.search.ConstraintBased.PC import pc

        return lambda: pc(array, 0.01, "mv_fisherz", mvpc=True, show_progress=False).G
    if task == "gaussian-pc":
        from causallearn.search.ConstraintBased.PC import pc

        return lambda: pc(array, 0.01, "fisherz", show_progress=False).G
    if task == "gaussian-ges":
        from causallearn.search.ScoreBased.GES import ges

        # lambda_value 0.5 is (log n) / 2 for each parameter.
        return lambda: ges(array, "local_score_BIC_from_cov", lambda_value=0.5)["G"]
    from causallearn.search.PermutationBased.BOSS import boss

    return lambda: boss(array, "local_score_BIC_from_cov", {"lambda_value": 0.5}, verbose=False)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task, data
    # −1 is a tail and 1 a head at the row's end of the edge with the column.
    marks = np.asarray(found.graph)
    arcs = []
    for i, j in zip(*np.nonzero(marks), strict=True):
        # i → j; where both ends have the same mark the edge counts as undirected.
        if marks[j, i] == 1 or marks[i, j] == marks[j, i]:
            arcs.append((int(i), int(j)))
    return split(arcs), {}


def version() -> str:
    return installed("causal-learn")
