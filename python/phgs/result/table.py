"""The table of edges, and what separated the pairs that have none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

if TYPE_CHECKING:
    from phgs.data.frames import Name


class EdgeRow(NamedTuple):
    """One learned edge and what speaks for it.

    Attributes
    ----------
    source, target
        Its ends; of an undirected edge in column order.
    directed : bool
        Whether the CPDAG directs it from `source` to `target`.
    log_p_value : float or None
        Natural logarithm of the largest p-value of all tests of the pair: how close the pair came to being separated.
        None where the method made no tests of it.
    weakest_set : tuple or None
        The conditioning set that gave this p-value.
    score_gain : float or None
        What the arc adds to the score of the learned DAG. None where there is no DAG.
    """

    source: Name
    target: Name
    directed: bool
    log_p_value: float | None
    weakest_set: tuple[Name, ...] | None
    score_gain: float | None

    @property
    def p_value(self) -> float | None:
        """The largest p-value of all tests of the pair; 0 below 1e-308."""
        return None if self.log_p_value is None else math.exp(self.log_p_value)


class Separation(NamedTuple):
    """What separates two variables that are not adjacent.

    Attributes
    ----------
    x, y
        The variables.
    given : tuple
        The separating set.
    log_p_value : float or None
        Natural logarithm of the p-value of the test; None for pairs that their marginal test separated, whose value is
        not kept: above the significance level.
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    log_p_value: float | None


COLUMNS = ("from", "to", "directed", "p_value", "log_p_value", "weakest_set", "score_gain")


@dataclass(frozen=True, eq=False)
class EdgeTable(Sequence[EdgeRow]):
    """The learned edges as a table: a sequence of rows, and columns by name.

    It has the Arrow C stream, so that ``pandas.DataFrame``-like packages can take it, as in
    ``polars.DataFrame(result.edges)``; `to_pandas` makes a pandas frame.
    """

    rows: tuple[EdgeRow, ...]

    @overload
    def __getitem__(self, key: int) -> EdgeRow: ...
    @overload
    def __getitem__(self, key: slice) -> EdgeTable: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> EdgeRow | EdgeTable | list[Any]:
        """Return a row by number, rows by slice, or a column by name."""
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, slice):
            return EdgeTable(self.rows[key])
        return self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[EdgeRow]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        return self.rows == other.rows if isinstance(other, EdgeTable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    def _column(self, name: str) -> list[Any]:
        if name not in COLUMNS:
            from phgs.names import unknown

            raise KeyError(unknown("column", name, COLUMNS))
        attribute = {"from": "source", "to": "target"}.get(name, name)
        return [getattr(row, attribute) for row in self.rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {name: self._column(name) for name in COLUMNS}

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`; names are text in it."""
        import pyarrow as pa

        def text(names: list[Any]) -> list[str]:
            return [str(name) for name in names]

        sets = [None if row.weakest_set is None else text(list(row.weakest_set)) for row in self.rows]
        return pa.table(
            {
                "from": pa.array(text(self["from"]), pa.string()),
                "to": pa.array(text(self["to"]), pa.string()),
                "directed": pa.array(self["directed"], pa.bool_()),
                "p_value": pa.array(self["p_value"], pa.float64()),
                "log_p_value": pa.array(self["log_p_value"], pa.float64()),
                "weakest_set": pa.array(sets, pa.list_(pa.string())),
                "score_gain": pa.array(self["score_gain"], pa.float64()),
            }
        )

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(self.to_dict())

    def _cells(self, limit: int) -> list[tuple[str, ...]]:
        def number(value: float | None) -> str:
            return "" if value is None else f"{value:.4g}"

        cells: list[tuple[str, ...]] = []
        for row in self.rows[:limit]:
            edge = f"{row.source} {'→' if row.directed else '−'} {row.target}"
            given = "" if row.weakest_set is None else "{" + ", ".join(map(str, row.weakest_set)) + "}"
            if row.log_p_value is None:
                p_value = ""
            elif row.log_p_value < -690:
                p_value = f"1e{row.log_p_value / math.log(10):.0f}"
            else:
                p_value = number(row.p_value)
            cells.append((edge, p_value, given, number(row.score_gain)))
        return cells

    def __repr__(self) -> str:
        header = ("edge", "largest p", "given", "score gain")
        cells = [header, *self._cells(40)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        if len(self.rows) > 40:
            lines.append(f"… and {len(self.rows) - 40:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        header = "".join(f"<th>{name}</th>" for name in ("edge", "largest p", "given", "score gain"))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells(200)
        )
        more = f"<p>… and {len(self.rows) - 200:,} more</p>" if len(self.rows) > 200 else ""
        return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{more}"
