"""Sampling weights: rows that stand for more of a population than others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.data.base import Data
from phgs.data.counts import PerRow, refuse_rows, split_off, with_rows
from phgs.data.frames import take_apart
from phgs.data.gaussian import GaussianTable, IncompleteGaussianTable
from phgs.data.mixed import IncompleteMixedTable, MixedTable
from phgs.data.shards import on_workers
from phgs.data.table import CategoricalTable, IncompleteTable, testwise_with_weights
from phgs.data.values import Problem, Repeated, numbers, read_values
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name


_WEIGHED = (
    CategoricalTable,
    GaussianTable,
    MixedTable,
    IncompleteTable,
    IncompleteGaussianTable,
    IncompleteMixedTable,
)


@dataclass(frozen=True)
class Weights:
    """How rows were weighed.

    Attributes
    ----------
    column : str or None
        The column that held the weights; None where they were given themselves.
    effective_rows : float
        The number of rows of equal weight that these are worth: (Σ w)² / Σ w².
    """

    column: str | None
    effective_rows: float


def weighted(data: Any, weights: PerRow | None, names: Iterable[Name] | None = None, *, stay: bool = True) -> Any:
    """Return data whose rows have sampling weights; every function that takes data takes them.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    weights
        The name of a column of numbers, which then is no variable; or a number for each row. Nothing but their ratios
        matters. None returns the data as they are.
    names
        As in `phgs.as_table`.
    stay
        Whether rows that are on workers stay there, which have no weights.

    Returns
    -------
    Frame or Data
        The other columns. Rows of weight 0 are gone: nothing looks at them.

    Raises
    ------
    ParameterError
        When there is no such column, or rows have counts or weights already.
    DataError
        When weights are missing, negative, infinite or no numbers, all zero, or of another length than the columns.
    """
    if weights is None:
        return data
    if stay and on_workers(data) is not None:
        raise ParameterError(
            "weights: rows on workers have none; give whole numbers as counts=, leave it out, or learn from a sample of"
            " them (phgs.shards(...).sample)"
        )
    if isinstance(data, Data):
        return _of_table(data, weights)
    frame = take_apart(data, names)
    if any(isinstance(column, Repeated) for column in frame.columns):
        raise ParameterError("weights: rows have counts already; give weights or counts, not both")
    frame, found, source = split_off(frame, weights, "weights")
    _check(found, source)
    return replace(with_rows(frame, found > 0), weights=found[found > 0])


def _of_table(table: Data, weights: PerRow) -> Data:
    """Weigh the rows of a table, which has no column of numbers: they must be given themselves."""
    if not isinstance(table, _WEIGHED) or not table.has_rows:
        raise takes_none(table)
    if isinstance(table, IncompleteTable) and not table.to_fill:
        raise testwise_with_weights()
    if table.weights is not None:
        raise ParameterError(f"weights: the rows of {table!r} have weights already")
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
        raise ParameterError(
            f"weights: {table!r} has no column of weights; give weights to phgs.as_table, or a number for each row"
        )
    values = read_values(weights)
    found = None if isinstance(values, Problem) else numbers(values)
    if found is None:
        raise DataError("weights holds values that are not numbers; it must hold one for each row")
    if len(found) != table.n_rows:
        raise DataError(f"weights has {len(found):,} values for {table.n_rows:,} rows")
    _check(found, "weights")
    kept = table if (found > 0).all() else table.take(np.flatnonzero(found > 0))
    return replace(kept, weights=found[found > 0])


def takes_none(table: Data) -> ParameterError:
    """Return the error of data whose rows cannot have weights."""
    return ParameterError(f"weights: {table!r} takes none: weights are for rows that are at hand")


def _check(found: NDArray[np.float64], source: str) -> None:
    if not len(found):
        raise DataError("data has no rows")
    refuse_rows(np.isnan(found), f"{source} has missing weights", "give each row a weight, 0 to leave it out")
    refuse_rows(found < 0, f"{source} has negative weights", "weights are numbers from 0 on")
    refuse_rows(np.isinf(found), f"{source} has infinite weights", "give finite ones")
    if not found.any():
        raise DataError(f"{source} has no weight above 0: no row is left")


def of_table(table: Data, given: PerRow | None) -> Weights | None:
    """Say how the rows of a table were weighed; None where they were not. Raises where weights found no place in it."""
    if getattr(table, "weights", None) is None:
        if given is not None:
            raise takes_none(table)
        return None
    named = given is not None and (isinstance(given, (str, bytes)) or not isinstance(given, Iterable))
    return Weights(str(given) if named else None, table.effective_rows)
