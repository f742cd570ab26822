"""Tables of named rows: what tables of edges have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, overload

from phgs.texts import printable

Row = TypeVar("Row", bound=tuple[Any, ...])


@dataclass(frozen=True, eq=False, repr=False)
class RecordTable(Sequence[Row], Generic[Row]):
    """A sequence of rows, and columns by name.

    It has the Arrow C stream, so that packages of data frames can take it, as in ``polars.DataFrame(table)``;
    `to_pandas` makes a pandas frame.
    """

    rows: tuple[Row, ...]

    COLUMNS: ClassVar[tuple[str, ...]] = ()
    ATTRIBUTES: ClassVar[dict[str, str]] = {}
    """Attributes of rows for columns of another name."""
    HEADER: ClassVar[tuple[str, ...]] = ()
    """Titles of the printed columns."""

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> RecordTable[Row]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Row | RecordTable[Row] | list[Any]:
        """Return a row by number, rows by slice, or a column by name."""
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, slice):
            return type(self)(self.rows[key])
        return self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        return self.rows == other.rows if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.COLUMNS

    def _column(self, name: str) -> list[Any]:
        if name not in self.COLUMNS:
            from phgs.names import unknown

            raise KeyError(unknown("column", name, self.COLUMNS))
        attribute = self.ATTRIBUTES.get(name, name)
        return [getattr(row, attribute) for row in self.rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {name: self._column(name) for name in self.COLUMNS}

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`; names are text in it."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(self.to_dict())

    def _cells(self, limit: int) -> list[tuple[str, ...]]:
        """Return the first rows as they are printed."""
        raise NotImplementedError

    def __repr__(self) -> str:
        cells = [self.HEADER, *self._cells(40)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.HEADER))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        if len(self.rows) > 40:
            lines.append(f"… and {len(self.rows) - 40:,} more")
        return printable("\n".join(lines))

    def _repr_html_(self) -> str:
        from html import escape

        header = "".join(f"<th>{name}</th>" for name in self.HEADER)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells(200)
        )
        more = f"<p>… and {len(self.rows) - 200:,} more</p>" if len(self.rows) > 200 else ""
        return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{more}"


def texts(names: Sequence[Any]) -> list[str]:
    """Return names as text, which Arrow wants of a column."""
    return [str(name) for name in names]
