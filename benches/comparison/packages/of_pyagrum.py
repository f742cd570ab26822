"""pyAgrum."""

from __future__ import annotations

from typing import Any

import pyagrum

from comparison.packages import Input, Pairs, split


def prepare(task: str, data: Input) -> Any:
    frame = data.frame

    def learner() -> Any:
        made = pyagrum.BNLearner(frame)
        made.setNumberOfThreads(data.threads)
        return made

    def pc() -> Any:
        made = learner()
        made.usePC()
        made.useG2Test()
        made.setPCAlpha(0.05)
        made.setPCMaxCondSetSize(3)
        return made, made.learnPDAG()

    def search() -> Any:
        made = learner()
        made.useScoreBIC()
        made.useNoPrior()
        if task == "tabu":
            made.useLocalSearchWithTabuList(100, 100)
        else:
            made.useGreedyHillClimbing()
        return made, made.learnDAG()

    return pc if task == "pc-adjusted" else search


def edges(task: str, data: Input, found: Any) -> tuple[tuple[Pairs, Pairs], dict[str, Any]]:
    learner, graph = found
    name = learner.nameFromId
    arcs = data.pairs([(name(source), name(target)) for source, target in graph.arcs()])
    if task == "pc-adjusted":
        undirected = data.pairs([(name(one), name(other)) for one, other in graph.edges()])
        arcs += undirected + [pair[::-1] for pair in undirected]
    return split(arcs), {}


def version() -> str:
    return str(pyagrum.__version__)
