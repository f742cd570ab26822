"""Rows that stand for several: whole-number frequencies of a column, as in a table of counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set, Sized
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from phgs.data.base import Data
from phgs.data.frames import Frame, take_apart
from phgs.data.shards import on_workers
from phgs.data.stored import StoredColumn
from phgs.data.values import Problem, Repeated, numbers, read_values
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name, RawColumn

PerRow: TypeAlias = Any
"""A number for each row: the name of the column that holds it, or the numbers themselves."""

MOST_ROWS = 10_000_000
"""The most rows that counts may stand for."""


def counted(data: Any, counts: PerRow | None, names: Iterable[Name] | None = None, *, stay: bool = True) -> Any:
    """Return data in which each row stands as often as its count says; every function that takes data takes them.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads, but a `Table`, whose rows have been read already.
    counts
        The name of a column of whole numbers, which then is no variable; or a whole number for each row. None
        returns the data as they are.
    names
        As in `phgs.as_table`.
    stay
        Whether rows that are on workers stay there.

    Returns
    -------
    Frame or Shards
        The other columns. Rows of count 0 are gone: nothing looks at them.

    Raises
    ------
    ParameterError
        When there is no such column.
    DataError
        When counts are missing, negative, not whole or no numbers, all zero, of another length than the columns, or
        sum to more than `MOST_ROWS`.
    """
    if counts is None:
        return data
    if stay and (rows_elsewhere := on_workers(data)) is not None:
        return rows_elsewhere._counted(counts)
    if isinstance(data, Data):
        raise ParameterError(
            f"counts: the rows of {data!r} have been read already; give counts to phgs.as_table, or pass the frame"
        )
    frame = take_apart(data, names)
    if frame.weights is not None:
        raise ParameterError("counts: rows have weights already; give weights or counts, not both")
    frame, column, source = split_off(frame, counts, "counts")
    found = _whole(column, source)
    kept, often = with_rows(frame, found > 0), found[found > 0]
    return replace(kept, columns=[Repeated(column, often) for column in kept.columns])


def repeated_rows(rows: Any, name: str, before: int) -> Any:
    """Return the other columns of a `pyarrow.Table` with each row as often as a column says.

    Parameters
    ----------
    rows
        Some rows of a larger table.
    name
        The column of counts.
    before
        The rows that earlier ones stand for.
    """
    import pyarrow as pa

    source = f"counts: column {name!r}"
    values = read_values(rows.column(name))
    found = None if isinstance(values, Problem) else numbers(values)
    if found is None:
        raise _no_numbers(source)
    refuse_wrong(found, source)
    refuse_too_many(before + float(found.sum()), source)
    return rows.drop_columns([name]).take(pa.array(np.repeat(np.arange(len(found)), found.astype(np.int64))))


def told(given: PerRow | None) -> Any:
    """Return what a result file says of it: the name of the column, or how many numbers were given."""
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        return given if given is None or isinstance(given, int) else str(given)
    if isinstance(given, tuple) and not all(isinstance(part, Real) for part in given):
        return str(given)
    return {"values": len(given) if isinstance(given, Sized) else None}


def given_again(
    data: Any, parameters: Mapping[str, Any], argument: str, give: Callable[[Any, PerRow | None], Any]
) -> Any:
    """Return data with the counts or weights that a result was learned with; a `Table` has them already."""
    given = parameters.get(argument)
    if given is None or isinstance(data, Data):
        return data
    if isinstance(given, dict):
        raise ParameterError(
            f"data: pass phgs.as_table(data, {argument}=...), with the {argument} that were given in learning"
        )
    return give(data, given)


def split_off(frame: Frame, given: PerRow, argument: str) -> tuple[Frame, NDArray[np.float64], str]:
    """Return the frame without a column, the numbers of this column, and what messages call it.

    The numbers may have been given themselves; then no column goes. NaN is a missing number.
    """
    at = _position(frame, given, argument)
    source, column = argument, given
    if at is not None:
        source, column = f"{argument}: column {frame.names[at]!r}", frame.columns[at]
        frame = frame.only(i for i in range(len(frame.names)) if i != at)
        if not frame.names:
            raise DataError(f"{source} is the only one; there is no variable to learn from")
    if isinstance(column, (Set, Mapping)) or getattr(column, "ndim", 1) != 1:
        raise ParameterError(f"{source}: expected the name of a column or a number for each row")
    values = read_values(column, from_text=at is not None and frame.from_text)
    found = None if isinstance(values, Problem) else numbers(values, parse_text=frame.from_text)
    if found is None:
        raise _no_numbers(source)
    _check_lengths(frame, len(found), source)
    return frame, found, source


def _position(frame: Frame, given: PerRow, argument: str) -> int | None:
    """Return the position of the column that is named; None where numbers are given themselves."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        if not isinstance(given, Hashable):
            raise ParameterError(f"{argument}: expected the name of a column or a number for each row, got {given!r}")
        return frame.index(given, argument)
    return frame.names.index(given) if isinstance(given, tuple) and given in frame.names else None


def _check_lengths(frame: Frame, n_rows: int, source: str) -> None:
    for i, column in enumerate(frame.columns):
        if isinstance(column, Iterable) and not hasattr(column, "__len__"):
            frame.columns[i] = column = list(column)
        if _holds_rows(column) and len(column) != n_rows:
            raise DataError(f"{source} has {n_rows:,} values, column {frame.names[i]!r} has {len(column):,} rows")


def _holds_rows(column: RawColumn) -> bool:
    """Whether a column may hold a value for each row; what else it is, is told when its values are read."""
    return hasattr(column, "__len__") and not isinstance(column, (str, bytes, bytearray, Set, Mapping))


def _whole(found: NDArray[np.float64], source: str) -> NDArray[np.int64]:
    if not len(found):
        raise DataError("data has no rows")
    refuse_wrong(found, source)
    total = float(found.sum())
    if total == 0:
        raise none_above_0(source)
    refuse_too_many(total, source)
    return found.astype(np.int64)


def _no_numbers(source: str) -> DataError:
    return DataError(f"{source} holds values that are not numbers; it must hold one for each row")


def none_above_0(source: str) -> DataError:
    """Return the error of counts that leave no row."""
    return DataError(f"{source} has no count above 0: no row is left")


def refuse_wrong(found: NDArray[np.float64], source: str) -> None:
    """Refuse what counts no rows."""
    refuse_rows(np.isnan(found), f"{source} has missing counts", "give each row a count, 0 to leave it out")
    refuse_rows(found < 0, f"{source} has negative counts", "counts are whole numbers from 0 on")
    refuse_rows(
        (np.floor(found) != found) | np.isinf(found),
        f"{source} has counts that are not whole",
        "counts say how often a row stands in the data",
    )


def refuse_too_many(total: float, source: str) -> None:
    """Refuse counts that stand for too many rows."""
    if total > MOST_ROWS:
        raise DataError(
            f"{source} stands for {total:,.0f} rows, and at most {MOST_ROWS:,} can be used; draw a sample of them"
        )


def refuse_rows(wrong: NDArray[np.bool_], what: str, remedy: str) -> None:
    """Raise an error that names the first rows in which something is wrong, counted from 0."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        shown = ", ".join(map(str, rows[:5].tolist())) + (f" and {len(rows) - 5:,} more" if len(rows) > 5 else "")
        raise DataError(f"{what} (rows from 0: {shown}); {remedy}")


def with_rows(frame: Frame, keep: NDArray[np.bool_]) -> Frame:
    """Return some of the rows; nothing looks at the others, whatever they hold."""
    if keep.all():
        return frame
    rows = np.flatnonzero(keep)
    return replace(frame, columns=[_take(column, rows) for column in frame.columns])


def _take(column: RawColumn, rows: NDArray[np.intp]) -> RawColumn:
    """Return some rows of a column of any container, as a column of the same kind."""
    if not _holds_rows(column):
        return column
    if isinstance(column, StoredColumn):
        column = column.read()
    package = (type(column).__module__ or "").partition(".")[0]
    if package == "pandas":
        return column.iloc[rows] if hasattr(column, "iloc") else column.take(rows)
    if package == "pyarrow":
        import pyarrow as pa

        return column.take(pa.array(rows))
    if package == "polars":
        return column.gather(rows) if hasattr(column, "gather") else column
    if isinstance(column, np.ndarray) or not hasattr(column, "__array__"):
        return column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows.tolist()]
    return np.asarray(column)[rows]
