"""One column as categories: its values are numbered as states.

States are numbered in the order of their first appearance in the rows, whatever their type, so that the same
partition of the rows gives the same codes, and thus the same result to the last bit, as strings, integers,
categories or whole floats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data.values import NOT_FINITE, NUMBER, Problem, Values, _is_missing, _key, is_number, with_gaps

_WHOLE_LIMIT = 2.0**53
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")

MISSING_NAMES = (None, "missing", "(missing)")
"""Labels of the state of missing values, of which the first that is free is taken."""


Stored: TypeAlias = "NDArray[Any] | _core.PackedColumn"
"""The codes of a column as they are kept."""


def unpacked(stored: Stored) -> NDArray[Any]:
    """Return codes as an array, which is made where they are packed."""
    return stored.unpacked() if isinstance(stored, _core.PackedColumn) else stored


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """State codes of a column.

    Attributes
    ----------
    stored
        A code for each row, −1 where the value is missing; of many rows without missing values packed.
    labels
        The value of each code.
    missing
        Number of missing values.
    """

    stored: NDArray[np.integer[Any]] | _core.PackedColumn
    labels: list[Any]
    missing: int

    @property
    def codes(self) -> NDArray[np.integer[Any]]:
        """A code for each row; made when it is asked for where they are packed."""
        return unpacked(self.stored)

    def __len__(self) -> int:
        return len(self.stored)

    @classmethod
    def of_table(cls, stored: Stored, labels: Sequence[Any], missing: int) -> CodedColumn:
        """Return a column of a table, in which a missing value has the code after the last state."""
        if missing:
            codes = unpacked(stored)
            stored = np.where(codes < len(labels), codes.astype(with_gaps(len(labels))), -1)
        return cls(stored, list(labels), missing)

    def for_table(self) -> NDArray[Any]:
        """Return the codes with the number of states where a value is missing."""
        n_states = len(self.labels)
        kind = code_type(n_states)
        if not self.missing:
            return self.codes if self.codes.dtype == kind else in_bytes(self.codes.astype(kind))
        return in_bytes(np.where(self.codes < 0, n_states, self.codes).astype(kind))

    def on_rows(self, keep: NDArray[np.bool_] | None, *, missing_is_state: bool) -> CodedColumn | Problem:
        """Renumber the states on the rows to keep; unused states go."""
        if keep is None and not self.missing:
            return self
        codes = self.codes
        codes = codes if keep is None else codes[keep]
        try:
            codes, values = _core.encode_integers(codes)
        except _core.DataError:
            return Problem.TOO_MANY  # With the missing values there is one state more.
        labels = [name_of_missing(self.labels) if value < 0 else self.labels[value] for value in values]
        left = 0 if missing_is_state else int(np.count_nonzero(self.codes < 0) if keep is None else 0)
        return CodedColumn(codes, labels, left)


def name_of_missing(labels: Iterable[Any]) -> Any:
    """Return a label that is no state's, also as text, which names states in files and networks."""
    taken = {str(label) for label in labels}
    found = next((name for name in MISSING_NAMES if str(name) not in taken), "missing")
    number = 2
    while str(found) in taken:
        found, number = f"missing {number}", number + 1
    return found


def complete_rows(columns: Sequence[CodedColumn]) -> NDArray[np.bool_]:
    """Return which rows have no missing value."""
    keep = np.ones(len(columns[0]), dtype=np.bool_)
    for column in columns:
        if column.missing:
            keep &= column.codes >= 0
    return keep


def encode(values: Values | Problem) -> CodedColumn | Problem:
    """Number the values of one column.

    Columns that are said to be categories are so whatever their labels are; of others numbers that are not whole, and
    dates, are refused: as such, as objects, and as text where the column comes from a text file.
    """
    if isinstance(values, Problem):
        return values
    if values.labels is not None:
        if not values.declared:
            problem = _label_problem(values.labels) or (_text_problem(values.labels) if values.text else None)
            if problem is not None:
                return problem
        return _encode_indices(values.data, values.labels)
    kind = values.data.dtype.kind
    if kind == "b":
        return _encode_integers(values.data.view(np.uint8), bool, values.missing)
    if kind in "iu":
        return _encode_integers(values.data, int, values.missing)
    known = values.data
    if values.declared:
        # The bits of a float are as good a number as any; of 0 there are two.
        bits = np.ascontiguousarray(known + 0.0).view(np.int64)
        return _encode_integers(bits, lambda state: float(np.int64(state).view(np.float64)), values.missing)
    if np.isinf(known).any():
        return Problem.INFINITE
    if (np.floor(known) != known).any() or (np.abs(known) > _WHOLE_LIMIT).any():
        return Problem.NOT_WHOLE
    return _encode_integers(known.astype(np.int64), float, values.missing)


def code_type(n_states: int) -> type[np.unsignedinteger[Any]]:
    """Return the type for codes of so many states, and for their number, which stands for a missing value."""
    return np.uint8 if n_states < 256 else np.uint16


def in_bytes(codes: NDArray[Any]) -> NDArray[Any]:
    """Return codes as an array that looks into `bytes`, which the core then looks into too, if a byte holds each."""
    return np.frombuffer(codes.tobytes(), np.uint8) if codes.dtype == np.uint8 else codes


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
    codes_with_gaps = np.full(len(values), -1, dtype=with_gaps(len(states)))
    codes_with_gaps[~missing] = found
    return CodedColumn(codes_with_gaps, [label(state) for state in states], count)


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


def _label_problem(labels: list[Any]) -> Problem | None:
    for label in labels:
        if isinstance(label, str) or _is_missing(label):
            continue
        if isinstance(label, (date, time, timedelta, np.datetime64, np.timedelta64)):
            return Problem.DATES
        if isinstance(label, complex):
            return Problem.COMPLEX
        if is_number(label) and not isinstance(label, int):
            if not math.isfinite(label):
                return Problem.INFINITE
            if label != int(label) or (isinstance(label, float) and abs(label) > _WHOLE_LIMIT):
                return Problem.NOT_WHOLE
    return None


def _text_problem(labels: list[Any]) -> Problem | None:
    """Return what would be refused in a typed frame: text has no types, so that all labels have to be alike."""
    known = [label for label in labels if isinstance(label, str)]
    if not known or len(known) < len(labels):
        return None
    if all(_ISO_DATE.fullmatch(label.strip()) for label in known):
        return Problem.DATES
    finite = [label for label in known if not NOT_FINITE.fullmatch(label)]
    if not all(NUMBER.fullmatch(label) for label in finite):
        return None
    if len(finite) < len(known):
        return Problem.INFINITE
    for label in finite:
        if label.strip("+- ").isdigit():
            continue  # Digits alone may be a code, of any length.
        number = float(label)
        if not math.isfinite(number) or number != int(number) or abs(number) > _WHOLE_LIMIT:
            return Problem.NOT_WHOLE
    return None
