"""One part of the rows of a large table of numbers, where it is summed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs import _core
from phgs.data.frames import take_apart
from phgs.data.parts import Piece, Reading, aligned, told
from phgs.data.values import numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Found(NamedTuple):
    """What a part has read.

    Attributes
    ----------
    n_rows
        Its rows.
    not_numbers
        Positions of columns that hold other values than numbers.
    missing, infinite
        Missing and infinite values of each column.
    whole
        Whether all values are whole numbers.
    ranges
        The least and the largest value of each column; none where a column cannot be used.
    checksum
        Of all values.
    """

    n_rows: int
    not_numbers: list[int]
    missing: list[int]
    infinite: list[int]
    whole: bool
    ranges: tuple[list[float], list[float]] | None
    checksum: int


class NumberPart(Reading):
    """Consecutive rows of a table of numbers.

    Parameters
    ----------
    pieces
        What is read, in the order of the rows.
    slices
        Which rows of each piece belong to the part: the first, and the one after the last.
    columns
        The columns that are read.
    threads
        Threads that sum.
    """

    def __init__(
        self, pieces: Sequence[Piece], slices: Sequence[tuple[int, int]], columns: Sequence[str], threads: int
    ) -> None:
        super().__init__(list(zip(pieces, slices, strict=True)), columns, threads)
        self._values: list[list[NDArray[np.float64]]] = [[] for _ in columns]
        self._not_numbers: set[int] = set()
        self._part = _core.NumberPart()

    def _add(self, rows: Any, first: int) -> None:
        for i, column in enumerate(take_apart(rows).values(), first):
            found = numbers(column)
            if found is None:
                self._not_numbers.add(i)
            else:
                self._values[i].append(found)

    @told
    def found(self) -> Found:
        """Put the columns together, and tell what they hold."""
        n_rows, checksum, whole, missing, infinite = 0, 0, True, [], []
        usable = not self._not_numbers
        for values in self._values:
            column = np.concatenate(values) if values else np.empty(0)
            # What was read goes before the next column comes.
            values.clear()
            n_rows = max(n_rows, len(column))
            missing.append(int(np.isnan(column).sum()))
            infinite.append(int(np.isinf(column).sum()))
            usable = usable and not missing[-1] and not infinite[-1]
            if usable:
                checksum = zlib.crc32(column.data, checksum)
                whole = whole and bool((column == np.rint(column)).all())
                self._part.push(column)
        ranges = self._part.ranges() if usable else None
        return Found(n_rows, sorted(self._not_numbers), missing, infinite, whole, ranges, checksum)

    @told
    def sums(self, centrings: NDArray[np.float64]) -> NDArray[np.uint64]:
        """Sum each column; see `_core.NumberPart`."""
        return self._part.sums(aligned(centrings))

    @told
    def multiply(self, centrings: NDArray[np.float64], seconds: float) -> int:
        """Sum products of columns for about so long, and return how many rows are left."""
        return self._part.multiply(aligned(centrings), seconds, self._threads)

    @told
    def products(self) -> NDArray[np.uint64]:
        """Return the sums of all products."""
        return self._part.products()
