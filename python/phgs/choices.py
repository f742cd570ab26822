"""Independence tests and scores: their names, and their parameters as the core takes them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from phgs import parameters
from phgs.errors import ParameterError

TestName: TypeAlias = Literal["g2", "x2", "fisher-z"]
ScoreName: TypeAlias = Literal[
    "bic", "aic", "loglik", "bdeu", "k2", "ebic", "qnml", "sqnml", "gaussian-bic", "gaussian-ebic"
]
DegreesOfFreedom: TypeAlias = Literal["classical", "adjusted"]

TESTS = ("g2", "x2")
SCORES = ("bic", "ebic", "qnml", "sqnml", "aic", "loglik", "bdeu", "k2")
GAMMAS = {"ebic": 0.5, "qnml": 1.0, "sqnml": 1.0}
"""Scores that charge for each parent, and the multiplier of log(variables) that they do it by unless told."""
DEGREES_OF_FREEDOM = ("classical", "adjusted")


def test_for_core(name: Any, degrees_of_freedom: Any, minimum_sample: Any) -> dict[str, Any]:
    """Check the parameters of an independence test and describe it to the core."""
    rule = None
    if minimum_sample is not None:
        if isinstance(minimum_sample, (tuple, list)) and len(minimum_sample) == 3:
            rows, per, verdict = minimum_sample
        else:
            rows, per, verdict = minimum_sample, "cell", "independent"
        rule = (
            parameters.positive("minimum_sample", rows),
            parameters.one_of("minimum_sample", per, ("cell", "df")),
            parameters.one_of("minimum_sample", verdict, ("independent", "dependent")),
        )
    return {
        "name": parameters.one_of("test", name, TESTS),
        "degrees_of_freedom": parameters.one_of("degrees_of_freedom", degrees_of_freedom, DEGREES_OF_FREEDOM),
        "minimum_sample": rule,
    }


def score_for_core(name: Any, penalty: Any, gamma: Any, equivalent_sample_size: Any) -> dict[str, Any]:
    """Check the parameters of a score and describe it to the core."""
    name = parameters.one_of("score", name, SCORES)
    described: dict[str, Any] = {"name": name}
    if name in ("bic", "ebic"):
        described |= _penalties(name, penalty, gamma)
    elif name in GAMMAS:
        described["gamma"] = _gamma(name, gamma)
    if name == "bdeu":
        described["equivalent_sample_size"] = parameters.positive("equivalent_sample_size", equivalent_sample_size)
    return described


def gaussian_score_for_core(name: Any, penalty: Any, gamma: Any) -> dict[str, Any]:
    """Check the parameters of a score of Gaussian data and describe it to the core."""
    name = parameters.one_of("score", name, ("bic", "ebic", "gaussian-bic", "gaussian-ebic"))
    name = name.removeprefix("gaussian-")
    return {"name": f"gaussian-{name}", **_penalties(name, penalty, gamma)}


def _penalties(name: str, penalty: Any, gamma: Any) -> dict[str, float]:
    found = {"penalty": parameters.real("penalty", penalty)}
    if found["penalty"] < 0:
        raise ParameterError(f"penalty: {penalty!r} must not be negative; 0.5 is BIC")
    if name == "ebic":
        found["gamma"] = _gamma(name, gamma)
    return found


def _gamma(name: str, gamma: Any) -> float:
    if gamma is None:
        return GAMMAS[name]
    found = parameters.real("gamma", gamma)
    if found < 0:
        without = "0 is BIC" if name == "ebic" else "0 charges nothing for a parent"
        raise ParameterError(f"gamma: {gamma!r} must not be negative; {without}, {GAMMAS[name]} is usual")
    return found
