"""The methods by name: the one list from which the command line, `phgs.learner` and the names in results are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from phgs.errors import ParameterError
from phgs.learners.auto import Auto
from phgs.learners.base import Learner
from phgs.learners.blankets import IAMB, IAMBFDR, FastIAMB, GrowShrink, InterIAMB
from phgs.learners.composed import Hybrid
from phgs.learners.given import ARGES, GSC
from phgs.learners.hybrid import H2PC, MMHC
from phgs.learners.local import HPC, MMPC, GetPC, HitonPC, SIHitonPC
from phgs.learners.partitioned import PC, PEF, PPC
from phgs.learners.phgs import PHGS
from phgs.learners.search import BOSS, GES, HillClimbing, Tabu
from phgs.names import unknown


@dataclass(frozen=True)
class Method:
    """A named method: a learner, and the parameters that make it this method."""

    learner: type[Learner]
    preset: Mapping[str, Any] = field(default_factory=dict)


_METHODS = {
    "auto": Method(Auto),
    "phgs": Method(PHGS),
    "ppc": Method(PPC),
    "pc": Method(PC),
    "hc": Method(HillClimbing),
    "tabu": Method(Tabu),
    "mmpc": Method(MMPC),
    "hpc": Method(HPC),
    "fast-iamb": Method(FastIAMB),
    "si-hiton-pc": Method(SIHitonPC),
    "hiton-pc": Method(HitonPC),
    "getpc": Method(GetPC),
    "gs": Method(GrowShrink),
    "iamb": Method(IAMB),
    "inter-iamb": Method(InterIAMB),
    "iamb-fdr": Method(IAMBFDR),
    "mmhc": Method(MMHC),
    "h2pc": Method(H2PC),
    "mmhc-hgi": Method(MMHC, {"init": "hgi"}),
    "h2pc-hgi": Method(H2PC, {"init": "hgi"}),
    "gsc": Method(GSC),
    "pef": Method(PEF),
    "ges": Method(GES),
    "arges": Method(ARGES),
    "arges-hgi": Method(ARGES, {"init": "hgi"}),
    "boss": Method(BOSS),
}

METHODS = tuple(_METHODS)
"""Names of the methods."""


def named(method: str) -> Method:
    """Return the method of a name; an unknown one raises with near ones."""
    if method not in _METHODS:
        raise ParameterError(f"method: {unknown('method', method, METHODS)}")
    return _METHODS[method]


def parameters_of(method: str) -> tuple[str, ...]:
    """Return the names of a method's parameters, sorted."""
    return named(method).learner._parameter_names()


def default_of(method: str, parameter: str) -> Any:
    """Return the value that a parameter of a method has by default."""
    found = named(method)
    return found.preset.get(parameter, getattr(found.learner, parameter))


def name_of(learner: Learner) -> str:
    """Return the name of the method that a learner is, as its parameters stand.

    A class that a user derives from a learner has the name of that learner.
    """
    if isinstance(learner, Hybrid):
        return "hybrid"
    fitting = [
        (len(method.preset), name)
        for name, method in _METHODS.items()
        if isinstance(learner, method.learner)
        and all(getattr(learner, parameter) == value for parameter, value in method.preset.items())
    ]
    return max(fitting)[1] if fitting else type(learner).__name__
