"""One graph out of the table of pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from phgs import _core
from phgs.graphs import Graph, dag_to_cpdag

if TYPE_CHECKING:
    from phgs.confidence.confidence import PairConfidence
    from phgs.data.frames import Name
    from phgs.knowledge import Knowledge

KINDS = ("majority", "dag", "cpdag")


def consensus(
    variables: tuple[Name, ...], pairs: Iterable[PairConfidence], kind: str, knowledge: Knowledge | None = None
) -> Graph:
    """Join pairs, each as most replicates have it, without a directed cycle: its weakest arc is left out.

    No arc points against all replicates. An undirected edge, which "dag" directs, is one that most of the replicates
    that have it leave undirected, or that as many have one way as the other: either direction is theirs.

    Parameters
    ----------
    variables
        All variables.
    pairs
        The pairs to join, by decreasing frequency.
    kind
        See `EdgeConfidence.consensus`.
    knowledge
        What the replicates obey: it directs edges of the class, too.
    """
    voted = _by_votes(variables, pairs)
    if kind == "majority":
        return voted
    dag = Graph._from_indices(variables, _core.forced_dag(len(variables), voted._edges_for_core()))
    if kind == "dag":
        return dag
    if knowledge is None:
        return dag_to_cpdag(dag)
    known = _among(dag, knowledge._by_position(variables))
    return Graph._from_indices(variables, *_core.dag_to_cpdag_under(dag._directed_indices(), dag._texts(), known))


def _among(dag: Graph, known: _core.Knowledge) -> _core.Knowledge:
    """Return what knowledge says of the edges that are there: some that it requires may be missing."""
    arcs = set(dag._directed_indices())
    adjacent = arcs | {(y, x) for x, y in arcs}
    return {
        **known,
        "required": [pair for pair in known["required"] if pair in adjacent],
        "required_edges": [pair for pair in known["required_edges"] if pair in adjacent],
    }


def _by_votes(variables: tuple[Name, ...], pairs: Iterable[PairConfidence]) -> Graph:
    directed: list[tuple[Name, Name, float]] = []
    undirected: list[tuple[Name, Name]] = []
    for pair in pairs:
        one, other = pair.x_to_y, pair.y_to_x
        if max(one, other) <= pair.undirected or one == other:
            undirected.append((pair.x, pair.y))
        elif one > other:
            directed.append((pair.x, pair.y, one))
        else:
            directed.append((pair.y, pair.x, other))
    # Those that most replicates agree on first; one that would close a cycle with them is the weakest in it.
    children: dict[Name, list[Name]] = {}
    kept: list[tuple[Name, Name]] = []
    for a, b, _ in sorted(directed, key=lambda arc: -arc[2]):
        if not _reaches(children, b, a):
            children.setdefault(a, []).append(b)
            kept.append((a, b))
    return Graph(variables, kept, undirected)


def _reaches(children: dict[Name, list[Name]], start: Name, end: Name) -> bool:
    seen, stack = {start}, [start]
    while stack:
        name = stack.pop()
        if name == end:
            return True
        for child in children.get(name, ()):
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return False
