"""Rows of a table drawn again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phgs.data.gaussian import GaussianTable
from phgs.data.table import IncompleteTable, Table
from phgs.errors import DataError


def take_rows(table: Table, rows: NDArray[np.intp]) -> Table:
    """Return a table of some rows of another, in their order, repetitions included.

    States that none of the rows shows are not counted, as if the rows had been read on their own.

    Raises
    ------
    DataError
        When the table holds correlations in place of rows.
    """
    if isinstance(table, GaussianTable):
        if table.values is None:
            raise DataError("a correlation matrix has no rows to draw from; give the columns themselves")
        values = tuple(column[rows] for column in table.values)
        return replace(table, values=values, n_rows=len(rows), n_rows_read=len(rows))
    columns = [_seen(codes[rows], labels) for codes, labels in zip(table.codes, table.levels, strict=True)]
    changed: dict[str, Any] = {
        "codes": tuple(codes for codes, _ in columns),
        "levels": tuple(labels for _, labels in columns),
        "n_rows": len(rows),
        "n_rows_read": len(rows),
    }
    if isinstance(table, IncompleteTable):
        changed["n_missing"] = tuple(int(np.count_nonzero(codes == len(labels))) for codes, labels in columns)
    drawn = replace(table, **changed)
    # What is an identifier is a matter of all rows: repetitions must not make it look like an ordinary column.
    drawn.__dict__["identifiers"] = table.identifiers
    return drawn


def _seen(codes: NDArray[Any], labels: tuple[Any, ...]) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """Number the states that are there anew; what is missing has the code after the last state."""
    there = np.bincount(codes, minlength=len(labels) + 1)[: len(labels)] > 0
    if there.all():
        return codes, labels
    kept = tuple(label for label, seen in zip(labels, there.tolist(), strict=True) if seen)
    number = np.append(np.cumsum(there) - 1, len(kept)).astype(codes.dtype)
    return number[codes], kept
