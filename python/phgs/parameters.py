"""Checks of parameters; each error names the parameter and the remedy."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any, overload

from phgs.errors import ParameterError
from phgs.names import unknown


def probability(name: str, value: Any) -> float:
    """Check a significance level: a number strictly between 0 and 1."""
    number = real(name, value)
    if not 0.0 < number < 1.0:
        raise ParameterError(f"{name}: {value!r} is not between 0 and 1; use a significance level such as 0.05")
    return number


def real(name: str, value: Any) -> float:
    """Check a finite number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ParameterError(f"{name}: expected a number, got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """Check a number above 0."""
    number = real(name, value)
    if number <= 0.0:
        raise ParameterError(f"{name}: {value!r} must be above 0")
    return number


@overload
def whole(name: str, value: Any, least: int = 0) -> int: ...


@overload
def whole(name: str, value: Any, least: int = 0, *, none: str) -> int | None: ...


def whole(name: str, value: Any, least: int = 0, *, none: str | None = None) -> int | None:
    """Check a whole number that is not below `least`.

    Parameters
    ----------
    none
        What None means; without it None is not allowed.
    """
    if value is None and none is not None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        hint = f" (or None: {none})" if none is not None else ""
        raise ParameterError(f"{name}: expected a whole number{hint}, got {value!r}")
    if value < least:
        raise ParameterError(f"{name}: {value!r} must be at least {least}")
    return int(value)


def seed(value: Any) -> int:
    """Check the seed of a generator: a whole number that 64 bits hold."""
    number = whole("seed", value)
    if number >= 1 << 64:
        raise ParameterError(f"seed: {value!r} must be below 2**64")
    return number


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Check a name out of a list; an unknown one raises with near ones."""
    known = tuple(known)
    if value not in known:
        raise ParameterError(f"{name}: {unknown('value', value, known)}")
    return str(value)


def thresholds(alpha: Any, min_alpha: Any, path_length: Any) -> tuple[float, float, int]:
    """Check the ends of the path of significance levels."""
    alpha = probability("alpha", alpha)
    length = whole("path_length", path_length, 1)
    min_alpha = probability("min_alpha", min_alpha)
    if length > 1 and min_alpha >= alpha:
        raise ParameterError(
            f"min_alpha: {min_alpha!r} must be below alpha, {alpha!r}; lower it, or turn PATH off with path_length=1"
        )
    return alpha, min_alpha, length
