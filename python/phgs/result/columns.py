"""What a result tells of each column of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs.data import GaussianTable, IncompleteGaussianTable, Mixed
from phgs.data.packed import state_counts
from phgs.data.sharded import ShardedTable
from phgs.data.table import Categories

if TYPE_CHECKING:
    from phgs.data import Data
    from phgs.data.frames import Name


class ColumnFacts(NamedTuple):
    """One column of the data, in numbers.

    Attributes
    ----------
    counts : tuple of int or None
        Rows of each state, in the order of `Result.levels`; None for identifiers, for numbers, and where the data are
        not known.
    n_missing : int
        Missing values among the rows that were used.
    mean, standard_deviation, least, largest : float or None
        Of a column of numbers.
    """

    counts: tuple[int, ...] | None = None
    n_missing: int = 0
    mean: float | None = None
    standard_deviation: float | None = None
    least: float | None = None
    largest: float | None = None


def column_facts(table: Data) -> dict[Name, ColumnFacts]:
    """Count the states of each column, or describe its numbers."""
    if isinstance(table, GaussianTable):
        if table.moments is not None:
            of, n = table.moments, table.n_rows
            spreads = np.exp(0.5 * of.log_variances) * np.sqrt(n / (n - 1))
            facts = zip(of.means.tolist(), spreads.tolist(), of.least.tolist(), of.largest.tolist(), strict=True)
            return {name: ColumnFacts(None, 0, *fact) for name, fact in zip(table.names, facts, strict=True)}
        if table.values is None:
            return {}
        return {name: _of_numbers(values) for name, values in zip(table.names, table.values, strict=True)}
    if isinstance(table, IncompleteGaussianTable):
        return {name: _of_numbers(values) for name, values in zip(table.names, table.values, strict=True)}
    if isinstance(table, Mixed):
        return {name: _of_mixed(table, i) for i, name in enumerate(table.names)}
    if isinstance(table, ShardedTable):
        apart = set(table.isolated)
        counted = enumerate(zip(table.names, table.state_counts, strict=True))
        missing = table.n_missing
        return {name: ColumnFacts(None if i in apart else tuple(counts), missing[i]) for i, (name, counts) in counted}
    if not isinstance(table, Categories):
        return {}
    identifiers = set(table.isolated)
    missing = table.n_missing
    found = {}
    for i, name in enumerate(table.names):
        counts = None
        if i not in identifiers:
            # A missing value is numbered after the states.
            counts = tuple(state_counts(table.codes, i, table.arities[i])[: table.arities[i]])
        found[name] = ColumnFacts(counts, missing[i])
    return found


def _of_mixed(table: Mixed, index: int) -> ColumnFacts:
    if table.is_number(index):
        return _of_numbers(table.columns[index])
    n_missing, arity = table.n_missing[index], table.arities[index]
    if index in table.isolated:
        return ColumnFacts(None, n_missing)
    # A missing value is numbered after the states.
    every = np.bincount(table.columns[index], minlength=arity)
    return ColumnFacts(tuple(every[:arity].tolist()), n_missing)


def _of_numbers(values: Any) -> ColumnFacts:
    every = np.asarray(values, dtype=np.float64)
    numbers = every[~np.isnan(every)]
    n_missing = len(every) - len(numbers)
    if not len(numbers):
        return ColumnFacts(None, n_missing)
    spread = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return ColumnFacts(None, n_missing, float(numbers.mean()), spread, float(numbers.min()), float(numbers.max()))
