"""Running methods on a data set. Everything here can be sent to another process."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from phgs.study.configuration import TRUTH, Group, MethodEntry
from phgs.study.simulation import DataSet, simulate

if TYPE_CHECKING:
    from phgs.result import Result

SKELETON_PHASES = ("partition", "within", "between", "complete")
"""Phases of a run whose calls a method that uses its skeleton has to count too."""


@dataclass
class Outcome:
    """What came of one task.

    Attributes
    ----------
    network, seed, label, level
        The task; the level is that of the parameter that its method's entry tunes, None without.
    error : str or None
        Why it failed.
    seconds : float
        Wall time of the task itself.
    values : dict
        Metrics (P, TP, R, FP, FN, SHD, JI), score, extendable, and calls by phase with their total.
    """

    network: str
    seed: int
    label: str
    level: float | None
    error: str | None = None
    seconds: float = 0.0
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class Solved:
    """The outcomes of a group, and the size of its data set."""

    outcomes: list[Outcome]
    data_set: dict[str, Any]


def solve(group: Group, n_rows: int, data_type: str = "discrete", threads: int = 1) -> Solved:
    """Run a group: its first method, then those that use its skeleton. Failures are outcomes, not exceptions."""
    label = group.network.label
    try:
        start = time.perf_counter()
        data = simulate(group.network, group.seed, n_rows, data_type=data_type, threads=threads)
        facts = describe(data) | {"network": label, "seed": group.seed, "seconds": time.perf_counter() - start}
    except Exception:
        error = traceback.format_exc()
        return Solved([Outcome(*key, error=error) for key in group.keys], {})
    leader, *users = group.members
    outcomes = []
    result: Result | None = None
    for member in (leader, *users):
        outcome = Outcome(label, group.seed, member.label, group.level)
        outcomes.append(outcome)
        start = time.perf_counter()
        try:
            if member is leader:
                result = run_method(
                    member, data, group.level, data.truth if member.skeleton == TRUTH else None, threads
                )
                outcome.values = evaluate(result, data, {})
            else:
                if result is None:
                    raise RuntimeError(f"{leader.label}, whose skeleton it uses, failed")
                shared = {phase: result.calls.get(phase, 0) for phase in SKELETON_PHASES}
                found = run_method(member, data, group.level, result.cpdag, threads)
                outcome.values = evaluate(found, data, shared)
        except Exception:
            outcome.error = traceback.format_exc()
        outcome.seconds = time.perf_counter() - start
    return Solved(outcomes, facts)


def run_method(entry: MethodEntry, data: DataSet, level: float | None, skeleton: Any, threads: int) -> Result:
    """Run one method."""
    from phgs.gaussian import conditional_independence_graph
    from phgs.learn import learn

    parameters = dict(entry.parameters)
    if level is not None:
        parameters[entry.tuned] = level
    if skeleton is not None:
        parameters["skeleton"] = skeleton
    if entry.cig == TRUTH:
        parameters["cig"] = conditional_independence_graph(data.truth)
    return learn(data.table, entry.method, threads=threads, progress=False, **parameters)


def evaluate(result: Result, data: DataSet, before: dict[str, int]) -> dict[str, Any]:
    """Compare a result with the truth as the paper does; `before` are calls made for a skeleton that was given."""
    from phgs.graphs import compare, dag_to_cpdag

    found = compare(dag_to_cpdag(data.truth), result.cpdag, as_cpdags=False)
    calls = {phase: result.calls.get(phase, 0) + before.get(phase, 0) for phase in {*result.calls, *before}}
    calls["total"] = result.calls["total"] + sum(before.values())
    return {
        "P": found.learned_edges,
        "TP": found.true_positives,
        "R": found.wrong_directions,
        "FP": found.false_positives,
        "FN": found.false_negatives,
        "SHD": found.shd,
        "JI": found.jaccard,
        "extendable": result.extendable,
        "score": None if result.score is None else result.score.value,
        "calls": calls,
    }


def describe(data: DataSet) -> dict[str, Any]:
    """Return the size of a data set's network, as in the paper's table."""
    p, edges = data.truth.n_variables, len(data.truth.directed)
    return {
        "p": p,
        "edges": edges,
        "avg_neighbours": 2 * edges / p,
        "max_indegree": data.max_in_degree,
        "parameters": data.n_parameters,
    }
