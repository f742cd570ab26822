"""Learners of local neighbourhoods, joined into a skeleton and oriented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from phgs import parameters
from phgs.data import Table
from phgs.learners.pieces import NO_SEARCH, Testing, composed


@dataclass(kw_only=True, eq=False, repr=False)
class _Local(Testing):
    """What these learners share.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    alpha: float = 0.05
    max_conditioning_size: int | None = 5

    def _check(self) -> None:
        super()._check()
        parameters.probability("alpha", self.alpha)
        parameters.whole("max_conditioning_size", self.max_conditioning_size, 0, none="no limit")

    def _restrict(self, table: Table) -> dict[str, Any]:
        del table
        return {"kind": self.method, "alpha": self.alpha, "max_conditioning_size": self.max_conditioning_size}

    def _v_structures(self) -> dict[str, Any]:
        return {
            "v_structures": "testing",
            "alpha": self.alpha,
            "max_conditioning_size": self.max_conditioning_size,
        }

    def _composition(self, table: Table) -> dict[str, Any]:
        return composed(
            self._restrict(table), initialise={"kind": "oriented", **self._v_structures()}, maximise=NO_SEARCH
        )


@dataclass(kw_only=True, eq=False, repr=False)
class MMPC(_Local):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis 2006).

    Each variable's neighbours are added by the max-min heuristic and pruned by conditional tests; an edge stays when
    both ends agree. V-structures are found by testing, then Meek's rules give the CPDAG.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    method: ClassVar[str] = "mmpc"


@dataclass(kw_only=True, eq=False, repr=False)
class HPC(_Local):
    """Hybrid parents and children (Gasse, Aussem and Elghazel 2014).

    An ensemble of weak learners of parents, children and spouses, with control of the false discovery rate: more edges
    found than by `MMPC`, at several times its tests.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    max_conditioning_size: int | None = 4

    method: ClassVar[str] = "hpc"


@dataclass(kw_only=True, eq=False, repr=False)
class FastIAMB(_Local):
    """Fast incremental association Markov blanket (Yaramakala and Margaritis 2005), reduced to neighbours.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    method: ClassVar[str] = "fast-iamb"


@dataclass(kw_only=True, eq=False, repr=False)
class SIHitonPC(_Local):
    """Semi-interleaved HITON-PC (Aliferis and others 2010).

    Candidates enter in the order of their association and are tested as they enter; the cheapest of the local learners.

    Parameters
    ----------
    alpha : float
        Significance level of the tests.
    max_conditioning_size : int, optional
        The largest conditioning set; None for no limit.
    """

    method: ClassVar[str] = "si-hiton-pc"
