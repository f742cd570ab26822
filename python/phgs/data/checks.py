"""What the data can and cannot tell: names that clash, columns that carry no information."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from phgs.data.columns import Problem
from phgs.data.frames import Name
from phgs.errors import DataError, DegenerateColumnWarning, ManyStatesWarning

MANY_STATES = 100
"""Columns with more states than this are warned of."""

FEW_ROWS = 30
"""In tables with fewer rows columns are copies of each other by chance."""

_REMEDY = {
    Problem.NOT_WHOLE: "states must be categories: cut the numbers into intervals first with phgs.discretize, or turn"
    " them into strings if each value is a category",
    Problem.INFINITE: "replace or drop them",
    Problem.DATES: "turn them into categories first (the month, the weekday), or leave the column out",
    Problem.TOO_MANY: "leave the column out, or merge states",
    Problem.UNHASHABLE: "turn them into strings or leave the column out",
    Problem.COMPLEX: "leave the column out",
    Problem.NESTED: "a column must hold one value a row",
}


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
        other = by_text.setdefault(str(name), name)
        if other is not name:
            raise DataError(f"column names {other!r} and {name!r} are the same as text; rename one")


def refuse(problems: dict[Name, Problem]) -> None:
    """Raise one error for columns that cannot be used, naming all that have the first kind of problem."""
    if not problems:
        return
    first = next(iter(problems.values()))
    names = [name for name, problem in problems.items() if problem is first]
    holds = "holds" if len(names) == 1 else "hold"
    column = "column" if len(names) == 1 else "columns"
    raise DataError(f"{column} {listed(names)} {holds} {first.value}; {_REMEDY[first]}")


def refuse_missing(missing: dict[Name, int], hint: str = "") -> None:
    """Raise when values are missing, with the count of each column."""
    if not missing:
        return
    counts = [f"{name!r} ({count:,})" for name, count in missing.items()]
    shown = ", ".join(counts[:8]) + (f" and {len(counts) - 8} more columns" if len(counts) > 8 else "")
    raise DataError(
        f"missing values in {shown}; pass missing='drop' to leave out incomplete rows or missing='level' to make"
        f" 'missing' a state of its own{hint}"
    )


def warn_of_columns(names: Sequence[Name], arities: Sequence[int], n_rows: int, stacklevel: int) -> None:
    """Warn once of constant columns and once of columns with very many states."""
    constant = [name for name, arity in zip(names, arities, strict=True) if arity == 1]
    if constant:
        one = len(constant) == 1
        warnings.warn(
            f"{plural(len(constant), 'column')} with a single state {'is' if one else 'are'} independent of"
            f" everything and {'stays' if one else 'stay'} isolated: {listed(constant)}",
            DegenerateColumnWarning,
            stacklevel=stacklevel,
        )
    many: list[Any] = []
    for name, arity in zip(names, arities, strict=True):
        if arity > MANY_STATES or (arity > 10 and 2 * arity > n_rows):
            many.append(f"{name!r} ({arity:,} states in {n_rows:,} rows)")
    if many:
        shown = ", ".join(many[:8]) + (f" and {len(many) - 8} more" if len(many) > 8 else "")
        warnings.warn(
            f"columns with very many states tell little and may look dependent on anything: {shown}; leave out"
            " identifiers, merge rare states",
            ManyStatesWarning,
            stacklevel=stacklevel,
        )


def warn_of_copies(names: Sequence[Name], codes: Sequence[Any], arities: Sequence[int], stacklevel: int) -> None:
    """Warn once of columns that are the same partition of the rows.

    Codes are numbered by first appearance, so that copies under other labels have the same codes.
    """
    if len(codes[0]) < FEW_ROWS:
        return
    alike: dict[int, list[int]] = {}
    for i, column in enumerate(codes):
        if arities[i] > 1:
            alike.setdefault(hash(column.tobytes()), []).append(i)
    groups = [group for group in alike.values() if len(group) > 1]
    if groups:
        shown = "; ".join(" = ".join(repr(names[i]) for i in group[:8]) for group in groups[:4])
        more = f" and {len(groups) - 4} more groups" if len(groups) > 4 else ""
        warnings.warn(
            f"columns that are copies of each other explain each other's edges away: {shown}{more}; keep one of each",
            DegenerateColumnWarning,
            stacklevel=stacklevel,
        )
