"""Progress on standard error, for people: nothing in logs, nothing for short work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called as ``progress(phase, done, total)``; `total` is 0 where it is unknown; last as ``("finished", 1, 1)``."""

PHASES = {
    "partition": "clustering",
    "within": "within clusters",
    "between": "between clusters",
    "complete": "completing",
    "v_structures": "v-structures",
    "path": "solution path",
    "search": "searching",
    "refine": "refining",
    "bootstrap": "replicates",
    "missing": "filling in missing values",
}

_QUIET_SECONDS = 2.0
_EVERY_SECONDS = 0.1


class Line:
    """One line that is rewritten, once work has lasted two seconds, and wiped at the end."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = time.monotonic()
        self.last = 0.0
        self.width = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show the phase and its share."""
        now = time.monotonic()
        if phase == "finished":
            self.wipe()
            return
        if now - self.start < _QUIET_SECONDS or now - self.last < _EVERY_SECONDS:
            return
        self.last = now
        share = f" {min(100, 100 * done // total):3d} %" if total else ""
        self.show(f"{self.title}: {PHASES.get(phase, phase)}{share}, {now - self.start:.0f} s")

    def show(self, text: str) -> None:
        """Write over the line."""
        padding = " " * max(0, self.width - len(text))
        sys.stderr.write(f"\r{text}{padding}")
        sys.stderr.flush()
        self.width = len(text)

    def wipe(self) -> None:
        """Clear the line, if anything was shown."""
        if self.width:
            self.show("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self.width = 0


@contextmanager
def reporter(progress: bool | Progress | None, title: str) -> Iterator[Progress | None]:
    """Choose what reports progress: the caller's own function, a line on standard error, or nothing.

    The line is wiped at the end, also when what it reports on raises.
    """
    if callable(progress):
        yield progress
        return
    if not (for_a_person() if progress is None else progress):
        yield None
        return
    line = Line(title)
    try:
        yield line
    finally:
        line.wipe()


def for_a_person() -> bool:
    """Whether someone is watching: a terminal or a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and sys.stderr.isatty()
