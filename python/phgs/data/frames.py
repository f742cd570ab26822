"""Any kind of frame, taken apart into named columns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phgs.data import checks
from phgs.data.files import is_text, read_file
from phgs.data.shards import Shards, row_groups_of
from phgs.data.stored import StoredColumns
from phgs.data.values import Problem, Values, is_known_array, read_values
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

Name: TypeAlias = Hashable
"""A column name, which is a node name: most often text, but integers and tuples serve too."""

RawColumn: TypeAlias = Any
"""A pandas series, an Arrow chunked array, a numpy array or a sequence of Python objects."""

# Columns of a row-major array are copied out in blocks of this many, which reads memory in order.
_BLOCK = 64


_INDEX_LEVEL = re.compile(r"__index_level_\d+__")
"""Columns that pandas writes its index to, where that has no name."""


@dataclass(frozen=True)
class Frame:
    """Data taken apart into named columns.

    Attributes
    ----------
    names : tuple
        Distinct names.
    columns : list
        The columns, as the container holds them.
    from_text : bool
        Whether the data come from a text file, where every value is text.
    weights : numpy.ndarray of float, optional
        The sampling weight of each row, above 0; None where all weigh the same.
    """

    names: tuple[Name, ...]
    columns: list[RawColumn]
    from_text: bool = False
    weights: NDArray[np.float64] | None = None

    def index(self, name: Name, argument: str = "columns") -> int:
        """Return the position of a name; `ParameterError` for an unknown one."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ParameterError(f"{argument}: {unknown('column', name, self.names)}") from None

    def only(self, positions: Iterable[int]) -> Frame:
        """Return some of the columns."""
        kept = list(positions)
        names, columns = tuple(self.names[i] for i in kept), [self.columns[i] for i in kept]
        return replace(self, names=names, columns=columns)

    def values(self, categories: Collection[Name] = ()) -> list[Values | Problem]:
        """Read the values of each column; those of `categories` are said to be categories."""
        for name in categories:
            self.index(name, "categories")
        return [
            read_values(column, from_text=self.from_text, declared=name in categories)
            for name, column in zip(self.names, self.columns, strict=True)
        ]


def names_of(names: Any, argument: str = "columns", known: Collection[Name] = ()) -> list[Name]:
    """Return names of columns, given as a single one or by anything that can be iterated over.

    A tuple that is itself the name of a column is that name.
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        return [names]
    if isinstance(names, tuple) and names in known:
        return [names]
    found = [plain(name) for name in names]
    for name in found:
        if not isinstance(name, Hashable):
            raise ParameterError(f"{argument}: expected names of columns, got {name!r}")
    return list(dict.fromkeys(found))


def take_apart(data: Any, names: Iterable[Name] | None = None) -> Frame:
    """Take data of any kind apart into named columns.

    Parameters
    ----------
    data
        A pandas, polars or pyarrow frame; any object with the Arrow C stream (``__arrow_c_stream__``) or the dataframe
        protocol (``__dataframe__``); a numpy array of n rows × p columns or a structured array; a mapping from names
        to columns; the path of a CSV, Parquet or Feather file; or what `shards` takes or returns. The index of a pandas
        frame is no column, nor is it one in a file that pandas wrote. A `Frame` stays as it is.
    names
        Names to use in place of those of the frame; arrays without names have 0, 1, 2, ….

    Raises
    ------
    DataError
        When `data` is none of these, there are no columns, names are not distinct or `names` does not fit.
    """
    if isinstance(data, Frame):
        if names is not None:
            raise ParameterError("names: give them together with the counts or weights")
        return data
    if (source := row_groups_of(data)) is not None and source.n_rows and not source.of_text:
        from_text, found = False, _stored_columns(source)
    else:
        if source is not None:
            data = source.read() if source.n_rows else read_file(source.paths[0])
        elif isinstance(data, (str, os.PathLike)):
            data = read_file(data)
        from_text = is_text(data)
        found = list(_columns(data))
        index = _index_columns(data.schema) if _is_from(data, "pyarrow") else set()
        found = [(name, column) for name, column in found if name not in index and not _is_index_level(name)]
    if from_text and found and found[0][0] == "" and _is_row_number(found[0][1]):
        del found[0]
    if not found:
        raise DataError("data has no columns")
    columns = [column for _, column in found]
    seen = tuple(plain(name) for name, _ in found)
    if names is not None:
        seen = tuple(plain(name) for name in names)
        if len(columns) != len(seen):
            raise DataError(f"names: {len(seen)} names for {len(columns)} columns")
    checks.check_names(seen)
    return Frame(seen, columns, from_text)


def _stored_columns(source: Shards) -> list[tuple[Name, RawColumn]]:
    """Return the columns of files, none of which is read yet."""
    source.refuse_too_many()
    # Names that occur twice are refused before anything is read.
    return list(zip(source.names, StoredColumns(source, source.names).columns(), strict=True))


def plain(name: Name) -> Name:
    """Turn numpy scalars into Python's own, so that names compare and print alike."""
    return name.item() if isinstance(name, np.generic) else name


def _is_index_level(name: Name) -> bool:
    return isinstance(name, str) and _INDEX_LEVEL.fullmatch(name) is not None


def without_index(schema: Any, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of an Arrow schema that are no index of a pandas frame."""
    index = _index_columns(schema)
    return tuple(name for name in names if name not in index and not _is_index_level(name))


def _index_columns(schema: Any) -> set[str]:
    """Return the columns that the metadata of pandas in an Arrow schema call its index."""
    try:
        found = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"]
    except (ValueError, KeyError, TypeError):
        return set()
    return {name for name in found if isinstance(name, str)}


def _is_row_number(column: Any) -> bool:
    """Whether a column of text counts the rows from 0 or 1, as pandas and R write it with an empty name."""
    if column.null_count or not len(column):
        return False
    first = column[0].as_py()
    if first not in ("0", "1"):
        return False
    return all(value == str(row) for row, value in enumerate(column.to_pylist(), int(first)))


def _columns(data: Any) -> Iterator[tuple[Name, RawColumn]]:
    if _is_from(data, "pandas") and hasattr(data, "iloc"):
        if getattr(data, "ndim", 0) != 2:
            raise DataError("data: expected a pandas DataFrame, got a Series; use series.to_frame()")
        return _stored(data)
    if isinstance(data, np.ndarray):
        if not is_known_array(data):
            kind = type(data)
            raise DataError(
                f"data: an array of the kind {kind.__module__}.{kind.__qualname__} may hold a mask or units that would"
                " be lost; pass numpy.asarray(data), or a numpy.ma.MaskedArray"
            )
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
            + (
                "; of a list of rows make a frame first: pandas.DataFrame(rows)"
                if isinstance(data, (list, tuple))
                else ""
            )
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
    mask = np.ma.getmaskarray(data) if isinstance(data, np.ma.MaskedArray) else None
    data = np.asarray(data)
    for start in range(0, data.shape[1], _BLOCK):
        block = np.ascontiguousarray(data[:, start : start + _BLOCK].T)
        for offset, column in enumerate(block):
            x = start + offset
            yield x, column if mask is None else np.ma.MaskedArray(column, mask[:, x])


def _is_from(data: Any, package: str) -> bool:
    """Whether an object's class comes from a package, without importing the package."""
    return any((kind.__module__ or "").startswith(package) for kind in type(data).__mro__)
