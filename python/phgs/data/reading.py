"""Data of any type from any source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from phgs import parameters
from phgs.data import findings
from phgs.data.auto import found_out, treated
from phgs.data.base import Data
from phgs.data.frames import names_of
from phgs.data.gaussian import GaussianTable, as_gaussian, warn_of_numbers
from phgs.data.kinds import Given, check_given
from phgs.data.mixed import Mixed
from phgs.data.sharded import ShardedTable
from phgs.data.shards import on_workers
from phgs.data.table import Missing, as_table
from phgs.errors import ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.data.shards import Shards

DataType: TypeAlias = Literal["auto", "discrete", "gaussian", "mixed"]
"""What columns are: found out, categories, jointly normal numbers, or numbers beside categories."""

DATA_TYPES = get_args(DataType)


def as_data(
    data: Any,
    data_type: str = "auto",
    *,
    missing: Missing = "error",
    columns: Iterable[Name] | None = None,
    categories: Iterable[Name] | Name | None = None,
    kinds: Given | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> Data:
    """Read any kind of data as the type that is asked for; what is checked already is of its own type.

    Parameters
    ----------
    data
        Anything that `phgs.as_table` reads, or what it and its siblings return.
    data_type : {"auto", "discrete", "gaussian", "mixed"}
        Whether columns are categories, jointly normal numbers, or numbers beside categories; ``"auto"`` finds out of
        each column whether it is a number (`phgs.data.kinds`), and makes a `MixedTable` where one is.
    missing, columns, categories, warn, stacklevel
        As in `phgs.as_table`.
    kinds
        What columns are, by name, ``"number"`` or ``"category"``; others are found out.

    Examples
    --------
    >>> from phgs.data import as_data
    >>> data = {"height": [1.61, 1.72, 1.8, 1.75, 1.69, 1.77], "smokes": ["no", "no", "yes", "no", "yes", "no"]}
    >>> as_data(data)
    <phgs.MixedTable: 6 rows × 2 variables (1 numbers, 1 categories)>
    >>> as_data(data).kinds
    {'height': 'number', 'smokes': 'category'}
    """
    parameters.one_of("data_type", data_type, DATA_TYPES)
    check_given(kinds)
    if (source := on_workers(data)) is not None:
        treatment = columns, categories, kinds, missing
        return _on_workers(source, data_type, *treatment, warn=warn, stacklevel=stacklevel + 1)
    if isinstance(data, Data):
        return _checked_already(data, data_type, columns, categories, kinds, missing)
    if data_type in ("auto", "mixed"):
        return found_out(
            data,
            mixed=data_type == "mixed",
            missing=missing,
            columns=columns,
            categories=categories,
            kinds=kinds,
            warn=warn,
            stacklevel=stacklevel + 1,
        )
    if data_type == "gaussian":
        if categories is not None:
            raise ParameterError("categories: Gaussian data have none")
        _refuse_kind(kinds, "category", "Gaussian data have numbers alone")
        return as_gaussian(data, missing=missing, columns=columns, warn=warn, stacklevel=stacklevel + 1)
    _refuse_kind(kinds, "number", "data_type='discrete' takes every column for categories")
    named = [] if categories is None else names_of(categories, "categories")
    declared = [*named, *(kinds or {})]
    return as_table(
        data,
        missing=missing,
        columns=columns,
        categories=declared or None,
        warn=warn,
        stacklevel=stacklevel + 1,
    )


def _on_workers(
    source: Shards,
    data_type: str,
    columns: Iterable[Name] | None,
    categories: Iterable[Name] | Name | None,
    kinds: Given | None,
    missing: Missing,
    *,
    warn: bool,
    stacklevel: int,
) -> ShardedTable | GaussianTable:
    """Leave the rows on the workers of a cluster."""
    if data_type == "mixed":
        raise ParameterError(
            "data_type: 'mixed' needs the rows in this process, and these are on workers; learn from"
            " phgs.shards(...).sample(rows)"
        )
    if columns is not None:
        source = source.opened(None, [str(name) for name in columns])
    if data_type == "gaussian":
        if categories is not None:
            raise ParameterError("categories: Gaussian data have none")
        _refuse_kind(kinds, "category", "Gaussian data have numbers alone")
        if source.counts is not None:
            raise ParameterError(
                "counts: rows of numbers on workers count once each; leave it out, or learn from a sample of them"
                " (phgs.shards(...).sample)"
            )
        table = source.summed()
        if warn:
            warn_of_numbers(table, stacklevel + 1)
        return table
    _refuse_kind(kinds, "number", "the rows are on workers, where all columns are categories")
    named = [] if categories is None else names_of(categories, "categories", source.names)
    declared = [*named, *(kinds or {})]
    for name in declared:
        if name not in source.names:
            raise ParameterError(unknown("column", name, source.names))
    held = source.spread(map(str, declared), found_out=data_type == "auto", missing=missing)
    if warn:
        findings.warn_of_states(held, stacklevel + 1)
    return held


def _refuse_kind(kinds: Given | None, kind: str, why: str) -> None:
    name = next((name for name, given in (kinds or {}).items() if given == kind), None)
    if name is not None:
        raise ParameterError(f"kinds: {name!r} cannot be a {kind}: {why}; leave data_type out")


def _checked_already(
    data: Data,
    data_type: str,
    columns: Iterable[Name] | None,
    categories: Iterable[Name] | Name | None,
    kinds: Given | None,
    missing: Missing,
) -> Data:
    """Return data that were read before; their kinds are what they are."""
    if kinds:
        raise ParameterError(f"kinds: {data!r} has its kinds already; give the frame that it was made of")
    if isinstance(data, ShardedTable):
        if columns is not None or categories is not None:
            raise ParameterError(f"data: {data!r} has been read; give the source that it was read from")
        return data
    if data.data_type == "gaussian" or data_type == "gaussian":
        if categories is not None:
            raise ParameterError("categories: Gaussian data have none")
        return as_gaussian(data, missing=missing, columns=columns)
    if isinstance(data, Mixed):
        if categories is not None:
            raise ParameterError("categories: a MixedTable has its kinds already")
        return treated(data if columns is None else data.select(columns), missing)
    if data_type == "mixed":
        raise ParameterError("data: a Table holds categories; give the frame that it was made of for data_type='mixed'")
    return as_table(data, missing=missing, columns=columns, categories=categories)
