"""Compositions of stages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from phgs import parameters
from phgs.choices import DegreesOfFreedom, ScoreName, TestName
from phgs.errors import ParameterError
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.refinement import check_refine, refinements
from phgs.learners.search import BOSS, GES, HillClimbing, Tabu, started_from
from phgs.learners.searches import Search
from phgs.learners.stages import (
    HGI,
    NO_PATH,
    Colliders,
    Composition,
    EmptyStart,
    Fusion,
    GivenSkeleton,
    Initialisation,
    Neighbourhoods,
    NoRestriction,
    Oriented,
    PartitionedPC,
    Path,
    Restriction,
    SeparatingSets,
    TestedColliders,
)
from phgs.own_score import OwnScore
from phgs.own_test import OwnTest

_SEARCHES = (Tabu, HillClimbing, GES, BOSS)


@dataclass(kw_only=True, eq=False, repr=False)
class Hybrid(Learner):
    """Any composition of stages: restrict × select × initialise × maximise × refine.

    Parameters
    ----------
    restrict : learner or graph, optional
        Which pairs may be connected: `PPC`, `PC` or a local learner (`MMPC`, `HPC`, `IAMB` and so on) with their own
        parameters (their `test` and `score` are not used: those of the hybrid are), a skeleton that is given (one
        without edges leaves nothing to connect, and a warning says so), or None for all.
    select : "restrict", Path or None, default "restrict"
        PATH, which needs `PPC` or `PC`: as their `path_length` and `min_alpha` say, as given, or not at all.
    init : {"empty", "hgi", "oriented"} or graph, default "hgi"
        Where the maximisation starts: the empty graph, hybrid greedy initialization, the oriented CPDAG, or a DAG
        (arcs that knowledge forbids are left out of it, and required ones put in).
    maximize : Tabu, HillClimbing, GES or BOSS, optional
        The search within the restriction (its `score` and `start` are not used; `BOSS` takes no restriction); None for
        no search.
    refine : {"none", "free", "growing", "ges", "xges", "boss"}, learner or list, default "none"
        What to do afterwards: nothing; a search over all pairs, or over an active set that grows around what changes;
        greedy equivalence search, or its extended search; best order score search; a `Tabu`, `HillClimbing`, `GES` or
        `BOSS` with options of its own; or several of these in turn.
    max_parents : int, optional
        The most parents a variable may have, in every stage; None for no limit. A search may have a lower limit of its
        own, which what it starts from keeps too. It is refused with ``init="oriented"`` where no search follows.
    test : {"g2", "x2"} or callable, default "g2"
        G² (likelihood ratio) or Pearson's X²; or a Python function, called as ``test(x, y, given)`` with names of
        variables, that returns (statistic, degrees of freedom, p-value). It must be symmetric in x and y. It is called
        on one thread, which is not the main one; variables are then partitioned only by `clusters`. Methods that
        learn by tests alone take a list of names in place of data.
    degrees_of_freedom : {"classical", "adjusted"}, default "classical"
        Classical degrees of freedom multiply the arities of all columns, as in the paper; adjusted ones count in each
        stratum only the states that occur in it, which is better calibrated on sparse tables.
    minimum_sample : float or tuple, optional
        The least number of rows per cell that a test needs; sparser tables are not tested and the pair counts as
        independent. As a tuple ``(rows, "cell" or "df", "independent" or "dependent")``. None tests every table.
    score : {"bic", "ebic", "qnml", "sqnml", "aic", "loglik", "bdeu", "k2"} or callable, default "bic"
        The score that is maximised; natural logarithms, larger is better. The extended BIC, ``"ebic"`` (Chen and Chen
        2008), takes off more for each parent the more variables there are, so that a search over all pairs adds few by
        chance. Quotient NML, ``"qnml"`` (Silander and others 2018), and its form that codes which cells occur,
        ``"sqnml"``, charge less for large tables of which few cells occur. Gaussian data have ``"bic"`` and ``"ebic"``.
        Or a function of your own, called as ``score(variable, parents)`` with the name of a variable and a tuple of the
        names of its parents, once for each of these; it returns a finite number. GES and BOSS rely on it to be equal
        for equivalent DAGs. It is called on one thread, which is not the main one. A list of names will do as data
        where nothing is tested.
    penalty : float, default 0.5
        For BIC and extended BIC, the penalty λ of the score loglik − λ · log(rows) · parameters; 0.5 is BIC.
    gamma : float, optional
        For extended BIC and quotient NML, the multiplier γ of log(variables) that each parent costs. None is 0.5 for
        extended BIC (of which 0 is BIC), 1 for quotient NML.
    equivalent_sample_size : float, default 1.0
        For BDeu, the weight of its prior in rows.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.

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
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0

    def _check_method(self) -> None:
        for part in ("restrict", "maximize"):
            for name in ("counts", "weights"):
                if getattr(getattr(self, part), name, None) is not None:
                    raise ParameterError(f"{name}: give them to phgs.Hybrid itself, not to {part}")
        checks.check_tests(self)
        checks.check_score(self)
        if isinstance(self.restrict, Learner):
            if _skeleton_of(self.restrict) is None:
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
        if self.maximize is not None and not isinstance(self.maximize, _SEARCHES):
            raise ParameterError(
                f"maximize: expected phgs.Tabu(), phgs.HillClimbing(), phgs.GES() or None, got {self.maximize!r}"
            )
        if self.maximize is not None:
            self.maximize._check()
        checks.check_parents(self.max_parents)
        self._path(self._restriction())
        check_refine(self.refine)

    def stages(self) -> Composition:
        """Put the stages together."""
        restrict = self._restriction()
        search: Search | None = None
        if self.maximize is not None:
            search = self.maximize.search()
            if search.max_parents is None:
                search = replace(search, max_parents=self.max_parents)
        return Composition(
            restrict=restrict,
            select=self._path(restrict),
            initialise=self._initialisation(restrict),
            maximise=search,
            refine=refinements(self.refine, search),
            max_parents=self.max_parents,
        )

    def _restriction(self) -> Restriction:
        if self.restrict is None or isinstance(self.restrict, str):
            return NoRestriction()
        if isinstance(self.restrict, Learner):
            return _skeleton_of(self.restrict) or NoRestriction()
        return GivenSkeleton(skeleton=self.restrict)

    def _path(self, restrict: Restriction) -> Path:
        if self.select is None:
            return NO_PATH
        if isinstance(self.select, Path):
            if not isinstance(restrict, PartitionedPC):
                raise ParameterError("select: PATH needs the p-values of PPC or PC; use select=None")
            checks.check_path(restrict.alpha, self.select.min_alpha, self.select.path_length)
            return self.select
        if isinstance(restrict, PartitionedPC) and self.init in ("hgi", "oriented"):
            return self.restrict.stages().select  # type: ignore[no-any-return]
        return NO_PATH

    def _initialisation(self, restrict: Restriction) -> Initialisation:
        if not isinstance(self.init, str):
            return started_from(self.init)
        if self.init == "empty":
            return EmptyStart()
        colliders = self._colliders(restrict)
        return HGI(colliders) if self.init == "hgi" else Oriented(colliders)

    def _colliders(self, restrict: Restriction) -> Colliders:
        """How the restriction's own learner finds v-structures, or else as the skeleton allows."""
        if isinstance(self.restrict, Learner):
            own = self.restrict.stages().initialise
            if isinstance(own, (Oriented, HGI)):
                return own.colliders
        if isinstance(restrict, (PartitionedPC, Fusion)):
            return SeparatingSets()
        return TestedColliders(alpha=0.05, max_conditioning_size=3)


def _skeleton_of(learner: Learner) -> PartitionedPC | Fusion | Neighbourhoods | None:
    """Return the stage by which a learner learns a skeleton; None where it learns none."""
    composition = learner.stages()
    restrict = composition.restrict
    if isinstance(restrict, (PartitionedPC, Fusion)):
        return restrict
    return restrict if isinstance(restrict, Neighbourhoods) and composition.maximise is None else None
