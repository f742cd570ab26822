"""Hybrid methods: restrict by tests, initialise, maximise a score. All of them are compositions of the same stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from phgs import parameters
from phgs.data import Data
from phgs.errors import ParameterError
from phgs.learners.base import Learner
from phgs.learners.local import HPC, MMPC
from phgs.learners.partitioned import PC, PPC
from phgs.learners.pieces import (
    EMPTY,
    NO_SEARCH,
    Scoring,
    Searching,
    Separating,
    TabuSearching,
    Testing,
    TieBreaking,
    composed,
)
from phgs.learners.search import BOSS, GES, HillClimbing, Schedule, Tabu, start_for_core

REFINE = ("none", "free", "growing", "ges", "xges", "boss")
"""Names of stages after the maximisation."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """PATH as a stage of `Hybrid`: a grid of significance levels, of which the best-scoring estimate is kept.

    Parameters
    ----------
    path_length : int
        Number of significance levels.
    min_alpha : float
        The lowest of them; the highest is the restriction's `alpha`.
    """

    path_length: int = 10
    min_alpha: float = 1e-5


def refinements(refine: Any, search: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Describe the stages after the maximisation to the core.

    Parameters
    ----------
    refine
        None or ``"none"``; a name; a `HillClimbing`, `Tabu`, `GES` or `BOSS` with options of its own; or a list of
        these.
        ``"free"`` searches over all pairs, ``"growing"`` over an active set that grows around what changes, both with
        the options of `search`; ``"ges"`` goes on among equivalence classes, ``"xges"`` too, with extended search;
        ``"boss"`` among orders of the variables.
    search
        The options of the maximisation; None where there was none.
    """
    if refine is None or (isinstance(refine, str) and refine == "none"):
        return []
    if isinstance(refine, (list, tuple)):
        return [stage for each in refine for stage in refinements(each, search)]
    if isinstance(refine, (HillClimbing, Tabu)):
        refine._check()
        return [{**refine._search(), "kind": "free"}]
    if isinstance(refine, (GES, BOSS)):
        refine._check()
        return [refine._search()]
    name = parameters.one_of("refine", refine, REFINE)
    if search is None or search["kind"] != "hill-climbing":
        search = {**Tabu()._search(), "max_parents": None if search is None else search.get("max_parents")}
    if name in ("ges", "xges"):
        schedule: Schedule = "interleaved" if name == "ges" else "extended"
        return [GES(schedule=schedule, max_parents=search["max_parents"])._search()]
    if name == "boss":
        return [BOSS(max_parents=search["max_parents"])._search()]
    return [{**search, "kind": name}]


@dataclass(kw_only=True, eq=False, repr=False)
class PHGS(PPC, TabuSearching):
    """Partitioned hybrid greedy search, the paper's own method (Huang and Zhou, algorithm 5).

    Partitioned PC restricts which pairs may be connected; PATH looks at a grid of significance levels; for each, hybrid
    greedy initialization (HGI, algorithm 4) orients edges while they raise the score; tabu search within the
    restriction starts from the best.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    path_length, min_alpha
        The grid of PATH: its length (1 turns it off) and its lowest level.
    collider_rule : {"separating-set", "conservative", "majority", "max-p"}
        How the v-structures that HGI starts from are found, as in `PC`; the paper's is the first.
    max_clusters, clusters
        The partition, as in `PPC`.
    tabu_length, tabu_patience, max_parents
        The search, as in `Tabu`.
    refine : {"none", "free", "growing", "ges", "xges", "boss"}, learner or list
        What to do after the paper's algorithm: nothing; a search over all pairs, or over an active set that grows
        around what changes; greedy equivalence search, or its extended search; best order score search; a `Tabu`,
        `HillClimbing`, `GES` or `BOSS` with options of its own; or several of these in turn.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.datasets.load_alarm()
    >>> model = phgs.PHGS(progress=False).fit(data.table)
    >>> model.cpdag_.n_variables
    37
    """

    alpha: float = 0.05
    refine: Any = "none"

    method: ClassVar[str] = "phgs"

    def _check(self) -> None:
        super()._check()
        refinements(self.refine, None)

    def _composition(self, table: Data) -> dict[str, Any]:
        return composed(
            self._restrict(table),
            initialise={"kind": "hgi", **self._v_structures()},
            maximise=self._search(),
            refine=refinements(self.refine, self._search()),
            path_length=self.path_length,
            min_alpha=self.min_alpha,
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class _Restricted(Separating, TieBreaking, TabuSearching):
    """Restriction by a local learner, then search from the empty graph or from HGI.

    Parameters
    ----------
    init : {"empty", "hgi"}
        Where the search starts: the empty graph, or hybrid greedy initialization.
    refine : str, learner or list
        What to do afterwards, as in `PHGS`.
    """

    max_conditioning_size: int | None = 5
    init: Literal["empty", "hgi"] = "empty"
    refine: Any = "none"

    _local: ClassVar[type[MMPC | HPC]] = MMPC
    _name: ClassVar[str] = ""

    @property
    def method(self) -> str:  # type: ignore[override]
        """Name on the command line and in results."""
        return f"{self._name}-hgi" if self.init == "hgi" else self._name

    def _check(self) -> None:
        super()._check()
        parameters.one_of("init", self.init, ("empty", "hgi"))
        refinements(self.refine, None)

    def _composition(self, table: Data) -> dict[str, Any]:
        local = self._local(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)
        return composed(
            local._restrict(table),
            initialise=EMPTY if self.init == "empty" else {"kind": "hgi", **local._v_structures()},
            maximise=self._search(),
            refine=refinements(self.refine, self._search()),
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class MMHC(_Restricted):
    """Max-min hill-climbing (Tsamardinos, Brown and Aliferis 2006): `MMPC`, then tabu search.

    Parameters
    ----------
    alpha, max_conditioning_size
        As in `MMPC`.
    init : {"empty", "hgi"}
        Where the search starts; ``"hgi"`` is the paper's MMHC-HGI.
    refine
        As in `PHGS`.
    """

    _name: ClassVar[str] = "mmhc"


@dataclass(kw_only=True, eq=False, repr=False)
class H2PC(_Restricted):
    """Hybrid HPC (Gasse, Aussem and Elghazel 2014): `HPC`, then tabu search.

    Parameters
    ----------
    alpha, max_conditioning_size
        As in `HPC`.
    init : {"empty", "hgi"}
        Where the search starts; ``"hgi"`` is the paper's H2PC-HGI.
    refine
        As in `PHGS`.
    """

    max_conditioning_size: int | None = 4

    _local: ClassVar[type[MMPC | HPC]] = HPC
    _name: ClassVar[str] = "h2pc"


@dataclass(kw_only=True, eq=False, repr=False)
class GSC(Separating, TieBreaking, TabuSearching):
    """Generalised sparse candidate: search within a skeleton that is given (after Friedman and others 1999).

    With the true skeleton it shows what a restriction costs (the paper's GSC*).

    Parameters
    ----------
    skeleton : graph
        The pairs that may be connected: a graph, a sequence of pairs, or the path of an edge list.
    init : {"empty", "hgi"}
        Where the search starts.
    alpha, max_conditioning_size
        For HGI, the tests that find v-structures.
    refine
        As in `PHGS`.
    """

    skeleton: Any = None
    init: Literal["empty", "hgi"] = "empty"
    refine: Any = "none"

    method: ClassVar[str] = "gsc"

    def _check(self) -> None:
        super()._check()
        if self.skeleton is None:
            raise ParameterError("skeleton: GSC searches within a skeleton; give the pairs that may be connected")
        parameters.one_of("init", self.init, ("empty", "hgi"))
        refinements(self.refine, None)

    def _composition(self, table: Data) -> dict[str, Any]:
        tests = {
            "v_structures": "testing",
            "alpha": self.alpha,
            "max_conditioning_size": self.max_conditioning_size,
        }
        return composed(
            _given(self.skeleton, table),
            initialise=EMPTY if self.init == "empty" else {"kind": "hgi", **tests},
            maximise=self._search(),
            refine=refinements(self.refine, self._search()),
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class ARGES(PPC, Searching):
    """Adaptively restricted greedy equivalence search (Nandy, Hauser and Maathuis 2018).

    GES that connects only pairs that an estimated skeleton joins, or that would shield an unshielded triple of the
    current class (ARGES-skeleton); or those that a conditional-independence graph joins, or that would shield a
    v-structure (ARGES-CIG).

    Parameters
    ----------
    alpha, max_conditioning_size, path_length, min_alpha, max_clusters, clusters, collider_rule
        As in `PPC`; PATH and the rule are only used with ``init="hgi"`` and a skeleton that is learned.
    skeleton, cig : graph, optional
        A skeleton or a conditional-independence graph that is given: a graph, a sequence of pairs, or the path of an
        edge list. None learns a skeleton by partitioned PC. With ``init="hgi"`` v-structures of a given skeleton are
        found by tests at `alpha`.
    init : {"empty", "hgi"}
        Where GES starts: the empty graph, or the class of hybrid greedy initialization (the paper's ARGES-HGI).
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    refine
        As in `PHGS`.
    """

    alpha: float = 0.05
    skeleton: Any = None
    cig: Any = None
    init: Literal["empty", "hgi"] = "empty"
    refine: Any = "none"

    def _check(self) -> None:
        super()._check()
        parameters.one_of("init", self.init, ("empty", "hgi"))
        refinements(self.refine, None)
        if self.cig is not None and self.skeleton is not None:
            raise ParameterError("cig: give a skeleton or a conditional-independence graph, not both")
        if self.cig is not None and self.init == "hgi":
            raise ParameterError("cig: HGI needs a skeleton; use skeleton= with init='hgi'")
        if self.collider_rule != "separating-set" and (self.init == "empty" or self.skeleton is not None):
            raise ParameterError("collider_rule: ARGES uses it only with init='hgi' and a skeleton that it learns")

    @property
    def method(self) -> str:  # type: ignore[override]
        """Name on the command line and in results."""
        return "arges-hgi" if self.init == "hgi" else "arges"

    def _composition(self, table: Data) -> dict[str, Any]:
        hgi = self.init == "hgi"
        given = self.skeleton if self.cig is None else self.cig
        v_structures = self._v_structures()
        if given is not None:
            v_structures = {
                "v_structures": "testing",
                "alpha": self.alpha,
                "max_conditioning_size": self.max_conditioning_size,
            }
        adaptive = "skeleton" if self.cig is None else "cig"
        return composed(
            self._restrict(table) if given is None else _given(given, table),
            initialise={"kind": "hgi", **v_structures} if hgi else EMPTY,
            maximise={**GES(max_parents=self.max_parents)._search(), "adaptive": adaptive},
            refine=refinements(self.refine, None),
            path_length=self.path_length if hgi and given is None else 1,
            min_alpha=self.min_alpha,
            max_parents=self.max_parents,
        )


def _given(skeleton: Any, table: Data) -> dict[str, Any]:
    from phgs.graphs import as_graph

    return {"kind": "given", "edges": as_graph(skeleton, table.names)._pair_indices()}


@dataclass(kw_only=True, eq=False, repr=False)
class Hybrid(Testing, Scoring):
    """Any composition of stages: restrict × select × initialise × maximise × refine.

    Parameters
    ----------
    restrict : learner, graph or None
        Which pairs may be connected: `PPC`, `PC`, `MMPC`, `HPC`, `FastIAMB` or `SIHitonPC` with their own parameters
        (their `test` and `score` are not used: those of the hybrid are), a skeleton that is given, or None for all.
    select : "restrict", Path or None
        PATH, which needs `PPC` or `PC`: as their `path_length` and `min_alpha` say, as given, or not at all.
    init : {"empty", "hgi", "oriented"} or graph
        Where the maximisation starts: the empty graph, hybrid greedy initialization, the oriented CPDAG, or a DAG.
    maximize : Tabu, HillClimbing, GES, BOSS or None
        The search within the restriction (their `score` and `start` are not used; `BOSS` takes no restriction).
    refine : str, learner or list
        What to do afterwards, as in `PHGS`.
    max_parents : int, optional
        The most parents a variable may have; None for no limit. A search may have its own.

    Examples
    --------
    >>> import phgs
    >>> phgs.Hybrid(restrict=phgs.HPC(alpha=0.01), init="empty", maximize=phgs.Tabu(tabu_length=50))
    Hybrid(restrict=HPC(alpha=0.01), init='empty', maximize=Tabu(tabu_length=50))
    """

    restrict: Any = None
    select: Path | str | None = "restrict"
    init: Any = "hgi"
    maximize: Tabu | HillClimbing | GES | BOSS | None = None
    refine: Any = "none"
    max_parents: int | None = None

    method: ClassVar[str] = "hybrid"

    def _check(self) -> None:
        super()._check()
        if isinstance(self.restrict, Learner):
            if not hasattr(self.restrict, "_restrict"):
                raise ParameterError(f"restrict: {type(self.restrict).__name__} learns no skeleton")
            self.restrict._check()
        elif isinstance(self.restrict, str) and self.restrict != "none":
            raise ParameterError(
                f"restrict: expected a learner such as phgs.HPC(), a graph or None, got {self.restrict!r}"
            )
        if self.select not in ("restrict", None) and not isinstance(self.select, Path):
            raise ParameterError(f"select: expected 'restrict', phgs.Path(...) or None, got {self.select!r}")
        if isinstance(self.init, str):
            parameters.one_of("init", self.init, ("empty", "hgi", "oriented"))
        if self.maximize is not None and not isinstance(self.maximize, (Tabu, HillClimbing, GES, BOSS)):
            raise ParameterError(
                f"maximize: expected phgs.Tabu(), phgs.HillClimbing(), phgs.GES() or None, got {self.maximize!r}"
            )
        if self.maximize is not None:
            self.maximize._check()
        parameters.whole("max_parents", self.max_parents, 0, none="no limit")
        self._path()
        refinements(self.refine, None)

    def _max_clusters(self) -> int:
        return self.restrict._max_clusters() if isinstance(self.restrict, Learner) else 1

    def _separates(self) -> bool:
        """Whether the restriction leaves maximum p-values and separating sets."""
        return isinstance(self.restrict, PC)

    def _path(self) -> tuple[int, float]:
        if self.select is None:
            return 1, 1e-5
        if isinstance(self.select, Path):
            if not self._separates():
                raise ParameterError("select: PATH needs the p-values of PPC or PC; use select=None")
            _, min_alpha, length = parameters.thresholds(
                self.restrict.alpha, self.select.min_alpha, self.select.path_length
            )
            return length, min_alpha
        if self._separates() and self.init in ("hgi", "oriented"):
            return self.restrict.path_length, self.restrict.min_alpha
        return 1, 1e-5

    def _composition(self, table: Data) -> dict[str, Any]:
        if self.restrict is None or self.restrict == "none":
            restrict: dict[str, Any] = {"kind": "none"}
        elif isinstance(self.restrict, Learner):
            restrict = self.restrict._restrict(table)  # type: ignore[attr-defined]
        else:
            restrict = _given(self.restrict, table)
        if isinstance(self.init, str):
            if hasattr(self.restrict, "_v_structures"):
                tests = self.restrict._v_structures()
            else:
                tests = {"v_structures": "testing", "alpha": 0.05, "max_conditioning_size": 3}
            initialise = EMPTY if self.init == "empty" else {"kind": self.init, **tests}
        else:
            initialise = start_for_core(self.init, table)
        search = None if self.maximize is None else self.maximize._search()
        if search is not None and search["max_parents"] is None:
            search["max_parents"] = self.max_parents
        length, min_alpha = self._path()
        return composed(
            restrict,
            initialise=initialise,
            maximise=search or NO_SEARCH,
            refine=refinements(self.refine, search),
            path_length=length,
            min_alpha=min_alpha,
            max_parents=self.max_parents,
        )
