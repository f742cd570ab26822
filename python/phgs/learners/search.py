"""Score-based search over all DAGs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from phgs import parameters
from phgs.data import Data
from phgs.errors import ParameterError
from phgs.learners.pieces import EMPTY, Searching, TabuSearching, TieBreaking, composed


def start_for_core(start: Any, table: Data) -> dict[str, Any]:
    """Describe where a search starts to the core: from a DAG, or None for the empty graph."""
    if start is None:
        return EMPTY
    from phgs.graphs import as_dag

    return {"kind": "given", "arcs": as_dag(start, table.names)._directed_indices()}


@dataclass(kw_only=True, eq=False, repr=False)
class _Unrestricted(Searching):
    """A search over all pairs.

    Parameters
    ----------
    start : graph, optional
        The DAG to start from (GES: from its class; BOSS: from its order); None for the empty graph (BOSS: for column
        order).
    """

    start: Any = None

    def _composition(self, table: Data) -> dict[str, Any]:
        return composed(
            {"kind": "none"},
            initialise=start_for_core(self.start, table),
            maximise=self._search(),
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class HillClimbing(_Unrestricted, TieBreaking):
    """Greedy hill-climbing: the move that raises the score most, until none does.

    Moves add, delete or reverse an arc. It ends in a local optimum; restarts perturb the best graph and climb again.

    Parameters
    ----------
    restarts : int
        How many times to perturb the best graph and climb again.
    perturbations : int
        Number of random moves of a perturbation.
    seed : int
        Seed of the perturbations.
    """

    restarts: int = 0
    perturbations: int = 10
    seed: int = 0

    method: ClassVar[str] = "hc"

    def _check(self) -> None:
        super()._check()
        parameters.whole("restarts", self.restarts)
        parameters.whole("perturbations", self.perturbations, 1)
        parameters.whole("seed", self.seed)

    def _search(self) -> dict[str, Any]:
        restarts = (self.restarts, self.perturbations, self.seed) if self.restarts else None
        return {**super()._search(), "restarts": restarts}


@dataclass(kw_only=True, eq=False, repr=False)
class Tabu(_Unrestricted, TieBreaking, TabuSearching):
    """Hill-climbing with a tabu list: it goes on through worse graphs and returns the best that it saw."""

    method: ClassVar[str] = "tabu"


Schedule = Literal["phases", "rounds", "interleaved", "extended"]
SCHEDULES: tuple[Schedule, ...] = ("phases", "rounds", "interleaved", "extended")


@dataclass(kw_only=True, eq=False, repr=False)
class GES(_Unrestricted):
    """Greedy equivalence search (Chickering 2002; turns by Hauser and Bühlmann 2012): moves among classes of DAGs.

    Parameters
    ----------
    forward, backward, turning : bool
        Whether to insert, delete and turn edges.
    schedule : {"phases", "rounds", "interleaved", "extended"}
        All insertions, then all deletions, then all turns; the same until a round changes nothing; at each step a
        deletion if any helps, else a turn, else an insertion (XGES-0 of Nazaret and Blei 2024); or, after that, changes
        that cost score, each followed by a search and kept when the score ends better. These are the deletions of XGES
        (of the same) and, beyond it, turns, insertions between variables two steps apart, and a variable that is cut
        loose from all others. The last has the best scores and takes longest: many times as long as the third.
    """

    forward: bool = True
    backward: bool = True
    turning: bool = True
    schedule: Schedule = "phases"
    method: ClassVar[str] = "ges"

    def _check(self) -> None:
        super()._check()
        parameters.one_of("schedule", self.schedule, SCHEDULES)
        if not (self.forward or self.backward or self.turning):
            raise ParameterError("forward: at least one of forward, backward and turning must be True")
        if self.schedule == "extended" and not self.backward:
            raise ParameterError('schedule: "extended" needs backward=True; use "interleaved" without deletions')

    def _search(self) -> dict[str, Any]:
        return {
            "kind": "ges",
            "forward": bool(self.forward),
            "backward": bool(self.backward),
            "turning": bool(self.turning),
            "schedule": self.schedule,
            "adaptive": "no",
            "max_parents": self.max_parents,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class BOSS(_Unrestricted):
    """Best order score search (Andrews and others 2023): each variable moves to its best place in the order.

    Parameters
    ----------
    growing : bool
        Whether to score only parents that gained when all were scored last, until scoring all again brings nothing:
        nearly the same result for a small part of the local scores.
    backward : bool
        Whether deletions among equivalence classes follow.
    """

    growing: bool = True
    backward: bool = True
    method: ClassVar[str] = "boss"

    def _search(self) -> dict[str, Any]:
        return {
            "kind": "boss",
            "growing": bool(self.growing),
            "backward": bool(self.backward),
            "max_parents": self.max_parents,
        }
