"""One part of the rows of a large table, where it is counted: read, numbered, and asked for contingency tables.

A `Part` lives where its rows are read, on a worker of a cluster or in this process. All its methods return plain
values; what went wrong comes back as a `Failure`, so that an exception that arrives by itself means that the worker is
lost.
"""

from __future__ import annotations

import functools
import itertools
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.data.columns import CodedColumn, Stored, code_type, complete_rows, in_bytes, unpacked
from phgs.data.growing import Growing
from phgs.data.packed import MOST_STATES, packed, packed_or_problem
from phgs.data.stored import columns_at_once, let_go
from phgs.data.values import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Failure:
    """Why a part could not do what it was asked for."""

    error: Exception


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file."""

    path: str
    group: int
    n_rows: int

    def read(self, columns: Sequence[str], most: int | None = None) -> Any:
        """Read it, or at most so many of its rows."""
        from phgs.data.shards import read_row_group

        return read_row_group(self.path, self.group, self.n_rows, columns, most)


def told(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have a method of a part return what went wrong."""

    @functools.wraps(method)
    def telling(self: Any, *given: Any) -> Any:
        try:
            return method(self, *given)
        except Exception as error:  # Anything else would look like a lost worker.
            return Failure(error)

    return telling


class Gap(Enum):
    """The label of the state of missing values, which is named once all labels are known."""

    MISSING = "missing"


Piece = Any
"""Rows that are read at once: a `RowGroup`, or a pandas frame (before it is sent: the future of one)."""


Wanted = tuple[Piece, "tuple[int, int] | None"]
"""A piece, and which of its rows are wanted: the first, and the one after the last; None for all."""


def rows_of(
    left: list[Wanted],
    columns: Sequence[str],
    add: Callable[[Any, int], None],
    seconds: float,
    *,
    together: bool = False,
) -> int:
    """Read pieces for about so long, the last of a list first, and return how many are left.

    Parameters
    ----------
    left
        The pieces.
    columns
        The columns that are read.
    add
        Called with rows of each piece, a `pyarrow.Table` of some neighbouring columns, and the position of the first.
    seconds
        For how long.
    together
        Whether all columns of a piece are wanted in one table.
    """
    until = time.monotonic() + seconds
    while left:
        piece, rows = left.pop()
        for first, found in _read(piece, columns, together=together):
            add(found if rows is None else found.slice(rows[0], rows[1] - rows[0]), first)
        if time.monotonic() > until:
            break
    return len(left)


def _read(piece: Piece, columns: Sequence[str], *, together: bool) -> Iterator[tuple[int, Any]]:
    """Read a few columns at a time, where that can be."""
    if isinstance(piece, RowGroup):
        width = len(columns) if together else columns_at_once(piece.n_rows)
        for first in range(0, len(columns), width):
            yield first, piece.read(columns[first : first + width])
            let_go(piece.n_rows * len(columns))
        return
    from phgs.data.partitions import as_arrow

    yield 0, as_arrow(piece, columns)


class Reading:
    """Consecutive rows of a table, which are read piece by piece.

    Parameters
    ----------
    wanted
        What is read, in the order of the rows.
    columns
        The columns that are read.
    threads
        Threads that a part works with, once it has read.
    together
        Whether all columns of a piece are wanted in one table.
    """

    def __init__(
        self, wanted: Sequence[Wanted], columns: Sequence[str], threads: int, *, together: bool = False
    ) -> None:
        self._left = list(wanted)[::-1]
        self._columns = list(columns)
        self._threads = threads
        self._together = together

    def version(self) -> str:
        """Return the version of this package here."""
        return _core.__version__

    @told
    def read(self, seconds: float) -> int:
        """Read for about so long, and return how many pieces are left."""
        return rows_of(self._left, self._columns, self._add, seconds, together=self._together)

    def _add(self, rows: Any, first: int) -> None:
        """Take over rows of a piece, a `pyarrow.Table` of some neighbouring columns, and the position of the first."""
        raise NotImplementedError


class Part(Reading):
    """Consecutive rows of a table.

    Parameters
    ----------
    pieces
        What is read, in the order of the rows.
    columns
        The columns that are read.
    declared
        Those that are said to be categories, or may be whatever they hold.
    counts
        The column that says how often each row stands in the data, if there is one.
    threads
        Threads that count.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        columns: Sequence[str],
        declared: Sequence[str],
        counts: str | None,
        threads: int,
    ) -> None:
        read = columns if counts is None else [*columns, counts]
        # Rows are repeated in all columns together.
        super().__init__([(piece, None) for piece in pieces], read, threads, together=counts is not None)
        self._counts = counts
        self._n_rows = 0
        self._no_rows: list[int] | None = None
        n_rows = sum(piece.n_rows for piece in pieces if isinstance(piece, RowGroup))
        self._growing = [Growing(name in declared, n_rows) for name in columns]
        self._found: list[CodedColumn | Problem] = []
        self._counter: _core.PartCounter | None = None

    def _add(self, rows: Any, first: int) -> None:
        if self._counts is not None:
            from phgs.data.counts import repeated_rows

            rows = repeated_rows(rows, self._counts, self._n_rows)
            self._n_rows += rows.num_rows
        for column, values in zip(self._growing[first:], rows.columns, strict=False):
            column.add(values)

    @told
    def states(self) -> tuple[int, list[list[Any] | Problem], list[int]]:
        """Return the rows, the states of each column (or why it has none) and its missing values."""
        self._found = [column.whole() for column in self._growing]
        del self._growing
        return self._states()

    def _states(self) -> tuple[int, list[list[Any] | Problem], list[int]]:
        coded = [column for column in self._found if isinstance(column, CodedColumn)]
        n_rows = len(coded[0]) if coded else 0
        labels = [column.labels if isinstance(column, CodedColumn) else column for column in self._found]
        missing = [column.missing if isinstance(column, CodedColumn) else 0 for column in self._found]
        return n_rows, labels, missing

    @told
    def without_gaps(self, as_states: Collection[int], drop: bool) -> tuple[int, list[list[Any] | Problem], list[int]]:
        """Treat missing values; return what there is then, as `states` does.

        Parameters
        ----------
        as_states
            Positions of columns whose missing values become a state.
        drop
            Whether rows in which other values are missing are left out.
        """
        for i in as_states:
            column = self._found[i]
            assert isinstance(column, CodedColumn)
            whole = column.on_rows(None, missing_is_state=True)
            if isinstance(whole, CodedColumn):
                known = set(column.labels)
                labels = [label if label in known else Gap.MISSING for label in whole.labels]
                whole = packed(CodedColumn(whole.stored, labels, 0))
            self._found[i] = whole
        columns = [column for column in self._found if isinstance(column, CodedColumn)]
        if drop and len(columns) == len(self._found):
            keep = complete_rows(columns)
            self._found = [packed_or_problem(column.on_rows(keep, missing_is_state=False)) for column in columns]
        return self._states()

    @told
    def code(self, numbers: Sequence[Sequence[int]], arities: Sequence[int]) -> tuple[NDArray[np.uint32], int]:
        """Number the states as in all parts; return the counts of each column's states and a checksum of the rows.

        Parameters
        ----------
        numbers
            For each column the number of each of its states here among those of all parts.
        arities
            The number of states of each column in all parts, with that of missing values, which is the last.
        """
        columns: list[Stored] = []
        for i, (new, arity) in enumerate(zip(numbers, arities, strict=True)):
            column = self._found[i]
            assert isinstance(column, CodedColumn)
            # What was read goes before the next column comes.
            self._found[i] = Problem.TOO_MANY
            # What is missing has the last code, and is −1 here.
            numbered = [*new, arity - 1] if column.missing else new
            columns.append(_renumbered(column.stored, numbered, arity))
            del column
        p = len(columns)
        if not len(columns[0]):
            # All rows were left out.
            self._no_rows = list(arities)
            return np.zeros(sum(arities), np.uint32), 0
        self._counter = _core.PartCounter(columns, list(arities))
        counts = self._counter.tables(np.arange(p, dtype=np.uint32), np.arange(p + 1, dtype=np.uint64), 1)
        return counts, functools.reduce(_checksum, columns, 0)

    @told
    def tables(self, members: NDArray[np.uint32], starts: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Count the tables of sets of variables; see `_core.PartCounter`."""
        if self._no_rows is not None:
            of = np.asarray(self._no_rows)[members]
            cells = [int(of[first:end].prod()) for first, end in itertools.pairwise(starts.tolist())]
            return np.zeros(sum(cells), np.uint32)
        assert self._counter is not None
        return self._counter.tables(aligned(members), aligned(starts), self._threads)

    @told
    def cells(self, variables: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
        """Count the cells of one large table that have rows; see `_core.PartCounter`."""
        if self._no_rows is not None:
            return np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint32)
        assert self._counter is not None
        return self._counter.cells(aligned(variables))


def _renumbered(stored: Stored, new: Sequence[int], arity: int) -> Stored:
    """Number the states of a column as in all parts."""
    if isinstance(stored, _core.PackedColumn) and arity <= MOST_STATES:
        return stored.renumbered(list(new), arity)
    codes, kind = unpacked(stored), code_type(arity)
    if list(new) == list(range(len(new))) and codes.dtype == kind:
        return codes
    return in_bytes(np.asarray(new, dtype=kind)[codes])


def _checksum(sum_: int, stored: Stored) -> int:
    """Go on with the checksum of rows."""
    if isinstance(stored, _core.PackedColumn):
        return functools.reduce(lambda before, plane: zlib.crc32(plane, before), stored.planes(), sum_)
    return zlib.crc32(stored.data, sum_)


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that the core can look into: what comes over a network may lie at any address."""
    return np.require(array, requirements=("C", "A"))
