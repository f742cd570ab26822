"""Any kind of frame, taken apart into named columns."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from phgs.errors import DataError

Name: TypeAlias = Hashable
"""A column name, which is a node name: most often text, but integers and tuples serve too."""

RawColumn: TypeAlias = Any
"""A pandas series, an Arrow chunked array, a numpy array or a sequence of Python objects."""

# Columns of a row-major array are copied out in blocks of this many, which reads memory in order.
_BLOCK = 64


def named_columns(
    data: Any, names: Sequence[Name] | None = None, *, as_stored: bool = False
) -> Iterator[tuple[Name, RawColumn]]:
    """Take `data` apart.

    Parameters
    ----------
    data
        A pandas, polars or pyarrow frame; any object with the Arrow C stream (``__arrow_c_stream__``) or the dataframe
        protocol (``__dataframe__``); a numpy array of n rows × p columns or a structured array; a mapping from names
        to columns; or the path of a CSV, Parquet or Feather file.
    names
        Names to use in place of those of the frame; arrays without names have 0, 1, 2, ….
    as_stored
        Whether numbers and categories of a pandas frame may come as the arrays that it holds, for callers who only read
        them; else they come as series.

    Yields
    ------
    tuple
        Name and column, in the order of the frame.

    Raises
    ------
    DataError
        When `data` is none of these or `names` does not fit.
    """
    found = _columns(data, as_stored)
    if names is None:
        yield from found
        return
    columns = [column for _, column in found]
    if len(columns) != len(names):
        raise DataError(f"names: {len(names)} names for {len(columns)} columns")
    yield from zip(names, columns, strict=True)


def _columns(data: Any, as_stored: bool) -> Iterator[tuple[Name, RawColumn]]:
    if isinstance(data, (str, os.PathLike)):
        from phgs.data.files import read_file

        data = read_file(data)
    if _is_from(data, "pandas") and hasattr(data, "iloc"):
        if getattr(data, "ndim", 0) != 2:
            raise DataError("data: expected a pandas DataFrame, got a Series; use series.to_frame()")
        return _stored(data) if as_stored else iter(data.items())
    if isinstance(data, np.ndarray):
        return _array_columns(data)
    if isinstance(data, Mapping):
        return iter(data.items())
    if _is_from(data, "scipy.sparse"):
        raise DataError("data: sparse matrices are not supported; use data.toarray()")
    if _is_from(data, "polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    if _is_from(data, "polars") and hasattr(data, "get_columns"):
        # Column by column: a whole frame cannot go to Arrow when one of its columns cannot.
        return ((column.name, column) for column in data.get_columns())
    return _arrow_columns(data)


def _stored(data: Any) -> Iterator[tuple[Name, RawColumn]]:
    """Yield the columns of a pandas frame: to make a series of each takes longer than to number its values."""
    arrays = getattr(data, "_iter_column_arrays", None)
    if arrays is None:
        yield from data.items()
        return
    for position, (name, values) in enumerate(zip(data.columns, arrays(), strict=True)):
        plain = values.dtype.kind in "biuf" if isinstance(values, np.ndarray) else hasattr(values, "codes")
        yield name, values if plain else data.iloc[:, position]


def _arrow_columns(data: Any) -> Iterator[tuple[Name, RawColumn]]:
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    elif isinstance(data, pa.Table):
        pass
    elif hasattr(data, "__arrow_c_stream__"):
        try:
            data = pa.table(data)
        except (pa.ArrowException, TypeError) as error:
            raise DataError(f"data: cannot be read through the Arrow C stream: {error}") from error
    elif hasattr(data, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        try:
            data = from_dataframe(data)
        except (pa.ArrowException, NotImplementedError, TypeError, ValueError, RuntimeError) as error:
            raise DataError(f"data: cannot be read through the dataframe protocol: {error}") from error
    else:
        kind = type(data)
        raise DataError(
            "data: expected a pandas, polars or pyarrow frame, a numpy array, a mapping of columns or the path of a"
            f" file, got {kind.__module__}.{kind.__qualname__}"
        )
    return zip(data.column_names, data.columns, strict=True)


def _array_columns(data: np.ndarray[Any, Any]) -> Iterator[tuple[Name, RawColumn]]:
    if data.dtype.names is not None:
        if data.ndim != 1:
            raise DataError(f"data: a structured array must have one dimension, not {data.ndim}")
        return ((name, data[name]) for name in data.dtype.names)
    if data.ndim != 2:
        raise DataError(f"data: an array must have two dimensions (rows, columns), not {data.ndim}")
    return _blockwise(data)


def _blockwise(data: np.ndarray[Any, Any]) -> Iterator[tuple[Name, RawColumn]]:
    for start in range(0, data.shape[1], _BLOCK):
        block = np.ascontiguousarray(data[:, start : start + _BLOCK].T)
        for offset, column in enumerate(block):
            yield start + offset, column


def _is_from(data: Any, package: str) -> bool:
    """Whether an object's class comes from a package, without importing the package."""
    return any((kind.__module__ or "").startswith(package) for kind in type(data).__mro__)
