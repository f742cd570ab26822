"""Groups of parameters that learners share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from phgs import parameters
from phgs.choices import DegreesOfFreedom, ScoreName, TestName, score_for_core, test_for_core
from phgs.learners.base import Learner
from phgs.own_test import OwnTest


@dataclass(kw_only=True, eq=False, repr=False)
class Testing(Learner):
    """Parameters of independence tests.

    Parameters
    ----------
    test : {"g2", "x2"} or callable
        G² (likelihood ratio) or Pearson's X²; or a function of your own, called as ``test(x, y, given)`` with names of
        variables, that returns (statistic, degrees of freedom, p-value). It must be symmetric in x and y. It is called
        on one thread, which is not the main one; variables are then partitioned only by `clusters`. Methods that
        learn by tests alone take a list of names in place of data.
    degrees_of_freedom : {"classical", "adjusted"}
        Classical degrees of freedom multiply the arities of all columns, as in the paper; adjusted ones count in each
        stratum only the states that occur in it, which is better calibrated on sparse tables.
    minimum_sample : float or tuple, optional
        The least number of rows a cell that a test needs; sparser tables are not tested and the pair counts as
        independent. As a tuple ``(rows, "cell" or "df", "independent" or "dependent")``. None tests every table.
    """

    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    def _check(self) -> None:
        super()._check()
        self._test()

    def _test(self) -> dict[str, Any]:
        return test_for_core("g2" if callable(self.test) else self.test, self.degrees_of_freedom, self.minimum_sample)


@dataclass(kw_only=True, eq=False, repr=False)
class Separating(Testing):
    """Parameters of the search for separating sets.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 3

    def _check(self) -> None:
        super()._check()
        parameters.probability("alpha", self.alpha)
        parameters.whole("max_conditioning_size", self.max_conditioning_size, 0, none="no limit")


@dataclass(kw_only=True, eq=False, repr=False)
class Scoring(Learner):
    """Parameters of scores.

    Parameters
    ----------
    score : {"bic", "ebic", "aic", "loglik", "bdeu", "k2"}
        The score that is maximised; natural logarithms, larger is better. The extended BIC, ``"ebic"`` (Chen and Chen
        2008), takes off more for each parent the more variables there are, so that a search over all pairs adds few by
        chance. Gaussian data have ``"bic"`` and ``"ebic"``.
    penalty : float
        For BIC and extended BIC, the penalty λ of the score loglik − λ · log(rows) · parameters; 0.5 is BIC.
    gamma : float
        For extended BIC, the multiplier γ of log(variables) that each parent costs; 0 is BIC.
    equivalent_sample_size : float
        For BDeu, the weight of its prior in rows.
    """

    score: ScoreName = "bic"
    penalty: float = 0.5
    gamma: float = 0.5
    equivalent_sample_size: float = 1.0

    def _check(self) -> None:
        super()._check()
        self._score()

    def _score(self) -> dict[str, Any]:
        return score_for_core(self.score, self.penalty, self.gamma, self.equivalent_sample_size)


@dataclass(kw_only=True, eq=False, repr=False)
class Searching(Scoring):
    """Parameters of any search.

    Parameters
    ----------
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    """

    max_parents: int | None = None

    def _check(self) -> None:
        super()._check()
        parameters.whole("max_parents", self.max_parents, 0, none="no limit")

    def _search(self) -> dict[str, Any]:
        """Describe the search to the core."""
        raise NotImplementedError


@dataclass(kw_only=True, eq=False, repr=False)
class Climbing(Searching):
    """Parameters of hill-climbing among DAGs.

    Parameters
    ----------
    max_iterations : int, optional
        The most moves of the search; None for no limit.
    """

    max_iterations: int | None = None

    def _check(self) -> None:
        super()._check()
        parameters.whole("max_iterations", self.max_iterations, 1, none="no limit")

    def _search(self) -> dict[str, Any]:
        return {
            "kind": "hill-climbing",
            "tabu": None,
            "ties": "association",
            "restarts": None,
            "max_parents": self.max_parents,
            "max_iterations": self.max_iterations,
        }


Ties = Literal["lookahead", "association", "columns"]
TIES: tuple[Ties, ...] = ("lookahead", "association", "columns")


@dataclass(kw_only=True, eq=False, repr=False)
class TieBreaking(Climbing):
    """Parameters of hill-climbing in which equally good moves matter: from the empty graph most first moves are.

    Parameters
    ----------
    ties : {"lookahead", "association", "columns"}
        Between moves that raise the score alike, such as the two directions of a first arc: the direction after which
        further arcs into its head gain more; or arcs into the variable that depends most on others, which is also the
        rule where the first does not decide; or the first in column order, as in bnlearn. The first two do not depend
        on the order of columns.
    """

    ties: Ties = "lookahead"

    def _check(self) -> None:
        super()._check()
        parameters.one_of("ties", self.ties, TIES)

    def _search(self) -> dict[str, Any]:
        return {**super()._search(), "ties": self.ties}


@dataclass(kw_only=True, eq=False, repr=False)
class TabuSearching(Climbing):
    """Parameters of tabu search.

    Parameters
    ----------
    tabu_length : int
        How many of the last graphs must not be visited again (the paper's t₁).
    tabu_patience : int
        How many steps without a new best graph end the search (the paper's t₀).
    """

    tabu_length: int = 100
    tabu_patience: int = 100

    def _check(self) -> None:
        super()._check()
        parameters.whole("tabu_length", self.tabu_length, 1)
        parameters.whole("tabu_patience", self.tabu_patience, 0)

    def _search(self) -> dict[str, Any]:
        return {**super()._search(), "tabu": (self.tabu_length, self.tabu_patience)}


EMPTY = {"kind": "empty"}
NO_SEARCH = {"kind": "none"}


def composed(
    restrict: dict[str, Any],
    *,
    initialise: dict[str, Any],
    maximise: dict[str, Any],
    refine: list[dict[str, Any]] | None = None,
    path_length: int = 1,
    min_alpha: float = 1e-5,
    max_parents: int | None = None,
) -> dict[str, Any]:
    """Put stages together as the core reads them."""
    return {
        "restrict": restrict,
        "path_length": path_length,
        "min_alpha": min_alpha,
        "initialise": initialise,
        "maximise": maximise,
        "refine": refine or [],
        "max_parents": max_parents,
    }
