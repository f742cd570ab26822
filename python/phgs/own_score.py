"""Scores that a user writes as a Python function."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from phgs.errors import ParameterError
from phgs.own_test import name_of

if TYPE_CHECKING:
    from phgs import _core
    from phgs.data.frames import Name

OwnScore: TypeAlias = Callable[[Any, tuple[Any, ...]], float]
"""Called as ``score(variable, parents)`` with names of variables; returns the local score, larger is better."""


def for_core(score: OwnScore, names: Sequence[Name], *, equivalent: bool) -> _core.OwnScore:
    """Describe a score to the core, which calls it by positions; what it returns is checked.

    Parameters
    ----------
    score
        The function.
    names
        Names of the variables, by position.
    equivalent
        Whether searches may take it that equivalent DAGs score alike.
    """

    def called(child: int, parents: list[int]) -> float:
        given = tuple(names[x] for x in parents)
        found: Any = score(names[child], given)
        if not isinstance(found, numbers.Real) or not math.isfinite(found):
            raise ParameterError(
                f"score: {name_of(score)} returned {found!r} for {names[child]!r} with the parents {list(given)!r};"
                " expected a finite number"
            )
        return float(found)

    return {"name": "own", "function": called, "equivalent": equivalent}
