"""Learners of local neighbourhoods, joined into a skeleton and oriented."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from phgs import _core
from phgs.data import Data
from phgs.errors import ParameterError
from phgs.learners.pieces import NO_SEARCH, Separating, composed
from phgs.progress import reporter

if TYPE_CHECKING:
    from phgs.data.frames import Name


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
        from phgs.texts import p_value_text

        lines = [f"{self.target}: {len(self.neighbours)} neighbours ({self.method}, {self.calls:,} tests)"]
        for name, log_p, given in self.neighbours:
            p_value = "required" if log_p == -math.inf else f"largest p = {p_value_text(log_p)}"
            lines.append(f"  {name}: {p_value}" + (f" given {', '.join(map(str, given))}" if given else ""))
        return "\n".join(lines)


@dataclass(kw_only=True, eq=False, repr=False)
class _Local(Separating):
    """What these learners share."""

    max_conditioning_size: int | None = 5

    def _restrict(self, table: Data) -> dict[str, Any]:
        del table
        return {"kind": self.method, "alpha": self.alpha, "max_conditioning_size": self.max_conditioning_size}

    def neighbourhood(self, data: Any, target: Name) -> Neighbourhood:
        """Learn the neighbours of one variable only.

        They are those that the whole skeleton would give it: its own search, and one around each variable that it
        finds, since both ends must agree. The cost is about that of one search times the number of neighbours, in
        place of one search for every variable.

        Parameters
        ----------
        data
            Any data that `phgs.as_table` reads.
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
        self._check()
        if self.time_limit is not None:
            raise ParameterError("time_limit: a neighbourhood is found whole or not at all; leave it out")
        if self._own_test() is not None:
            raise ParameterError("test: a single neighbourhood is found by phgs's own tests; learn the whole graph")
        table = self._table(data, 3)
        position = table.index(target)
        described = self._for_core(table)
        with reporter(self.progress, self.method) as report:
            found, calls, test = _core.neighbourhood(
                table.core,
                position,
                test=described["test"],
                local=described["composition"]["restrict"],
                knowledge=described["knowledge"],
                threads=self.threads,
                progress=report,
            )
        names = table.names
        return Neighbourhood(
            target=names[position],
            neighbours=tuple(Neighbour(names[x], log_p, tuple(names[z] for z in given)) for x, log_p, given in found),
            method=self.method,
            test=test,
            calls=calls,
            seconds=time.perf_counter() - start,
            n_rows=table.n_rows,
        )

    def _v_structures(self) -> dict[str, Any]:
        return {
            "v_structures": "testing",
            "alpha": self.alpha,
            "max_conditioning_size": self.max_conditioning_size,
        }

    def _composition(self, table: Data) -> dict[str, Any]:
        return composed(
            self._restrict(table), initialise={"kind": "oriented", **self._v_structures()}, maximise=NO_SEARCH
        )


@dataclass(kw_only=True, eq=False, repr=False)
class MMPC(_Local):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis 2006).

    Each variable's neighbours are added by the max-min heuristic and pruned by conditional tests; an edge stays when
    both ends agree. V-structures are found by testing, then Meek's rules give the CPDAG.

    Cost: a test of every pair, then for each variable a test of every candidate with every subset of its neighbours
    of at most `max_conditioning_size`. That is cheap where variables have few neighbours, and exponential in the number
    of neighbours until the limit: a variable with 40 has 760,000 subsets of at most 5, 102,000 of at most 4 and 10,700
    of at most 3. Where hubs are expected lower the limit or set a `time_limit`.
    """

    method: ClassVar[str] = "mmpc"


@dataclass(kw_only=True, eq=False, repr=False)
class HPC(_Local):
    """Hybrid parents and children (Gasse, Aussem and Elghazel 2014).

    An ensemble of weak learners of parents, children and spouses, with control of the false discovery rate: more edges
    found than by `MMPC`, at several times its tests.

    Cost: some ten times the tests of `MMPC` on a thousand variables with few neighbours, since each variable looks for
    spouses through each of its neighbours; subsets of neighbours count as with `MMPC`.
    """

    max_conditioning_size: int | None = 4

    method: ClassVar[str] = "hpc"


@dataclass(kw_only=True, eq=False, repr=False)
class FastIAMB(_Local):
    """Fast incremental association Markov blanket (Yaramakala and Margaritis 2005), reduced to neighbours.

    Cost: for each variable a few rounds of one test of every other variable given the blanket so far, which can be
    large: tables are larger than those of `MMPC`, and the time longer though tests are few. The blanket stops growing
    where the data no longer support its tables. Neighbours in it are then tested with its subsets, as with `MMPC`.
    """

    method: ClassVar[str] = "fast-iamb"


@dataclass(kw_only=True, eq=False, repr=False)
class SIHitonPC(_Local):
    """Semi-interleaved HITON-PC (Aliferis and others 2010).

    Candidates enter in the order of their association and are tested as they enter; the cheapest of the local learners.

    Cost: as `MMPC`, exponential in the number of neighbours of a variable until `max_conditioning_size`, for each
    candidate that enters beside them.
    """

    method: ClassVar[str] = "si-hiton-pc"
