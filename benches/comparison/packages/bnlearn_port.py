"""bnlearn-port: the C code of R's bnlearn, from Python."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import pybnlearn as bnlearn

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    frame = data.frame
    # Its default, likelihood weighting, takes more than half a minute for 20 variables, and is not nearer to the truth.
    imputed = {"impute_method": "parents"}
    local = {"test": "mi", "alpha": 0.05, "undirected": False}
    calls = {
        "pc": lambda: bnlearn.pc_stable(frame, test="mi", alpha=0.05, max_sx=3),
        "pc-adjusted": lambda: bnlearn.pc_stable(frame, test="mi-adf", alpha=0.05, max_sx=3),
        "hc": lambda: bnlearn.hc(frame, score="bic"),
        "tabu": lambda: bnlearn.tabu(frame, score="bic", tabu=100),
        "mmhc": lambda: bnlearn.mmhc(
            frame, restrict_args={"test": "mi", "alpha": 0.05, "max_sx": 5}, maximize_args={"score": "bic"}
        ),
        "h2pc": lambda: bnlearn.h2pc(
            frame, restrict_args={"test": "mi", "alpha": 0.05, "max_sx": 4}, maximize_args={"score": "bic"}
        ),
        "mmpc": lambda: bnlearn.mmpc(frame, max_sx=5, **local),
        "si-hiton-pc": lambda: bnlearn.si_hiton_pc(frame, max_sx=5, **local),
        "fast-iamb": lambda: bnlearn.fast_iamb(frame, max_sx=5, **local),
        "hpc": lambda: bnlearn.hpc(frame, max_sx=4, **local),
        "best": lambda: bnlearn.h2pc(
            frame, restrict_args={"test": "mi", "alpha": 0.05}, maximize_args={"score": "bic"}
        ),
        "gaussian-pc": lambda: bnlearn.pc_stable(frame, test="zf", alpha=0.01),
        "gaussian-hc": lambda: bnlearn.hc(frame, score="bic-g"),
        "mixed": lambda: bnlearn.hc(frame, score="bic-cg"),
        "missing": lambda: bnlearn.structural_em(frame, maximize_args={"score": "bic"}, method="mle", **imputed),
        "gaussian-missing": lambda: bnlearn.structural_em(
            frame, maximize_args={"score": "bic-g"}, method="mle-g", **imputed
        ),
    }
    return calls[task]


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task
    arcs = found.arcs
    arcs = arcs() if callable(arcs) else arcs
    return split(data.pairs(_rows(arcs))), {}


def _rows(arcs: Any) -> list[tuple[str, str]]:
    values = arcs.to_numpy() if hasattr(arcs, "to_numpy") else arcs
    return [(str(row[0]), str(row[1])) for row in values]


def version() -> str:
    return installed("bnlearn-port")
