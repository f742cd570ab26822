"""Text among numbers: which labels are numbers, which are codes, and which are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from phgs.data.frames import Name
from phgs.data.values import NOT_FINITE, NUMBER, Values, _is_missing, is_number
from phgs.errors import DataError

_MOST_STRAYS = 0.1
"""Text in at most this share of the rows of a column of numbers is a mistake."""

_MOST_MARKS = 0.5
"""Marks of what is missing in at most this share."""

_MARK = re.compile(
    r"\W*|n\W*a\W*|nan|null|nil|none|missing|unknown|undefined|not (available|applicable|known)|no data",
    re.IGNORECASE,
)
"""Text that says that there is no value."""

_BOUND = re.compile(rf"\s*[<>≤≥~]=?{NUMBER.pattern}", re.ASCII)
"""A number of which only a bound is known."""


def is_numeric(label: Any, *, text: bool) -> bool:
    """Whether a label is a number; as text, where it comes from a text file."""
    if isinstance(label, str):
        return text and (NUMBER.fullmatch(label) or NOT_FINITE.fullmatch(label)) is not None
    return is_number(label) and not isinstance(label, (bool, np.bool_))


_CODE = re.compile(r"0\d+|\d{16,}")


def is_code(label: Any) -> bool:
    """Whether text of digits names something: 007, or more digits than numbers have."""
    return isinstance(label, str) and _CODE.fullmatch(label.strip()) is not None


def refuse_as_number(name: Name, values: Values) -> NoReturn:
    """Refuse a column of text that is said to be a number."""
    labels = values.labels or []
    rows, shown = _rows_of(values, [i for i, label in enumerate(labels) if not is_numeric(label, text=True)])
    raise DataError(
        f"column {name!r} cannot be a number: it holds {shown} in {rows}; leave it out of kinds= (--number), or mend"
        " these values"
    )


def refuse_strays(name: Name, values: Values, most_categories: int) -> None:
    """Refuse a column of many numbers with a few marks that are none, such as ``?``: its numbers would be lost."""
    labels = values.labels or []
    strays = [i for i, label in enumerate(labels) if not _is_missing(label) and not is_numeric(label, text=True)]
    n_numbers = len(labels) - len(strays)
    if n_numbers <= most_categories or any(not isinstance(labels[i], str) for i in strays):
        return
    codes = any(re.search(r"\d", labels[i]) and not _BOUND.fullmatch(labels[i]) for i in strays)
    if codes or any(is_code(label) for label in labels):
        return  # Codes such as 136A.
    rows = np.bincount(values.data[values.data >= 0], minlength=len(labels))
    odd = int(rows[strays].sum())
    marks = all(_MARK.fullmatch(labels[i].strip()) for i in strays)
    if odd > max(3.0, (_MOST_MARKS if marks else _MOST_STRAYS) * float(rows.sum())) or len(strays) >= n_numbers:
        return
    where, shown = _rows_of(values, strays)
    raise DataError(
        f"column {name!r} holds numbers, but {shown} in {where}; make these missing, or say that each value is a"
        f" category: kinds={{{name!r}: 'category'}}"
    )


def _rows_of(values: Values, labels: Sequence[int]) -> tuple[str, str]:
    """Say in which rows labels are, counted from 1, and which they are: the first few."""
    assert values.labels is not None
    rows = (np.flatnonzero(np.isin(values.data, labels)) + 1).tolist()
    shown = ", ".join(f"{row:,}" for row in rows[:5])
    more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
    text = ", ".join(repr(values.labels[i]) for i in labels[:3]) + (" and others" if len(labels) > 3 else "")
    return f"{'row' if len(rows) == 1 else 'rows'} {shown}{more}", text
