"""Data whose columns are numbers or categories, as found out or as the user says: the way from any container."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import parameters
from phgs.data import checks, findings
from phgs.data.columns import CodedColumn
from phgs.data.frames import Name, names_of, take_apart
from phgs.data.kinds import Column, Decision, Given, decide, given_kinds
from phgs.data.mixed import IncompleteMixedTable, Mixed, MixedTable
from phgs.data.table import IncompleteTable, Missing, Table, positions, table_of, what_is_missing
from phgs.data.values import Problem
from phgs.errors import DataError, ParameterError


def found_out(
    data: Any,
    *,
    mixed: bool = False,
    missing: Missing = "error",
    columns: Iterable[Name] | None = None,
    categories: Iterable[Name] | Name | None = None,
    kinds: Given | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> Table | IncompleteTable | MixedTable | IncompleteMixedTable:
    """Read any kind of data, and find out which columns are numbers.

    Parameters
    ----------
    data
        A frame, an array, a mapping of columns or the path of a file.
    mixed
        Whether a `MixedTable` is wanted of categories alone, too.
    missing, columns, categories, warn, stacklevel
        As in `phgs.as_table`.
    kinds
        What columns are, by name: ``"number"`` or ``"category"``.

    Returns
    -------
    Table, IncompleteTable, MixedTable or IncompleteMixedTable
        A mixed table where a column is a number, else what `phgs.as_table` makes of them.

    Raises
    ------
    DataError
        Names the columns that cannot be used and the remedy.
    """
    parameters.one_of("missing", missing, get_args(Missing))
    frame = take_apart(data)
    named = [] if categories is None else names_of(categories, "categories", frame.names)
    for name in named:
        frame.index(name, "categories")
    given = given_kinds(kinds, named, frame.names)
    frame = frame.only(positions(frame.names, columns))
    found = decide(frame, given)
    decisions = tuple(column.decision for column in found)
    if missing != "testwise" and any(map(len, found)) and all(decision.kind == "empty" for decision in decisions):
        raise DataError("data: every value is missing")
    if mixed or any(column.numbers is not None for column in found):
        table = _mixed(frame.names, found, missing, from_text=frame.from_text, weights=frame.weights)
        if warn:
            findings.warn_of_mixed(table, stacklevel + 1)
        return table
    read_columns = [_for_tests(column) if missing == "testwise" else column.coded for column in found]
    coded = [column for column in read_columns if column is not None]
    read = table_of(
        frame.names,
        coded,
        missing,
        from_text=frame.from_text,
        warn=False,
        stacklevel=stacklevel,
        decisions=decisions,
        weights=frame.weights,
    )
    if warn:
        findings.warn_of(read, stacklevel + 1)
    return read


def _for_tests(column: Column) -> CodedColumn | None:
    """A column without any value leaves no row to a test of it."""
    if column.decision.kind != "empty" or column.coded is None:
        return column.coded
    n_rows = len(column.coded)
    return CodedColumn(np.full(n_rows, -1, dtype=np.int32), [], n_rows)


def _mixed(
    names: tuple[Name, ...],
    found: Sequence[Column],
    missing: Missing,
    *,
    from_text: bool,
    weights: NDArray[np.float64] | None = None,
) -> MixedTable | IncompleteMixedTable:
    n_rows_read = len(found[0])
    if n_rows_read == 0:
        raise DataError("data has no rows")
    holes = [column.holes for column in found]
    counts = {name: int(gaps.sum()) for name, gaps in zip(names, holes, strict=True) if gaps is not None}
    if not counts:
        return put_together(names, found, None, n_rows_read, weights)
    if missing == "auto":
        return _with_gaps(names, found, weights)
    numbers = {name for name, column in zip(names, found, strict=True) if column.numbers is not None}
    _refuse_missing(counts, numbers, missing, what_is_missing() if from_text else "")
    if missing == "level":
        return put_together(names, found, None, n_rows_read, weights)
    keep = np.ones(n_rows_read, dtype=np.bool_)
    for gaps in holes:
        keep &= True if gaps is None else ~gaps
    return put_together(names, found, keep, n_rows_read, weights)


def _with_gaps(
    names: tuple[Name, ...], found: Sequence[Column], weights: NDArray[np.float64] | None
) -> IncompleteMixedTable:
    """Leave missing values in."""
    n_rows = len(found[0])
    checks.refuse_one_row(n_rows)
    columns: list[NDArray[Any]] = []
    levels: list[tuple[Any, ...]] = []
    for column in found:
        if column.numbers is not None:
            columns.append(np.ascontiguousarray(column.numbers))
            levels.append(())
            continue
        assert column.coded is not None
        columns.append(column.coded.for_table())
        levels.append(tuple(column.coded.labels))
    decisions = tuple(column.decision for column in found)
    return IncompleteMixedTable(
        names, n_rows, n_rows, tuple(levels), tuple(columns), decisions=decisions, weights=weights
    )


def columns_of(table: Mixed) -> list[Column]:
    """Take numbers beside categories apart again, into columns with what they are taken for."""
    kept = table.decisions or tuple(Decision(kind, "") for kind in table.kinds.values())
    found = []
    for i, decision in enumerate(kept):
        column = table.columns[i]
        if table.is_number(i):
            found.append(Column(decision, numbers=column))
            continue
        found.append(Column(decision, coded=CodedColumn.of_table(column, table.levels[i], table.n_missing[i])))
    return found


def treated(table: Mixed, missing: Missing) -> Mixed:
    """Do with missing values what is asked: as if the table had been read so."""
    if missing == "auto" or not any(table.n_missing):
        return table
    weights = getattr(table, "weights", None)
    made = _mixed(table.names, columns_of(table), missing, from_text=False, weights=weights)
    decisions = made.decisions if table.decisions else ()
    return replace(made, numbers=table.numbers, powers=table.powers, n_rows_read=table.n_rows_read, decisions=decisions)


def _refuse_missing(counts: dict[Name, int], numbers: set[Name], missing: Missing, hint: str) -> None:
    """Refuse missing values, unless rows are left out, or only categories have them and that is a level."""
    if missing == "drop":
        return
    if missing == "testwise":
        raise ParameterError(
            "missing: numbers and categories are tested on one set of rows; use missing='auto', which fills them in, or"
            " 'drop'"
        )
    if missing == "level":
        of_numbers = {name: count for name, count in counts.items() if name in numbers}
        if of_numbers:
            raise DataError(
                f"missing values in {checks.with_counts(of_numbers)}, which are numbers and have no levels; pass"
                " missing='auto' to fill them in, or 'drop' to leave out incomplete rows"
            )
        return
    if not numbers & counts.keys():
        checks.refuse_missing(counts, hint)
    raise DataError(
        f"missing values in {checks.with_counts(counts)}; pass missing='auto' to fill them in, or 'drop' to leave out"
        f" incomplete rows{hint}"
    )


def put_together(
    names: tuple[Name, ...],
    found: Sequence[Column],
    keep: NDArray[np.bool_] | None,
    n_rows_read: int,
    weights: NDArray[np.float64] | None = None,
) -> MixedTable:
    """Make the table of some rows (None: of all, where what is missing in a category is a state)."""
    n_rows = n_rows_read if keep is None else int(np.count_nonzero(keep))
    if n_rows == 0:
        raise DataError(f"no rows are left: each of the {n_rows_read:,} has a missing value; leave columns out")
    checks.refuse_one_row(n_rows)
    columns: list[NDArray[Any]] = []
    levels: list[tuple[Any, ...]] = []
    problems: dict[Name, Problem] = {}
    for name, column in zip(names, found, strict=True):
        if column.numbers is not None:
            columns.append(np.ascontiguousarray(column.numbers if keep is None else column.numbers[keep]))
            levels.append(())
            continue
        assert column.coded is not None
        coded: CodedColumn | Problem = column.coded
        if keep is not None or column.coded.missing:
            coded = column.coded.on_rows(keep, missing_is_state=keep is None)
        if isinstance(coded, Problem):
            problems[name] = coded
            continue
        columns.append(coded.codes)
        levels.append(tuple(coded.labels))
    checks.refuse(problems)
    return MixedTable(
        names=names,
        n_rows=n_rows,
        n_rows_read=n_rows_read,
        levels=tuple(levels),
        columns=tuple(columns),
        decisions=tuple(column.decision for column in found),
        weights=weights if weights is None or keep is None else weights[keep],
    )
