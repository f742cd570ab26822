"""Docstrings of learners that list all parameters, each described once, by the class that brings it."""

from __future__ import annotations

import inspect
import re

_HEADER = re.compile(r"^Parameters\n-+\n", flags=re.MULTILINE)
_SECTION = re.compile(r"^[A-Z][A-Za-z ]+\n-+$", flags=re.MULTILINE)


def parameters_of(doc: str) -> list[str]:
    """Return the entries of a docstring's section of parameters: a line of names, then indented text."""
    return _split(inspect.cleandoc(doc))[1]


def with_inherited(doc: str, inherited: list[str]) -> str:
    """Return a docstring whose section of parameters goes on with those entries that it does not have."""
    before, own, after = _split(inspect.cleandoc(doc))
    known = {name for entry in own for name in _names(entry)}
    entries = list(own)
    for entry in inherited:
        names = _names(entry)
        if not known & set(names):
            entries.append(entry)
            known.update(names)
    section = "Parameters\n----------\n" + "\n".join(entries)
    return "\n\n".join(part for part in (before, section, after) if part) + "\n"


def _split(doc: str) -> tuple[str, list[str], str]:
    """Return what comes before the section of parameters, its entries, and what comes after it."""
    header = _HEADER.search(doc)
    following = _SECTION.search(doc, header.end() if header else 0)
    end = following.start() if following else len(doc)
    if header is None:
        return doc[:end].rstrip(), [], doc[end:].rstrip()
    entries = re.split(r"\n(?=\S)", doc[header.end() : end].strip())
    return doc[: header.start()].rstrip(), entries, doc[end:].rstrip()


def _names(entry: str) -> list[str]:
    return [name.strip() for name in entry.split("\n", 1)[0].split(" : ", 1)[0].split(",")]
