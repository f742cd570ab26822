"""PC, in a partition of the variables or as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from phgs import parameters
from phgs.data import Data
from phgs.errors import ParameterError
from phgs.learners.pieces import EMPTY, NO_SEARCH, Scoring, Searching, Separating, composed

ColliderRule: TypeAlias = Literal["separating-set", "conservative", "majority", "max-p"]
COLLIDER_RULES = ("separating-set", "conservative", "majority", "max-p")


@dataclass(kw_only=True, eq=False, repr=False)
class _Pairwise(Separating, Scoring):
    """A skeleton of pairs that no set separates, in a partition or not."""

    def _partition(self, table: Data) -> Any:
        del table

    def _restrict(self, table: Data) -> dict[str, Any]:
        return {
            "kind": "ppc",
            "alpha": self.alpha,
            "max_conditioning_size": self.max_conditioning_size,
            "partition": self._partition(table),
        }

    def _v_structures(self) -> dict[str, Any]:
        return {"v_structures": "separating_sets"}


@dataclass(kw_only=True, eq=False, repr=False)
class Clustering(_Pairwise):
    """Parameters of the partition.

    Parameters
    ----------
    max_clusters : int
        The most clusters; 1 means no partition.
    clusters : mapping or sequence, optional
        Labels of your own in place of clustering: by name, or one for each column in order.
    """

    max_clusters: int = 20
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None

    def _check(self) -> None:
        super()._check()
        parameters.whole("max_clusters", self.max_clusters, 1)

    def _max_clusters(self) -> int:
        return self.max_clusters

    def _partition(self, table: Data) -> Any:
        return partition_for_core(self.clusters, self.max_clusters, table)


@dataclass(kw_only=True, eq=False, repr=False)
class PC(_Pairwise):
    """PC-stable with PATH: the CPDAG by conditional-independence tests.

    Every pair is tested given ever larger sets of the neighbours until one separates it (Spirtes and Glymour 1991;
    Colombo and Maathuis 2014, order-independent). PATH then looks at a grid of significance levels below `alpha`, at
    no further tests, and keeps the estimate with the best score (Huang and Zhou, algorithm 3).

    The cost grows with the number of pairs and steeply with the size of neighbourhoods.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    path_length : int
        Number of significance levels that PATH looks at; 1 turns it off.
    min_alpha : float
        The lowest of them.
    collider_rule : {"separating-set", "conservative", "majority", "max-p"}
        When the middle of x − z − y, with x and y not adjacent, is a collider (x → z ← y). ``"separating-set"``: when
        it is not in the set that separated x from y, as in the published algorithm and in the paper. The others test
        all subsets of the neighbours of x and of y, of at most `max_conditioning_size`, at each level of PATH, and look
        at those that separate: ``"conservative"``, when it is in none of them (no collider when in all, else undecided;
        Ramsey, Zhang and Spirtes 2006); ``"majority"``, when in less than half (undecided at exactly half; Colombo and
        Maathuis 2014); ``"max-p"``, when it is not in the set with the largest p-value (Ramsey 2016). Undecided triples
        are in `Result.undecided`, and no direction is concluded from them.

    See Also
    --------
    Learner : the parameters that say how to run.
    Testing, Scoring : those of tests and scores.

    Examples
    --------
    >>> import numpy as np, phgs
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.integers(0, 2, (2, 1000))
    >>> z = (x + y + (rng.random(1000) < 0.1)) % 3
    >>> phgs.PC(progress=False).fit({"x": x, "y": y, "z": z}).cpdag_
    <phgs.Graph: 3 variables, 2 edges (2 directed)>
    """

    alpha: float = 0.1
    path_length: int = 10
    min_alpha: float = 1e-5
    collider_rule: ColliderRule = "separating-set"

    method: ClassVar[str] = "pc"

    def _check(self) -> None:
        super()._check()
        parameters.thresholds(self.alpha, self.min_alpha, self.path_length)
        parameters.one_of("collider_rule", self.collider_rule, COLLIDER_RULES)

    def _v_structures(self) -> dict[str, Any]:
        if self.collider_rule == "separating-set":
            return super()._v_structures()
        return {"v_structures": self.collider_rule, "max_conditioning_size": self.max_conditioning_size}

    def _composition(self, table: Data) -> dict[str, Any]:
        return composed(
            self._restrict(table),
            initialise={"kind": "oriented", **self._v_structures()},
            maximise=NO_SEARCH,
            path_length=self.path_length,
            min_alpha=self.min_alpha,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class PPC(PC, Clustering):
    """Partitioned PC with PATH: PC's result at a fraction of its tests (Huang and Zhou, algorithm 2).

    The variables are clustered by their mutual information; PC runs within the clusters; pairs between clusters are
    screened with what is known by then; only what is left is tested in full.

    Parameters
    ----------
    alpha, max_conditioning_size, path_length, min_alpha, collider_rule
        As in `PC`.
    max_clusters : int
        The most clusters; 1 is PC.
    clusters : mapping or sequence, optional
        Labels of your own in place of clustering: by name, or one for each column in order.

    See Also
    --------
    PC : the same without a partition.
    """

    alpha: float = 0.1

    method: ClassVar[str] = "ppc"


@dataclass(kw_only=True, eq=False, repr=False)
class PEF(Clustering, Searching):
    """Partition, estimate, fuse (Gu and Zhou 2020), with PC as the estimator within clusters.

    The variables are clustered, a skeleton is learned in each cluster, and the fusion step adds and directs edges
    between clusters by tests and by the score.

    Parameters
    ----------
    alpha, max_conditioning_size
        As in `PC`.
    max_clusters, clusters
        As in `PPC`.
    """

    method: ClassVar[str] = "pef"

    def _restrict(self, table: Data) -> dict[str, Any]:
        return {**super()._restrict(table), "kind": "pef"}

    def _composition(self, table: Data) -> dict[str, Any]:
        return composed(self._restrict(table), initialise=EMPTY, maximise=NO_SEARCH, max_parents=self.max_parents)


def partition_for_core(clusters: Any, max_clusters: int, table: Data) -> Any:
    """Describe the partition to the core: by clustering, by labels, or None for one cluster."""
    if clusters is None:
        return "clustered" if max_clusters > 1 else None
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
