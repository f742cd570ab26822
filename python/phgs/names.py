"""Names that a user may mistype."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


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
