"""Score-based search over all DAGs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phgs import parameters
from phgs.choices import ScoreName
from phgs.errors import ParameterError
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.searches import (
    SCHEDULES,
    EquivalenceSearch,
    GreedySearch,
    OrderSearch,
    Restarts,
    Schedule,
    TabuSearch,
    Ties,
)
from phgs.learners.stages import Composition, EmptyStart, GivenStart, Initialisation
from phgs.own_score import OwnScore


def started_from(start: Any) -> Initialisation:
    """Return where a search starts: from a DAG, or for None from the empty graph."""
    return EmptyStart() if start is None else GivenStart(dag=start)


@dataclass(kw_only=True, eq=False, repr=False)
class HillClimbing(Learner):
    """Greedy hill-climbing: the move that raises the score most, until none does.

    Moves add, delete or reverse an arc. It ends in a local optimum; restarts perturb the best graph and climb again.

    Parameters
    ----------
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
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    ties : {"lookahead", "association", "columns"}, default "lookahead"
        Between moves that raise the score alike, such as the two directions of a first arc: the direction after which
        further arcs into its head gain more; or arcs into the variable that depends most on others, which is also the
        rule where the first does not decide; or the first in column order, as in bnlearn. The first two do not depend
        on the order of columns.
    start : graph, optional
        The DAG to start from; None for the empty graph.
    restarts : int, default 0
        How many times to perturb the best graph and climb again.
    perturbations : int, default 10
        Number of random moves of a perturbation.
    seed : int, default 0
        Seed of the perturbations.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    max_parents: int | None = None
    max_iterations: int | None = None
    ties: Ties = "lookahead"
    start: Any = None
    restarts: int = 0
    perturbations: int = 10
    seed: int = 0

    def _check_method(self) -> None:
        checks.check_score(self)
        checks.check_climbing(self.max_parents, self.max_iterations)
        checks.check_ties(self.ties)
        checks.check_restarts(self.restarts, self.perturbations, self.seed)

    def search(self) -> GreedySearch:
        """Return the search as a stage."""
        restarts = Restarts(count=self.restarts, perturbations=self.perturbations, seed=self.seed)
        return GreedySearch(
            ties=self.ties,
            restarts=restarts if self.restarts else None,
            max_parents=self.max_parents,
            max_iterations=self.max_iterations,
        )

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(initialise=started_from(self.start), maximise=self.search(), max_parents=self.max_parents)


@dataclass(kw_only=True, eq=False, repr=False)
class Tabu(Learner):
    """Hill-climbing with a tabu list: it continues through worse graphs and returns the best one found.

    Parameters
    ----------
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
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    tabu_length : int, default 100
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int, default 100
        How many steps without a new best graph end the search (the paper's t₀).
    ties : {"lookahead", "association", "columns"}, default "lookahead"
        Between moves that raise the score alike, such as the two directions of a first arc: the direction after which
        further arcs into its head gain more; or arcs into the variable that depends most on others, which is also the
        rule where the first does not decide; or the first in column order, as in bnlearn. The first two do not depend
        on the order of columns.
    start : graph, optional
        The DAG to start from; None for the empty graph.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    max_parents: int | None = None
    max_iterations: int | None = None
    tabu_length: int = 100
    tabu_patience: int = 100
    ties: Ties = "lookahead"
    start: Any = None

    def _check_method(self) -> None:
        checks.check_score(self)
        checks.check_climbing(self.max_parents, self.max_iterations)
        checks.check_tabu(self.tabu_length, self.tabu_patience)
        checks.check_ties(self.ties)

    def search(self) -> TabuSearch:
        """Return the search as a stage."""
        return TabuSearch(
            length=self.tabu_length,
            patience=self.tabu_patience,
            ties=self.ties,
            max_parents=self.max_parents,
            max_iterations=self.max_iterations,
        )

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(initialise=started_from(self.start), maximise=self.search(), max_parents=self.max_parents)


@dataclass(kw_only=True, eq=False, repr=False)
class GES(Learner):
    """Greedy equivalence search (Chickering 2002; turns by Hauser and Bühlmann 2012): moves among classes of DAGs.

    Parameters
    ----------
    forward : bool, default True
        Whether to insert edges.
    backward : bool, default True
        Whether to delete edges.
    turning : bool, default True
        Whether to turn edges.
    schedule : {"phases", "rounds", "interleaved", "cut-loose", "extended"}, default "phases"
        All insertions, then all deletions, then all turns; the same until a round changes nothing; at each step a
        deletion if any helps, else a turn, else an insertion (XGES-0 of Nazaret and Blei 2024); or, after that, changes
        that cost score, each followed by a search and kept when the score ends better. With ``"cut-loose"`` each
        variable is cut loose from all others; with ``"extended"`` deletions are tried besides, as in XGES (of the
        same), turns, and insertions between variables two steps apart. The last has the best scores and takes longest,
        many times as long as the third; the last but one leaves much of what holds the third back in little more time.
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
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    start : graph, optional
        The DAG from whose class to start; None for the empty graph.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    forward: bool = True
    backward: bool = True
    turning: bool = True
    schedule: Schedule = "phases"
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    max_parents: int | None = None
    start: Any = None

    def _check_method(self) -> None:
        checks.check_score(self)
        checks.check_parents(self.max_parents)
        parameters.one_of("schedule", self.schedule, SCHEDULES)
        if not (self.forward or self.backward or self.turning):
            raise ParameterError("forward: at least one of forward, backward and turning must be True")
        if self.schedule in ("cut-loose", "extended") and not self.backward:
            problem = f'"{self.schedule}" needs backward=True; use "interleaved" without deletions'
            raise ParameterError(f"schedule: {problem}")

    def search(self) -> EquivalenceSearch:
        """Return the search as a stage."""
        return EquivalenceSearch(
            forward=self.forward,
            backward=self.backward,
            turning=self.turning,
            schedule=self.schedule,
            max_parents=self.max_parents,
        )

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(initialise=started_from(self.start), maximise=self.search(), max_parents=self.max_parents)


@dataclass(kw_only=True, eq=False, repr=False)
class BOSS(Learner):
    """Best order score search (Andrews and others 2023): each variable moves to its best place in the order.

    Parameters
    ----------
    growing : bool, default True
        Whether to score only parents that gained when all were scored last, until scoring all again brings nothing:
        nearly the same result for a small part of the local scores.
    narrowing : bool, default False
        Whether a growing search leaves out what hardly ever matters: what gains alone is scored along a branch only as
        long as it gains, and a better place is looked for in a direction only as long as there can be one. Nearly the
        same result for half the local scores. Without effect on an incremental search.
    incremental : bool, default False
        Whether the parents of a variable are grown and shrunk from those that it has, not from none (Wienöbst, Henckel
        and Weichwald 2025). It takes fewer local scores and finds dense graphs better.
    order_from_data : bool, default False
        Whether to start from an order that the data suggest, not from that of `start`: of Gaussian data the one in
        which each variable is the one that those before it explain least. Other data suggest none.
    backward : bool, default True
        Whether deletions among equivalence classes follow.
    restarts : int, default 0
        How many times to go on from an order that is changed at random around one variable; what does not gain is
        taken back (iterated local search).
    perturbations : int, default 3
        How many variables are moved before each restart.
    restart_share : int, optional
        Restarts end when they have taken so many times the local scores of the search before them. None for no limit.
    seed : int, default 0
        Seed of the random moves.
    budget : int, optional
        How many local scores may be computed before no other step of the search begins; the same budget gives the same
        result on every machine. None for no limit.
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
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    start : graph, optional
        The DAG from whose order to start; None for column order.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    growing: bool = True
    narrowing: bool = False
    incremental: bool = False
    order_from_data: bool = False
    backward: bool = True
    restarts: int = 0
    perturbations: int = 3
    restart_share: int | None = None
    seed: int = 0
    budget: int | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    max_parents: int | None = None
    start: Any = None

    def _check_method(self) -> None:
        checks.check_score(self)
        checks.check_parents(self.max_parents)
        checks.check_restarts(self.restarts, self.perturbations, self.seed)
        parameters.whole("restart_share", self.restart_share, 1, none="no limit")
        parameters.whole("budget", self.budget, 0, none="no limit")

    def search(self) -> OrderSearch:
        """Return the search as a stage."""
        restarts = Restarts(count=self.restarts, perturbations=self.perturbations, seed=self.seed)
        return OrderSearch(
            growing=self.growing,
            narrowing=self.narrowing,
            incremental=self.incremental,
            order_from_data=self.order_from_data,
            backward=self.backward,
            restarts=restarts if self.restarts else None,
            restart_share=self.restart_share,
            budget=self.budget,
            max_parents=self.max_parents,
        )

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(initialise=started_from(self.start), maximise=self.search(), max_parents=self.max_parents)
