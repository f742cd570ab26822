"""The default method, which continues from pHGS and chooses its searches by the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from phgs import parameters
from phgs.choices import DegreesOfFreedom, ScoreName, TestName
from phgs.data import Data, IncompleteMixedTable, Mixed, MixedTable
from phgs.errors import ParameterError
from phgs.learners import checks, stages
from phgs.learners.base import Learner
from phgs.learners.partitioned import colliders_of
from phgs.learners.refinement import (
    Effort,
    by_effort,
    by_effort_of_categories,
    by_effort_of_numbers,
    check_effort,
    check_refine,
    refinements,
)
from phgs.learners.searches import EquivalenceSearch, TabuSearch
from phgs.learners.stages import HGI, ColliderRule, Composition, PartitionedPC, Path
from phgs.own_score import OwnScore
from phgs.own_test import OwnTest

_EXTENDED_LIMIT = 100
"""Up to so many mixed variables extended search takes about two seconds; its time grows fast."""
_EXTENDED_BUDGET = 10
"""Local scores for each pair of variables after which extended search of mixed data tries nothing more."""
_WORTH_GROUPS = 1.0
"""Numbers are cut into groups if these tell more than this of other columns, relative to the embedding."""


@dataclass(kw_only=True, eq=False, repr=False)
class Auto(Learner):
    """The default method: pHGS for the start, then searches over all pairs, among equivalence classes and among orders.

    The stages of `PHGS` (partitioned PC, PATH, HGI, tabu search), with three differences. Tests are stricter and have
    smaller conditioning sets, since they only have to find a good start, and count the degrees of freedom of states
    that occur. The score is quotient NML with the support coded (of Gaussian data the extended BIC), which charges for
    the cells that occur and takes into account how many pairs a search looks at. After them, greedy equivalence search
    (insertions, deletions and turns) goes on over all pairs, so that an edge that a test has missed can come back, and
    a search among orders of the variables (`BOSS`) goes on from its result, within a budget that `effort` says. It
    scores what gains alone only as long as it gains beside the parents at hand, and looks for a better place in a
    direction only as long as there can be one. Of up to 100 categories it has two restarts for each variable, within
    as many scores as it has taken until then. Of more, up to 2,000, greedy equivalence search goes on, within a budget:
    each variable is cut loose from all others and joined again, and what ends with a higher score is kept. Of up to
    2,000 categories tabu search over all pairs is last. All three often reach a higher score still.

    Of categories of more than 100 variables the searches before it do not score all pairs: a variable is scored as one
    more parent of another only where it depends, in a marginal test at level 0.01, on that one or on one of its
    parents. Nothing else can matter where the data are faithful to a graph; what else there is tabu search finds.

    Identifiers, which are columns with fewer than five rows of each state, are in no test. The searches after the tests
    look at those whose states repeat, since the score can judge them (`Result.identifiers`); with other scores they
    stay isolated.

    More than 30,000 variables are not clustered, since that holds all distances: tests then start from one cluster, and
    `parameters` of the result say so (``max_clusters`` is 1).

    Of numbers beside categories (a `phgs.data.MixedTable`) it first looks at how the numbers act. It cuts them into
    groups by what these tell of other columns (`phgs.data.MixedTable.grouped`). Where the groups tell more than the
    embedding (in the sum over pairs of the roots of gains: by quotient NML in groups, less half of what the choice of
    the cuts costs, and by BIC of the embedding), the numbers enter as these groups, and all is as of categories;
    `numbers` says it beforehand. Where they act smoothly, they enter by ranks. It then tests nothing, since tests of
    these reject too often: extended greedy equivalence search of up to 100 variables (the interleaved one of
    more, and with ``effort="quick"``), and then the search among orders, with the extended BIC of the embedding,
    ``"mixed-ebic"``.

    It is the default because it was the most accurate of the methods that take seconds in the studies that the
    documentation reports. Of 154 real tables of categories, all methods with the same score, and of 18 settings of
    random networks with up to 25,000 rows (mean Jaccard index):

    ==========  =============  ================  ====================  ===============
    method      best score on  seconds in total  log-likelihood lost   random networks
    ==========  =============  ================  ====================  ===============
    normal      95 %           5.3               0.009 a new row       0.828
    quick       69 %           2.5               0.033                 0.802
    thorough    97 %           38.0              0.006                 not run
    `GES`       68 %           0.9               0.031                 0.790
    `BOSS`      65 %           16.1              0.017                 0.777
    `Tabu`      71 %           0.9               0.023                 0.815
    ==========  =============  ================  ====================  ===============

    The best score is that of no other method (of those not of the default, for each of its three efforts); what is lost
    is the difference to the best of ten methods in rows that were held out.

    It is consistent: with enough data that are faithful to a graph, the search over all pairs
    reaches the true class from any start, and no stage after it lowers the score.

    Parameters
    ----------
    alpha : float, default 0.001
        Significance level of the tests.
    max_conditioning_size : int or None, default 2
        The largest conditioning set; None for no limit.
    max_clusters : int, default 20
        The most clusters of the partition; 1 means none.
    clusters : mapping or sequence, optional
        Your labels instead of clustering: by name, or one for each column in order.
    max_tests_per_pair : int or None, default 4
        How many tests with conditioning sets may be made for each pair of variables (20 variables at least) before the
        start does without tests: where nearly all depends on nearly all, as in surveys whose questions measure the
        same few things, they would take most of the time for a start that is no better than none. The result then has a
        stage ``"tests given up"``, and the search over all pairs starts from the empty graph. None for no limit.
    path_length : int, default 10
        Number of significance levels that PATH looks at; 1 turns it off.
    min_alpha : float, default 1e-5
        The lowest of them.
    collider_rule : {"separating-set", "conservative", "majority", "max-p"}, default "separating-set"
        When the middle of x − z − y, with x and y not adjacent, is a collider (x → z ← y). ``"separating-set"``: when
        it is not in the set that separated x from y, as in the published algorithm and in the paper. The others test
        all subsets of the neighbours of x and of y, of at most `max_conditioning_size`, at each level of PATH, and look
        at those that separate: ``"conservative"``, when it is in none of them (no collider when in all, else undecided;
        Ramsey, Zhang and Spirtes 2006); ``"majority"``, when in less than half (undecided at exactly half; Colombo and
        Maathuis 2014); ``"max-p"``, when it is not in the set with the largest p-value (Ramsey 2016). Undecided triples
        are in `Result.undecided`, and no direction is concluded from them.
    test : {"g2", "x2"} or callable, default "g2"
        G² (likelihood ratio) or Pearson's X²; or a Python function, called as ``test(x, y, given)`` with names of
        variables, that returns (statistic, degrees of freedom, p-value). It must be symmetric in x and y. It is called
        on one thread, which is not the main one; variables are then partitioned only by `clusters`. Methods that
        learn by tests alone take a list of names in place of data.
    degrees_of_freedom : {"classical", "adjusted"}, default "adjusted"
        Classical degrees of freedom multiply the arities of all columns, as in the paper; adjusted ones count in each
        stratum only the states that occur in it, which is better calibrated on sparse tables.
    minimum_sample : float or tuple, optional
        The least number of rows per cell that a test needs; sparser tables are not tested and the pair counts as
        independent. As a tuple ``(rows, "cell" or "df", "independent" or "dependent")``. None tests every table.
    score : {"sqnml", "qnml", "ebic", "bic", "aic", "loglik", "bdeu", "k2"} or callable, optional
        The score that is maximised; natural logarithms, larger is better. None is ``"sqnml"`` for categories and
        ``"ebic"`` for Gaussian data. Quotient NML, ``"qnml"`` (Silander and others 2018), and its form that codes which
        cells occur, ``"sqnml"``, charge for what a table holds, and so leave the true graph near the top where BIC and
        the extended BIC, ``"ebic"`` (Chen and Chen 2008), charge for thousands of cells that never occur. Gaussian data
        have ``"bic"`` and ``"ebic"``.
        Or a function of your own, called as ``score(variable, parents)`` with the name of a variable and a tuple of the
        names of its parents, once for each of these; it returns a finite number. GES and BOSS rely on it to be equal
        for equivalent DAGs. It is called on one thread, which is not the main one. A list of names will do as data
        where nothing is tested.
    penalty : float, optional
        For BIC and extended BIC, the penalty λ of the score loglik − λ · log(rows) · parameters; 0.5 is BIC. None is
        0.5 for categories and 1 for Gaussian data, of which 0.5 keeps many false edges.
    gamma : float, optional
        For extended BIC and quotient NML, the multiplier γ of log(variables) that each parent costs. None is 0.5 for
        extended BIC (of which 0 is BIC), 1 for quotient NML.
    equivalent_sample_size : float, default 1.0
        For BDeu, the weight of its prior in rows.
    tabu_length : int, default 100
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int, default 100
        How many steps without a new best graph end the search (the paper's t₀).
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    effort : {"quick", "normal", "thorough"}, default "normal"
        How far the search over all pairs goes. ``"quick"``: greedy equivalence search. ``"normal"``: after it, a search
        among orders of the variables (`BOSS`) from its result, which often leaves what greedy search is caught in.
        ``"thorough"``: that one with ten restarts for each variable: an order is changed at random around one variable
        and searched from there, and what gains is kept. Both have a budget of local scores, 4 and 40 for each pair of
        variables (100 variables at least; 2 and 20 where not all pairs are scored), so that the result is the same on
        every machine. Of Gaussian data of up to 1,000 variables, whose scores cost little and whose graphs may be
        dense, it starts from an order that the data suggest, grows parents from those at hand, and has restarts and
        budgets of 2,000 and 20,000 scores.
    seed : int, default 0
        Seed of the random changes.
    refine : {"none", "free", "growing", "ges", "xges", "boss"}, learner or list, optional
        What to do in place of the search that `effort` chooses: nothing; a search over all pairs, or over an active set
        that grows around what changes; greedy equivalence search, or its extended search; best order score search; a
        `Tabu`, `HillClimbing`, `GES` or `BOSS` with options of its own; or several of these in turn.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.datasets.load_alarm()
    >>> model = phgs.Auto(progress=False).fit(data.table)
    >>> phgs.compare(data.truth, model.cpdag_).jaccard > 0.9
    True
    """

    alpha: float = 0.001
    max_conditioning_size: int | None = 2
    max_clusters: int = 20
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None
    max_tests_per_pair: int | None = 4
    path_length: int = 10
    min_alpha: float = 1e-5
    collider_rule: ColliderRule = "separating-set"
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "adjusted"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore | None = None
    penalty: float | None = None
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    tabu_length: int = 100
    tabu_patience: int = 100
    max_parents: int | None = None
    max_iterations: int | None = None
    effort: Effort = "normal"
    seed: int = 0
    refine: Any = None

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_partition(self.max_clusters)
        parameters.whole("max_tests_per_pair", self.max_tests_per_pair, 0, none="no limit")
        checks.check_path(self.alpha, self.min_alpha, self.path_length)
        checks.check_colliders(self.collider_rule)
        checks.check_climbing(self.max_parents, self.max_iterations)
        checks.check_tabu(self.tabu_length, self.tabu_patience)
        check_effort(self.effort)
        parameters.whole("seed", self.seed)
        check_refine(self.refine)
        if self.refine is not None and self.effort != "normal":
            raise ParameterError(
                f"effort: {self.effort!r} says which search follows, and so does refine; leave one of them out"
            )

    def _score_name(self, data_type: str) -> str:
        if self.score is None:
            return "sqnml" if data_type == "discrete" else "ebic"
        return super()._score_name(data_type)

    def _penalty(self, data_type: str) -> float:
        if self.penalty is None:
            return 1.0 if data_type == "gaussian" else 0.5
        return self.penalty

    def _table(self, data: Any, stacklevel: int) -> Data:
        """Read data; of numbers beside categories decide whether they are cut into groups, unless that is said."""
        table = super()._table(data, stacklevel + 1)
        if not isinstance(table, (MixedTable, IncompleteMixedTable)) or table.settled or table.numbers != "ranks":
            return table
        if self.score is not None or self._own_functions() or not table.n_numbers:
            return table
        filled = table.start(self.seed, threads=self.threads) if isinstance(table, IncompleteMixedTable) else table
        return table.entering("groups" if filled.gains_by_groups() > _WORTH_GROUPS else "ranks")

    def stages_for(self, table: Data) -> Composition:
        """Put the stages together: of embedded numbers searches alone, since tests of these reject too often."""
        found = self.stages()
        if table.enters_as != "mixed":
            if table.data_type == "gaussian" and self.refine is None and found.maximise is not None:
                further = by_effort_of_numbers(self.effort, self.seed, found.maximise, table.n_variables)
                found = replace(found, refine=further)
            if table.enters_as == "discrete" and self.refine is None and found.maximise is not None:
                further = by_effort_of_categories(self.effort, self.seed, found.maximise, table.n_variables)
                found = replace(found, refine=further)
            if self._is_too_wide(table):
                assert isinstance(found.restrict, PartitionedPC)
                return replace(found, restrict=replace(found.restrict, max_clusters=1))
            return found
        assert found.maximise is not None
        assert isinstance(table, Mixed)
        extended = self.effort != "quick" and self.refine is None and table.n_variables <= _EXTENDED_LIMIT
        classes = EquivalenceSearch(
            schedule="extended" if extended else "interleaved",
            max_parents=self.max_parents,
            scores_per_pair=_EXTENDED_BUDGET if extended else None,
        )
        refine = found.refine if self.refine is not None else by_effort(self.effort, self.seed, found.maximise)[1:]
        return Composition(maximise=classes, refine=refine, max_parents=self.max_parents)

    def _is_too_wide(self, table: Data) -> bool:
        """Whether there are too many variables to cluster, so that they stay in one cluster."""
        return self.clusters is None and table.n_variables > stages.MOST_CLUSTERED

    def _used(self, table: Data) -> dict[str, Any]:
        found = super()._used(table)
        return found | {"max_clusters": 1} if self._is_too_wide(table) else found

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        search = TabuSearch(
            length=self.tabu_length,
            patience=self.tabu_patience,
            ties="association",
            max_parents=self.max_parents,
            max_iterations=self.max_iterations,
        )
        return Composition(
            restrict=PartitionedPC(
                alpha=self.alpha,
                max_conditioning_size=self.max_conditioning_size,
                max_clusters=self.max_clusters,
                clusters=self.clusters,
                max_tests_per_pair=self.max_tests_per_pair,
            ),
            select=Path(path_length=self.path_length, min_alpha=self.min_alpha),
            initialise=HGI(colliders_of(self.collider_rule, self.max_conditioning_size)),
            maximise=search,
            refine=refinements(self.refine, search)
            if self.refine is not None
            else by_effort(self.effort, self.seed, search),
            max_parents=self.max_parents,
        )
