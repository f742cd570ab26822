"""Where a column of numbers is cut into intervals, and what the intervals are called.

A column and its negative are cut at the same places: nothing here depends on which end is called the lower one. A
column that varies is never left in one piece, and one with no more different values than intervals is cut between all
of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_DIGITS = 4
"""Digits of borders, where so many tell the values on both sides apart."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The different values of a column, in increasing order.

    Attributes
    ----------
    values : numpy.ndarray
        The values.
    codes : numpy.ndarray
        The position of the value of each row; −1 where it is missing.
    below : numpy.ndarray
        Number of rows below each value; last, the number of all.
    first : numpy.ndarray
        The first row with each value.
    """

    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    below: NDArray[np.int64]
    first: NDArray[np.int64]

    @staticmethod
    def of(numbers: NDArray[np.float64]) -> Distinct:
        """Number the values of a column in which NaN is missing."""
        known = ~np.isnan(numbers)
        rows = np.flatnonzero(known)
        # There are two zeros, which are one value.
        values, first, inverse, counts = np.unique(
            numbers[known] + 0.0, return_index=True, return_inverse=True, return_counts=True
        )
        codes = np.full(len(numbers), -1, dtype=np.int64)
        codes[known] = inverse
        return Distinct(values, codes, np.concatenate([[0], np.cumsum(counts)]), rows[first])

    def __len__(self) -> int:
        return len(self.values)

    def goes_up(self, at: int) -> bool:
        """Whether a value on the very border goes to the upper side.

        It goes away from zero; zero itself to the neighbour that comes first in the rows.
        """
        value = self.values[at]
        if value != 0:
            return bool(value > 0)
        if at == 0 or at == len(self) - 1:
            return at > 0
        return bool(self.first[at + 1] < self.first[at - 1])


@dataclass(frozen=True, slots=True)
class Cut:
    """A border between two neighbouring values.

    Attributes
    ----------
    at : int
        The position of the first value above it.
    border : float
        Where it lies, if it lies at a place of its own; else half-way between the values.
    """

    at: int
    border: float | None = None


def quantiles(found: Distinct, bins: int) -> list[Cut]:
    """Return cuts into intervals of as nearly as possible equally many rows."""
    if len(found) <= bins:
        return _everywhere(found)
    n = int(found.below[-1])
    cuts: set[int] = set()
    inner = found.below[1:-1]
    for k in range(1, bins):
        # Whole numbers, so that both ends are treated alike: rows below a border, times the number of intervals.
        off = np.abs(inner * bins - n * k)
        nearest = np.flatnonzero(off == off.min())
        at = int(nearest[0]) + 1
        if len(nearest) == 2 and not found.goes_up(at):
            at += 1
        cuts.add(at)
    return [Cut(at) for at in sorted(cuts)]


def uniform(found: Distinct, bins: int) -> list[Cut]:
    """Return cuts into intervals of equal width."""
    if len(found) <= bins:
        return _everywhere(found)
    values = found.values
    low, high = float(values[0]), float(values[-1])
    # What rounding leaves: a value so near to a border lies on it.
    near = 8 * np.finfo(np.float64).eps * max(abs(low), abs(high))
    cuts: dict[int, Cut] = {}
    for k in range(1, bins):
        border = low * ((bins - k) / bins) + high * (k / bins)
        at, end = (int(i) for i in (values.searchsorted(border - near), values.searchsorted(border + near, "right")))
        if at < end:
            # The nearest of those that lie on it; of two as near as each other the one nearer to zero.
            on = values[at:end]
            nearest = int(np.lexsort((np.abs(on), np.abs(on - border)))[0])
            border = float(on[nearest])
            at += nearest + (0 if found.goes_up(at + nearest) else 1)
        at = min(max(at, 1), len(values) - 1)
        cuts.setdefault(at, Cut(at, border))
    return [cuts[at] for at in sorted(cuts)]


def _everywhere(found: Distinct) -> list[Cut]:
    return [Cut(at) for at in range(1, len(found))]


def intervals(found: Distinct, cuts: list[Cut]) -> NDArray[np.int64]:
    """Return the interval of each row; −1 where the value is missing."""
    of_value = np.searchsorted([cut.at for cut in cuts], np.arange(len(found)), side="right")
    return np.append(of_value, -1)[found.codes]


def labels(found: Distinct, cuts: list[Cut]) -> list[str]:
    """Name the intervals; each value lies in the interval that its name prints."""
    if not len(found):
        return []
    sides = [(float(found.values[cut.at - 1]), float(found.values[cut.at]), cut.border) for cut in cuts]
    return _named(float(found.values[0]), float(found.values[-1]), sides)


def labels_of_groups(bounds: Sequence[tuple[float, float]]) -> list[str]:
    """Name groups by the least and the largest number of each, in increasing order."""
    sides = [(below, above, None) for (_, below), (above, _) in pairwise(bounds)]
    return _named(bounds[0][0], bounds[-1][1], sides)


def _named(least: float, largest: float, sides: Sequence[tuple[float, float, float | None]]) -> list[str]:
    """Name intervals by their ends, and by the nearest values on both sides of each border and where that lies."""
    ends = [(_outside(least, ROUND_FLOOR), "[", "")]  # What it is, how one from it on begins, how one up to it ends.
    for below, above, border in sides:
        if border is not None and border == below:
            ends.append((_text(below), "(", "]"))
        else:
            ends.append((_between(below, above, border), "[", ")"))
    ends.append((_outside(largest, ROUND_CEILING), "", "]"))
    return [f"{start}{a}, {b}{end}" for (a, start, _), (b, _, end) in pairwise(ends)]


def _between(below: float, above: float, border: float | None) -> str:
    """Return a number above one and up to another, as short as can be, near the border or half-way."""
    middle = below / 2 + above / 2 if border is None else border
    for digits in range(_DIGITS, 17):
        text = f"{middle:.{digits}g}"
        if below < float(text) <= above:
            return _no_minus(text)
    return _text(above)


def _outside(value: float, rounding: str) -> str:
    """Round the least or the largest value to the outside."""
    exact = Decimal(repr(float(value)))
    rounded = Context(prec=_DIGITS, rounding=rounding).plus(exact)
    text = f"{float(rounded):.{_DIGITS}g}"
    fits = float(text) <= value if rounding == ROUND_FLOOR else float(text) >= value
    return _no_minus(text) if fits and np.isfinite(float(text)) else _text(value)


def _text(value: float) -> str:
    number = float(value)
    short = f"{number:.{_DIGITS}g}"
    return _no_minus(short if float(short) == number else repr(number))


def _no_minus(text: str) -> str:
    return "0" if float(text) == 0 else text
