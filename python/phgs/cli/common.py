"""What commands share: the parser, its near-miss suggestions, colours."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from typing import Any, NoReturn, TextIO

from phgs.errors import ParameterError

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>.*)\)")
_UNRECOGNISED = re.compile(r"unrecognized arguments: (?P<given>\S+)")


class UsageError(Exception):
    """Wrong usage, to be told in one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with near names where one is mistyped."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("formatter_class", Formatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(*args, **options)

    def shorten_usage(self) -> None:
        """Leave the options out of the usage line, which they would make unreadable."""
        shown = [action.metavar for action in self._actions if not action.option_strings]
        self.usage = " ".join(["%(prog)s", *map(str, shown), "[options]"])

    def error(self, message: str) -> NoReturn:
        """Raise in place of printing the usage."""
        choice = _CHOICE.search(message)
        if choice is not None:
            known = [name.strip().strip("'") for name in choice["known"].split(",")]
            message = message[: choice.start()] + _near("value", choice["given"], known)
        option = _UNRECOGNISED.search(message)
        if option is not None:
            known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            message = _near("option", option["given"].split("=", 1)[0], known, listed=False)
        raise UsageError(f"{message} (see '{self.prog} --help')")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options here, where the command's own options are known."""
        found, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return found, left


class Formatter(argparse.HelpFormatter):
    """Help with room for long options."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, max_help_position=32, width=min(110, _width()), **options)


def _width() -> int:
    try:
        return max(60, os.get_terminal_size().columns - 2)
    except OSError:
        return 100


def _near(what: str, given: str, known: list[str], *, listed: bool = True) -> str:
    near = difflib.get_close_matches(given.lower(), known, n=3, cutoff=0.6)
    if near:
        return f"unknown {what} '{given}'; did you mean {' or '.join(near)}?"
    return f"unknown {what} '{given}'" + (f"; known: {', '.join(known)}" if listed else "")


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got '{text}'") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got '{text}'") from None


def size_limit(text: str) -> int | None:
    """Read a limit that may be "none"."""
    return None if text.lower() in ("none", "inf") else whole_number(text)


def bold(text: str, stream: TextIO | None = None) -> str:
    """Emphasise text on a terminal; elsewhere, or where NO_COLOR is set, leave it as it is."""
    stream = stream or sys.stdout
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[1m{text}\x1b[0m"


def input_path(text: str, *, also_stdin: bool = False) -> str:
    """Check that an input file is there, before any work."""
    if also_stdin and text == "-":
        return text
    if not os.path.exists(text):  # noqa: PTH110 (a plain string is wanted back)
        raise ParameterError(f"there is no file {text}")
    return text
