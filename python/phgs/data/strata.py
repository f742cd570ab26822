"""How many rows of a contingency table say anything about a conditional independence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.table import Table


class Informative(NamedTuple):
    """The strata of a test, and those in which both variables vary: only they say anything.

    Attributes
    ----------
    rows : int
        Rows without a missing value among the columns of the test.
    strata : int
        Configurations of the conditioning variables that occur.
    informative_strata : int
        Those in which each of the two variables has at least two states.
    informative_rows : int
        Rows in these.
    """

    rows: int
    strata: int
    informative_strata: int
    informative_rows: int


def informative(table: Table, x: int, y: int, given: Sequence[int]) -> Informative:
    """Count strata of x ⫫ y | given; rows with a missing value among these columns are left out."""
    columns = [table.codes[i].astype(np.int64) for i in (x, y, *given)]
    known = np.ones(table.n_rows, dtype=np.bool_)
    for i, column in zip((x, y, *given), columns, strict=True):
        known &= column < table.arities[i]
    first, second, *others = (column[known] for column in columns)
    stratum = np.zeros(len(first), dtype=np.int64)
    for column in others:
        stratum = _numbered(stratum * (int(column.max(initial=0)) + 1) + column)
    rows = np.bincount(stratum)
    varies = (_states(stratum, first) > 1) & (_states(stratum, second) > 1)
    return Informative(len(first), len(rows), int(np.count_nonzero(varies)), int(rows[varies].sum()))


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    found: Any = np.unique(values, return_inverse=True)[1]
    return np.asarray(found.reshape(-1), dtype=np.int64)


def _states(stratum: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the number of states of a column that occur in each stratum."""
    width = int(codes.max(initial=0)) + 1
    cells = np.unique(stratum * width + codes)
    return np.bincount(cells // width)
