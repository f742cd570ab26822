"""One column of any container: its values, where they are missing, and its dictionary where there is one.

This is the only place that asks which library a column is from. What becomes of the values, whether they are categories
or numbers, is decided by the values: `phgs.data.columns` numbers them as states, `numbers` takes them as numbers.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phgs.data import arrow
from phgs.data.stored import StoredColumn

MAX_STATES = 65_535

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
"""A finite number as text files write it."""

NOT_FINITE = re.compile(r"\s*[+-]?(inf|infinity)\s*", re.IGNORECASE)

_KNOWN_ARRAYS = ("numpy", "numpy.ma", "numpy.ma.core", "numpy.ma.mrecords", "numpy.matrixlib.defmatrix", "numpy.rec")
"""Modules of the kinds of numpy arrays that are understood; others may hold masks, units or the like of their own."""

_MASKED = np.ma.masked

_NOT_IN_ARROW = ("Object", "Int128", "UInt128")
"""Types of polars that Arrow does not have: they would arrive as pointers, or not at all."""


class Problem(enum.Enum):
    """Why a column cannot be used as it is."""

    NOT_WHOLE = "numbers that are not whole"
    INFINITE = "infinite numbers"
    DATES = "dates or times"
    TOO_MANY = f"more than {MAX_STATES:,} different values"
    UNHASHABLE = "values that cannot be compared, such as lists"
    COMPLEX = "complex numbers"
    NESTED = "nested values"
    SINGLE = "a single value in place of one for each row"
    UNORDERED = "values without an order, a set or a mapping"
    UNKNOWN_ARRAY = "a kind of numpy array that is not known, whose mask or units would be lost"


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a column.

    Attributes
    ----------
    data : numpy.ndarray
        Numbers or truth values; or, with `labels`, the position of each value in them, −1 where it is missing.
    labels : list, optional
        The different values of a column that is no array of numbers.
    missing : numpy.ndarray of bool, optional
        Where numbers are missing; None where none is.
    declared : bool
        Whether the container or the user says that these are categories, whatever the labels are.
    text : bool
        Whether the column comes from a text file, where numbers and dates are text too.
    """

    data: NDArray[Any]
    labels: list[Any] | None = None
    missing: NDArray[np.bool_] | None = None
    declared: bool = False
    text: bool = False

    def repeated(self, counts: NDArray[np.int64]) -> Values:
        """Return the values of rows that stand as often as `counts` says."""
        missing = None if self.missing is None else np.repeat(self.missing, counts)
        return replace(self, data=np.repeat(self.data, counts), missing=missing)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A column of any container whose rows stand as often as `counts` says, at least once."""

    column: Any
    counts: NDArray[np.int64]


def read_values(column: Any, *, from_text: bool = False, declared: bool = False) -> Values | Problem:
    """Read one column of any container.

    Parameters
    ----------
    column
        A pandas series or array, a polars series, an Arrow array, a numpy array of any known kind, anything that turns
        itself into an array, or a sequence.
    from_text
        The column comes from a text file.
    declared
        The user says that these are categories: dates and fractions are then labels like any others.
    """
    if isinstance(column, Repeated):
        once = read_values(column.column, from_text=from_text, declared=declared)
        return once if isinstance(once, Problem) else once.repeated(column.counts)
    groups = None
    if isinstance(column, StoredColumn):
        groups = column.labelled()
        column = column.read() if groups is None else column
    found = _read(column, declared) if groups is None else _of_groups(groups, declared)
    if isinstance(found, Problem) or not (declared or from_text):
        return found
    return Values(found.data, found.labels, found.missing, found.declared or declared, from_text)


def _read(column: Any, declared: bool) -> Values | Problem:
    package = (type(column).__module__ or "").partition(".")[0]
    if package == "pandas":
        return _of_pandas(column, declared)
    if package == "pyarrow":
        return _of_arrow(column, declared)
    if package == "polars":
        if not hasattr(column, "to_arrow") or not hasattr(column, "alias") or not hasattr(column, "dtype"):
            return Problem.NESTED
        if str(column.dtype) in _NOT_IN_ARROW:
            return _of_sequence(column.to_list(), declared)
        # Arrow wants no name with a zero character, and needs none.
        return _of_arrow(column.alias("").to_arrow(), declared)
    if not isinstance(column, np.ndarray) and hasattr(column, "__array__"):
        column = np.asarray(column)
    if isinstance(column, np.ndarray):
        return _of_numpy(column, declared)
    if isinstance(column, (str, bytes, bytearray)) or not isinstance(column, Iterable):
        return Problem.SINGLE
    if isinstance(column, (Set, Mapping)):
        return Problem.UNORDERED
    return _of_sequence(column, declared)


def is_known_array(array: NDArray[Any]) -> bool:
    """Whether an array is of a kind whose values are all that it holds, or whose mask we honour."""
    return type(array).__module__ in _KNOWN_ARRAYS and not isinstance(array, np.char.chararray)


def _of_sequence(column: Iterable[Any], declared: bool) -> Values | Problem:
    """Read a Python sequence, without numpy's promotions, which would turn [1, "a"] into text."""
    values = list(column)
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        try:
            return _of_numpy(np.asarray(values), declared)
        except OverflowError:
            pass
    return _of_objects(values)


def _of_numpy(values: NDArray[Any], declared: bool) -> Values | Problem:
    if not is_known_array(values):
        return Problem.UNKNOWN_ARRAY
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data
    values = np.asarray(values)
    if values.ndim != 1:
        return Problem.NESTED if values.ndim else Problem.SINGLE
    if values.dtype.names is not None:
        return Problem.NESTED
    if not values.flags.aligned or (values.size and values.strides[0] % values.itemsize):
        # A field of a structured array: the core steps from value to value by whole values.
        values = values.copy()
    kind = values.dtype.kind
    if mask is not None and not mask.any():
        mask = None
    if kind == "b":
        return Values(values, missing=mask)
    if kind in "iu":
        native = values.dtype.newbyteorder("=")
        if native == np.uint64:
            known = values if mask is None else values[~mask]
            if known.size and known.max() > np.iinfo(np.int64).max:
                return _of_objects(_unmasked(values, mask))
            native = np.dtype(np.int64)
        return Values(values.astype(native, copy=False), missing=mask)
    if kind == "f":
        return _of_floats(values, mask)
    if kind in "mM":
        return _of_objects(_unmasked(values, mask, dates=True)) if declared else Problem.DATES
    if kind == "c":
        return _of_objects(_unmasked(values, mask)) if declared else Problem.COMPLEX
    return _of_objects(_unmasked(values, mask))


def _unmasked(values: NDArray[Any], mask: NDArray[np.bool_] | None, *, dates: bool = False) -> list[Any]:
    # Nanoseconds would become whole numbers, which are not the labels of dates.
    found = [None if np.isnat(value) else value for value in values] if dates else values.tolist()
    if mask is not None:
        found = [None if gone else value for value, gone in zip(found, mask.tolist(), strict=True)]
    return found


def _of_floats(values: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> Values:
    values = values.astype(np.float64, copy=False)
    missing = np.isnan(values)
    if mask is not None:
        missing |= mask
    if not missing.any():
        return Values(values)
    return Values(np.where(missing, 0.0, values), missing=missing)


def _of_objects(values: Sequence[Any]) -> Values | Problem:
    number: dict[Any, int] = {}
    labels: list[Any] = []
    codes = np.empty(len(values), dtype=np.int64)
    try:
        for row, value in enumerate(values):
            key = _key(value)
            code = number.get(key)
            if code is None:
                if _is_missing(value):
                    code = -1
                else:
                    code = len(labels)
                    labels.append(_plain(value))
                number[key] = code
            codes[row] = code
    except (TypeError, ValueError):
        return Problem.UNHASHABLE
    return Values(codes, labels)


def _of_pandas(column: Any, declared: bool) -> Values | Problem:
    if not hasattr(column, "dtype"):
        return Problem.NESTED if hasattr(column, "dtypes") else Problem.SINGLE
    dtype = column.dtype
    categories = getattr(dtype, "categories", None)
    codes = getattr(getattr(column, "array", column), "codes", None)
    if categories is not None and codes is not None:
        return Values(np.asarray(codes), [_plain(label) for label in categories], declared=True)
    if isinstance(dtype, np.dtype) and dtype.kind not in "OmM":
        return _of_numpy(column.to_numpy(), declared)
    kind = getattr(dtype, "kind", "O")
    if kind in "biufc" and not isinstance(dtype, np.dtype):
        missing = np.asarray(column.isna(), dtype=np.bool_)
        mask = missing if missing.any() else None
        if kind == "c":
            return _of_objects(list(column)) if declared else Problem.COMPLEX
        if kind == "f":
            return _of_floats(np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan)), mask)
        if kind == "b":
            return Values(np.asarray(column.to_numpy(dtype=np.bool_, na_value=False)), missing=mask)
        if mask is None and kind == "u" and str(dtype).lower().startswith(("uint64", "sparse[uint64")):
            return _of_numpy(np.asarray(column.to_numpy(dtype=np.uint64)), declared)
        if kind == "i" or not str(dtype).lower().startswith(("uint64", "sparse[uint64")):
            return Values(np.asarray(column.to_numpy(dtype=np.int64, na_value=0)), missing=mask)
    if kind in "mM" and not declared:
        return Problem.DATES
    if _is_text(column):
        codes, uniques = column.factorize()
        return Values(np.asarray(codes), list(uniques))
    return _of_objects(list(column))


def _is_text(column: Any) -> bool:
    """Whether all values of a pandas column are text or missing: pandas numbers these fastest."""
    from pandas.api.types import infer_dtype

    return bool(infer_dtype(column, skipna=True) == "string")


def _of_arrow(column: Any, declared: bool) -> Values | Problem:
    import pyarrow as pa
    import pyarrow.types as types

    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        return Problem.NESTED if isinstance(column, (pa.Table, pa.RecordBatch)) else Problem.SINGLE
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = column.cast(kind.storage_type) if isinstance(column, pa.ChunkedArray) else column.storage
        kind = column.type
    if types.is_dictionary(kind):
        if types.is_nested(kind.value_type):
            return Problem.NESTED
        column = _one_dictionary(column)
        return Values(arrow.numbers(column.indices, -1), column.dictionary.to_pylist(), declared=True)
    if types.is_temporal(kind) and not declared:
        return Problem.DATES
    if types.is_nested(kind):
        return Problem.NESTED
    if types.is_null(kind):
        return Values(np.full(len(column), -1, dtype=np.int64), [])
    missing = arrow.missing(column) if column.null_count else None
    if types.is_boolean(kind):
        return Values(arrow.numbers(column.cast(pa.uint8()), 0).view(np.bool_), missing=missing)
    if types.is_integer(kind) and not types.is_uint64(kind):
        return Values(arrow.numbers(column, 0), missing=missing)
    if types.is_floating(kind):
        return _of_floats(arrow.numbers(column.cast(pa.float64()), math.nan), missing)
    try:
        encoded = _one_dictionary(column.dictionary_encode())
    except pa.ArrowException:
        return _of_objects(column.to_pylist())
    return Values(arrow.numbers(encoded.indices, -1), encoded.dictionary.to_pylist())


def _of_groups(groups: Iterable[Any], declared: bool) -> Values | Problem:
    """Read a column of labels whose row groups come one after another, as if it had come whole."""
    number: dict[Any, int] = {}
    labels: list[Any] = []
    parts: list[NDArray[Any]] = []
    said = False
    for group in groups:
        found = _of_arrow(group, declared)
        if isinstance(found, Problem):
            return found
        assert found.labels is not None
        said |= found.declared
        new = []
        for label in found.labels:
            new.append(number.setdefault(_key(label), len(labels)))
            if new[-1] == len(labels):
                labels.append(label)
        # The last entry stands for −1.
        parts.append(np.asarray([*new, -1], dtype=with_gaps(len(labels)))[found.data])
    return Values(np.concatenate(parts), labels, declared=said)


def with_gaps(n_states: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest type for codes of so many states, for their number and for −1."""
    return np.int8 if n_states <= 127 else np.int16 if n_states <= 32_767 else np.int32


def _one_dictionary(column: Any) -> Any:
    """Join the chunks of a dictionary column into one array with one dictionary."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    chunks = column.unify_dictionaries().chunks
    return pa.concat_arrays(chunks) if chunks else pa.array([], column.type)


def numbers(values: Values | Problem, *, parse_text: bool = False) -> NDArray[np.float64] | None:
    """Return a column as floats, NaN where values are missing; None when it does not hold numbers alone.

    Parameters
    ----------
    values
        The column.
    parse_text
        Whether numbers may stand as text, as they do in text files.
    """
    if isinstance(values, Problem) or values.declared:
        return None
    if values.labels is None:
        if values.data.dtype.kind == "b":
            return None
        found = values.data.astype(np.float64)
        if values.missing is not None:
            found[values.missing] = np.nan
        return np.ascontiguousarray(found)
    table = np.full(len(values.labels) + 1, np.nan)  # The last entry is that of −1.
    for i, label in enumerate(values.labels):
        if _is_missing(label):
            continue
        number = _number(label, parse_text)
        if number is None:
            return None
        table[i] = number
    return table[values.data.astype(np.int64)]


def _number(label: Any, parse_text: bool) -> float | None:
    if isinstance(label, str):
        if parse_text and (NUMBER.fullmatch(label) or NOT_FINITE.fullmatch(label)):
            return float(label)
        return None
    if isinstance(label, (bool, np.bool_)) or not is_number(label):
        return None
    try:
        return float(label)
    except OverflowError:
        return math.inf if label > 0 else -math.inf


def is_number(label: Any) -> bool:
    """Whether a label is a real number of any kind, truth values included."""
    return isinstance(label, (Real, Decimal))


def _key(value: Any) -> Any:
    """What makes two labels the same: equality, but True is not 1. What has no hash but is missing is None."""
    if value is _MASKED or (isinstance(value, Decimal) and value.is_nan()):
        return None
    return (bool, bool(value)) if isinstance(value, (bool, np.bool_)) else value


def _plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's own; those of dates stay, which Python's cannot hold."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        return value.item()
    return value


def _is_missing(value: Any) -> bool:
    if value is None or value is _MASKED:
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    # pandas' NA and NaT, without importing pandas.
    return type(value).__name__ in ("NAType", "NaTType")
