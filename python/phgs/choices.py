"""Independence tests and scores: their names, and their parameters as the core takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from phgs import parameters
from phgs.errors import ParameterError

if TYPE_CHECKING:
    from phgs import _core

TestName: TypeAlias = Literal["g2", "x2", "fisher-z", "mixed-lr"]
ScoreName: TypeAlias = Literal[
    "bic",
    "aic",
    "loglik",
    "bdeu",
    "k2",
    "ebic",
    "qnml",
    "sqnml",
    "gaussian-bic",
    "gaussian-ebic",
    "mixed-bic",
    "mixed-ebic",
]
DegreesOfFreedom: TypeAlias = Literal["classical", "adjusted"]

TESTS = ("g2", "x2")
SCORES = ("bic", "ebic", "qnml", "sqnml", "aic", "loglik", "bdeu", "k2")
GAMMAS = {"ebic": 0.5, "qnml": 1.0, "sqnml": 1.0}
"""Scores that charge for each parent, and the multiplier of log(variables) that they do it by unless told."""
EXACT: Literal["none", "bic", "sqnml"] = "bic"
"""The exact score whose gains count, beside numbers, for sets of categories where they are larger."""
DEGREES_OF_FREEDOM = ("classical", "adjusted")


def test_for_core(name: Any, degrees_of_freedom: Any, minimum_sample: Any) -> _core.ContingencyTest:
    """Check the parameters of an independence test and describe it to the core."""
    rule: _core.MinimumSample | None = None
    if minimum_sample is not None:
        if isinstance(minimum_sample, (tuple, list)) and len(minimum_sample) == 3:
            rows, per, verdict = minimum_sample
        else:
            rows, per, verdict = minimum_sample, "cell", "independent"
        rule = {
            "rows": parameters.positive("minimum_sample", rows),
            "per": parameters.one_of("minimum_sample", per, ("cell", "df")),
            "verdict": parameters.one_of("minimum_sample", verdict, ("independent", "dependent")),
        }
    return {
        "name": parameters.one_of("test", name, TESTS),
        "degrees_of_freedom": parameters.one_of("degrees_of_freedom", degrees_of_freedom, DEGREES_OF_FREEDOM),
        "minimum_sample": rule,
    }


def score_for_core(name: Any, penalty: Any, gamma: Any, equivalent_sample_size: Any) -> _core.AnyScore:
    """Check the parameters of a score and describe it to the core."""
    if name in ("mixed-bic", "mixed-ebic"):
        raise ParameterError(f"score: {name!r} is for numbers beside categories; categories have {name[6:]!r}")
    name = parameters.one_of("score", name, SCORES)
    if name in ("bic", "ebic"):
        return _penalised(name, penalty, gamma)
    if name in GAMMAS:
        return {"name": name, "gamma": _gamma(name, gamma)}
    if name == "bdeu":
        weight = parameters.positive("equivalent_sample_size", equivalent_sample_size)
        return {"name": name, "equivalent_sample_size": weight}
    return {"name": name}


def gaussian_score_for_core(name: Any, penalty: Any, gamma: Any) -> _core.AnyScore:
    """Check the parameters of a score of Gaussian data and describe it to the core."""
    name = parameters.one_of("score", name, ("bic", "ebic", "gaussian-bic", "gaussian-ebic"))
    return _penalised(f"gaussian-{name.removeprefix('gaussian-')}", penalty, gamma)


def mixed_score_for_core(name: Any, penalty: Any, gamma: Any) -> _core.MixedScore:
    """Check the parameters of a score of numbers beside categories and describe it to the core."""
    name = parameters.one_of("score", name, ("bic", "ebic", "mixed-bic", "mixed-ebic"))
    kind = name.removeprefix("mixed-")
    described = _penalised(kind, penalty, gamma)
    multiplier = _gamma(kind, gamma) if kind == "ebic" else None
    return {"name": f"mixed-{kind}", "penalty": described["penalty"], "gamma": multiplier, "exact": EXACT}


def _penalised(name: str, penalty: Any, gamma: Any) -> _core.PenalisedScore | _core.ExtendedScore:
    checked_penalty = parameters.real("penalty", penalty)
    if checked_penalty < 0:
        raise ParameterError(f"penalty: {penalty!r} must not be negative; 0.5 is BIC")
    kind = name.removeprefix("gaussian-")
    if kind == "bic":
        return {"name": name, "penalty": checked_penalty}
    return {"name": name, "penalty": checked_penalty, "gamma": _gamma(kind, gamma)}


def _gamma(name: str, gamma: Any) -> float:
    if gamma is None:
        return GAMMAS[name]
    found = parameters.real("gamma", gamma)
    if found < 0:
        without = "0 is BIC" if name == "ebic" else "0 charges nothing for a parent"
        raise ParameterError(f"gamma: {gamma!r} must not be negative; {without}, {GAMMAS[name]} is usual")
    return found
