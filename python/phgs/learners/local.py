"""Learners of local neighbourhoods, joined into a skeleton and oriented."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from phgs import _core
from phgs.choices import DegreesOfFreedom, TestName
from phgs.errors import ParameterError
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.stages import Composition, Neighbourhoods, Oriented, TestedColliders
from phgs.own_test import OwnTest
from phgs.progress import reporter

if TYPE_CHECKING:
    from phgs.data.base import Data
    from phgs.data.frames import Name
    from phgs.learners.base import _Described


class Neighbour(NamedTuple):
    """A neighbour of a target variable.

    Attributes
    ----------
    name
        The neighbour.
    log_p_value : float
        Natural logarithm of the largest p-value of all tests of the pair: how close it came to being separated; −∞ for
        a required pair, which is not tested.
    weakest_set : tuple
        The conditioning set that gave it.
    """

    name: Name
    log_p_value: float
    weakest_set: tuple[Name, ...]

    @property
    def p_value(self) -> float:
        """The largest p-value of all tests of the pair; 0 below 1e-308."""
        return math.exp(self.log_p_value)


@dataclass(frozen=True)
class Neighbourhood:
    """The variables that depend directly on one of them: its parents and children, which tests alone cannot tell apart.

    Attributes
    ----------
    target
        The variable.
    neighbours : tuple of Neighbour
        Its neighbours, in column order.
    method : str
        Name of the learner.
    test : str
        Name of the independence test and its rule for degrees of freedom.
    calls : int
        Number of tests.
    seconds : float
        Seconds in all, reading included.
    n_rows : int
        Rows used.
    """

    target: Name
    neighbours: tuple[Neighbour, ...]
    method: str
    test: str
    calls: int
    seconds: float
    n_rows: int

    @property
    def names(self) -> tuple[Name, ...]:
        """Names of the neighbours, in column order."""
        return tuple(neighbour.name for neighbour in self.neighbours)

    def __str__(self) -> str:
        from phgs.texts import p_value_text, printable

        lines = [f"{self.target}: {len(self.neighbours)} neighbours ({self.method}, {self.calls:,} tests)"]
        for name, log_p, given in self.neighbours:
            p_value = "required" if log_p == -math.inf else f"largest p = {p_value_text(log_p)}"
            lines.append(f"  {name}: {p_value}" + (f" given {', '.join(map(str, given))}" if given else ""))
        return printable("\n".join(lines))


@dataclass(frozen=True)
class MarkovBlanket:
    """The variables given which one of them is independent of all others.

    In a causal graph they are its parents, its children and the other parents of its children.

    Attributes
    ----------
    target
        The variable.
    names : tuple
        Names of the members, in column order.
    method : str
        Name of the learner.
    test : str
        Name of the independence test and its rule for degrees of freedom.
    calls : int
        Number of tests.
    seconds : float
        Seconds in all, reading included.
    n_rows : int
        Rows used.
    """

    target: Name
    names: tuple[Name, ...]
    method: str
    test: str
    calls: int
    seconds: float
    n_rows: int

    def __str__(self) -> str:
        members = ", ".join(map(str, self.names)) or "nothing"
        return f"{self.target}: {members} ({self.method}, {self.calls:,} tests)"


class LocalLearner(Learner):
    """What learners of neighbourhoods do alike; each has `alpha`, `max_conditioning_size` and parameters of tests."""

    alpha: float
    max_conditioning_size: int | None

    _learner: ClassVar[str]
    """The core's name of the learner."""

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)

    def _restriction(self) -> Neighbourhoods:
        return Neighbourhoods(learner=self._learner, alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        tested = TestedColliders(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)
        return Composition(restrict=self._restriction(), initialise=Oriented(tested))

    def neighbourhood(self, data: Any, target: Name) -> Neighbourhood:
        """Learn the neighbours of one variable only.

        They are those that the whole skeleton would give it: its own search, and one around each variable that it
        finds, since both ends must agree. The cost is about that of one search times the number of neighbours, in
        place of one search for every variable.

        Parameters
        ----------
        data
            Any data that `phgs.as_table` reads; for a test of your own, a list of names will do.
        target
            Name of the variable.

        Examples
        --------
        >>> import phgs
        >>> data = phgs.datasets.load_alarm()
        >>> phgs.MMPC().neighbourhood(data.table, "HRBP").names
        ('ERRLOWOUTPUT', 'HR')
        """
        start = time.perf_counter()
        table, position, described = self._around(data, target, "neighbourhood", 4)
        with reporter(self.progress, self.method) as report:
            found = _core.neighbourhood(
                table.core,
                position,
                test=described["test"],
                local=self._restriction().as_core(table),
                knowledge=described["knowledge"],
                threads=self.threads,
                progress=report,
            )
        names = table.names
        return Neighbourhood(
            target=names[position],
            neighbours=tuple(
                Neighbour(names[n["variable"]], n["log_p_value"], tuple(names[z] for z in n["weakest_set"]))
                for n in found["neighbours"]
            ),
            method=self.method,
            test=self._test_name(found["test"]),
            calls=found["calls"],
            seconds=time.perf_counter() - start,
            n_rows=table.n_rows,
        )

    def markov_blanket(self, data: Any, target: Name) -> MarkovBlanket:
        """Learn the Markov blanket of one variable only.

        Given the variables of its blanket it is independent of all others: they are all that a prediction of it
        needs. In a causal graph they are its parents, its children and the other parents of its children (spouses).

        `GrowShrink`, the learners of the IAMB family and `FastIAMB` learn blankets, and keep those variables that
        have the target in their own. The other learners learn neighbours; spouses are then found among the neighbours
        of neighbours: they become dependent on the target when the neighbour between them joins what separated them.

        Parameters
        ----------
        data
            Any data that `phgs.as_table` reads; for a test of your own, a list of names will do.
        target
            Name of the variable.

        Examples
        --------
        >>> import phgs
        >>> data = phgs.datasets.load_alarm()
        >>> "HR" in phgs.IAMB().markov_blanket(data.table, "HRBP").names
        True
        """
        return self._blanket(data, target)

    def _blanket(self, data: Any, target: Name) -> MarkovBlanket:
        start = time.perf_counter()
        table, position, described = self._around(data, target, "Markov blanket", 5)
        with reporter(self.progress, self.method) as report:
            found = _core.markov_blanket(
                table.core,
                position,
                test=described["test"],
                local=self._restriction().as_core(table),
                knowledge=described["knowledge"],
                threads=self.threads,
                progress=report,
            )
        return MarkovBlanket(
            target=table.names[position],
            names=tuple(table.names[x] for x in found["variables"]),
            method=self.method,
            test=self._test_name(found["test"]),
            calls=found["calls"],
            seconds=time.perf_counter() - start,
            n_rows=table.n_rows,
        )

    def _around(self, data: Any, target: Name, what: str, stacklevel: int) -> tuple[Data, int, _Described]:
        """Check the parameters, and read data for what is around one variable."""
        self._check()
        if self.time_limit is not None:
            raise ParameterError(f"time_limit: a {what} is found whole or not at all; leave it out")
        table = self._table(data, stacklevel)
        table.index(target)
        learner = self
        if table.to_fill:
            # What is missing is filled in from the graph of all variables.
            filled = self._filled(table, None, None)
            assert filled is not None
            table, learner = filled.table, self._on(filled.table, all_of_them=False)
        return table, table.index(target), learner._for_core(table)


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
