"""Numbers cut into intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import parameters
from phgs.data import arrow
from phgs.data.frames import named_columns
from phgs.data.table import IncompleteTable, Missing, Table, as_table
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from phgs.data.frames import Name

Method: TypeAlias = Literal["quantile", "uniform", "hartemink"]


def discretize(
    data: Any,
    columns: Sequence[Name] | Name | None = None,
    *,
    bins: int = 3,
    method: Method = "quantile",
    initial_bins: int = 20,
    missing: Missing = "error",
) -> Table | IncompleteTable:
    """Cut numeric columns into intervals.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    columns
        The columns to cut; by default all that hold numbers of which some are not whole. All others stay as they are.
    bins : int
        Number of intervals of a column; ties in the data may make them fewer.
    method : {"quantile", "uniform", "hartemink"}
        ``"quantile"`` makes intervals with equally many rows, ``"uniform"`` of equal width. ``"hartemink"`` starts from
        `initial_bins` quantiles and merges neighbouring intervals, for each column in turn the pair that costs the
        least mutual information with the other columns (Hartemink 2001).
    initial_bins : int
        Where ``"hartemink"`` starts.
    missing
        As in `phgs.as_table`.

    Returns
    -------
    Table
        The data with intervals such as ``"[0.5, 1.25)"`` as labels.

    Raises
    ------
    DataError
        When a chosen column holds no numbers.

    Examples
    --------
    >>> import phgs
    >>> table = phgs.discretize({"x": [0.1, 0.2, 0.3, 0.4], "y": ["a", "b", "a", "b"]}, bins=2)
    >>> table.levels
    (('[0.1, 0.25)', '[0.25, 0.4]'), ('a', 'b'))
    """
    wanted_bins = parameters.whole("bins", bins, 2)
    first_bins = parameters.whole("initial_bins", initial_bins, 2)
    assert wanted_bins is not None
    assert first_bins is not None
    if method not in get_args(Method):
        raise ParameterError(f"method: {unknown('method', method, get_args(Method))}")
    found = dict(named_columns(data))
    if isinstance(columns, (str, int)) or (columns is not None and not isinstance(columns, Sequence)):
        columns = [columns]
    chosen: dict[Name, NDArray[np.float64]] = {}
    for name in found if columns is None else columns:
        if name not in found:
            raise ParameterError(f"columns: {unknown('column', name, found)}")
        numbers = _numbers(found[name])
        if numbers is None:
            if columns is not None:
                raise DataError(f"column {name!r} holds no numbers and cannot be cut into intervals")
        elif columns is not None or np.any(np.floor(numbers) != numbers, where=~np.isnan(numbers)):
            if np.isinf(numbers).any():
                raise DataError(f"column {name!r} holds infinite numbers; replace or drop them")
            chosen[name] = numbers
    start = first_bins if method == "hartemink" else wanted_bins
    cuts = {name: _cuts(numbers, start, uniform=method == "uniform") for name, numbers in chosen.items()}
    if method == "hartemink":
        cuts = _hartemink(chosen, cuts, wanted_bins, _other_codes(found, chosen, missing))
    cut = {name: _labels(numbers, cuts[name]) for name, numbers in chosen.items()}
    return as_table({name: cut.get(name, column) for name, column in found.items()}, missing=missing, stacklevel=3)


def _numbers(column: Any) -> NDArray[np.float64] | None:
    """Return a column as floats, missing values as NaN; None when it holds no numbers."""
    module = type(column).__module__ or ""
    try:
        if module.startswith("pyarrow"):
            import pyarrow as pa
            import pyarrow.types as types

            if types.is_boolean(column.type) or types.is_temporal(column.type):
                return None
            return arrow.numbers(column.cast(pa.float64()), math.nan)
        if module.startswith("pandas"):
            if getattr(column.dtype, "kind", "O") not in "iuf":
                return None
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        if module.startswith("polars"):
            return _numbers(column.to_arrow())
        array = np.asarray(column)
        if array.dtype.kind == "O":
            array = np.array([np.nan if value is None else value for value in array])
        return array.astype(np.float64) if array.dtype.kind in "iuf" else None
    except (ValueError, TypeError, OverflowError):
        return None


def _cuts(numbers: NDArray[np.float64], bins: int, *, uniform: bool) -> NDArray[np.float64]:
    """Return the inner borders of intervals."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.empty(0)
    shares = np.arange(1, bins) / bins
    low, high = known.min(), known.max()
    borders = low + (high - low) * shares if uniform else np.quantile(known, shares)
    borders = np.unique(borders)
    # A border at the lowest value would cut off nothing.
    return np.asarray(borders[(borders > low) & (borders <= high)])


def _labels(numbers: NDArray[np.float64], cuts: NDArray[np.float64]) -> list[str | None]:
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return [None] * len(numbers)
    borders = [known.min(), *cuts, known.max()]
    digits = 4
    # As many digits as tell the borders apart.
    while digits < 17 and len({f"{border:.{digits}g}" for border in borders}) < len(set(borders)):
        digits += 1
    text = [f"{border:.{digits}g}" for border in borders]
    names = [f"[{a}, {b})" for a, b in pairwise(text[:-1])] + [f"[{text[-2]}, {text[-1]}]"]
    codes = np.searchsorted(cuts, numbers, side="right")
    missing = np.isnan(numbers)
    return [None if gone else names[code] for code, gone in zip(codes, missing, strict=True)]


def _other_codes(found: dict[Name, Any], chosen: dict[Name, Any], missing: Missing) -> list[NDArray[Any]]:
    """Return the codes of the columns that are not cut, which the cutting of the others looks at."""
    others = {name: column for name, column in found.items() if name not in chosen}
    if not others:
        return []
    return list(as_table(others, missing="level" if missing == "drop" else missing, warn=False).codes)


def _hartemink(
    chosen: dict[Name, NDArray[np.float64]],
    cuts: dict[Name, NDArray[np.float64]],
    bins: int,
    others: list[NDArray[Any]],
) -> dict[Name, NDArray[np.float64]]:
    codes = {
        name: np.where(np.isnan(numbers), len(cuts[name]) + 1, np.searchsorted(cuts[name], numbers, side="right"))
        for name, numbers in chosen.items()
    }
    if len(codes) + len(others) < 2:
        raise ParameterError("method: 'hartemink' looks at other columns; with a single one use 'quantile'")
    cuts = dict(cuts)
    while any(len(borders) + 1 > bins for borders in cuts.values()):
        for name, borders in cuts.items():
            if len(borders) + 1 <= bins:
                continue
            rest = [*(other for key, other in codes.items() if key != name), *others]
            at = int(np.argmin(_losses(codes[name], len(borders) + 2, rest)[: len(borders)]))
            cuts[name] = np.delete(borders, at)
            codes[name] = np.where(codes[name] > at, codes[name] - 1, codes[name])
    return cuts


def _losses(codes: NDArray[Any], n_codes: int, rest: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Return the mutual information with the other columns that is lost by merging each code with the next."""

    def f(counts: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(counts * np.log(np.maximum(counts, 1)))

    def loss(table: NDArray[Any]) -> NDArray[np.float64]:
        each = f(table)
        return np.asarray((each[:-1] + each[1:] - f(table[:-1] + table[1:])).sum(axis=1))

    own = np.bincount(codes, minlength=n_codes)[:, None]
    total = np.zeros(n_codes - 1)
    for other in rest:
        width = int(other.max()) + 1
        table = np.bincount(codes * width + other, minlength=n_codes * width).reshape(n_codes, width)
        total += loss(table) - loss(own)
    return total
