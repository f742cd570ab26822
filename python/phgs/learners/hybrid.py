"""Hybrid methods of others: neighbours that are learned around each variable, then a search within it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phgs.choices import DegreesOfFreedom, ScoreName, TestName
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.refinement import check_refine, refinements
from phgs.learners.searches import TabuSearch, Ties
from phgs.learners.stages import HGI, Composition, EmptyStart, Neighbourhoods, Start, TestedColliders
from phgs.own_score import OwnScore
from phgs.own_test import OwnTest


@dataclass(kw_only=True, eq=False, repr=False)
class MMHC(Learner):
    """Max-min hill-climbing (Tsamardinos, Brown and Aliferis 2006): `MMPC`, then tabu search.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
    init : {"empty", "hgi"}, default "empty"
        Where the search starts: the empty graph, or hybrid greedy initialization (the paper's MMHC-HGI).
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
    tabu_length : int, default 100
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int, default 100
        How many steps without a new best graph end the search (the paper's t₀).
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    ties : {"lookahead", "association", "columns"}, default "lookahead"
        Between moves that raise the score alike, such as the two directions of a first arc: the direction after which
        further arcs into its head gain more; or arcs into the variable that depends most on others, which is also the
        rule where the first does not decide; or the first in column order, as in bnlearn. The first two do not depend
        on the order of columns.
    refine : {"none", "free", "growing", "ges", "xges", "boss"}, learner or list, default "none"
        What to do afterwards: nothing; a search over all pairs, or over an active set that grows around what changes;
        greedy equivalence search, or its extended search; best order score search; a `Tabu`, `HillClimbing`, `GES` or
        `BOSS` with options of its own; or several of these in turn.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    init: Start = "empty"
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    tabu_length: int = 100
    tabu_patience: int = 100
    max_parents: int | None = None
    max_iterations: int | None = None
    ties: Ties = "lookahead"
    refine: Any = "none"

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_climbing(self.max_parents, self.max_iterations)
        checks.check_ties(self.ties)
        checks.check_tabu(self.tabu_length, self.tabu_patience)
        checks.check_start(self.init)
        check_refine(self.refine)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        tested = TestedColliders(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)
        search = TabuSearch(
            length=self.tabu_length,
            patience=self.tabu_patience,
            ties=self.ties,
            max_parents=self.max_parents,
            max_iterations=self.max_iterations,
        )
        return Composition(
            restrict=Neighbourhoods(learner="mmpc", alpha=self.alpha, max_conditioning_size=self.max_conditioning_size),
            initialise=HGI(tested) if self.init == "hgi" else EmptyStart(),
            maximise=search,
            refine=refinements(self.refine, search),
            max_parents=self.max_parents,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class H2PC(Learner):
    """Hybrid HPC (Gasse, Aussem and Elghazel 2014): `HPC`, then tabu search.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 4
        The largest conditioning set; None for no limit.
    init : {"empty", "hgi"}, default "empty"
        Where the search starts: the empty graph, or hybrid greedy initialization (the paper's H2PC-HGI).
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
    tabu_length : int, default 100
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int, default 100
        How many steps without a new best graph end the search (the paper's t₀).
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    ties : {"lookahead", "association", "columns"}, default "lookahead"
        Between moves that raise the score alike, such as the two directions of a first arc: the direction after which
        further arcs into its head gain more; or arcs into the variable that depends most on others, which is also the
        rule where the first does not decide; or the first in column order, as in bnlearn. The first two do not depend
        on the order of columns.
    refine : {"none", "free", "growing", "ges", "xges", "boss"}, learner or list, default "none"
        What to do afterwards: nothing; a search over all pairs, or over an active set that grows around what changes;
        greedy equivalence search, or its extended search; best order score search; a `Tabu`, `HillClimbing`, `GES` or
        `BOSS` with options of its own; or several of these in turn.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 4
    init: Start = "empty"
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    tabu_length: int = 100
    tabu_patience: int = 100
    max_parents: int | None = None
    max_iterations: int | None = None
    ties: Ties = "lookahead"
    refine: Any = "none"

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_climbing(self.max_parents, self.max_iterations)
        checks.check_ties(self.ties)
        checks.check_tabu(self.tabu_length, self.tabu_patience)
        checks.check_start(self.init)
        check_refine(self.refine)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        tested = TestedColliders(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)
        search = TabuSearch(
            length=self.tabu_length,
            patience=self.tabu_patience,
            ties=self.ties,
            max_parents=self.max_parents,
            max_iterations=self.max_iterations,
        )
        return Composition(
            restrict=Neighbourhoods(learner="hpc", alpha=self.alpha, max_conditioning_size=self.max_conditioning_size),
            initialise=HGI(tested) if self.init == "hgi" else EmptyStart(),
            maximise=search,
            refine=refinements(self.refine, search),
            max_parents=self.max_parents,
        )
