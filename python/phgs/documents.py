"""JSON documents, read with one kind of error: the file, the place in it, what is wrong there.

`read_json` reads; `Node` walks: a value of the document that knows where it stands.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

from phgs.errors import DocumentError
from phgs.textfiles import read_text

T = TypeVar("T")

LARGEST_FLOAT = 1.7976931348623157e308
"""Stands for infinity, which JSON lacks."""

_DIGITS = 300
"""More digits than any number has that we write."""

LARGEST = 1 << 62
"""No count in a document is as large."""


def parse_json(text: str, source: str, error: type[DocumentError] = DocumentError, what: str = "JSON") -> Any:
    """Parse JSON: numbers are finite, keys distinct. Messages say that it is not `what`.

    Raises
    ------
    DocumentError
        Or `error`: one line that names the source and the place.
    """

    def line_of(part: str) -> str:
        at = text.find(part)
        return source if at < 0 else f"{source}, line {text.count(chr(10), 0, at) + 1}"

    def whole(digits: str) -> int:
        if len(digits) > _DIGITS:
            raise error(f"{line_of(digits)}: a number of {len(digits):,} digits")
        return int(digits)

    def real(digits: str) -> float:
        value = float(digits)
        if math.isinf(value):
            raise error(f"{line_of(digits)}: {digits[:40]} is too large for a number")
        return value

    def constant(name: str) -> NoReturn:
        raise error(f"{line_of(name)}: {name} is not a number that JSON has")

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise error(f"{source}: the key {_short(_repeated(key for key, _ in pairs))} is there twice")
        return made

    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            parse_int=whole,
            parse_float=real,
            parse_constant=constant,
            object_pairs_hook=table,
        )
    except json.JSONDecodeError as problem:
        where = f"{source}, line {problem.lineno}, column {problem.colno}"
        raise error(f"{where}: not {what}: {problem.msg[0].lower()}{problem.msg[1:]}") from None
    except RecursionError:
        raise error(f"{source}: brackets within brackets, too deep to be read") from None


def read_json(path: str | os.PathLike[str], error: type[DocumentError] = DocumentError, what: str = "JSON") -> Any:
    """Read a JSON file; see `parse_json`. Messages say that it is not `what`."""
    try:
        text = read_text(path)
    except DocumentError as problem:
        raise error(str(problem)) from None
    return parse_json(text, str(path), error, what)


_HALF = re.compile("[\ud800-\udfff]")


def json_text(value: Any) -> str:
    """Return the text of a JSON document that `parse_json` reads back, whatever its texts hold."""
    return escaped(json.dumps(finite(value), ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def escaped(text: str) -> str:
    """Write halves of surrogate pairs, which UTF-8 cannot hold, as JSON can: as escapes."""
    return text if text.isascii() else _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def finite(value: Any) -> Any:
    """Replace what JSON cannot hold: infinities by the largest numbers, what is no number by null."""
    if isinstance(value, float):
        return None if value != value else max(min(value, LARGEST_FLOAT), -LARGEST_FLOAT)
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _repeated(names: Iterable[str]) -> str:
    """Return the first name that is there twice."""
    return next(name for name, count in Counter(names).items() if count > 1)


def _short(value: Any) -> str:
    text = re.sub(r"\s+", " ", repr(value) if not isinstance(value, str) or len(value) < 200 else repr(value[:200]))
    return text if len(text) <= 60 else f"{text[:59]}…"


_WORDS = {dict: "a table of keys", list: "a list", str: "text", bool: "true or false", type(None): "null"}


class Node:
    """A value of a document and where it stands; whatever it is not raises with the place.

    Parameters
    ----------
    value
        The value.
    source
        Name of the file.
    place
        Where the value stands in it, such as ``edges[3].from``; empty for the whole.
    error
        The class of errors.
    """

    def __init__(self, value: Any, source: str, place: str = "", error: type[DocumentError] = DocumentError) -> None:
        self.value, self.source, self.place, self.error = value, source, place, error

    def fail(self, problem: str) -> NoReturn:
        """Raise, with the place."""
        raise self.error(f"{self.source}: {self.place + ': ' if self.place else ''}{problem}")

    def _wrong(self, wanted: str) -> NoReturn:
        self.fail(f"expected {wanted}, found {_short(self.value)}")

    def _of(self, kind: type) -> Any:
        if type(self.value) is not kind:
            self._wrong(_WORDS[kind])
        return self.value

    def __getitem__(self, key: str) -> Node:
        """Return the value of a key, which must be there."""
        if key not in self._of(dict):
            self.fail(f"there is no {key!r}")
        return self._within(key)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None where it is not there or null."""
        return self._within(key) if self._of(dict).get(key) is not None else None

    def _within(self, key: str) -> Node:
        shown = key if re.fullmatch(r"\w{1,40}", key) else f"[{_short(key)}]"
        return Node(self.value[key], self.source, f"{self.place}.{shown}" if self.place else shown, self.error)

    def items(self) -> Iterator[tuple[str, Node]]:
        """Yield keys and values."""
        return ((key, self._within(key)) for key in self._of(dict))

    def __iter__(self) -> Iterator[Node]:
        """Yield the entries of a list."""
        return (Node(value, self.source, f"{self.place}[{i}]", self.error) for i, value in enumerate(self._of(list)))

    def each(self, read: Callable[[Node], T]) -> tuple[T, ...]:
        """Read every entry of a list."""
        return tuple(read(node) for node in self)

    def optional(self, read: Callable[[Node], T]) -> T | None:
        """Read what may be null."""
        return None if self.value is None else read(self)

    def text(self) -> str:
        """Return text."""
        return str(self._of(str))

    def flag(self) -> bool:
        """Return a truth value."""
        return bool(self._of(bool))

    def whole(self, least: int = 0, most: int = LARGEST) -> int:
        """Return a whole number within limits."""
        if type(self.value) is not int or not least <= self.value <= most:
            self._wrong(f"a whole number from {least}" + ("" if most == LARGEST else f" to {most}"))
        return int(self.value)

    def number(self) -> float:
        """Return a number."""
        if type(self.value) not in (int, float):
            self._wrong("a number")
        try:
            return float(self.value)
        except OverflowError:
            self._wrong("a number")

    def table(self) -> dict[str, Any]:
        """Return a table of keys as it is."""
        return dict(self._of(dict))

    def name(self, known: Any) -> str:
        """Return text that is among known names."""
        if self.text() not in known:
            self.fail(f"{_short(self.value)} is not among the variables")
        return self.text()

    def pair(self, known: Any) -> tuple[str, str]:
        """Return two different names among known ones."""
        ends = self.each(lambda node: node.name(known))
        if len(ends) != 2 or ends[0] == ends[1]:
            self._wrong("two variables")
        return ends[0], ends[1]

    def names(self) -> tuple[str, ...]:
        """Return distinct names."""
        found = self.each(Node.text)
        if len(set(found)) < len(found):
            self.fail(f"{_short(_repeated(found))} is there twice")
        return found
