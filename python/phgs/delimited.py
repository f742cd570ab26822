"""Lines of fields: CSV as RFC 4180 has it.

Python's own reader refuses long fields and, in some versions, zero characters; its writer leaves a carriage return
unquoted; neither tells an empty field from a quoted one. What is written here is read here, whatever a name holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from phgs.errors import DocumentError

_PLAIN = re.compile(r"[\w.+\-/:()<>=&%#@*'\[\]{}!?$^~]+(?: [\w.+\-/:()<>=&%#@*'\[\]{}!?$^~]+)*")
"""Fields that no reader can mistake; all others are quoted."""


class Line(NamedTuple):
    """A line of fields.

    Attributes
    ----------
    number : int
        The line of the file on which it begins, counted from 1.
    fields : list of str
        The fields.
    empty : list of bool
        Whether each field is empty and not in quotes.
    """

    number: int
    fields: list[str]
    empty: list[bool]


def written(fields: Iterable[Any]) -> str:
    """Return a line of fields; None is an empty field, and an empty text is quoted."""
    return ",".join("" if field is None else _quoted(str(field)) for field in fields) + "\n"


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def lines(text: str, name: str, delimiter: str = ",", begin: int = 1) -> Iterator[Line]:
    """Read lines of fields; empty lines are left out.

    Parameters
    ----------
    text
        The content of a file.
    name
        Name of the file, for errors.
    delimiter
        What separates fields.
    begin
        The number of the first line.

    Raises
    ------
    DocumentError
        When a quotation is not closed, or something follows it within its field; names the file and the line.
    """
    mark = re.escape(delimiter)
    pattern = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^{mark}\r\n"][^{mark}\r\n]*)?)({mark}|\r\n|\r|\n|\Z)')
    at, number = 0, begin
    fields: list[str] = []
    empty: list[bool] = []
    while at < len(text) or fields:
        found = pattern.match(text, at)
        if found is None:
            unclosed = text.startswith('"', at) and re.compile(r'"[^"]*(?:""[^"]*)*\Z').match(text, at)
            what = "a quotation is never closed" if unclosed else "a quotation mark within a field, or text behind one"
            raise DocumentError(f"{name}, line {number}: {what}; put the field in quotes and double those within it")
        quoted, plain, end = found.groups()
        fields.append(quoted.replace('""', '"') if quoted is not None else plain or "")
        empty.append(quoted is None and not plain)
        at = found.end()
        if quoted is not None:
            number += len(re.findall(r"\r\n|\r|\n", quoted))
        if end != delimiter:
            if len(fields) > 1 or not empty[0]:
                yield Line(begin, fields, empty)
            number += 1
            begin, fields, empty = number, [], []
            if not end:
                return
