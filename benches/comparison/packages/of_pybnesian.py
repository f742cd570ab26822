"""PyBNesian: C++ over Arrow."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import pybnesian

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    frame = data.frame

    def test() -> Any:
        return pybnesian.ChiSquare(frame) if data.data_type == "discrete" else pybnesian.LinearCorrelation(frame)

    def mmhc() -> Any:
        return pybnesian.MMHC().estimate(
            test(),
            pybnesian.ArcOperatorSet(),
            pybnesian.BIC(frame),
            bn_type=pybnesian.DiscreteBNType(),
            alpha=0.05,
        )

    def hc(bn_type: Any) -> Any:
        return lambda: pybnesian.hc(frame, bn_type=bn_type, score="bic", operators=["arcs"])

    calls = {
        "pc": lambda: pybnesian.PC().estimate(test(), alpha=0.05, use_sepsets=True),
        "hc": hc(pybnesian.DiscreteBNType()),
        "mmhc": mmhc,
        "mmpc": lambda: pybnesian.MMPC().estimate(test(), alpha=0.05),
        "gaussian-pc": lambda: pybnesian.PC().estimate(test(), alpha=0.01, use_sepsets=True),
        "gaussian-hc": hc(pybnesian.GaussianNetworkType()),
        "mixed": hc(pybnesian.CLGNetworkType()),
        "missing": hc(pybnesian.DiscreteBNType()),
        "gaussian-missing": hc(pybnesian.GaussianNetworkType()),
    }
    if data.package == "pybnesian-pc":
        alpha = 0.05 if data.data_type == "discrete" else 0.01
        return lambda: pybnesian.PC().estimate(test(), alpha=alpha, use_sepsets=True)
    return calls[task]


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    arcs = data.pairs(found.arcs())
    if task.endswith("pc") or data.package == "pybnesian-pc":
        arcs += [pair for edge in data.pairs(found.edges()) for pair in (edge, edge[::-1])]
    return split(arcs), {}


def version() -> str:
    return installed("pybnesian")
