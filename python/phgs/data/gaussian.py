"""Continuous data for Gaussian methods: columns of numbers, or a correlation matrix."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import _core, parameters
from phgs.data import checks
from phgs.data.base import Data
from phgs.data.counts import PerRow, counted
from phgs.data.findings import warn_of_gaps
from phgs.data.frames import Name, plain, take_apart
from phgs.data.missing import needs_complete_rows
from phgs.data.table import Missing, few_known, kish, positions
from phgs.data.values import Problem, Values, numbers
from phgs.errors import DataError, DegenerateColumnWarning, FewRowsWarning, ParameterError
from phgs.names import named

_COLLINEAR_LIMIT = 2000
"""Up to this many columns linear combinations are looked for; the time grows with the cube of the number."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What is known of columns whose rows are elsewhere.

    Attributes
    ----------
    correlations : numpy.ndarray
        Of all pairs: the upper triangle row by row.
    log_variances, means, least, largest : numpy.ndarray
        Of each column; variances are divided by the number of rows.
    whole : bool
        Whether all values are whole numbers.
    """

    correlations: NDArray[np.float64]
    log_variances: NDArray[np.float64]
    means: NDArray[np.float64]
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    whole: bool

    def select(self, chosen: Sequence[int]) -> Moments:
        """Return those of some columns."""
        p = len(self.means)
        whole = np.zeros((p, p))
        whole[np.triu_indices(p, 1)] = self.correlations
        some = (whole + whole.T)[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
        at = list(chosen)
        return Moments(some, self.log_variances[at], self.means[at], self.least[at], self.largest[at], whole=self.whole)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianTable(Data):
    """Continuous data, checked once. Functions that take data accept it, and use Gaussian tests and scores.

    Made by `as_gaussian` and `gaussian_from_correlation`.

    Attributes
    ----------
    names : tuple
        Column names, in input order.
    n_rows : int
        Rows that are used.
    n_rows_read : int
        Rows of the input; more than `n_rows` where incomplete rows were dropped.
    values : tuple of numpy.ndarray or None
        The columns; None where only correlations were given, or the rows are elsewhere.
    matrix : numpy.ndarray or None
        The correlation matrix where it was given.
    moments : Moments or None
        What was summed elsewhere, where the rows are on the workers of a cluster.
    replicate : bool
        Whether rows were resampled or filled in. A column that is then constant, or a copy of another, is isolated (it
        correlates with nothing); otherwise it would be refused.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same.
    apart : tuple of int
        Positions of columns that learners keep isolated, because too few of their values were known.
    """

    names: tuple[Name, ...]
    n_rows: int
    n_rows_read: int
    values: tuple[NDArray[np.float64], ...] | None = None
    matrix: NDArray[np.float64] | None = None
    replicate: bool = False
    weights: NDArray[np.float64] | None = None
    apart: tuple[int, ...] = ()
    moments: Moments | None = None

    data_type = "gaussian"

    @property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that learners keep isolated."""
        return self.apart

    @property
    def levels(self) -> tuple[tuple[Any, ...], ...]:
        """No states of any column."""
        return ((),) * len(self.names)

    @cached_property
    def core(self) -> _core.GaussianDataset:
        """The correlations as the core holds them, made when first asked for."""
        with named(self.names):
            if self.moments is not None:
                of = self.moments
                return _core.GaussianDataset.from_moments(of.correlations, of.log_variances.tolist(), self.n_rows)
            if self.matrix is not None:
                return _core.GaussianDataset.from_correlation(self.matrix, self.n_rows)
            assert self.values is not None
            return _core.GaussianDataset.from_columns(list(self.values), 0, self.replicate, self.weights)

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return self.core.effective_rows

    def select(self, columns: Iterable[Name]) -> GaussianTable:
        """Return data of some columns, in the order of these."""
        chosen = positions(self.names, columns)
        return replace(
            self,
            names=tuple(self.names[index] for index in chosen),
            values=None if self.values is None else tuple(self.values[index] for index in chosen),
            matrix=None if self.matrix is None else np.ascontiguousarray(self.matrix[np.ix_(chosen, chosen)]),
            apart=tuple(i for i, index in enumerate(chosen) if index in self.apart),
            moments=None if self.moments is None else self.moments.select(chosen),
        )

    @property
    def has_rows(self) -> bool:  # type: ignore[override]
        """Whether there are columns, not correlations alone."""
        return self.values is not None

    def take(self, rows: NDArray[np.intp]) -> GaussianTable:
        """Return data of some rows; correlations alone have none."""
        if self.moments is not None:
            raise DataError("data: the rows of this table are on workers; draw some with phgs.shards(...).sample(rows)")
        if self.values is None:
            raise DataError("a correlation matrix has no rows to draw from; give the columns themselves")
        values = tuple(column[rows] for column in self.values)
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, values=values, n_rows=len(rows), n_rows_read=len(rows), replicate=True, weights=weights)

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of the columns that are constant in the rows drawn, or copies of columns before them."""
        return tuple(self.core.degenerate())

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns, or the matrix."""
        if self.values is not None:
            yield from self.values
        if self.matrix is not None:
            yield self.matrix
        if self.weights is not None:
            yield self.weights
        if self.moments is not None:
            yield from (self.moments.correlations, self.moments.log_variances, self.moments.means)

    @property
    def correlation(self) -> NDArray[np.float64]:
        """The p × p correlation matrix."""
        found = np.eye(self.n_variables)
        rows, columns = np.triu_indices(self.n_variables, 1)
        found[rows, columns] = found[columns, rows] = self.core.correlations()
        return found

    def __repr__(self) -> str:
        return f"<phgs.GaussianTable: {self.n_rows:,} rows × {self.n_variables:,} variables>"


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteGaussianTable(Data):
    """Continuous data with missing values, which learners fill in from the graph that they learn.

    Made by `as_gaussian` with ``missing="auto"`` where values are missing.

    Attributes
    ----------
    names, n_rows, n_rows_read
        As of a `GaussianTable`.
    values : tuple of numpy.ndarray
        The columns; NaN where a value is missing.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same.
    """

    names: tuple[Name, ...]
    n_rows: int
    n_rows_read: int
    values: tuple[NDArray[np.float64], ...]
    apart: tuple[int, ...] | None = None
    weights: NDArray[np.float64] | None = None

    data_type = "gaussian"
    complete = False
    to_fill = True
    _derived = (*Data._derived, "n_missing")

    @property
    def levels(self) -> tuple[tuple[Any, ...], ...]:
        """No states of any column."""
        return ((),) * len(self.names)

    @property
    def core(self) -> _core.GaussianDataset:
        """Refused: there are no complete data."""
        raise needs_complete_rows()

    @cached_property
    def n_missing(self) -> tuple[int, ...]:
        """Number of missing values of each column."""
        return tuple(int(np.isnan(column).sum()) for column in self.values)

    @property
    def few_known(self) -> tuple[int, ...]:
        """Positions of columns that are kept isolated because too few of their values are known to fill in others."""
        return few_known(self.n_rows, self.n_missing)

    @property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that learners keep isolated."""
        return self.few_known if self.apart is None else self.apart

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns whose known values are all the same."""
        return tuple(i for i, column in enumerate(self.values) if not _varies(column))

    def take(self, rows: NDArray[np.intp]) -> IncompleteGaussianTable:
        """Return data of some rows with their weights, their gaps included."""
        values = tuple(column[rows] for column in self.values)
        weights = None if self.weights is None else self.weights[rows]
        taken = replace(self, values=values, n_rows=len(rows), n_rows_read=len(rows))
        return replace(taken, apart=self.isolated, weights=weights)

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return kish(self.n_rows, self.weights)

    def select(self, columns: Iterable[Name]) -> IncompleteGaussianTable:
        """Return data of some columns, in the order of these."""
        chosen = positions(self.names, columns)
        return replace(
            self,
            names=tuple(self.names[index] for index in chosen),
            values=tuple(self.values[index] for index in chosen),
            apart=tuple(i for i, index in enumerate(chosen) if index in self.isolated),
        )

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns, and the weights if there are any."""
        yield from self.values
        if self.weights is not None:
            yield self.weights

    def correlations(self) -> NDArray[np.float64]:
        """Correlations of all pairs, each of the rows that are complete in both: the upper triangle row by row.

        A pair with fewer than three such rows, or of which one column does not vary in them, counts as uncorrelated.
        """
        values = np.array([_standardised(column) for column in self.values])
        known = ~np.isnan(values)
        values[~known] = 0.0
        there = known.astype(np.float64)
        weights = np.ones(self.n_rows) if self.weights is None else self.weights / self.weights.max()
        weighed, enough = values * weights, there @ there.T >= 3
        # Entry (x, y) of each is a sum of something of x over the rows that are complete in both.
        n, sums, squares = (there * weights) @ there.T, weighed @ there.T, (weighed * values) @ there.T
        with np.errstate(invalid="ignore", divide="ignore"):
            covariances = weighed @ values.T - sums * sums.T / n
            variances = squares - sums * sums / n
            found = covariances / np.sqrt(variances * variances.T)
        usable = enough & (np.minimum(variances, variances.T) > 1e-12 * n)
        found = np.where(usable, found, 0.0).clip(-1.0, 1.0)
        return found[np.triu_indices(self.n_variables, 1)]

    def treated(self, missing: Missing) -> GaussianTable | IncompleteGaussianTable:
        """Do with missing values what is asked: as if the table had been read so."""
        if missing == "auto":
            return self
        known = _complete(self.names, list(self.values), missing)
        weights = self.weights
        if weights is not None:
            complete = ~np.isnan(self.values).any(axis=0)
            weights = np.ascontiguousarray(weights[complete])
        return _in_one(self.names, known, self.n_rows_read, weights)

    def start(self, seed: int = 0, *, threads: int = 0) -> GaussianTable:
        """Draw each missing value from the known values of its column."""
        options = {"sweeps": 0, "seed": seed, "threads": threads}
        return self._completed(
            _core.fill_numbers(list(self.values), None, [], **options, time_limit=None, weights=self.weights)
        )

    def fill(
        self,
        completed: Data,
        arcs: list[tuple[int, int]],
        *,
        sweeps: int,
        seed: int,
        threads: int = 0,
        time_limit: float | None = None,
    ) -> GaussianTable:
        """Draw the missing values of each row given its known ones; see `IncompleteTable.fill`."""
        assert isinstance(completed, GaussianTable)
        assert completed.values is not None
        return self._completed(
            _core.fill_numbers(
                list(self.values),
                list(completed.values),
                arcs,
                sweeps=sweeps,
                seed=seed,
                threads=threads,
                time_limit=time_limit,
                weights=self.weights,
            )
        )

    def _completed(self, values: list[NDArray[np.float64]]) -> GaussianTable:
        # Values that are drawn may make columns constant, or copies of each other.
        options: dict[str, Any] = {"replicate": True, "apart": self.isolated, "weights": self.weights}
        return GaussianTable(self.names, self.n_rows, self.n_rows_read, tuple(values), **options)

    def __repr__(self) -> str:
        size = f"{self.n_rows:,} rows × {self.n_variables:,} variables"
        return f"<phgs.IncompleteGaussianTable: {size}, {sum(self.n_missing):,} values missing>"


def _standardised(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shift and scale the known values of a column to the mean 0 and the variance 1, if they vary."""
    known = column[~np.isnan(column)]
    largest = np.abs(known).max(initial=0.0) or 1.0
    scaled = column / largest
    spread = (known / largest).std() if len(known) else 0.0
    return (scaled - (known / largest).mean()) / spread if spread > 0.0 else np.where(np.isnan(column), column, 0.0)


def _varies(column: NDArray[np.float64]) -> bool:
    known = column[~np.isnan(column)]
    return len(known) > 0 and bool(known.min() < known.max())


def as_gaussian(
    data: Any,
    *,
    missing: Missing = "error",
    names: Sequence[Name] | None = None,
    columns: Iterable[Name] | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> GaussianTable | IncompleteGaussianTable:
    """Read any kind of data into a `GaussianTable` of continuous columns.

    Parameters
    ----------
    data
        A `GaussianTable` (returned as it is) or anything that `phgs.as_table` reads, with numbers in every column.
    missing
        ``"error"`` raises and names columns with missing values, ``"drop"`` leaves out incomplete rows, ``"auto"``
        leaves them in (an `IncompleteGaussianTable`), and learners fill them in from the graph that they learn.
    names
        Column names in place of those of the frame.
    columns
        Names of the columns to read, in the order of the frame; None reads all. What the others hold does not matter.
    counts, weights
        As in `phgs.as_table`.
    warn
        Whether to warn of data that are all whole numbers, of linear combinations, and of no more rows than columns.
    stacklevel
        Where warnings point, as in `warnings.warn`.

    Raises
    ------
    DataError
        Names the columns that cannot be used: text and categories, infinities, constants, copies of other columns.

    Examples
    --------
    >>> from phgs.data import as_gaussian
    >>> table = as_gaussian({"a": [0.5, 1.5, -1.0, 0.3], "b": [1.0, 2.5, -0.5, 0.1]})
    >>> table, round(float(table.correlation[0, 1]), 3)
    (<phgs.GaussianTable: 4 rows × 2 variables>, 0.938)
    """
    parameters.one_of("missing", missing, get_args(Missing))
    if missing == "level":
        raise ParameterError("missing: Gaussian data have no levels; use missing='drop'")
    if missing == "testwise":
        raise ParameterError("missing: Gaussian data are tested on one set of rows; use missing='drop'")
    if counts is not None:
        data, names = counted(data, counts, names, stay=False), None
    if weights is not None:
        from phgs.data.weights import weighted

        data, names = weighted(data, weights, names, stay=False), None
    if isinstance(data, GaussianTable):
        return data if columns is None else data.select(columns)
    if isinstance(data, IncompleteGaussianTable):
        return (data if columns is None else data.select(columns)).treated(missing)
    if isinstance(data, Data):
        raise DataError("data: a Table holds categories; pass the frame itself for data_type='gaussian'")
    frame = take_apart(data, names)
    frame = frame.only(positions(frame.names, columns))
    values = frame.values()
    found = [numbers(column, parse_text=frame.from_text) for column in values]
    _refuse(frame.names, values, found)
    known = [column for column in found if column is not None]
    checks.check_lengths({name: len(column) for name, column in zip(frame.names, known, strict=True)})
    n_rows_read = len(known[0])
    weights = frame.weights
    if weights is not None and missing != "auto":
        weights = np.ascontiguousarray(weights[~np.isnan(known).any(axis=0)])
    known = _complete(frame.names, known, missing)
    table = _in_one(frame.names, known, n_rows_read, weights)
    if warn:
        warn_of_numbers(table, stacklevel + 1)
    return table


def _in_one(
    names: tuple[Name, ...],
    values: Sequence[NDArray[np.float64]],
    n_rows_read: int,
    weights: NDArray[np.float64] | None = None,
) -> GaussianTable | IncompleteGaussianTable:
    """Make a table of columns, and refuse what cannot be used."""
    n_rows = len(values[0])
    if not any(np.isnan(column).any() for column in values):
        options: dict[str, Any] = {"n_rows": n_rows, "n_rows_read": n_rows_read, "weights": weights}
        table = GaussianTable(names=names, values=tuple(values), **options)
        table.core  # noqa: B018 - refuses what cannot be used
        return table
    gapped = IncompleteGaussianTable(names, n_rows, n_rows_read, tuple(values), weights=weights)
    if sum(gapped.n_missing) == n_rows * len(names):
        raise DataError("data: every value is missing")
    checks.refuse_one_row(n_rows)
    constant = [names[i] for i in gapped.degenerate if i not in gapped.few_known]
    if constant:
        column, have = ("column", "is") if len(constant) == 1 else ("columns", "are")
        raise DataError(
            f"{column} {checks.listed(constant)} {have} constant, so that they have no correlation; leave them out"
        )
    return gapped


_NO_COLUMN = (Problem.NESTED, Problem.SINGLE, Problem.UNORDERED, Problem.UNKNOWN_ARRAY)


def _refuse(
    names: Sequence[Name], values: Sequence[Values | Problem], found: Sequence[NDArray[np.float64] | None]
) -> None:
    """Refuse columns that are none, or hold no numbers, or infinite ones."""
    named = list(zip(names, values, strict=True))
    checks.refuse({name: value for name, value in named if isinstance(value, Problem) and value in _NO_COLUMN})
    refuse_other_than_numbers([name for name, column in zip(names, found, strict=True) if column is None])
    refuse_infinite([name for name, c in zip(names, found, strict=True) if c is not None and np.isinf(c).any()])


def refuse_other_than_numbers(names: Sequence[Name]) -> None:
    """Refuse columns that hold anything else, if there are such."""
    if names:
        column, holds = ("column", "holds") if len(names) == 1 else ("columns", "hold")
        raise DataError(
            f"{column} {checks.listed(names)} {holds} values that are not numbers; Gaussian methods need numbers in"
            " every column: leave them out, or cut the others into intervals and learn with data_type='discrete'"
        )


def refuse_infinite(names: Sequence[Name]) -> None:
    """Refuse columns that hold infinite values, if there are such."""
    checks.refuse(dict.fromkeys(names, Problem.INFINITE))


def gaussian_from_correlation(matrix: Any, n_rows: int, names: Sequence[Name] | None = None) -> GaussianTable:
    """Take a correlation matrix in place of data: it and the number of rows are all that Gaussian methods need.

    Parameters
    ----------
    matrix : array of shape (p, p), or a pandas frame
        Symmetric, with ones on its diagonal, positive semi-definite.
    n_rows : int
        Number of rows that it was computed from.
    names
        Names of the variables; by default those of the frame, or 0, 1, 2, ….

    Returns
    -------
    GaussianTable
        Pass it wherever data are taken. Variances are 1 in it, which shifts scores by a constant.
    """
    checked = parameters.whole("n_rows", n_rows, 2)
    assert checked is not None
    if names is None and hasattr(matrix, "columns"):
        names = list(matrix.columns)
    try:
        array = np.ascontiguousarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"matrix: expected a square array of numbers: {error}") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise DataError(f"matrix: expected a square array, got shape {array.shape}")
    names = tuple(range(len(array))) if names is None else tuple(plain(name) for name in names)
    if len(names) != len(array):
        raise DataError(f"names: {len(names)} names for {len(array)} variables")
    checks.check_names(names)
    table = GaussianTable(names=names, n_rows=checked, n_rows_read=checked, matrix=array)
    table.core  # noqa: B018 - refuses what is not a correlation matrix
    return table


def _complete(names: Sequence[Name], columns: list[NDArray[np.float64]], missing: Missing) -> list[NDArray[np.float64]]:
    counts = {name: int(np.isnan(values).sum()) for name, values in zip(names, columns, strict=True)}
    counts = {name: count for name, count in counts.items() if count}
    if not counts or missing == "auto":
        return columns
    if missing == "error":
        shown = ", ".join(f"{name!r} ({count:,})" for name, count in list(counts.items())[:8])
        more = f" and {len(counts) - 8} more columns" if len(counts) > 8 else ""
        raise DataError(
            f"missing values in {shown}{more}; pass missing='auto' to fill them in from the learned graph, or"
            " missing='drop' to leave out incomplete rows"
        )
    keep = np.ones(len(columns[0]), dtype=np.bool_)
    for values in columns:
        keep &= ~np.isnan(values)
    if not keep.any():
        raise DataError(f"no rows are left: each of the {len(keep):,} has a missing value")
    return [values[keep] for values in columns]


def warn_of_numbers(table: GaussianTable | IncompleteGaussianTable, stacklevel: int) -> None:
    """Warn of data that are all whole numbers, of linear combinations, and of no more rows than columns."""
    if _is_whole(table):
        warnings.warn(
            "all columns hold whole numbers only; if these are codes of categories, learn with data_type='discrete'",
            DegenerateColumnWarning,
            stacklevel=stacklevel,
        )
    if 1 < table.n_rows <= table.n_variables:
        warnings.warn(
            f"{table.n_rows:,} rows for {table.n_variables:,} columns: a search over all pairs fits the noise of so few"
            " rows; give it max_parents, or use a method that restricts it by tests, such as 'phgs'",
            FewRowsWarning,
            stacklevel=stacklevel,
        )
    warn_of_gaps(table, stacklevel + 1)
    if isinstance(table, GaussianTable) and table.n_variables <= _COLLINEAR_LIMIT:
        for x, others in table.core.collinear():
            parts = checks.listed(table.names[other] for other in others)
            warnings.warn(
                f"column {table.names[x]!r} is a linear combination of {parts}; tests given these say nothing of it",
                DegenerateColumnWarning,
                stacklevel=stacklevel,
            )


def _is_whole(table: GaussianTable | IncompleteGaussianTable) -> bool:
    if isinstance(table, GaussianTable) and table.moments is not None:
        return table.moments.whole
    values = table.values
    return values is not None and all(bool((np.isnan(of) | (of == np.rint(of))).all()) for of in values)
