"""Independence tests that a user writes as a Python function."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from phgs import _core
from phgs.data.base import Data
from phgs.data.checks import check_names
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name

OwnTest: TypeAlias = Callable[[Any, Any, tuple[Any, ...]], tuple[float, float, float]]
"""Called as ``test(x, y, given)`` with names of variables; returns statistic, degrees of freedom and p-value."""


def name_of(test: Any) -> str:
    """Return the name of a function, as results report it."""
    return str(getattr(test, "__name__", type(test).__name__))


def check_on(function: Any, parameter: str) -> None:
    """Refuse a function without a method ``on(table)``, which returns the function of other rows."""
    if not callable(getattr(function, "on", None)):
        raise ParameterError(
            f"{parameter}: {name_of(function)} has data of its own, of which no rows are drawn; give an object with a"
            " method on(table) that returns the function of a table"
        )


def for_core(test: OwnTest, names: Sequence[Name]) -> _core.OwnTest:
    """Describe a test to the core, which calls it by positions.

    What it returns is checked, and the p-value becomes a logarithm.
    """

    def called(x: int, y: int, given: list[int]) -> tuple[float, float, float]:
        found: Any = test(names[x], names[y], tuple(names[z] for z in given))
        try:
            statistic, degrees_of_freedom, p_value = found
            usable = all(isinstance(value, numbers.Real) for value in found) and 0.0 <= p_value <= 1.0
        except (TypeError, ValueError):
            usable = False
        if not usable:
            of = f"{names[x]!r}, {names[y]!r} given {[names[z] for z in given]!r}"
            raise ParameterError(
                f"test: {name_of(test)} returned {found!r} for {of}; expected (statistic, degrees of freedom, p-value),"
                " the last between 0 and 1"
            )
        # The least float stands for what is below it.
        return float(statistic), float(degrees_of_freedom), math.log(max(float(p_value), 5e-324))

    return {"name": "own", "function": called}


@dataclass(frozen=True, eq=False, repr=False)
class Names(Data):
    """Variables without data, for tests and scores that have their own."""

    names: tuple[Name, ...]
    n_rows: int = 0
    n_rows_read: int = 0

    has_rows = False
    has_data = False

    @property
    def levels(self) -> tuple[tuple[Any, ...], ...]:
        """No states of any column."""
        return ((),) * len(self.names)

    @cached_property
    def core(self) -> _core.CategoricalDataset:
        """One row of constants, which no test reads."""
        return _core.CategoricalDataset([np.zeros(1, dtype=np.uint8)] * self.n_variables, [1] * self.n_variables)

    @staticmethod
    def of(names: Sequence[Name]) -> Names:
        """Make it of distinct names."""
        check_names(names)
        return Names(tuple(names))

    @property
    def complete_core(self) -> Any:
        """Refused: there are no data."""
        raise DataError("data: names of variables alone cannot be scored; pass the data")

    def take(self, rows: NDArray[np.intp]) -> Names:
        """Refused: there are no rows."""
        del rows
        raise DataError("data: names of variables alone have no rows to draw; pass the data")

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return nothing."""
        return iter(())


def is_names(data: Any) -> bool:
    """Whether data are but a list of names."""
    return isinstance(data, (list, tuple)) and all(isinstance(name, (str, int)) for name in data)
