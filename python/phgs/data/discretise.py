"""Numbers cut into intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import parameters
from phgs.data import checks
from phgs.data.base import Data
from phgs.data.columns import CodedColumn, encode
from phgs.data.counts import PerRow, counted
from phgs.data.cuts import Cut, Distinct, intervals, labels, quantiles, uniform
from phgs.data.frames import Frame, names_of, take_apart
from phgs.data.kinds import Given, given_kinds
from phgs.data.table import IncompleteTable, Missing, Table, declared_in, table_of
from phgs.data.values import Problem, Values, numbers
from phgs.data.weights import weighted
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from phgs.data.frames import Name

Method: TypeAlias = Literal["quantile", "uniform", "hartemink"]


def discretize(
    data: Any,
    columns: Iterable[Name] | Name | None = None,
    *,
    bins: int = 3,
    method: Method = "quantile",
    initial_bins: int = 20,
    missing: Missing = "error",
    categories: Iterable[Name] | Name | None = None,
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
) -> Table | IncompleteTable:
    """Cut numeric columns into intervals.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    columns
        The columns to cut: names, or a single name. By default all columns with numbers that are not whole. All others
        stay as they are. Numbers written as text are cut if the column is named or comes from a text file.
    bins : int
        Number of intervals per column. Ties in the data can make it smaller, but a column whose values differ keeps at
        least two. A column with at most this many different values keeps them all apart.
    method : {"quantile", "uniform", "hartemink"}
        ``"quantile"`` makes intervals with equally many rows, ``"uniform"`` of equal width. ``"hartemink"`` starts from
        `initial_bins` quantiles and merges neighbouring intervals, for each column in turn the pair that costs the
        least mutual information with the other columns (Hartemink 2001).
    initial_bins : int
        Where ``"hartemink"`` starts.
    missing
        As in `phgs.as_table`.
    categories
        Columns that are left alone, whatever numbers they hold; as in `phgs.as_table`.
    kinds
        What columns are, by name: a ``"number"`` is cut, also if all of its values are whole, a ``"category"`` is left
        alone.
    counts, weights
        As in `phgs.as_table`. Cuts are where they are without weights.

    Returns
    -------
    Table
        The data with intervals such as ``"[0.5, 1.25)"`` as labels. Each value lies in the interval that its label
        prints. A column and its negative are cut alike: a value on the very border goes away from zero.

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
    if method not in get_args(Method):
        raise ParameterError(f"method: {unknown('method', method, get_args(Method))}")
    if isinstance(data, Data):
        raise DataError(f"data: {data!r} holds no numbers to cut; pass the frame that it was made from")
    frame = take_apart(weighted(counted(data, counts, stay=False), weights, stay=False))
    given = given_kinds(kinds, declared_in(frame, categories), frame.names)
    declared = {name for name, kind in given.items() if kind == "category"}
    values = frame.values(declared)
    chosen = _chosen(frame, values, columns, given, kinds)
    coarse = uniform if method == "uniform" else quantiles
    start = first_bins if method == "hartemink" else wanted_bins
    distinct = {x: Distinct.of(numbers) for x, numbers in chosen.items()}
    cuts = {x: coarse(found, start) for x, found in distinct.items()}
    coded = {x: encode(column) for x, column in enumerate(values) if x not in chosen}
    if method == "hartemink":
        others = [column for column in coded.values() if isinstance(column, CodedColumn)]
        checks.check_lengths(
            {frame.names[x]: len(c) for x, c in coded.items() if isinstance(c, CodedColumn)}
            | {frame.names[x]: len(numbers) for x, numbers in chosen.items()}
        )
        cuts = _hartemink(distinct, cuts, wanted_bins, [np.asarray(c.codes, dtype=np.int64) for c in others])
    for x, found in distinct.items():
        coded[x] = encode(Values(intervals(found, cuts[x]), labels(found, cuts[x]), declared=True))
    return table_of(
        frame.names,
        [coded[x] for x in range(len(frame.names))],
        missing,
        from_text=frame.from_text,
        weights=frame.weights,
        warn=True,
        stacklevel=3,
    )


def _chosen(
    frame: Frame,
    values: list[Values | Problem],
    columns: Iterable[Name] | Name | None,
    given: Mapping[Name, str],
    kinds: Given | None,
) -> dict[int, NDArray[np.float64]]:
    """Return the numbers of the columns to cut: those that are named, or those with numbers that are not whole."""
    chosen: dict[int, NDArray[np.float64]] = {}
    named = [name for name, kind in given.items() if kind == "number"]
    if columns is None:
        for x, column in enumerate(values):
            found = numbers(column, parse_text=frame.from_text)
            if found is not None and bool(np.any(np.floor(found) != found, where=~np.isnan(found))):
                chosen[x] = found
    else:
        named += names_of(columns, "columns", frame.names)
    for x in sorted(frame.index(name, "columns") for name in dict.fromkeys(named)):
        name, column = frame.names[x], values[x]
        if given.get(name) == "category":
            where = "said to be a category in kinds" if name in (kinds or {}) else "named in categories"
            raise ParameterError(f"columns: {name!r} is {where}, too")
        # Who names a column says that its text is numbers.
        found = numbers(column, parse_text=True)
        if found is None:
            raise DataError(f"column {name!r} holds no numbers and cannot be cut into intervals")
        chosen[x] = found
    infinite = {frame.names[x]: Problem.INFINITE for x, found in chosen.items() if np.isinf(found).any()}
    checks.refuse(infinite)
    return chosen


def _hartemink(
    distinct: dict[int, Distinct], cuts: dict[int, list[Cut]], bins: int, others: list[NDArray[np.int64]]
) -> dict[int, list[Cut]]:
    # What is missing is a state of its own, after the others.
    codes = {
        x: np.where((code := intervals(found, cuts[x])) < 0, len(cuts[x]) + 1, code) for x, found in distinct.items()
    }
    others = [np.where(code < 0, code.max(initial=0) + 1, code) for code in others]
    if len(codes) + len(others) < 2:
        raise ParameterError("method: 'hartemink' looks at other columns; with a single one use 'quantile'")
    left = {x: list(found) for x, found in cuts.items()}
    while any(len(found) + 1 > bins for found in left.values()):
        for x, found in left.items():
            if len(found) + 1 <= bins:
                continue
            rest = [*(other for key, other in codes.items() if key != x), *others]
            losses = _losses(codes[x], len(found) + 2, rest)[: len(found)]
            at = _cheapest(losses, codes[x], len(found) + 1)
            del found[at]
            codes[x] = np.where(codes[x] > at, codes[x] - 1, codes[x])
    return left


def _cheapest(losses: NDArray[np.float64], codes: NDArray[np.int64], n_codes: int) -> int:
    """Return which interval to merge with the next: of equal losses the pair of fewest rows, then of the first."""
    least = losses.min()
    equal = np.flatnonzero(losses <= least + 1e-12 * max(1.0, abs(float(least)))).tolist()
    if len(equal) == 1:
        return int(equal[0])
    rows = np.bincount(codes, minlength=n_codes)
    first = np.full(n_codes, len(codes))
    np.minimum.at(first, codes[codes < n_codes], np.flatnonzero(codes < n_codes))

    def worth(at: int) -> tuple[int, list[int]]:
        return int(rows[at] + rows[at + 1]), sorted((int(first[at]), int(first[at + 1])))

    return int(min(equal, key=worth))


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
