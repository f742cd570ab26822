"""A report on data before anything is learned from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs.data import Data
from phgs.data import findings as found_in
from phgs.data.checks import REMEDY, check_lengths, listed, plural
from phgs.data.columns import CodedColumn, encode
from phgs.data.findings import FEW_ROWS_OF_A_STATE, Finding
from phgs.data.frames import take_apart
from phgs.data.relations import copies
from phgs.data.table import Categories, declared_in, table_of_columns
from phgs.data.values import Problem
from phgs.errors import DataError
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs.data.frames import Name


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
    """

    name: Name
    states: int | None
    missing: int | None
    most_frequent: Any
    share: float | None
    rare_states: int | None
    notes: tuple[str, ...]


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
    """

    n_rows: int
    n_complete: int
    columns: tuple[ColumnRow, ...]
    findings: tuple[Finding, ...]

    def __getitem__(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of a code, such as ``"copies"``."""
        return tuple(finding for finding in self.findings if finding.code == code)

    def to_dict(self) -> dict[str, Any]:
        """Return the values of JSON, names and states as text."""
        return {
            "n_rows": self.n_rows,
            "n_complete": self.n_complete,
            "columns": [
                {**row._asdict(), "name": str(row.name), "most_frequent": str(row.most_frequent), "notes": [*row.notes]}
                for row in self.columns
            ],
            "findings": [
                {"code": finding.code, "columns": [str(name) for name in finding.columns], "text": finding.text}
                for finding in self.findings
            ],
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
        lines += ["", *_table(self.columns)]
        return printable("\n".join(lines))

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(f"<li><b>{escape(f.code)}</b> {escape(f.text)}</li>" for f in self.findings)
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


_HEADER = ("column", "states", "missing", "most frequent", "share", "rare states", "notes")
_TEXT = 40
_HTML = 500


def describe(data: Any, categories: Iterable[Name] | Name | None = None) -> Description:
    """Report what stands out in data before anything is learned from them.

    Only data that are no table are refused. Columns that cannot be used are part of the report.

    The codes of findings:

    * ``unusable``: a column holds no categories; what to do with it
    * ``missing``: values are missing; how many rows are complete
    * ``constant``: a single state: isolated in every result
    * ``identifier``: fewer than five rows per state: kept isolated
    * ``many-states``: more than 100 states
    * ``rare-states``: states in fewer than five rows
    * ``same-text``: labels that are different but the same as text, such as 1 and "1"
    * ``copies``: the same partition of the rows under any labels: they hide each other's edges
    * ``function``: another column determines it: tests given that one say nothing, and true edges may be lost
    * ``function-of-two``: two others together determine it
    * ``few-rows``: more columns than rows
    * ``not-searched``: too many columns for one of the searches (2,000 for functions, 150 for functions of two)

    Relations between columns that chance explains are not reported. Where values are missing, missing counts as a state
    in them.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    categories
        As in `phgs.as_table`.

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
    if isinstance(data, Categories):
        names, columns = data.names, _of_table(data)
    elif isinstance(data, Data):
        kind = "Gaussian" if data.data_type == "gaussian" else data.data_type
        raise DataError(f"data: describe reports on categories, and this is {kind} data; pass the frame itself")
    else:
        frame = take_apart(data)
        declared = declared_in(frame, categories)
        names, columns = frame.names, [encode(values) for values in frame.values(declared)]
    coded = {name: c for name, c in zip(names, columns, strict=True) if isinstance(c, CodedColumn)}
    problems = {name: c for name, c in zip(names, columns, strict=True) if isinstance(c, Problem)}
    check_lengths({name: len(column.codes) for name, column in coded.items()})
    n_rows = len(next(iter(coded.values())).codes) if coded else 0
    if coded and not n_rows:
        raise DataError("data has no rows")
    complete = np.ones(n_rows, dtype=np.bool_)
    for column in coded.values():
        complete &= column.codes >= 0 if column.missing else True
    n_complete = int(complete.sum())
    findings = [*_unusable(problems), *_missing(coded, n_rows, n_complete)]
    if coded and n_rows > 1:
        table = data if isinstance(data, Categories) else table_of_columns(tuple(coded), list(coded.values()))
        groups = copies(table)
        findings += found_in.constants(table)
        findings += found_in.identifiers(table)
        findings += found_in.many_states(table)
        findings += found_in.rare_states(table)
        findings += found_in.same_text(table)
        findings += found_in.twins(table, groups)
        findings += found_in.determined(table, groups)
        findings += found_in.few_rows(table)
    rows = tuple(_row(name, coded.get(name), findings) for name in names)
    return Description(n_rows, n_complete, rows, tuple(findings))


def _of_table(table: Categories) -> list[CodedColumn | Problem]:
    columns: list[CodedColumn | Problem] = []
    for codes, levels, count in zip(table.codes, table.levels, table.n_missing, strict=True):
        known = np.where(codes < len(levels), codes.astype(np.int32), -1) if count else codes
        columns.append(CodedColumn(known, list(levels), count))
    return columns


def _unusable(problems: dict[Name, Problem]) -> list[Finding]:
    found = []
    for problem in dict.fromkeys(problems.values()):
        names = tuple(name for name, other in problems.items() if other is problem)
        holds = "holds" if len(names) == 1 else "hold"
        found.append(Finding("unusable", names, f"{listed(names)} {holds} {problem.value}; {REMEDY[problem]}"))
    return found


def _missing(coded: dict[Name, CodedColumn], n_rows: int, n_complete: int) -> list[Finding]:
    counts = {name: column.missing for name, column in coded.items() if column.missing}
    if not counts:
        return []
    shown = ", ".join(f"{name!r} ({count:,})" for name, count in list(counts.items())[:8])
    more = f" and {len(counts) - 8} more columns" if len(counts) > 8 else ""
    text = (
        f"values are missing in {shown}{more}; {n_complete:,} of {n_rows:,} rows are complete: choose missing='drop',"
        " 'level' or 'testwise'"
    )
    return [Finding("missing", tuple(counts), text)]


def _row(name: Name, column: CodedColumn | None, findings: list[Finding]) -> ColumnRow:
    notes = tuple(dict.fromkeys(finding.code for finding in findings if name in finding.columns))
    if column is None:
        return ColumnRow(name, None, None, None, None, None, notes)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=1)
    if not counts.sum():
        return ColumnRow(name, 0, column.missing, None, None, 0, notes)
    most = int(counts.argmax())
    rare = int(np.count_nonzero((counts > 0) & (counts < FEW_ROWS_OF_A_STATE)))
    share = float(counts[most] / counts.sum())
    return ColumnRow(name, int(np.count_nonzero(counts)), column.missing, column.labels[most], share, rare, notes)


def _cells(row: ColumnRow) -> tuple[str, ...]:
    def number(value: int | None) -> str:
        return "" if value is None else f"{value:,}"

    share = "" if row.share is None else f"{row.share:.3f}"
    label = "" if row.share is None else str(row.most_frequent)
    label = label if len(label) <= 24 else label[:23] + "…"
    name = str(row.name)
    return (
        name if len(name) <= 32 else name[:31] + "…",
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
    right = {1, 2, 4, 5}
    lines = [
        "  ".join(
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    if len(rows) > _TEXT:
        lines.append(f"… and {len(rows) - _TEXT:,} more columns")
    return [line.rstrip() for line in lines]
