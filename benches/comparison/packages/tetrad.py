"""Tetrad (Java), its jar driven by jpype. ``TETRAD_JAR`` names the jar of its graphical program, which holds all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jpype

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    jpype.startJVM("-Xmx6g", f"-XX:ActiveProcessorCount={data.threads}", classpath=[os.environ["TETRAD_JAR"]])
    package = jpype.JPackage("edu.cmu.tetrad")
    rows = _data_set(package, data)

    def pc() -> Any:
        test = package.search.test.IndTestGSquare(rows, 0.05)
        search = package.search.Pc(test)
        search.setDepth(3)
        search.setStable(True)
        return search.search()

    def score() -> Any:
        if data.data_type == "discrete":
            made = package.search.score.DiscreteBicScore(rows)
            made.setStructurePrior(0.0)
        else:
            made = package.search.score.SemBicScore(rows, True)
        made.setPenaltyDiscount(1.0)
        return made

    def boss() -> Any:
        inner = package.search.Boss(score())
        inner.setUseBes(True)
        inner.setNumStarts(1)
        inner.setNumThreads(data.threads)
        return package.search.PermutationSearch(inner).search()

    def fges() -> Any:
        search = package.search.Fges(score())
        if hasattr(search, "setNumThreads"):  # Since 7.6.8; before, as many as there are processors for Java.
            search.setNumThreads(data.threads)
        return search.search()

    return {"pc-adjusted": pc, "boss": boss, "gaussian-boss": boss, "best": fges}[task]


def _data_set(package: Any, data: Input) -> Any:
    nodes = jpype.java.util.ArrayList()
    for name, column in zip(data.names, data.columns, strict=True):
        if data.data_type == "discrete":
            nodes.add(package.data.DiscreteVariable(name, int(column.max()) + 1))
        else:
            nodes.add(package.data.ContinuousVariable(name))
    if data.data_type == "discrete":
        box = package.data.VerticalIntDataBox(jpype.JArray(jpype.JInt, 2)(data.array.T.astype("int32")))
    else:
        box = package.data.VerticalDoubleDataBox(jpype.JArray(jpype.JDouble, 2)(data.array.T))
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
