"""Checks of columns: names that clash, values that are no categories, missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from phgs.data.values import Problem
from phgs.errors import DataError
from phgs.names import half_of_a_pair

if TYPE_CHECKING:
    from phgs.data.frames import Name

REMEDY = {
    Problem.NOT_WHOLE: "states must be categories: cut the numbers into intervals first with phgs.discretize, or name"
    " the column in categories= if each value is a category",
    Problem.INFINITE: "replace or drop them",
    Problem.DATES: "turn them into categories first (the month, the weekday), leave the column out, or name"
    " it in categories= if each value is a category",
    Problem.TOO_MANY: "leave the column out, or merge states",
    Problem.UNHASHABLE: "turn them into strings or leave the column out",
    Problem.COMPLEX: "leave the column out",
    Problem.NESTED: "a column must hold one value a row",
    Problem.SINGLE: "a column must hold one value a row: give a list or an array",
    Problem.UNORDERED: "a column must hold one value a row: give a list or an array",
    Problem.UNKNOWN_ARRAY: "pass numpy.asarray of it, or a numpy.ma.MaskedArray",
}
"""What to do about a column that cannot be used."""


def listed(names: Iterable[Name], limit: int = 8) -> str:
    """Name columns in a message, the first few of them."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def plural(count: int, noun: str) -> str:
    """Count things: ``1 row``, ``2 rows``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def check_names(names: Sequence[Name]) -> None:
    """Refuse names that are not distinct, also as text, since files hold them as text."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"column names must be distinct; repeated: {listed(repeated)}; rename or drop columns")
    by_text: dict[str, Name] = {}
    for name in names:
        problem = half_of_a_pair(str(name))
        if problem is not None:
            raise DataError(f"column name {problem}")
        other = by_text.setdefault(str(name), name)
        if other is not name:
            raise DataError(f"column names {other!r} and {name!r} are the same as text; rename one")


def refuse_one_row(n_rows: int) -> None:
    """Refuse a table of one row."""
    if n_rows == 1:
        raise DataError("data has one row; at least two are needed, and hundreds to learn anything")


def refuse(problems: dict[Name, Problem]) -> None:
    """Raise one error for columns that cannot be used, naming all that have the first kind of problem."""
    if not problems:
        return
    first = next(iter(problems.values()))
    names = [name for name, problem in problems.items() if problem is first]
    holds = "holds" if len(names) == 1 else "hold"
    column = "column" if len(names) == 1 else "columns"
    raise DataError(f"{column} {listed(names)} {holds} {first.value}; {REMEDY[first]}")


def with_counts(missing: dict[Name, int]) -> str:
    """Name columns with their numbers of missing values, the first few of them."""
    counts = [f"{name!r} ({count:,})" for name, count in missing.items()]
    return ", ".join(counts[:8]) + (f" and {len(counts) - 8} more columns" if len(counts) > 8 else "")


def refuse_missing(missing: dict[Name, int], hint: str = "") -> None:
    """Raise when values are missing, with the count of each column."""
    if not missing:
        return
    raise DataError(
        f"missing values in {with_counts(missing)}; pass missing='auto' to fill them in from the learned graph,"
        f" missing='drop' to leave out incomplete rows or missing='level' to make 'missing' a state of its own{hint}"
    )


def check_lengths(lengths: dict[Name, int]) -> None:
    """Refuse columns of different lengths."""
    first = next(iter(lengths), None)
    for name, length in lengths.items():
        if length != lengths[first]:
            raise DataError(f"column {name!r} has {length:,} rows, column {first!r} has {lengths[first]:,}")
