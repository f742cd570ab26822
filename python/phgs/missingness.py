"""Values made missing on purpose, by a mechanism that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from phgs import parameters
from phgs.data import (
    Data,
    GaussianTable,
    IncompleteGaussianTable,
    IncompleteMixedTable,
    IncompleteTable,
    MixedTable,
    Table,
    as_data,
)
from phgs.data.columns import code_type
from phgs.data.reading import DataType
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Mechanism: TypeAlias = Literal["mcar", "mar", "mnar"]
"""Missing completely at random, at random, not at random."""

_OFTEN = 4.0
"""How many times as often a value is missing where what it depends on says so."""


def make_missing(
    data: Any,
    share: float,
    mechanism: Mechanism = "mcar",
    *,
    seed: int = 0,
    data_type: DataType = "auto",
) -> IncompleteTable | IncompleteGaussianTable | IncompleteMixedTable:
    """Make values missing, to see what becomes of what is learned.

    Parameters
    ----------
    data
        Complete data: anything that `phgs.as_table` reads, or a table.
    share : float
        Share of all values that are to be missing, between 0 and 1. Each value has its probability, so that the share
        that comes out is near it.
    mechanism : {"mcar", "mar", "mnar"}
        ``"mcar"``, completely at random: every value is missing with the same probability. ``"mar"``, at random: half
        of the columns stay complete; those of the other half miss twice the share, and four times as often where one
        of the complete columns, drawn for each, is in its most frequent state (of numbers: above its median).
        ``"mnar"``, not at random: a value is missing four times as often where it is itself the most frequent state of
        its column (above the median). Nothing in the data tells that, and no method can undo it.
    seed : int
        Seed of the draws.
    data_type : {"auto", "discrete", "gaussian", "mixed"}
        How to read data that are no table yet; ``"auto"`` finds out which columns are numbers.

    Returns
    -------
    IncompleteTable, IncompleteGaussianTable or IncompleteMixedTable
        The same data with gaps, which learners fill in.

    Examples
    --------
    >>> import phgs
    >>> complete = phgs.Network.load("asia").sample(2000, seed=1)
    >>> gapped = phgs.make_missing(complete, 0.1, seed=1)
    >>> round(sum(gapped.n_missing) / (2000 * 8), 2)
    0.1
    >>> result = phgs.learn(gapped, progress=False)
    >>> result.missing.method, ("smoke", "bronc") in result.cpdag
    ('em', True)
    """
    wanted = parameters.real("share", share)
    if not 0.0 <= wanted < 1.0:
        raise ParameterError(f"share: {share!r} is not at least 0 and below 1")
    parameters.one_of("mechanism", mechanism, get_args(Mechanism))
    checked = parameters.whole("seed", seed)
    assert checked is not None
    table = as_data(data, data_type, missing="error", warn=False)
    often, columns = _often(table)
    rng = np.random.default_rng(checked)
    p = table.n_variables
    if mechanism == "mcar":
        chances = [np.full(table.n_rows, wanted)] * p
    elif mechanism == "mnar":
        chances = [_chances(wanted, often[x]) for x in range(p)]
    else:
        if p < 2:
            raise ParameterError("mechanism: 'mar' needs two columns, one of which stays complete")
        order = rng.permutation(p)
        complete = order[: (p + 1) // 2]
        chances = [np.zeros(table.n_rows)] * p
        gapped = order[(p + 1) // 2 :]
        for x in gapped:
            chances[x] = _chances(wanted * p / len(gapped), often[rng.choice(complete)])
    gaps = [rng.random(table.n_rows) < chance for chance in chances]
    if isinstance(table, GaussianTable):
        values = [np.where(gap, np.nan, column) for gap, column in zip(gaps, columns, strict=True)]
        return IncompleteGaussianTable(table.names, table.n_rows, table.n_rows_read, tuple(values))
    if isinstance(table, MixedTable):
        with_gaps = (
            np.where(gap, np.nan, column) if table.is_number(x) else _without(column, gap, table.arities[x])
            for x, (gap, column) in enumerate(zip(gaps, columns, strict=True))
        )
        return IncompleteMixedTable(
            table.names,
            table.n_rows,
            table.n_rows_read,
            table.levels,
            tuple(with_gaps),
            table.numbers,
            table.powers,
            table.decisions,
            table.apart,
            table.settled,
        )
    assert isinstance(table, Table)
    codes = [_without(column, gap, arity) for gap, column, arity in zip(gaps, columns, table.arities, strict=True)]
    return IncompleteTable(
        table.names,
        table.levels,
        tuple(codes),
        table.n_rows,
        table.n_rows_read,
        n_missing=tuple(int(gap.sum()) for gap in gaps),
        missing="auto",
    )


def _often(table: Data) -> tuple[list[NDArray[np.bool_]], Sequence[NDArray[Any]]]:
    """Return where values are missing more often that depend on a column, and the columns."""
    if isinstance(table, MixedTable):
        often = [
            column > np.median(column) if table.is_number(x) else column == np.bincount(column).argmax()
            for x, column in enumerate(table.columns)
        ]
        return often, table.columns
    if isinstance(table, Table):
        return [codes == np.bincount(codes).argmax() for codes in table.codes], table.codes
    if isinstance(table, GaussianTable) and table.values is not None:
        return [column > np.median(column) for column in table.values], table.values
    raise DataError(f"data: values are made missing in complete tables that have rows, and this is {table!r}")


def _without(codes: NDArray[Any], gap: NDArray[np.bool_], arity: int) -> NDArray[Any]:
    """Return codes with the number of states where a value is missing."""
    return np.where(gap, arity, codes).astype(code_type(arity))


def _chances(share: float, often: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the probability of each value to be missing, `share` on average."""
    q = float(often.mean())
    low = share / (1.0 + (_OFTEN - 1.0) * q)
    high = _OFTEN * low
    if high > 1.0:
        # As often as can be there, and elsewhere what is left.
        high = 1.0
        low = (share - q) / (1.0 - q) if q < 1.0 else 0.0
    if not 0.0 <= low <= 1.0:
        raise ParameterError("share: so many values cannot be missing by this mechanism; lower it")
    return np.where(often, high, low)
