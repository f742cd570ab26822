"""The stages that search, as dataclasses that describe themselves to the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from phgs import _core
    from phgs.data import Data

Ties: TypeAlias = Literal["lookahead", "association", "columns"]
Schedule: TypeAlias = Literal["phases", "rounds", "interleaved", "cut-loose", "extended"]
Adaptive: TypeAlias = Literal["no", "skeleton", "cig"]
TIES: tuple[Ties, ...] = get_args(Ties)
SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)


# Stage 4: how the score is maximised.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Restarts:
    """Restarts of a search: how many, by how many random moves each, and the seed of these."""

    count: int
    perturbations: int
    seed: int

    def as_core(self) -> _core.Restarts:
        """Describe the restarts to the core."""
        return {"count": self.count, "perturbations": self.perturbations, "seed": self.seed}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GreedySearch:
    """Hill-climbing among DAGs."""

    ties: Ties = "lookahead"
    restarts: Restarts | None = None
    max_parents: int | None = None
    max_iterations: int | None = None

    def as_core(self, table: Data) -> _core.DagSearch:
        """Describe the stage to the core."""
        del table
        return {
            "kind": "hill-climbing",
            "tabu": None,
            "restarts": None if self.restarts is None else self.restarts.as_core(),
            "ties": self.ties,
            "max_parents": self.max_parents,
            "max_iterations": self.max_iterations,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TabuSearch:
    """Hill-climbing with a tabu list."""

    length: int = 100
    patience: int = 100
    ties: Ties = "lookahead"
    max_parents: int | None = None
    max_iterations: int | None = None

    def as_core(self, table: Data) -> _core.DagSearch:
        """Describe the stage to the core."""
        del table
        return {
            "kind": "hill-climbing",
            "tabu": {"length": self.length, "patience": self.patience},
            "restarts": None,
            "ties": self.ties,
            "max_parents": self.max_parents,
            "max_iterations": self.max_iterations,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Screen:
    """Marginal tests that say which pairs a search over all pairs of categories scores, from so many variables on.

    Scores of numbers cost next to nothing, so that of these all pairs are scored. A variable is scored as one more
    parent of a child only where it depends, at level `alpha`, on the child or on one of the parents that the child has.
    """

    alpha: float
    more_than: int

    def level(self, table: Data) -> float | None:
        """Return the level for these data; None where all pairs are scored."""
        counted = table.enters_as == "discrete"
        return float(self.alpha) if counted and table.n_variables > self.more_than else None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EquivalenceSearch:
    """Greedy equivalence search, which an estimated skeleton may restrict adaptively."""

    forward: bool = True
    backward: bool = True
    turning: bool = True
    schedule: Schedule = "phases"
    adaptive: Adaptive = "no"
    screen: Screen | None = None
    max_parents: int | None = None
    scores_per_pair: float | None = None
    """Local scores for each pair of variables after which no other change that costs score is tried."""

    def as_core(self, table: Data) -> _core.EquivalenceSearch:
        """Describe the stage to the core."""
        return {
            "kind": "ges",
            "forward": bool(self.forward),
            "backward": bool(self.backward),
            "turning": bool(self.turning),
            "schedule": self.schedule,
            "adaptive": self.adaptive,
            "screen": None if self.screen is None else self.screen.level(table),
            "max_parents": self.max_parents,
            "budget": None if self.scores_per_pair is None else for_all_pairs(self.scores_per_pair, table),
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrderEffort:
    """How far a search among orders goes, by the number of variables.

    Local scores for each pair, and where a screen says which pairs are scored.
    """

    scores_per_pair: int
    scores_per_screened_pair: int
    restarts_per_variable: int = 0
    restart_share: int | None = None
    perturbations: int = 3
    seed: int = 0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrderSearch:
    """Best order score search, with restarts and a budget that are given or grow with the number of variables."""

    growing: bool = True
    narrowing: bool = False
    """Whether to leave out what hardly ever matters."""
    incremental: bool = False
    order_from_data: bool = False
    backward: bool = True
    restarts: Restarts | None = None
    restart_share: int | None = None
    budget: int | None = None
    effort: OrderEffort | None = None
    screen: Screen | None = None
    max_parents: int | None = None

    def as_core(self, table: Data) -> _core.OrderSearch:
        """Describe the stage to the core."""
        restarts, budget = self.restarts, self.budget
        screen = None if self.screen is None else self.screen.level(table)
        if (effort := self.effort) is not None:
            count = effort.restarts_per_variable * table.n_variables
            restarts = Restarts(count=count, perturbations=effort.perturbations, seed=effort.seed) if count else None
            each = effort.scores_per_pair if screen is None else effort.scores_per_screened_pair
            budget = for_all_pairs(each, table)
        return {
            "kind": "boss",
            "growing": bool(self.growing),
            "narrowing": bool(self.narrowing),
            "incremental": bool(self.incremental),
            "order_from_data": bool(self.order_from_data),
            "backward": bool(self.backward),
            "restarts": None if restarts is None else restarts.as_core(),
            "restart_share": self.restart_share if effort is None else effort.restart_share,
            "budget": budget,
            "screen": screen,
            "max_parents": self.max_parents,
        }


DagSearch: TypeAlias = GreedySearch | TabuSearch
Search: TypeAlias = DagSearch | EquivalenceSearch | OrderSearch


# Stage 5: what follows, over all pairs.


@dataclass(frozen=True, eq=False, repr=False)
class Unrestricted:
    """A search among DAGs over all pairs."""

    search: DagSearch

    def as_core(self, table: Data) -> _core.DagRefinement:
        """Describe the stage to the core."""
        return {"kind": "free", "search": self.search.as_core(table)}


@dataclass(frozen=True, eq=False, repr=False)
class Growing:
    """A search among DAGs over an active set of pairs that grows around what changes."""

    search: DagSearch

    def as_core(self, table: Data) -> _core.DagRefinement:
        """Describe the stage to the core."""
        return {"kind": "growing", "search": self.search.as_core(table)}


Refinement: TypeAlias = Unrestricted | Growing | EquivalenceSearch | OrderSearch

LEAST_VARIABLES = 100
"""Limits for fewer variables are those for as many: few variables have few pairs, but may have many sets."""


def for_all_pairs(each: float, table: Data, least_variables: int = LEAST_VARIABLES) -> int:
    """Return the limit that stands for so many to each pair of variables."""
    return int(each * max(table.n_variables, least_variables) ** 2)
