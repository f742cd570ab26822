"""Independence tests and scores: their names, and their parameters as the core takes them."""

from __future__ import annotations

from dataclasses import dataclass
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
    "cg",
]
DegreesOfFreedom: TypeAlias = Literal["classical", "adjusted"]

TESTS = ("g2", "x2")
SCORES = ("bic", "ebic", "qnml", "sqnml", "aic", "loglik", "bdeu", "k2")
GAMMAS = {"ebic": 0.5, "qnml": 1.0, "sqnml": 1.0, "cg": 0.5}
"""Scores that charge for each parent, and the multiplier of log(variables) that they do it by unless told."""
EXACT: Literal["none", "bic", "sqnml"] = "bic"
"""The exact score whose gains count, beside numbers, for sets of categories where they are larger."""
DEGREES_OF_FREEDOM = ("classical", "adjusted")


@dataclass(frozen=True)
class OfNumbers:
    """The test and the scores of a type of data that holds numbers.

    Attributes
    ----------
    words : str
        What such data are called.
    test, test_words : str
        The name of the test, and what it is called.
    scores : tuple of str
        The scores by their short names.
    prefix : str
        What stands before ``"bic"`` and ``"ebic"`` in full names.
    """

    words: str
    test: Literal["fisher-z", "mixed-lr"]
    test_words: str
    scores: tuple[str, ...]
    prefix: str


OF_NUMBERS = {
    "gaussian": OfNumbers("Gaussian data", "fisher-z", "Fisher's z", ("bic", "ebic"), "gaussian-"),
    "mixed": OfNumbers("mixed data", "mixed-lr", "a likelihood ratio", ("bic", "ebic", "cg"), "mixed-"),
}
"""The tests and scores of data with numbers, by the type of data."""


def instead(data_type: str) -> str:
    """Say how data with numbers get the tests and scores of categories, where they can."""
    return ", and with numbers='groups' the tests and scores of categories" if data_type == "mixed" else ""


def data_type_of(name: Any) -> str | None:
    """Return the type of data that a test or score of this name is for; None where the name does not say."""
    for data_type, of in OF_NUMBERS.items():
        if name == of.test or name in _full_names(of):
            return data_type
    return None


def numeric_test(data_type: str) -> _core.NumericTest:
    """Describe the test of data with numbers to the core."""
    return {"name": OF_NUMBERS[data_type].test}


def _full_names(of: OfNumbers) -> tuple[str, ...]:
    return tuple(name if name == "cg" else of.prefix + name for name in of.scores)


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
    if data_type_of(name) == "mixed":
        own = "'bic' and 'ebic'" if name == "cg" else repr(name.removeprefix("mixed-"))
        raise ParameterError(f"score: {name!r} is for numbers beside categories; categories have {own}")
    name = parameters.one_of("score", name, SCORES)
    if name in ("bic", "ebic"):
        return _penalised(name, penalty, gamma)
    if name in GAMMAS:
        return {"name": name, "gamma": _gamma(name, gamma)}
    if name == "bdeu":
        weight = parameters.positive("equivalent_sample_size", equivalent_sample_size)
        return {"name": name, "equivalent_sample_size": weight}
    return {"name": name}


def numeric_score(data_type: str, name: Any, penalty: Any, gamma: Any) -> _core.AnyScore:
    """Check the parameters of a score of data with numbers and describe it to the core."""
    of = OF_NUMBERS[data_type]
    known = dict.fromkeys((*of.scores, *_full_names(of)))
    if name in SCORES and name not in known:
        mentioned = " and ".join(", ".join(map(repr, of.scores)).rsplit(", ", 1))
        raise ParameterError(f"score: {name!r} is for categories; {of.words} have {mentioned}{instead(data_type)}")
    kind = parameters.one_of("score", name, tuple(known)).removeprefix(of.prefix)
    described = _penalised(kind, penalty, gamma)
    if kind != "cg":
        described["name"] = of.prefix + kind
    if data_type == "gaussian" or kind == "cg":
        return described
    multiplier = _gamma(kind, gamma) if kind == "ebic" else None
    found: _core.MixedScore = {
        "name": described["name"],
        "penalty": described["penalty"],
        "gamma": multiplier,
        "exact": EXACT,
    }
    return found


def _penalised(name: str, penalty: Any, gamma: Any) -> _core.PenalisedScore | _core.ExtendedScore:
    checked_penalty = parameters.real("penalty", penalty)
    if checked_penalty < 0:
        raise ParameterError(f"penalty: {penalty!r} must not be negative; 0.5 is BIC")
    if name == "bic":
        return {"name": name, "penalty": checked_penalty}
    return {"name": name, "penalty": checked_penalty, "gamma": _gamma(name, gamma)}


def _gamma(name: str, gamma: Any) -> float:
    if gamma is None:
        return GAMMAS[name]
    found = parameters.real("gamma", gamma)
    if found < 0:
        without = "0 is BIC" if name == "ebic" else "0 charges nothing for a parent"
        raise ParameterError(f"gamma: {gamma!r} must not be negative; {without}, {GAMMAS[name]} is usual")
    return found
