"""Running methods on a data set. Everything here can be sent to another process."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from phgs.study.entries import TRUTH, Group, MethodEntry
from phgs.study.simulation import DataSet, simulate

if TYPE_CHECKING:
    from phgs.progress import Progress
    from phgs.result import Result

SKELETON_PHASES = ("partition", "within", "between", "complete")
"""Phases of a run whose calls a method that uses its skeleton has to count too."""

NOT_FINISHED = "not finished"
"""How the error of a task begins that took longer than the study's time limit."""


class _TimeIsUpError(Exception):
    """Stops a task."""


@dataclass
class Outcome:
    """What came of one task.

    Attributes
    ----------
    network, seed, label, level
        The task; the level is that of the parameter that its method's entry tunes, None without.
    error : str or None
        Why it failed; starts with `NOT_FINISHED` when it took longer than the study's time limit.
    seconds : float
        Processor time of the task itself.
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

    @property
    def finished(self) -> bool:
        """Whether it was not stopped by the time limit."""
        return self.error is None or not self.error.startswith(NOT_FINISHED)


@dataclass
class Solved:
    """The outcomes of a group, and the size of its data set."""

    outcomes: list[Outcome]
    data_set: dict[str, Any]


def solve(group: Group, n_rows: int, data_type: str = "discrete", threads: int = 1) -> Solved:
    """Run a group: its first method, then those that use its skeleton. Failures are outcomes, not exceptions.

    A task that has taken the group's time limit is stopped, and recorded as not finished. Seconds are those of the
    processor, of all threads of the process; so tasks that share a process count one another's.
    """
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
        start = time.process_time()
        progress = None if group.time_limit is None else _Clock(start + group.time_limit)
        try:
            if member is leader:
                skeleton = data.truth if member.skeleton == TRUTH else None
                result = run_method(member, data, group.level, skeleton, threads, progress)
                outcome.values = evaluate(result, data, {})
            else:
                if result is None:
                    if not outcomes[0].finished:
                        raise _TimeIsUpError
                    raise RuntimeError(f"{leader.label}, whose skeleton it uses, failed")
                shared = {phase: result.calls.get(phase, 0) for phase in SKELETON_PHASES}
                found = run_method(member, data, group.level, result.cpdag, threads, progress)
                outcome.values = evaluate(found, data, shared)
        except _TimeIsUpError:
            of = "" if member is leader or outcomes[0].finished else f"{leader.label}, whose skeleton it uses: "
            outcome.error = f"{NOT_FINISHED}: {of}more than {group.time_limit:g} s of the processor"
        except Exception:
            outcome.error = traceback.format_exc()
        outcome.seconds = time.process_time() - start
    return Solved(outcomes, facts)


class _Clock:
    """Follows the progress of a task, and stops it when the process has taken so many seconds of the processor."""

    def __init__(self, end: float) -> None:
        self._end = end

    def __call__(self, phase: str, done: int, total: int) -> None:
        del done, total
        # What is finished is not thrown away.
        if phase != "finished" and time.process_time() > self._end:
            raise _TimeIsUpError


def run_method(
    entry: MethodEntry,
    data: DataSet,
    level: float | None,
    skeleton: Any,
    threads: int,
    progress: Progress | None = None,
) -> Result:
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
    return learn(data.table, entry.method, threads=threads, progress=progress or False, **parameters)


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
