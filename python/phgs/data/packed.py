"""State codes that are kept as bit planes, which is all that counting needs of many rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from phgs import _core
from phgs.data.columns import CodedColumn, Stored, unpacked
from phgs.data.values import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKED_ROWS = 1_000_000
"""Columns of so many rows and more are kept as bit planes: an eighth of a byte for each state but the first."""

MOST_STATES = _core.MAX_PLANE_ARITY
"""Columns with more states have no planes."""


def can_pack(n_rows: int, n_states: int) -> bool:
    """Whether a column without missing values is kept as bit planes."""
    return n_rows >= PACKED_ROWS and n_states <= MOST_STATES


def packed(column: CodedColumn) -> CodedColumn:
    """Return a column of many rows with its codes as bit planes; others as they are."""
    codes = column.stored
    if isinstance(codes, _core.PackedColumn) or column.missing or not can_pack(len(codes), len(column.labels)):
        return column
    if codes.dtype.itemsize > 1:
        return column
    packer = _core.ColumnPacker(len(codes))
    packer.add(codes.view("u1"))
    return CodedColumn(packer.whole(), column.labels, 0)


def packed_or_problem(column: CodedColumn | Problem) -> CodedColumn | Problem:
    """Do the same where a column may be one that cannot be used."""
    return column if isinstance(column, Problem) else packed(column)


class StateCodes(Sequence[Any]):
    """The codes of columns of which some are kept as bit planes.

    An array is made of these when it is asked for, and not kept.

    Parameters
    ----------
    stored
        Arrays of codes, and packed columns.
    """

    def __init__(self, stored: Iterable[Stored]) -> None:
        self.stored = tuple(stored)

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> StateCodes: ...

    def __getitem__(self, index: int | slice) -> NDArray[Any] | StateCodes:
        """Return the codes of a column."""
        if isinstance(index, slice):
            return StateCodes(self.stored[index])
        return unpacked(self.stored[index])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the codes of one column after another."""
        return map(unpacked, self.stored)

    def __len__(self) -> int:
        return len(self.stored)

    def __repr__(self) -> str:
        return f"<codes of {len(self)} columns>"


def state_codes(stored: Iterable[Stored]) -> Sequence[NDArray[Any]]:
    """Return the codes of columns: a tuple of arrays where none is packed."""
    columns = tuple(stored)
    if any(isinstance(column, _core.PackedColumn) for column in columns):
        return StateCodes(columns)
    return columns  # type: ignore[return-value]


def stored(codes: Sequence[NDArray[Any]]) -> tuple[Stored, ...]:
    """Return codes as they are kept."""
    return codes.stored if isinstance(codes, StateCodes) else tuple(codes)


def state_counts(codes: Sequence[NDArray[Any]], index: int, arity: int) -> list[int]:
    """Count the rows of each state of a column, and after them the missing values where there are any."""
    column = stored(codes)[index]
    if not isinstance(column, _core.PackedColumn):
        return np.bincount(column, minlength=arity).tolist()  # type: ignore[no-any-return]
    counts = column.counts()
    return counts + [0] * (arity - len(counts))
