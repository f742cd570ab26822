"""PC, in a partition of the variables or as it is, and fusion of what is learned in its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phgs.choices import DegreesOfFreedom, ScoreName, TestName
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.stages import (
    ColliderRule,
    Colliders,
    Composition,
    DecidedColliders,
    Fusion,
    Oriented,
    PartitionedPC,
    Path,
    SeparatingSets,
)
from phgs.own_score import OwnScore
from phgs.own_test import OwnTest


def colliders_of(rule: ColliderRule, max_conditioning_size: int | None) -> Colliders:
    """Return how v-structures are found by a `collider_rule`."""
    if rule == "separating-set":
        return SeparatingSets()
    return DecidedColliders(rule=rule, max_conditioning_size=max_conditioning_size)


@dataclass(kw_only=True, eq=False, repr=False)
class PC(Learner):
    """PC-stable with PATH: the CPDAG by conditional-independence tests.

    Every pair is tested given ever larger sets of the neighbours until one separates it (Spirtes and Glymour 1991;
    Colombo and Maathuis 2014, order-independent). PATH then looks at a grid of significance levels below `alpha`, at
    no further tests, and keeps the estimate with the best score (Huang and Zhou, algorithm 3).

    The cost grows with the number of pairs and steeply with the size of neighbourhoods.

    Parameters
    ----------
    alpha : float, default 0.1
        Significance level of the tests.
    max_conditioning_size : int or None, default 3
        The largest conditioning set; None for no limit.
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
    >>> import numpy as np, phgs
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.integers(0, 2, (2, 1000))
    >>> z = (x + y + (rng.random(1000) < 0.1)) % 3
    >>> phgs.PC(progress=False).fit({"x": x, "y": y, "z": z}).cpdag_
    <phgs.Graph: 3 variables, 2 edges (2 directed)>
    """

    alpha: float = 0.1
    max_conditioning_size: int | None = 3
    path_length: int = 10
    min_alpha: float = 1e-5
    collider_rule: ColliderRule = "separating-set"
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_path(self.alpha, self.min_alpha, self.path_length)
        checks.check_colliders(self.collider_rule)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(
            restrict=PartitionedPC(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size),
            select=Path(path_length=self.path_length, min_alpha=self.min_alpha),
            initialise=Oriented(colliders_of(self.collider_rule, self.max_conditioning_size)),
        )


@dataclass(kw_only=True, eq=False, repr=False)
class PPC(Learner):
    """Partitioned PC with PATH: PC's result at a fraction of its tests (Huang and Zhou, algorithm 2).

    The variables are clustered by their mutual information; PC runs within the clusters; pairs between clusters are
    screened with what is known by then; only what is left is tested in full.

    Parameters
    ----------
    alpha : float, default 0.1
        Significance level of the tests.
    max_conditioning_size : int or None, default 3
        The largest conditioning set; None for no limit.
    max_clusters : int, default 20
        The most clusters of the partition; 1 means none.
    clusters : mapping or sequence, optional
        Your labels instead of clustering: by name, or one for each column in order.
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

    See Also
    --------
    PC : the same without a partition.
    """

    alpha: float = 0.1
    max_conditioning_size: int | None = 3
    max_clusters: int = 20
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None
    path_length: int = 10
    min_alpha: float = 1e-5
    collider_rule: ColliderRule = "separating-set"
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_partition(self.max_clusters)
        checks.check_path(self.alpha, self.min_alpha, self.path_length)
        checks.check_colliders(self.collider_rule)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(
            restrict=PartitionedPC(
                alpha=self.alpha,
                max_conditioning_size=self.max_conditioning_size,
                max_clusters=self.max_clusters,
                clusters=self.clusters,
            ),
            select=Path(path_length=self.path_length, min_alpha=self.min_alpha),
            initialise=Oriented(colliders_of(self.collider_rule, self.max_conditioning_size)),
        )


@dataclass(kw_only=True, eq=False, repr=False)
class PEF(Learner):
    """Partition, estimate, fuse (Gu and Zhou 2020), with PC as the estimator within clusters.

    The variables are clustered, a skeleton is learned in each cluster, and the fusion step adds and directs edges
    between clusters by tests and by the score.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 3
        The largest conditioning set; None for no limit.
    max_clusters : int, default 20
        The most clusters of the partition; 1 means none.
    clusters : mapping or sequence, optional
        Your labels instead of clustering: by name, or one for each column in order.
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
    max_parents : int, optional
        The most parents a variable may have; None for no limit.
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 3
    max_clusters: int = 20
    clusters: Mapping[Any, Any] | Sequence[Any] | None = None
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None
    score: ScoreName | OwnScore = "bic"
    penalty: float = 0.5
    gamma: float | None = None
    equivalent_sample_size: float = 1.0
    max_parents: int | None = None

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_score(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)
        checks.check_partition(self.max_clusters)
        checks.check_parents(self.max_parents)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        return Composition(
            restrict=Fusion(
                alpha=self.alpha,
                max_conditioning_size=self.max_conditioning_size,
                max_clusters=self.max_clusters,
                clusters=self.clusters,
            ),
            max_parents=self.max_parents,
        )
