"""Score-based search over all DAGs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from phgs import parameters
from phgs.data import Table
from phgs.learners.pieces import EMPTY, Searching, TabuSearching, composed


def _start(start: Any, table: Table) -> dict[str, Any]:
    if start is None:
        return EMPTY
    from phgs.graphs import as_dag

    return {"kind": "given", "arcs": as_dag(start, table.names)._directed_indices()}


@dataclass(kw_only=True, eq=False, repr=False)
class HillClimbing(Searching):
    """Greedy hill-climbing: the move that raises the score most, until none does.

    Moves add, delete or reverse an arc. It ends in a local optimum; restarts perturb the best graph and climb again.

    Parameters
    ----------
    start : graph, optional
        The DAG to start from; None for the empty graph.
    restarts : int
        How many times to perturb the best graph and climb again.
    perturbations : int
        Number of random moves of a perturbation.
    seed : int
        Seed of the perturbations.
    """

    start: Any = None
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

    def _composition(self, table: Table) -> dict[str, Any]:
        return composed(
            {"kind": "none"},
            initialise=_start(self.start, table),
            maximise=self._search(),
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class Tabu(TabuSearching):
    """Hill-climbing with a tabu list: it goes on through worse graphs and returns the best that it saw.

    Parameters
    ----------
    tabu_length : int
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int
        How many steps without a new best graph end the search (the paper's t₀).
    start : graph, optional
        The DAG to start from; None for the empty graph.
    """

    start: Any = None

    method: ClassVar[str] = "tabu"

    def _composition(self, table: Table) -> dict[str, Any]:
        return composed(
            {"kind": "none"},
            initialise=_start(self.start, table),
            maximise=self._search(),
            max_parents=self.max_parents,
        )
