"""What a result is made of besides graphs: score, path, conflicts, stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from phgs.data.frames import Name


class Score(NamedTuple):
    """A score of a DAG: its name and value; natural logarithms, larger is better."""

    name: str
    value: float


class PathPoint(NamedTuple):
    """One estimate of the solution path.

    Attributes
    ----------
    alpha : float
        Significance level.
    edges : int
        Number of edges of the skeleton at this level.
    score : float
        Score of the estimate's DAG.
    extendable : bool
        Whether the estimate has a consistent extension, in which triples that are undecided may be v-structures.
    selected : bool
        Whether it is the one that was chosen.
    """

    alpha: float
    edges: int
    score: float | None
    extendable: bool
    selected: bool


class Conflict(NamedTuple):
    """Three variables at which directions contradict each other.

    Most are v-structures x → centre ← y that were skipped because they conflict with others. The rest are triples at
    which Meek's rules contradict each other: the edges there stay undirected.
    """

    x: Name
    centre: Name
    y: Name


class Triple(NamedTuple):
    """An unshielded triple x − centre − y of which it is undecided whether it is a v-structure."""

    x: Name
    centre: Name
    y: Name


class Stage(NamedTuple):
    """A stage of the method: number of edges after it, score of its DAG if it has one, seconds."""

    name: str
    edges: int
    score: float | None
    seconds: float
