"""Learners of neighbours (parents and children), joined into a skeleton and oriented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phgs.choices import DegreesOfFreedom, TestName
from phgs.learners.local_learner import LocalLearner
from phgs.own_test import OwnTest


@dataclass(kw_only=True, eq=False, repr=False)
class MMPC(LocalLearner):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis 2006).

    Each variable's neighbours are added by the max-min heuristic and pruned by conditional tests; an edge stays when
    both ends agree. V-structures are found by testing, then Meek's rules give the CPDAG.

    Cost: a test of every pair, then for each variable a test of every candidate with every subset of its neighbours
    of at most `max_conditioning_size`. That is cheap where variables have few neighbours, and exponential in the number
    of neighbours until the limit: a variable with 40 has 760,000 subsets of at most 5, 102,000 of at most 4 and 10,700
    of at most 3. If you expect hubs, lower the limit or set `time_limit`.

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

    _learner: ClassVar[str] = "mmpc"


@dataclass(kw_only=True, eq=False, repr=False)
class HPC(LocalLearner):
    """Hybrid parents and children (Gasse, Aussem and Elghazel 2014).

    An ensemble of weak learners of parents, children and spouses, with control of the false discovery rate: more edges
    found than by `MMPC`, at several times its tests.

    Cost: some ten times the tests of `MMPC` on a thousand variables with few neighbours, since each variable looks for
    spouses through each of its neighbours; subsets of neighbours count as with `MMPC`.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the tests.
    max_conditioning_size : int or None, default 4
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
    max_conditioning_size: int | None = 4
    test: TestName | OwnTest = "g2"
    degrees_of_freedom: DegreesOfFreedom = "classical"
    minimum_sample: float | tuple[float, str, str] | None = None

    _learner: ClassVar[str] = "hpc"


@dataclass(kw_only=True, eq=False, repr=False)
class SIHitonPC(LocalLearner):
    """Semi-interleaved HITON-PC (Aliferis and others 2010).

    Candidates enter in the order of their association and are tested as they enter; the cheapest of the local learners.

    Cost: as `MMPC`, exponential in the number of neighbours of a variable until `max_conditioning_size`, for each
    candidate that enters beside them.

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

    _learner: ClassVar[str] = "si-hiton-pc"


@dataclass(kw_only=True, eq=False, repr=False)
class HitonPC(LocalLearner):
    """HITON-PC, interleaved (Aliferis, Tsamardinos and Statnikov 2003).

    As `SIHitonPC`, but whenever a variable joins, every earlier neighbour is tested anew given the sets with it.
    Pools of neighbours stay small; more tests are made where many join that do not stay.

    Cost: as `SIHitonPC`.

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

    _learner: ClassVar[str] = "hiton-pc"


@dataclass(kw_only=True, eq=False, repr=False)
class GetPC(LocalLearner):
    """GetPC (Peña, Nilsson, Björkegren and Tegnér 2007).

    `MMPC` in which, whenever a variable joins, every earlier neighbour is tested anew given the sets with it.

    Cost: as `MMPC`; less where neighbours that join early do not stay.

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

    _learner: ClassVar[str] = "getpc"
