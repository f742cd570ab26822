"""pgmpy."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from pgmpy.causal_discovery import PC, HillClimbSearch

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    frame = data.frame
    if task == "hc":
        model = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    elif task == "pc-adjusted":
        model = PC(
            variant="stable", ci_test="g_sq", significance_level=0.05, max_cond_vars=3, n_jobs=1, show_progress=False
        )
    else:
        model = PC(
            variant="stable",
            ci_test="pearsonr",
            significance_level=0.01,
            max_cond_vars=len(data.names),
            n_jobs=1,
            show_progress=False,
        )
    return lambda: model.fit(frame)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    graph = found.causal_graph_
    if task == "hc":
        return split(data.pairs(graph.edges())), {}
    undirected = data.pairs(graph.undirected_edges)
    return split(data.pairs(graph.directed_edges) + undirected + [pair[::-1] for pair in undirected]), {}


def version() -> str:
    return installed("pgmpy")
