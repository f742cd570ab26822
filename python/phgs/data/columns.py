"""One column: its values are numbered as states.

States are numbered in the order of their first appearance in the rows, whatever their type, so that the same
partition of the rows gives the same codes, and thus the same result to the last bit, as strings, integers,
categories or whole floats.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data import arrow

MAX_STATES = 65_535

_NOT_IN_ARROW = ("Object", "Int128", "UInt128")
"""Types of polars that Arrow does not have: they would arrive as pointers, or not at all."""

_WHOLE_LIMIT = 2.0**53
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")


class Problem(enum.Enum):
    """Why a column cannot be used as it is."""

    NOT_WHOLE = "numbers that are not whole"
    INFINITE = "infinite numbers"
    DATES = "dates or times"
    TOO_MANY = f"more than {MAX_STATES:,} different values"
    UNHASHABLE = "values that cannot be compared, such as lists"
    COMPLEX = "complex numbers"
    NESTED = "nested values"


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """State codes of a column.

    Attributes
    ----------
    codes
        A code for each row; −1 where the value is missing.
    labels
        The value of each code.
    missing
        Number of missing values.
    """

    codes: NDArray[np.integer[Any]]
    labels: list[Any]
    missing: int

    def on_rows(self, keep: NDArray[np.bool_] | None, *, missing_is_state: bool) -> CodedColumn:
        """Renumber the states on the rows to keep; unused states go."""
        if keep is None and not self.missing:
            return self
        codes = self.codes if keep is None else self.codes[keep]
        codes, values = _core.encode_integers(codes)
        labels = [None if value < 0 else self.labels[value] for value in values]
        left = 0 if missing_is_state else int(np.count_nonzero(self.codes < 0) if keep is None else 0)
        return CodedColumn(codes, labels, left)


def encode(column: Any, *, from_text: bool = False) -> CodedColumn | Problem:
    """Number the values of one column.

    Parameters
    ----------
    column
        A pandas series or categories, an Arrow chunked array, a numpy array or a sequence.
    from_text
        The column comes from a text file, where numbers and dates are text too: a column of numbers of which some are
        not whole, or of dates, is then refused as it would be in a typed frame.
    """
    kind = type(column)
    module = kind.__module__ or ""
    if module.startswith("pandas"):
        return _encode_pandas(column)
    if module.startswith("pyarrow"):
        return _encode_arrow(column, from_text=from_text)
    if module.startswith("polars"):
        if str(column.dtype) in _NOT_IN_ARROW:
            return _encode_numpy(_as_array(column.to_list()))
        # Arrow wants no name with a zero character, and needs none.
        return _encode_arrow(column.alias("").to_arrow(), from_text=from_text)
    if isinstance(column, np.ndarray):
        return _encode_numpy(column)
    return _encode_numpy(_as_array(column))


def _as_array(values: Sequence[Any]) -> NDArray[Any]:
    """Convert a Python sequence without numpy's promotions, which would turn [1, "a"] into text."""
    values = list(values)
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        try:
            return np.asarray(values)
        except OverflowError:
            pass
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _encode_numpy(values: NDArray[Any]) -> CodedColumn | Problem:
    if values.ndim != 1:
        return Problem.NESTED
    kind = values.dtype.kind
    if kind == "b":
        return _encode_integers(values.view(np.uint8), bool)
    if kind in "iu":
        native = values.dtype.newbyteorder("=")
        if native == np.uint64:
            if values.size and values.max() > np.iinfo(np.int64).max:
                return _encode_objects(values.tolist())
            native = np.dtype(np.int64)
        return _encode_integers(values.astype(native, copy=False), int)
    if kind == "f":
        return _encode_floats(values)
    if kind in "mM":
        return Problem.DATES
    if kind == "c":
        return Problem.COMPLEX
    return _encode_objects(values.tolist())


def _encode_integers(
    values: NDArray[Any], label: Callable[[int], Any], missing: NDArray[np.bool_] | None = None
) -> CodedColumn | Problem:
    count = 0 if missing is None else int(np.count_nonzero(missing))
    try:
        if missing is None or not count:
            codes, states = _core.encode_integers(values)
            return CodedColumn(codes, [label(state) for state in states], 0)
        found, states = _core.encode_integers(values[~missing])
    except _core.DataError:
        return Problem.TOO_MANY
    codes_with_gaps = np.full(len(values), -1, dtype=np.int32)
    codes_with_gaps[~missing] = found
    return CodedColumn(codes_with_gaps, [label(state) for state in states], count)


def _encode_floats(values: NDArray[Any]) -> CodedColumn | Problem:
    values = values.astype(np.float64, copy=False)
    missing = np.isnan(values)
    known = np.where(missing, 0.0, values) if missing.any() else values
    if np.isinf(known).any():
        return Problem.INFINITE
    if (np.floor(known) != known).any() or (np.abs(known) > _WHOLE_LIMIT).any():
        return Problem.NOT_WHOLE
    return _encode_integers(known.astype(np.int64), float, missing)


def _encode_indices(indices: NDArray[Any], labels: list[Any]) -> CodedColumn | Problem:
    """Renumber codes that point into labels (−1: missing) by first appearance; equal labels become one state."""
    if set(map(type, labels)) != {str} or len(set(labels)) < len(labels):
        key_of: dict[Any, int] = {}
        canonical = [-1 if _is_missing(label) else key_of.setdefault(_key(label), i) for i, label in enumerate(labels)]
        if canonical != list(range(len(labels))):
            # The last entry stands for −1.
            indices = np.asarray([*canonical, -1], dtype=np.int64)[indices]
    try:
        codes, states = _core.encode_integers(indices)
        if -1 not in states:
            return CodedColumn(codes, [labels[state] for state in states], 0)
    except _core.DataError:
        pass  # There may be one state less than that: without the missing values.
    return _encode_integers(indices, lambda code: labels[code], indices < 0)


def _encode_objects(values: Sequence[Any]) -> CodedColumn | Problem:
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
                    labels.append(value)
                number[key] = code
            codes[row] = code
    except TypeError:
        return Problem.UNHASHABLE
    problem = _label_problem(labels)
    return problem or _encode_indices(codes, labels)


def _encode_pandas(series: Any) -> CodedColumn | Problem:
    dtype = series.dtype
    categories = getattr(dtype, "categories", None)
    codes = getattr(getattr(series, "array", series), "codes", None)
    if categories is not None and codes is not None:
        # The user said that these are categories: whatever the labels are, they are kept.
        return _encode_indices(codes, list(categories))
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype):
        return _encode_numpy(series.to_numpy())
    if kind == "f":
        return _encode_floats(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind in "mM":
        return Problem.DATES
    if kind == "c":
        return Problem.COMPLEX
    try:
        codes, uniques = series.factorize()
    except TypeError:
        return Problem.UNHASHABLE
    labels = [label.item() if isinstance(label, np.generic) else label for label in uniques]
    return _label_problem(labels) or _encode_indices(codes, labels)


def _encode_arrow(column: Any, *, from_text: bool) -> CodedColumn | Problem:
    import pyarrow as pa
    import pyarrow.types as types

    kind = column.type
    if types.is_dictionary(kind):
        column = _one_dictionary(column)
        return _encode_indices(arrow.numbers(column.indices, -1), column.dictionary.to_pylist())
    if types.is_temporal(kind):
        return Problem.DATES
    if types.is_nested(kind):
        return Problem.NESTED
    if types.is_null(kind):
        return _encode_indices(np.full(len(column), -1, dtype=np.int64), [])
    if types.is_boolean(kind):
        return _encode_integers(arrow.numbers(column.cast(pa.uint8()), 0), bool, _missing(column))
    if types.is_integer(kind) and not types.is_uint64(kind):
        return _encode_integers(arrow.numbers(column, 0), int, _missing(column))
    if types.is_floating(kind):
        return _encode_floats(arrow.numbers(column.cast(pa.float64()), math.nan))
    try:
        encoded = _one_dictionary(column.dictionary_encode())
    except pa.ArrowException:
        return _encode_objects(column.to_pylist())
    labels = encoded.dictionary.to_pylist()
    problem = _text_problem(labels) if from_text else _label_problem(labels)
    return problem or _encode_indices(arrow.numbers(encoded.indices, -1), labels)


def _one_dictionary(column: Any) -> Any:
    """Join the chunks of a dictionary column into one array with one dictionary."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    chunks = column.unify_dictionaries().chunks
    return pa.concat_arrays(chunks) if chunks else pa.array([], column.type)


def _missing(column: Any) -> NDArray[np.bool_] | None:
    return arrow.missing(column) if column.null_count else None


def _key(value: Any) -> Any:
    """What makes two labels the same: equality, but True is not 1."""
    return (bool, value) if isinstance(value, (bool, np.bool_)) else value


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    # pandas' NA and NaT, without importing pandas.
    return type(value).__name__ in ("NAType", "NaTType")


def _label_problem(labels: list[Any]) -> Problem | None:
    for label in labels:
        if isinstance(label, (float, np.floating, Decimal)):
            if not math.isfinite(label):
                return Problem.INFINITE
            if label != int(label):
                return Problem.NOT_WHOLE
        elif isinstance(label, (date, time, timedelta, np.datetime64, np.timedelta64)):
            return Problem.DATES
        elif isinstance(label, (complex, np.complexfloating)):
            return Problem.COMPLEX
    return None


def _text_problem(labels: list[str | None]) -> Problem | None:
    known = [label for label in labels if label is not None]
    if not known:
        return None
    if all(_ISO_DATE.fullmatch(label.strip()) for label in known):
        return Problem.DATES
    try:
        numbers = [float(label) for label in known]
    except ValueError:
        return None
    if all(math.isfinite(number) for number in numbers) and any(number != int(number) for number in numbers):
        return Problem.NOT_WHOLE
    return None
