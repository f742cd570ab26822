"""The stages that methods are composed of: restrict × select × initialise × maximise × refine.

A stage is a frozen dataclass that says what is to be done, in names of variables; those that search are in `searches`.
`as_core` describes it to the core, over the positions of a table's columns. A learner's `stages()` puts them together
in a `Composition`. Stages do not compare and have no text of their own: making these methods for each class would be
much of the time of importing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from phgs.errors import ParameterError
from phgs.learners.searches import EquivalenceSearch, OrderSearch, Refinement, Search, for_all_pairs

if TYPE_CHECKING:
    from phgs import _core
    from phgs.data import Data


ColliderRule: TypeAlias = Literal["separating-set", "conservative", "majority", "max-p"]
Start: TypeAlias = Literal["empty", "hgi"]

COLLIDER_RULES: tuple[ColliderRule, ...] = get_args(ColliderRule)
STARTS: tuple[Start, ...] = get_args(Start)


# Stage 1: which pairs may be connected.

LEAST_TESTED = 20
"""Limits of tests for fewer variables are those for as many."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NoRestriction:
    """All pairs."""

    def as_core(self, table: Data) -> _core.NoRestriction:
        """Describe the stage to the core."""
        del table
        return {"kind": "none"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PartitionedPC:
    """PC in a partition of the variables (Huang and Zhou, algorithm 2); with one cluster plain PC."""

    alpha: float
    max_conditioning_size: int | None
    max_clusters: int = 1
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None
    max_tests_per_pair: int | None = None

    def as_core(self, table: Data) -> _core.PartitionedPC:
        """Describe the stage to the core."""
        each = self.max_tests_per_pair
        most = None if each is None else for_all_pairs(each, table, LEAST_TESTED)
        return _partitioned("ppc", self, table, most)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fusion:
    """Partition, estimation within clusters by PC, and fusion (Gu and Zhou 2020)."""

    alpha: float
    max_conditioning_size: int | None
    max_clusters: int
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None

    def as_core(self, table: Data) -> _core.PartitionedPC:
        """Describe the stage to the core."""
        return _partitioned("pef", self, table, None)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Neighbourhoods:
    """A learner of neighbourhoods around each variable; pairs that find each other are joined."""

    learner: str
    alpha: float
    max_conditioning_size: int | None

    def as_core(self, table: Data) -> _core.Neighbourhoods:
        """Describe the stage to the core."""
        del table
        return {
            "kind": "neighbourhoods",
            "learner": self.learner,
            "alpha": float(self.alpha),
            "max_conditioning_size": self.max_conditioning_size,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GivenSkeleton:
    """A skeleton that is given: anything that `phgs.as_graph` takes."""

    skeleton: Any

    def as_core(self, table: Data) -> _core.GivenSkeleton:
        """Describe the stage to the core."""
        from phgs.graphs import as_graph

        return {"kind": "given", "edges": np.ascontiguousarray(as_graph(self.skeleton, table.names)._pairs())}


Restriction: TypeAlias = NoRestriction | PartitionedPC | Fusion | Neighbourhoods | GivenSkeleton


# Stage 2: PATH.


@dataclass(frozen=True, kw_only=True)
class Path:
    """PATH as a stage of `Hybrid`: a grid of significance levels, of which the best-scoring estimate is kept.

    Parameters
    ----------
    path_length : int, default 10
        Number of significance levels.
    min_alpha : float, default 1e-5
        The lowest of them; the highest is the restriction's `alpha`.
    """

    path_length: int = 10
    min_alpha: float = 1e-5

    def as_core(self) -> _core.Path:
        """Describe the stage to the core."""
        return {"path_length": self.path_length, "min_alpha": float(self.min_alpha)}


NO_PATH = Path(path_length=1)


# Stage 3: where the search starts.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SeparatingSets:
    """V-structures from separating sets (Huang and Zhou, equation "vs1")."""

    def as_core(self) -> _core.SeparatingSets:
        """Describe the rule to the core."""
        return {"kind": "separating-sets"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecidedColliders:
    """V-structures by an order-free rule, from all sets that separate the ends of a triple."""

    rule: ColliderRule
    max_conditioning_size: int | None

    def as_core(self) -> _core.DecidedColliders:
        """Describe the rule to the core."""
        return {"kind": "decided", "rule": self.rule, "max_conditioning_size": self.max_conditioning_size}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TestedColliders:
    """V-structures by tests given sets with the middle variable (Huang and Zhou, equation "vs2")."""

    __test__ = False

    alpha: float
    max_conditioning_size: int | None

    def as_core(self) -> _core.TestedColliders:
        """Describe the rule to the core."""
        return {
            "kind": "tested",
            "alpha": float(self.alpha),
            "max_conditioning_size": self.max_conditioning_size,
        }


Colliders: TypeAlias = SeparatingSets | DecidedColliders | TestedColliders


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EmptyStart:
    """The graph without edges (after `Fusion`: its DAG)."""

    def as_core(self, table: Data) -> _core.EmptyStart:
        """Describe the stage to the core."""
        del table
        return {"kind": "empty"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GivenStart:
    """A DAG that is given: anything that `phgs.as_dag` takes."""

    dag: Any

    def as_core(self, table: Data) -> _core.GivenStart:
        """Describe the stage to the core."""
        from phgs.graphs import as_dag

        return {"kind": "given", "arcs": as_dag(self.dag, table.names)._directed_indices()}


@dataclass(frozen=True, eq=False, repr=False)
class Oriented:
    """The skeleton, oriented by v-structures and Meek's rules (Huang and Zhou, algorithm 6)."""

    colliders: Colliders

    def as_core(self, table: Data) -> _core.CollidersStart:
        """Describe the stage to the core."""
        del table
        return {"kind": "oriented", "colliders": self.colliders.as_core()}


@dataclass(frozen=True, eq=False, repr=False)
class HGI:
    """Hybrid greedy initialization (Huang and Zhou, algorithm 4)."""

    colliders: Colliders

    def as_core(self, table: Data) -> _core.CollidersStart:
        """Describe the stage to the core."""
        del table
        return {"kind": "hgi", "colliders": self.colliders.as_core()}


Initialisation: TypeAlias = EmptyStart | GivenStart | Oriented | HGI


# All of them together.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Composition:
    """A method: one choice for each stage.

    `max_parents` is the limit of the initial graph; searches have their own.
    """

    restrict: Restriction = NoRestriction()
    select: Path = NO_PATH
    initialise: Initialisation = EmptyStart()
    maximise: Search | None = None
    refine: tuple[Refinement, ...] = ()
    max_parents: int | None = None

    @property
    def max_clusters(self) -> int:
        """The most clusters of the partition; 1 where there is none."""
        return self.restrict.max_clusters if isinstance(self.restrict, (PartitionedPC, Fusion)) else 1

    @property
    def needs_equivalence(self) -> bool:
        """Whether a search needs a score that is equal for equivalent DAGs."""
        return any(isinstance(stage, (EquivalenceSearch, OrderSearch)) for stage in (self.maximise, *self.refine))

    @property
    def scores_untested_pairs(self) -> bool:
        """Whether a search may join pairs whatever tests say."""
        free = isinstance(self.restrict, (NoRestriction, GivenSkeleton)) and self.maximise is not None
        return free or bool(self.refine)

    @property
    def tests(self) -> bool:
        """Whether the method tests pairs."""
        return isinstance(self.restrict, (PartitionedPC, Fusion, Neighbourhoods)) or (
            isinstance(self.initialise, (Oriented, HGI)) and not isinstance(self.initialise.colliders, SeparatingSets)
        )

    @property
    def searches(self) -> bool:
        """Whether the method compares graphs by a score beyond PATH."""
        return (
            isinstance(self.restrict, (NoRestriction, Fusion))
            or not isinstance(self.initialise, Oriented)
            or self.maximise is not None
            or bool(self.refine)
        )

    @property
    def scores(self) -> bool:
        """Whether the method compares graphs by a score at all; if not, it learns by tests alone."""
        return self.searches or self.select.path_length > 1

    def as_core(self, table: Data) -> _core.Composition:
        """Describe the method to the core."""
        return {
            "restrict": self.restrict.as_core(table),
            "select": self.select.as_core(),
            "initialise": self.initialise.as_core(table),
            "maximise": None if self.maximise is None else self.maximise.as_core(table),
            "refine": [stage.as_core(table) for stage in self.refine],
            "max_parents": self.max_parents,
        }


MOST_CLUSTERED = 30_000
"""Clustering holds two numbers for each pair of variables: 7.2 GB for so many."""


def _partitioned(
    kind: Literal["ppc", "pef"], stage: PartitionedPC | Fusion, table: Data, max_tests: int | None
) -> _core.PartitionedPC:
    """Describe PC in a partition to the core."""
    clustered = stage.clusters is None and stage.max_clusters > 1
    if clustered and table.n_variables > MOST_CLUSTERED:
        raise ParameterError(
            f"max_clusters: {table.n_variables:,} variables are more than the {MOST_CLUSTERED:,} that are clustered"
            f" ({8e-9 * table.n_variables**2:,.0f} GB of distances); give clusters= of your own, or max_clusters=1,"
            " which is PC without a partition"
        )
    return {
        "kind": kind,
        "max_tests": max_tests,
        "alpha": float(stage.alpha),
        "max_conditioning_size": stage.max_conditioning_size,
        "clustered": clustered,
        "labels": _labels(stage.clusters, table),
    }


def _labels(clusters: Any, table: Data) -> list[int] | None:
    """Number the clusters that are given for each column."""
    if clusters is None:
        return None
    if isinstance(clusters, Mapping):
        unknown = [name for name in clusters if name not in table.position]
        for name in unknown:
            table.index(name)
        missing = [name for name in table.names if name not in clusters]
        if missing:
            raise ParameterError(f"clusters: no label for {missing[0]!r}" + (" and others" if len(missing) > 1 else ""))
        labels = [clusters[name] for name in table.names]
    else:
        labels = list(clusters)
        if len(labels) != table.n_variables:
            raise ParameterError(f"clusters: {len(labels)} labels for {table.n_variables} columns")
    number: dict[Any, int] = {}
    return [number.setdefault(label, len(number)) for label in labels]
