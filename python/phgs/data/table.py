"""The table that everything is learned from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data import checks, findings
from phgs.data.columns import CodedColumn, Problem, encode
from phgs.data.files import MISSING_TEXT, is_text, read_file
from phgs.data.frames import Name, named_columns
from phgs.errors import DataError, ParameterError

Missing: TypeAlias = Literal["error", "drop", "level", "testwise"]
"""What to do with missing values: refuse them, leave out incomplete rows, make missing a state, leave rows out test by
test."""


@dataclass(frozen=True, eq=False)
class Table:
    """Categorical data, checked and numbered once; every function that takes data takes a `Table` too.

    Attributes
    ----------
    names : tuple
        Column names, in input order.
    levels : tuple of tuple
        The states of each column: ``levels[j][code]`` is the label of a code. Codes number the labels in the order of
        their first appearance in the rows, so that they do not depend on the type of the labels.
    codes : tuple of numpy.ndarray
        The state codes of each column, ``uint8`` or ``uint16``.
    n_rows : int
        Rows that are used.
    n_rows_read : int
        Rows of the input; more than `n_rows` where incomplete rows were dropped.
    """

    names: tuple[Name, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: tuple[NDArray[Any], ...]
    n_rows: int
    n_rows_read: int

    @property
    def n_variables(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(len(levels) for levels in self.levels)

    @cached_property
    def identifiers(self) -> tuple[int, ...]:
        """Positions of columns with too few rows a state for tests to tell anything.

        More than ten states, and on average fewer than five rows of each. Learners keep them isolated.
        """
        found = enumerate(self.arities)
        return tuple(i for i, arity in found if findings.is_identifier(arity, self.n_rows))

    @cached_property
    def position(self) -> dict[Name, int]:
        """The position of each name."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def dataset(self) -> _core.Dataset:
        """The data as the core holds them, made when first asked for."""
        return _core.Dataset(list(self.codes), list(self.arities))

    @property
    def core_data(self) -> _core.Dataset | _core.IncompleteDataset | _core.Gaussian:
        """The data as the core holds them, of whatever type."""
        return self.dataset

    def index(self, name: Name) -> int:
        """Return the position of a column; an unknown name raises `ParameterError` with near ones."""
        try:
            return self.position[name]
        except (KeyError, TypeError):
            from phgs.names import unknown

            raise ParameterError(unknown("column", name, self.names)) from None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in _DERIVED}

    def __repr__(self) -> str:
        return f"<phgs.Table: {self.n_rows:,} rows × {self.n_variables:,} variables>"


_DERIVED = ("arities", "dataset", "core_data", "position", "identifiers")


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteTable(Table):
    """Categorical data with missing values, of which each test uses the rows that are complete in its own columns.

    Made by `as_table` with ``missing="testwise"`` where values are missing; only methods that learn by tests alone take
    it. In `codes` a missing value is the number of states of its column.

    Attributes
    ----------
    n_missing : tuple of int
        Number of missing values of each column.
    """

    n_missing: tuple[int, ...] = ()

    @property
    def dataset(self) -> _core.Dataset:
        """Refused: there are no complete data."""
        raise DataError(
            "data: missing values were left in the table (missing='testwise'), and this needs complete rows; read the"
            " data with missing='drop' or missing='level'"
        )

    @cached_property
    def core_data(self) -> _core.IncompleteDataset:
        """The data as the core holds them, made when first asked for."""
        return _core.IncompleteDataset(list(self.codes), [max(1, arity) for arity in self.arities])

    def __repr__(self) -> str:
        missing = f"{sum(self.n_missing):,} values missing"
        return f"<phgs.Table: {self.n_rows:,} rows × {self.n_variables:,} variables, {missing}>"


def as_table(
    data: Any,
    *,
    missing: Missing = "error",
    names: Sequence[Name] | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> Table:
    """Read any kind of data into a `Table` of categorical columns.

    Parameters
    ----------
    data
        A `Table` (returned as it is); a pandas, polars or pyarrow frame; any object with the Arrow C stream or the
        dataframe protocol; a numpy array of n rows × p columns; a mapping from names to columns; or the path of a CSV,
        Parquet or Feather file. Values are labels of unordered states: strings, booleans, integers, whole floats,
        categories (unused ones are not counted), intervals, or a mixture.
    missing
        What to do with missing values: ``"error"`` raises and names them, ``"drop"`` leaves out incomplete rows,
        ``"level"`` makes missing a state of its own, labelled None, ``"testwise"`` leaves them in (an
        `IncompleteTable`), for methods that learn by tests alone: each test then uses the rows that are complete in its
        columns.
    names
        Column names in place of those of the frame.
    warn
        Whether to warn of what `phgs.describe` finds: constant columns, identifiers, columns with very many states,
        copies, and (up to 100 columns) columns that another one determines.
    stacklevel
        Where warnings point, as in `warnings.warn`.

    Raises
    ------
    DataError
        Names the columns that cannot be used and the remedy: numbers that are not whole, dates, missing values,
        repeated names, no columns, fewer than two rows.

    Examples
    --------
    >>> from phgs.data import as_table
    >>> table = as_table({"rain": ["no", "yes", "no"], "wet": [0, 1, 0]})
    >>> table.names, table.levels
    (('rain', 'wet'), (('no', 'yes'), (0, 1)))
    """
    if missing not in get_args(Missing):
        from phgs.names import unknown

        raise ParameterError(f"missing: {unknown('treatment', missing, get_args(Missing))}")
    if isinstance(data, Table):
        return data
    columns_names, found, from_text = read_columns(data, names)
    checks.refuse({name: c for name, c in zip(columns_names, found, strict=True) if isinstance(c, Problem)})
    coded = [column for column in found if isinstance(column, CodedColumn)]
    n_rows_read = len(coded[0].codes)
    for name, column in zip(columns_names, coded, strict=True):
        if len(column.codes) != n_rows_read:
            raise DataError(
                f"column {name!r} has {len(column.codes):,} rows, column {columns_names[0]!r} has {n_rows_read:,}"
            )
    if n_rows_read == 0:
        raise DataError("data has no rows")

    if missing == "testwise" and any(column.missing for column in coded):
        table = table_of_columns(columns_names, coded)
        if table.n_rows == 1:
            raise DataError(_ONE_ROW)
        if warn:
            findings.warn_of(table, stacklevel + 1)
        return table
    coded = _without_missing(columns_names, coded, missing, from_text=from_text)
    n_rows = len(coded[0].codes)
    if n_rows == 0:
        raise DataError(f"no rows are left: each of the {n_rows_read:,} has a missing value; use missing='level'")
    if n_rows == 1:
        raise DataError(_ONE_ROW)
    table = replace(table_of_columns(columns_names, coded), n_rows_read=n_rows_read)
    if warn:
        findings.warn_of(table, stacklevel + 1)
    return table


_ONE_ROW = "data has one row; at least two are needed, and hundreds to learn anything"


def read_columns(
    data: Any, names: Sequence[Name] | None = None
) -> tuple[tuple[Name, ...], list[CodedColumn | Problem], bool]:
    """Take data apart and number the values of each column.

    Returns
    -------
    tuple
        The names; the columns, or why they cannot be used; whether the data come from text.

    Raises
    ------
    DataError
        When there are no columns, or names are not distinct.
    """
    if isinstance(data, (str, os.PathLike)):
        data = read_file(data)
    from_text = is_text(data)
    found = list(named_columns(data, names, as_stored=True))
    if not found:
        raise DataError("data has no columns")
    column_names = tuple(_plain(name) for name, _ in found)
    checks.check_names(column_names)
    return column_names, [encode(column, from_text=from_text) for _, column in found], from_text


def table_of_columns(names: tuple[Name, ...], columns: list[CodedColumn]) -> Table:
    """Put columns together; where values are missing in them, to an `IncompleteTable`."""
    levels = tuple(tuple(column.labels) for column in columns)
    n_rows = len(columns[0].codes)
    if not any(column.missing for column in columns):
        codes = tuple(column.codes for column in columns)
        return Table(names=names, levels=levels, codes=codes, n_rows=n_rows, n_rows_read=n_rows)
    extended = []
    for column in columns:
        n_states = len(column.labels)
        kind = np.uint8 if n_states < 256 else np.uint16
        extended.append(np.where(column.codes < 0, n_states, column.codes).astype(kind))
    return IncompleteTable(
        names=names,
        levels=levels,
        codes=tuple(extended),
        n_rows=n_rows,
        n_rows_read=n_rows,
        n_missing=tuple(column.missing for column in columns),
    )


def _without_missing(
    names: Sequence[Name], columns: list[CodedColumn], missing: Missing, *, from_text: bool
) -> list[CodedColumn]:
    counts = {name: column.missing for name, column in zip(names, columns, strict=True) if column.missing}
    if not counts:
        return columns
    if missing == "error":
        marks = ", ".join(mark for mark in MISSING_TEXT if mark)
        hint = f" (in CSV files empty fields and {marks} count as missing unless quoted)" if from_text else ""
        checks.refuse_missing(counts, hint)
    if missing == "level":
        return [column.on_rows(None, missing_is_state=True) for column in columns]
    keep = np.ones(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        if column.missing:
            keep &= column.codes >= 0
    return [column.on_rows(keep, missing_is_state=False) for column in columns]


def _plain(name: Name) -> Name:
    """Turn numpy scalars into Python's own, so that names compare and print alike."""
    return name.item() if isinstance(name, np.generic) else name
