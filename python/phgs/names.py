"""Names that a user may mistype."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from phgs.errors import DataError, GraphError, KnowledgeError, ParameterError


def unknown(what: str, name: Any, known: Iterable[Any]) -> str:
    """Say that a name is unknown and which known ones are near it."""
    known = list(known)
    by_text = {str(candidate): candidate for candidate in known}
    folded = {text.lower(): text for text in by_text}
    near = difflib.get_close_matches(str(name).lower(), list(folded), n=3, cutoff=0.6)
    message = f"unknown {what} {name!r}"
    if near:
        return f"{message}; did you mean {' or '.join(repr(by_text[folded[text]]) for text in near)}?"
    if len(known) <= 20:
        return f"{message}; known: {', '.join(repr(candidate) for candidate in known)}"
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
