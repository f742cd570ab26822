"""phgs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from typing import Any

import phgs
from comparison.packages import Input, Pairs

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "pc": ("pc", {"alpha": 0.05, "path_length": 1}),
    "pc-adjusted": ("pc", {"alpha": 0.05, "path_length": 1, "degrees_of_freedom": "adjusted"}),
    "hc": ("hc", {}),
    "tabu": ("tabu", {"tabu_length": 100, "tabu_patience": 100}),
    "mmpc": ("mmpc", {}),
    "si-hiton-pc": ("si-hiton-pc", {}),
    "fast-iamb": ("fast-iamb", {}),
    "hpc": ("hpc", {}),
    "boss": ("boss", {}),
    "best": ("auto", {}),
    "gaussian-pc": ("pc", {"alpha": 0.01, "path_length": 1, "max_conditioning_size": None}),
    "gaussian-ges": ("ges", {}),
    "gaussian-hc": ("hc", {}),
    "gaussian-boss": ("boss", {}),
    "gaussian-best": ("auto", {}),
    "mixed": ("auto", {}),
    "missing": ("auto", {}),
    "gaussian-missing": ("auto", {}),
}

OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "phgs-cg": ("ges", {"score": "cg"}),
    "phgs-drop": ("auto", {"missing": "drop"}),
}


def prepare(task: str, data: Input) -> Any:
    frame = data.frame
    common = {"threads": data.threads, "progress": False, "data_type": data.data_type}
    if task in ("mmhc", "h2pc"):
        restrict = phgs.MMPC(alpha=0.05) if task == "mmhc" else phgs.HPC(alpha=0.05)
        learner = phgs.Hybrid(restrict=restrict, init="empty", maximize=phgs.HillClimbing(), **common)
        return lambda: learner.learn(frame)
    method, parameters = OTHERS.get(data.package) or METHODS[task]
    return lambda: phgs.learn(frame, method, **parameters, **common)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task
    graph = found.cpdag
    return (data.pairs(graph.directed), data.pairs(graph.undirected)), {"reading": found.seconds["read"]}


def version() -> str:
    try:
        from importlib.metadata import version

        return version("phgs")
    except PackageNotFoundError:
        return phgs.__version__
