"""Tetrad (Java), its jar driven by jpype. ``TETRAD_JAR`` names the jar of its graphical program, which holds all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jpype
import numpy as np

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    jpype.startJVM("-Xmx6g", f"-XX:ActiveProcessorCount={data.threads}", classpath=[os.environ["TETRAD_JAR"]])
    package = jpype.JPackage("edu.cmu.tetrad")
    rows = _data_set(package, data)

    def pc() -> Any:
        if data.data_type == "discrete":
            test = package.search.test.IndTestGSquare(rows, 0.05)
        else:
            test = package.search.test.IndTestFisherZ(rows, 0.01)
        search = package.search.Pc(test)
        search.setDepth(3 if data.data_type == "discrete" else -1)
        search.setStable(True)
        return search.search()

    def score() -> Any:
        if data.data_type == "discrete":
            made = package.search.score.DiscreteBicScore(rows)
            made.setStructurePrior(0.0)
        elif data.package == "tetrad-cg":
            made = package.search.score.ConditionalGaussianScore(rows, 2.0, True)
        elif data.data_type == "mixed":
            made = package.search.score.DegenerateGaussianScore(rows, True)
        else:
            made = package.search.score.SemBicScore(rows, True)
        # 2 is its default, 1 is BIC.
        made.setPenaltyDiscount(2.0 if task in ("gaussian-best", "mixed") else 1.0)
        return made

    def boss() -> Any:
        inner = package.search.Boss(score())
        inner.setUseBes(True)
        inner.setNumStarts(1)
        inner.setNumThreads(data.threads)
        return package.search.PermutationSearch(inner).search()

    def grasp() -> Any:
        search = package.search.Grasp(score())
        search.setUseScore(True)
        search.setUseRaskuttiUhler(False)
        search.setDepth(3)
        search.setUncoveredDepth(1)
        search.setNonSingularDepth(1)
        search.setNumStarts(1)
        search.bestOrder(rows.getVariables())
        return search.getGraph(True)

    def fges() -> Any:
        search = package.search.Fges(score())
        if hasattr(search, "setNumThreads"):  # Since 7.6.8; before, as many as there are processors for Java.
            search.setNumThreads(data.threads)
        return search.search()

    if data.package == "tetrad-grasp":
        return grasp
    if task in ("pc-adjusted", "missing", "gaussian-missing"):
        return pc
    return fges if task == "best" or data.package in ("tetrad-dg", "tetrad-cg") else boss


def _data_set(package: Any, data: Input) -> Any:
    nodes = jpype.java.util.ArrayList()
    numbers = [column.dtype.kind == "f" for column in data.columns]
    for name, column, is_number in zip(data.names, data.columns, numbers, strict=True):
        if is_number:
            nodes.add(package.data.ContinuousVariable(name))
        else:
            nodes.add(package.data.DiscreteVariable(name, int(column.max()) + 1))
    # A missing state is -99 to it.
    states, values = jpype.JArray(jpype.JInt), jpype.JArray(jpype.JDouble)
    columns = [
        values(column) if is_number else states(np.where(column < 0, -99, column).astype("int32"))
        for column, is_number in zip(data.columns, numbers, strict=True)
    ]
    if all(numbers):
        box = package.data.VerticalDoubleDataBox(jpype.JArray(jpype.JDouble, 2)(columns))
    elif not any(numbers):
        box = package.data.VerticalIntDataBox(jpype.JArray(jpype.JInt, 2)(columns))
    else:
        of_numbers = [c if is_number else None for c, is_number in zip(columns, numbers, strict=True)]
        of_states = [None if is_number else c for c, is_number in zip(columns, numbers, strict=True)]
        box = package.data.MixedDataBox(
            nodes,
            len(data.columns[0]),
            jpype.JArray(jpype.JDouble, 2)(of_numbers),
            jpype.JArray(jpype.JInt, 2)(of_states),
        )
    return package.data.BoxDataSet(box, nodes)


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    del task
    tail, arrow = (str(jpype.JClass("edu.cmu.tetrad.graph.Endpoint").valueOf(end)) for end in ("TAIL", "ARROW"))
    arcs = []
    for edge in found.getEdges():
        one, other = str(edge.getNode1().getName()), str(edge.getNode2().getName())
        ends = str(edge.getEndpoint1()), str(edge.getEndpoint2())
        if ends != (arrow, tail):
            arcs.append((one, other))
        if ends != (tail, arrow):
            arcs.append((other, one))
    return split(data.pairs(arcs)), {}


def version() -> str:
    return Path(os.environ["TETRAD_JAR"]).name.removeprefix("tetrad-gui-").removesuffix("-launch.jar")
