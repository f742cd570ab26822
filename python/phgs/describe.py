"""A report on data before anything is learned from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs.data import Data, GaussianTable, IncompleteGaussianTable, Mixed
from phgs.data import findings as found_in
from phgs.data.auto import columns_of, put_together
from phgs.data.checks import REMEDY, check_lengths, listed, plural, with_counts
from phgs.data.columns import CodedColumn
from phgs.data.counts import PerRow, counted
from phgs.data.findings import FEW_ROWS_OF_A_STATE, Finding
from phgs.data.frames import take_apart
from phgs.data.kinds import Column, Decision, Given, decide_one, given_kinds
from phgs.data.packed import stored
from phgs.data.relations import copies
from phgs.data.table import Categories, IncompleteTable, declared_in, table_of_columns
from phgs.data.values import Problem
from phgs.errors import DataError
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs.data.frames import Name, RawColumn


class ColumnRow(NamedTuple):
    """One column.

    Attributes
    ----------
    name
        Its name.
    states : int or None
        Number of states, without missing; None for a column that cannot be used.
    missing : int or None
        Number of missing values.
    most_frequent
        The most frequent state.
    share : float or None
        Its share of the known values.
    rare_states : int or None
        Number of states in fewer than five rows.
    notes : tuple of str
        Codes of the findings that name the column.
    kind : str or None
        What it is taken for: ``"number"``, ``"category"``, ``"constant"``, ``"identifier"``, ``"date"`` or ``"empty"``;
        None where it cannot be used.
    why : str
        What its values are.
    quantiles : tuple of float or None
        Of a number: the least value, the quartiles and the largest value.
    """

    name: Name
    states: int | None
    missing: int | None
    most_frequent: Any
    share: float | None
    rare_states: int | None
    notes: tuple[str, ...]
    kind: str | None = None
    why: str = ""
    quantiles: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Description:
    """What `describe` found; print it, or show it in a notebook.

    Attributes
    ----------
    n_rows : int
        Rows of the data.
    n_complete : int
        Rows without missing values, which ``missing="drop"`` would use.
    columns : tuple of ColumnRow
        One row per column, in input order.
    findings : tuple of Finding
        What stands out, one line each; each has a `code`, `columns` and `text`.
    guesses : dict
        Of columns that may be taken for the wrong thing: why they are taken so, and what changes it.
    """

    n_rows: int
    n_complete: int
    columns: tuple[ColumnRow, ...]
    findings: tuple[Finding, ...]
    guesses: dict[Name, str] = field(default_factory=dict)

    def __getitem__(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of a code, such as ``"copies"``."""
        return tuple(finding for finding in self.findings if finding.code == code)

    def to_dict(self) -> dict[str, Any]:
        """Return the values of JSON, names and states as text."""
        return {
            "n_rows": self.n_rows,
            "n_complete": self.n_complete,
            "columns": [
                {
                    **row._asdict(),
                    "name": str(row.name),
                    "most_frequent": str(row.most_frequent),
                    "notes": [*row.notes],
                    "quantiles": None if row.quantiles is None else [*row.quantiles],
                }
                for row in self.columns
            ],
            "findings": [
                {"code": finding.code, "columns": [str(name) for name in finding.columns], "text": finding.text}
                for finding in self.findings
            ],
            "guesses": {str(name): text for name, text in self.guesses.items()},
        }

    def to_pandas(self) -> Any:
        """Return the columns as a `pandas.DataFrame`, one row per column of the data."""
        import pandas as pd

        frame = pd.DataFrame([row._asdict() for row in self.columns], columns=list(ColumnRow._fields))
        return frame.set_index("name")

    def _size(self) -> str:
        complete = "" if self.n_complete == self.n_rows else f" ({self.n_complete:,} complete)"
        return f"{plural(self.n_rows, 'row')}{complete}, {plural(len(self.columns), 'column')}"

    def __repr__(self) -> str:
        return printable(f"<phgs.Description: {self._size()}, {plural(len(self.findings), 'finding')}>")

    def __str__(self) -> str:
        lines = [self._size()]
        if not self.findings:
            lines.append("nothing stands out")
        width = max((len(finding.code) for finding in self.findings), default=0)
        lines += [f"  {finding.code:<{width}}  {finding.text}" for finding in self.findings]
        if self.guesses:
            lines += ["guessed by the values:", *(f"  {text}" for text in self.guesses.values())]
        lines += ["", *_table(self.columns)]
        return printable("\n".join(lines))

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(f"<li><b>{escape(f.code)}</b> {escape(f.text)}</li>" for f in self.findings)
        items += "".join(f"<li><b>guess</b> {escape(text)}</li>" for text in self.guesses.values())
        header = "".join(f"<th>{name}</th>" for name in _HEADER)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
            for row in self.columns[:_HTML]
        )
        more = f"<p>… and {len(self.columns) - _HTML:,} more columns</p>" if len(self.columns) > _HTML else ""
        return (
            f"<div><b>{escape(self._size())}</b><ul>{items or '<li>nothing stands out</li>'}</ul>"
            f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
        )


_HEADER = ("column", "kind", "states", "missing", "most frequent, range", "share", "rare states", "notes")
_TEXT = 40
_HTML = 500


def describe(
    data: Any,
    categories: Iterable[Name] | Name | None = None,
    *,
    kinds: Given | None = None,
    counts: PerRow | None = None,
) -> Description:
    """Report what stands out in data before anything is learned from them.

    Only data that are no table are refused. Columns that cannot be used are part of the report. What each column is
    taken for is found out as `phgs.learn` does it.

    The codes of findings:

    * ``unusable``: a column holds neither numbers nor categories; what to do with it
    * ``missing``: values are missing; how many rows are complete
    * ``few-known``: fewer than 20 known values: kept isolated where gaps are filled in
    * ``much-missing``: a fifth of the values or more are missing: edges there depend on what is filled in
    * ``constant``: a single state: isolated in every result
    * ``identifier``: fewer than five rows per state, or numbers that count the rows: kept isolated
    * ``date``, ``empty``: dates, and columns without a value: kept isolated
    * ``many-states``: more than 100 states
    * ``rare-states``: states in fewer than five rows
    * ``same-text``: labels that are different but the same as text, such as 1 and "1"
    * ``copies``: the same partition of the rows under any labels: they hide each other's edges; numbers that are
      monotone functions of each other: all but the first are kept isolated
    * ``function``: another column determines it: tests given that one say nothing, and true edges may be lost
    * ``function-of-two``: two others together determine it
    * ``few-rows``: more columns than rows
    * ``not-searched``: too many columns for one of the searches (2,000 for functions, 150 for functions of two)

    Relations between columns that chance explains are not reported. They are those of categories; where values are
    missing, missing counts as a state in them.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads, or what it and its siblings return.
    categories, counts
        As in `phgs.as_table`.
    kinds
        What columns are, by name, ``"number"`` or ``"category"``; others are found out.

    Returns
    -------
    Description
        The report.

    Raises
    ------
    DataError
        When data are no table, have no rows or repeat a column name.

    Examples
    --------
    >>> import phgs
    >>> report = phgs.describe({"x": [0, 1] * 50, "same": ["a", "b"] * 50, "k": [7] * 100})
    >>> [finding.code for finding in report.findings]
    ['constant', 'copies']
    >>> print(report["constant"][0].text)
    1 column with a single state is independent of everything and stays isolated: 'k'
    """
    data = counted(data, counts, stay=False)
    names, columns = _columns(data, categories, kinds)
    known = {name: column for name, column in zip(names, columns, strict=True) if not isinstance(column, _Unusable)}
    unusable = {name: column for name, column in zip(names, columns, strict=True) if isinstance(column, _Unusable)}
    check_lengths({name: len(column) for name, column in known.items()})
    n_rows = len(next(iter(known.values()))) if known else 0
    if known and not n_rows:
        raise DataError("data has no rows")
    complete = np.ones(n_rows, dtype=np.bool_)
    for column in known.values():
        complete &= True if (holes := column.holes) is None else ~holes
    n_complete = int(complete.sum())
    findings = [*_unusable(unusable), *_missing(known, n_rows, n_complete)]
    decided = {name: column.decision for name, column in known.items()}
    coded = {name: column.coded for name, column in known.items() if column.coded is not None}
    if coded and n_rows > 1:
        table: Categories = table_of_columns(tuple(coded), list(coded.values()))
        if not isinstance(data, Categories) or data.decisions:
            table = table._decided(tuple(decided[name] for name in coded))
        if isinstance(table, IncompleteTable):
            table = table.treated("auto")
        groups = copies(table)
        findings += found_in.few_known(table)
        findings += found_in.much_missing(table)
        findings += found_in.constants(table)
        findings += found_in.identifiers(table, judged=len(known) == len(coded))
        findings += found_in.set_apart(table)
        findings += found_in.many_states(table)
        findings += found_in.rare_states(table)
        findings += found_in.same_text(table)
        findings += found_in.twins(table, groups)
        findings += found_in.determined(table, groups)
    if len(known) > len(coded) and n_complete > 1:
        findings += found_in.copies_of_numbers(put_together(tuple(known), list(known.values()), complete, n_rows))
    if known and n_rows > 1:
        findings += found_in.few_rows(n_rows, len(known))
    rows = tuple(_row(name, known.get(name), findings) for name in names)
    guesses = {name: decision.told(name) for name, decision in decided.items() if decision.doubtful}
    return Description(n_rows, n_complete, rows, tuple(findings), guesses)


class _Unusable(NamedTuple):
    """Why a column cannot be used: a problem that others may have too, or what there is to say of it."""

    problem: Problem | None
    text: str


def _columns(
    data: Any, categories: Iterable[Name] | Name | None, kinds: Given | None
) -> tuple[tuple[Name, ...], list[Column | _Unusable]]:
    """Take data apart into columns with what they are taken for."""
    if not isinstance(data, Data):
        frame = take_apart(data)
        given = given_kinds(kinds, declared_in(frame, categories), frame.names)
        named = zip(frame.names, frame.columns, strict=True)
        return frame.names, [_decided(name, raw, given.get(name), from_text=frame.from_text) for name, raw in named]
    if isinstance(data, Categories):
        coded = map(CodedColumn.of_table, stored(data.codes), data.levels, data.n_missing)
        kept = data.decisions or tuple(Decision(kind, "") for kind in data.kinds.values())
        return data.names, [Column(decision, coded=column) for decision, column in zip(kept, coded, strict=True)]
    if isinstance(data, Mixed):
        return data.names, [*columns_of(data)]
    if isinstance(data, (GaussianTable, IncompleteGaussianTable)) and data.values is not None:
        return data.names, [Column(Decision("number", ""), numbers=values) for values in data.values]
    raise DataError(f"data: {data!r} has no columns to report on")


def _decided(name: Name, raw: RawColumn, said: str | None, *, from_text: bool) -> Column | _Unusable:
    try:
        found = decide_one(name, raw, said, from_text=from_text)
    except DataError as error:
        return _Unusable(None, str(error))
    return found if isinstance(found, Column) else _Unusable(found, REMEDY[found])


def _unusable(problems: dict[Name, _Unusable]) -> list[Finding]:
    found = []
    for problem, text in dict.fromkeys(problems.values()):
        names = tuple(name for name, other in problems.items() if other == (problem, text))
        if problem is not None:
            text = f"{listed(names)} {'holds' if len(names) == 1 else 'hold'} {problem.value}; {text}"
        found.append(Finding("unusable", names, text))
    return found


def _missing(known: dict[Name, Column], n_rows: int, n_complete: int) -> list[Finding]:
    counts = {name: int(holes.sum()) for name, column in known.items() if (holes := column.holes) is not None}
    if not counts:
        return []
    text = (
        f"values are missing in {with_counts(counts)}; {n_complete:,} of {n_rows:,} rows are complete: learners fill"
        " them in from the graph that they learn, unless missing='drop', 'level' or 'testwise' says otherwise"
    )
    return [Finding("missing", tuple(counts), text)]


def _row(name: Name, column: Column | None, findings: list[Finding]) -> ColumnRow:
    notes = tuple(dict.fromkeys(finding.code for finding in findings if name in finding.columns))
    if column is None:
        return ColumnRow(name, None, None, None, None, None, notes)
    missing = column.n_missing_apart if (holes := column.holes) is None else int(holes.sum())
    kind, why = column.decision.kind, column.decision.looks
    if column.coded is None:
        assert column.numbers is not None
        values = column.numbers[~np.isnan(column.numbers)]
        quantiles = tuple(float(q) for q in np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))
        return ColumnRow(name, None, missing, None, None, None, notes, kind, why, quantiles)
    if kind == "category" and "identifier" in notes:
        kind = "identifier"
    codes = column.coded.codes
    counts = np.bincount(codes[codes >= 0], minlength=1)
    if kind == "empty" or not counts.sum():
        return ColumnRow(name, 0, missing, None, None, 0, notes, kind, why)
    most = int(counts.argmax())
    rare = int(np.count_nonzero((counts > 0) & (counts < FEW_ROWS_OF_A_STATE)))
    share = float(counts[most] / counts.sum())
    n_states = int(np.count_nonzero(counts))
    return ColumnRow(name, n_states, missing, column.coded.labels[most], share, rare, notes, kind, why)


def _cells(row: ColumnRow) -> tuple[str, ...]:
    def number(value: int | None) -> str:
        return "" if value is None else f"{value:,}"

    share = "" if row.share is None else f"{row.share:.3f}"
    label = "" if row.share is None else str(row.most_frequent)
    if row.quantiles is not None:
        label = " … ".join(f"{row.quantiles[i]:.4g}" for i in (0, 2, 4))
    label = label if len(label) <= 24 else label[:23] + "…"
    name = str(row.name)
    return (
        name if len(name) <= 32 else name[:31] + "…",
        row.kind or "",
        number(row.states),
        number(row.missing),
        label,
        share,
        number(row.rare_states),
        ", ".join(row.notes),
    )


def _table(rows: tuple[ColumnRow, ...]) -> list[str]:
    cells = [_HEADER, *(_cells(row) for row in rows[:_TEXT])]
    widths = [max(len(row[i]) for row in cells) for i in range(len(_HEADER))]
    right = {2, 3, 5, 6}
    lines = [
        "  ".join(
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    if len(rows) > _TEXT:
        lines.append(f"… and {len(rows) - _TEXT:,} more columns")
    return [line.rstrip() for line in lines]
