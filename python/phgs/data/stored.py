"""Columns that lie in Parquet files until something asks for their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phgs.data.shards import Shards

_AT_ONCE = 1 << 22
"""Values that are read together: of tables with many columns reading one at a time takes longer."""


def columns_at_once(n_rows: int) -> int:
    """Say how many columns of so many rows are read together."""
    return max(1, _AT_ONCE // max(1, n_rows))


def let_go(n_values: int) -> None:
    """Give the memory back that Arrow keeps for more, where there are so many values that it would be much."""
    if n_values > _AT_ONCE:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()


class StoredColumns:
    """Columns of files; those that are next to each other are read together, and let go of when others are asked for.

    Parameters
    ----------
    source
        The files.
    names
        The columns, in the order in which they will be asked for.
    """

    def __init__(self, source: Shards, names: Sequence[str]) -> None:
        self.n_rows = source.n_rows
        self._source = source
        self._names = list(names)
        self._width = columns_at_once(self.n_rows)
        self._batch = -1
        self._read: list[Any] = []

    def columns(self) -> list[StoredColumn]:
        """Return the columns, of which none is read."""
        return [StoredColumn(self, position) for position in range(len(self._names))]

    def labelled(self, position: int) -> Iterator[Any] | None:
        """Return the row groups of a column of labels, where a column is read alone; None of others."""
        import pyarrow.types as types

        name = self._names[position]
        kind = self._source.type_of(name)
        if self._width > 1 or not (types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind)):
            return None
        return (group.column(0) for group in self._source.row_groups([name]))

    def read(self, position: int) -> Any:
        """Read a column into an Arrow array."""
        batch = position // self._width
        if batch != self._batch:
            # What was read goes before anything else comes.
            self._batch, self._read = -1, []
            let_go(self.n_rows)
            names = self._names[batch * self._width : (batch + 1) * self._width]
            self._batch, self._read = batch, self._source.read(names).columns
        found = self._read[position % self._width]
        if self._width == 1:
            self._batch, self._read = -1, []
        return found


@dataclass(frozen=True, slots=True, eq=False)
class StoredColumn:
    """One column of files."""

    of: StoredColumns
    position: int

    def __len__(self) -> int:
        return self.of.n_rows

    def labelled(self) -> Iterator[Any] | None:
        """Return its row groups, each as an Arrow array, if it has many rows and labels; else None."""
        return self.of.labelled(self.position)

    def read(self) -> Any:
        """Read it into an Arrow array; it is not kept."""
        return self.of.read(self.position)
