"""Names that a user may mistype."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from phgs.errors import DataError, GraphError, KnowledgeError, ParameterError

_LONGEST = 80
"""Longer names get no hint: nobody mistypes them, and comparing takes time as one length times the other."""


def unknown(what: str, name: Any, known: Iterable[Any]) -> str:
    """Say that a name is unknown and which known ones are near it."""
    known = list(known)
    message = f"unknown {what} {shortened(name)}"
    near = near_names(str(name), known)
    if near:
        return f"{message}; did you mean {' or '.join(map(repr, near))}?"
    if len(known) <= 20:
        return f"{message}; known: {', '.join(shortened(candidate) for candidate in known)}"
    return message


@contextmanager
def named(names: Sequence[Any]) -> Iterator[None]:
    """Put names where errors of the core have the numbers of variables.

    Such an error has three arguments: its text with numbers, the variables, and the text with ``{}`` for each of them
    in turn (or, of columns, the text that follows their names).
    """
    try:
        yield
    except (DataError, GraphError, KnowledgeError, ParameterError) as error:
        if len(error.args) != 3:
            raise
        _, variables, text = error.args
        shown = [repr(names[x]) for x in variables]
        if "{}" not in text:
            text = f"columns {', '.join(shown)} {text}"
            shown = []
        first, *rest = text.split("{}")
        raise type(error)(first + "".join(name + part for name, part in zip(shown, rest, strict=True))) from None


def near_names(name: str, known: Iterable[Any]) -> list[Any]:
    """Return up to three known names that are near one that is not, whatever their case."""
    if len(name) > _LONGEST:
        return []
    folded = {text.lower(): other for other in known if len(text := str(other)) <= 2 * _LONGEST}
    return [folded[text] for text in difflib.get_close_matches(name.lower(), list(folded), n=3, cutoff=0.6)]


def shortened(name: Any) -> str:
    """Return a name as messages show it: the beginning of a very long one."""
    if isinstance(name, str) and len(name) > _LONGEST:
        return f"{name[:_LONGEST]!r}… ({len(name):,} letters)"
    text = repr(name)
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}…"


def half_of_a_pair(text: str) -> str | None:
    """Say what is wrong with a text that holds half of a surrogate pair, which no file can hold."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{text!r} holds half of a surrogate pair, which is no character; rename it"
    return None
