"""Learning from data with missing values: a graph is learned, what is missing is drawn from it, and so on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from phgs import _core
from phgs.data.missing import ROUNDS, SWEEPS, MissingValues, missing_values

if TYPE_CHECKING:
    from phgs.data import Data

Learn: TypeAlias = "Callable[[Data], _core.Outcome]"
"""Learns from complete data, within the time that is left."""


@dataclass(frozen=True)
class Filled:
    """What the rounds came to: completed data, what was learned from them, and how."""

    table: Data
    learned: _core.Outcome
    missing: MissingValues


def learn_in_rounds(
    gapped: Any,
    learn: Learn,
    *,
    threads: int,
    until: float | None,
    report: Callable[[str, int, int], None] | None = None,
) -> Filled:
    """Learn, fill in what is missing from what was learned, and so on until the class of graphs repeats.

    Missing values are first drawn from the known values of their columns. In each round the network of the learned
    graph is estimated from the completed data, missing values are drawn given the known values of their rows, and the
    same learner learns from all rows (structural EM, Friedman 1997, by draws).

    Parameters
    ----------
    gapped
        Data with `start` and `fill`, such as an `IncompleteTable`.
    learn
        Learns from completed data.
    threads
        Number of threads, on which nothing depends.
    until
        The time (`time.perf_counter`) after which no round begins. A round that it cuts short is left out, unless it
        is the first learning.
    report
        Called as ``report("missing", round, rounds)``.
    """
    calls: Counter[str] = Counter()
    seconds: dict[str, float] = {"missing": 0.0}

    def learned_from(table: Data) -> _core.Outcome:
        found = learn(table)
        calls.update(found["calls"])
        for phase, spent in found["seconds"].items():
            seconds[phase] = seconds.get(phase, 0.0) + spent
        return found

    begin = time.perf_counter()
    table = gapped.start(threads=threads)
    seconds["missing"] += time.perf_counter() - begin
    learned = learned_from(table)
    complete, rounds, repeated = learned["complete"], 0, False
    while complete and rounds < ROUNDS and not repeated:
        begin = time.perf_counter()
        left = None if until is None else until - begin
        if left is not None and left <= 0:
            complete = False
            break
        if report is not None:
            report("missing", rounds, ROUNDS)
        arcs = _arcs(learned, gapped.n_variables)
        try:
            options = {"sweeps": SWEEPS, "seed": rounds + 1, "threads": threads, "time_limit": left}
            filled = gapped.fill(table, arcs, **options)
        except TimeoutError:
            complete = False
            break
        finally:
            seconds["missing"] += time.perf_counter() - begin
        found = learned_from(filled)
        if not found["complete"]:
            complete = False
            break
        rounds += 1
        repeated = _same(found["cpdag"], learned["cpdag"])
        table, learned = filled, found
    learned = {**learned, "calls": dict(calls), "seconds": seconds, "complete": complete}
    facts = missing_values(gapped, rounds=rounds, repeated=repeated)
    assert facts is not None
    return Filled(table, learned, facts)


def _arcs(learned: _core.Outcome, n_variables: int) -> list[tuple[int, int]]:
    """Return the arcs of the learned DAG, or else of one that is as near to the graph as can be."""
    dag = learned["dag"]
    found = _core.forced_dag(n_variables, _pairs(learned["cpdag"])) if dag is None else dag
    return [(int(a), int(b)) for a, b in found]


def _pairs(graph: Any) -> Any:
    return tuple([(int(a), int(b)) for a, b in edges] for edges in graph)


def _same(one: Any, other: Any) -> bool:
    """Whether two CPDAGs are the same."""

    def edges(graph: Any) -> tuple[set[tuple[int, int]], set[frozenset[int]]]:
        directed, undirected = _pairs(graph)
        return set(directed), set(map(frozenset, undirected))

    return edges(one) == edges(other)
