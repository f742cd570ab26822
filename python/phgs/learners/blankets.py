"""Learners of Markov blankets, from which neighbours are made, joined into a skeleton and oriented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phgs.choices import DegreesOfFreedom, TestName
from phgs.learners.local_learner import LocalLearner
from phgs.own_test import OwnTest


@dataclass(kw_only=True, eq=False, repr=False)
class FastIAMB(LocalLearner):
    """Fast incremental association Markov blanket (Yaramakala and Margaritis 2005), reduced to neighbours.

    Cost: for each variable a few rounds of one test of every other variable given the blanket so far, which can be
    large: tables are larger than those of `MMPC`, and the time longer though tests are few. The blanket stops growing
    where the data no longer support its tables. Neighbours in it are then tested with its subsets, as with `MMPC`.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
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
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "fast-iamb"


@dataclass(kw_only=True, eq=False, repr=False)
class GrowShrink(LocalLearner):
    """Grow-Shrink (Margaritis and Thrun 1999).

    Each variable's Markov blanket grows by any variable that depends on it given the blanket so far, the strongest
    marginal association first, and then loses those that the others separate. Of two variables that are in each
    other's blanket, those are neighbours that no subset of the smaller blanket separates. V-structures are found by
    testing, then Meek's rules give the CPDAG. Blankets have at most ``max_conditioning_size + 1`` members; give None
    where larger ones are expected and rows suffice.

    Cost: few tests, each with a whole blanket: at least one of every other variable for each member.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
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
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "gs"


@dataclass(kw_only=True, eq=False, repr=False)
class IAMB(LocalLearner):
    """Incremental association Markov blanket (Tsamardinos, Aliferis and Statnikov 2003).

    As `GrowShrink`, but of all variables that depend on the target given the blanket so far, the one that depends
    most joins: fewer false members. Of two variables that are in each other's blanket, those are neighbours that no
    subset of the smaller blanket separates. V-structures are found by testing, then Meek's rules give the CPDAG.
    Blankets have at most ``max_conditioning_size + 1`` members; give None where larger ones are expected and rows
    suffice.

    Cost: for each member of a blanket a test of every other variable.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
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
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "iamb"


@dataclass(kw_only=True, eq=False, repr=False)
class InterIAMB(LocalLearner):
    """Interleaved IAMB (Tsamardinos, Aliferis and Statnikov 2003).

    `IAMB` that drops members after each one that joins, so that sets stay small. Of two variables that are in each
    other's blanket, those are neighbours that no subset of the smaller blanket separates. V-structures are found by
    testing, then Meek's rules give the CPDAG. Blankets have at most ``max_conditioning_size + 1`` members; give None
    where larger ones are expected and rows suffice.

    Cost: as `IAMB`, and a test of each member whenever one joins.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
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
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "inter-iamb"


@dataclass(kw_only=True, eq=False, repr=False)
class IAMBFDR(LocalLearner):
    """IAMB with control of the false discovery rate (Peña 2008).

    As `InterIAMB`, with `alpha` the rate of false members among those of a blanket (Benjamini and Hochberg 1995) in
    place of the level of each test: with many variables, far fewer false members. Of two variables that are in each
    other's blanket, those are neighbours that no subset of the smaller blanket separates. V-structures are found by
    testing, then Meek's rules give the CPDAG. Blankets have at most ``max_conditioning_size + 1`` members; give None
    where larger ones are expected and rows suffice.

    Cost: as `InterIAMB`.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 5
        The largest conditioning set; None for no limit.
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
    missing, categories, kinds, data_type, numbers, powers, counts, weights, knowledge, threads, time_limit, progress
        How data are read and how to run, as in all learners: see `phgs.learners.base.Learner`.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "iamb-fdr"
