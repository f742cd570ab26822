"""What commands share: the parser, its near-miss suggestions, colours."""

from __future__ import annotations

import argparse
import csv
import os
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO

from phgs.errors import ParameterError
from phgs.names import near_names
from phgs.output import check_writable, write_all
from phgs.texts import printable

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
    near = near_names(given, known)
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


def column_names(options: list[str] | None) -> list[str] | None:
    """Read names of columns, separated by commas; those with a comma stand in quotes, as in CSV."""
    if not options:
        return None
    return [name for row in csv.reader(options) for name in row]


def kinds_as_options(text: str) -> str:
    """Write Python's ``kinds={'age': 'number'}`` as ``--number age``."""
    named = r"""\bkinds=\{(['"])(.*?)\1: (['"])(number|category)\3\}"""
    return re.sub(named, lambda match: f"--{match[4]} {shlex.quote(match[2])}", text)


def bold(text: str, stream: TextIO | None = None) -> str:
    """Emphasise text on a terminal; elsewhere, or where NO_COLOR is set, leave it as it is."""
    stream = stream or sys.stdout
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[1m{text}\x1b[0m"


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text, with signs that the stream can show."""
    (stream or sys.stdout).write(printable(text))


STANDARD_OUTPUT = "-"


def outputs(options: Namespace, kinds: Sequence[str]) -> dict[str, Path]:
    """Return the paths of the outputs that are asked for, checked; ``-`` is standard output, for one of them."""
    found = {kind: checked_output(path) for kind in kinds if (path := getattr(options, kind))}
    if len({path if str(path) == STANDARD_OUTPUT else path.resolve() for path in found.values()}) < len(found):
        raise UsageError("two outputs have the same name")
    if "plot" in found:
        from phgs.graphs.plot import check_format

        check_format(found["plot"])
    return found


def checked_output(path: str) -> Path:
    """Refuse, before any work, a path that cannot be written; ``-`` is standard output."""
    return Path(path) if path == STANDARD_OUTPUT else check_writable(path)


def write(contents: Mapping[Path, bytes]) -> None:
    """Write all outputs, or none: files first, then what goes to standard output."""
    write_all({path: content for path, content in contents.items() if str(path) != STANDARD_OUTPUT})
    for path, content in contents.items():
        if str(path) == STANDARD_OUTPUT:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()


def summary_stream(contents: Iterable[Path]) -> TextIO:
    """Return where a summary goes: standard error where standard output has something else."""
    return sys.stderr if any(str(path) == STANDARD_OUTPUT for path in contents) else sys.stdout


def tell_written(contents: Iterable[Path]) -> None:
    """Say which files were written."""
    stream = summary_stream(contents)
    for path in contents:
        if str(path) != STANDARD_OUTPUT:
            say(f"{bold('wrote'.ljust(20), stream)} {path}\n", stream)


def add_reading(parser: Any) -> None:
    """Add the options that say how CSV is read."""
    group = parser.add_argument_group("reading CSV")
    group.add_argument(
        "--delimiter", metavar="C", help="what separates fields (default: a comma; a tab for .tsv; 'tab' is one)"
    )
    group.add_argument("--decimal", choices=(".", ","), metavar="C", help="decimal mark of numbers (default .)")
    group.add_argument(
        "--encoding", metavar="NAME", help="such as latin-1 or gbk (default: UTF-8, or UTF-16 by its mark)"
    )
    group.add_argument(
        "--max-bytes",
        type=whole_number,
        metavar="N",
        help="the most bytes that a compressed file may unpack to (default 256 MiB, or a hundred times its size)",
    )


def read_data(options: Namespace) -> Any:
    """Return the data as the library takes them: a path, or a table where options say how the file is read."""
    path = data_path(options.data)
    named = {name: getattr(options, name) for name in ("delimiter", "decimal", "encoding", "max_bytes")}
    if all(value is None for value in named.values()):
        return path
    if named["delimiter"] in ("tab", "\\t"):
        named["delimiter"] = "\t"
    from phgs.data.files import read_with

    return read_with(path, **named)


@contextmanager
def workers(address: str | None) -> Iterator[Any]:
    """Connect to a Dask scheduler; None where none is asked for."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError("--dask needs distributed: pip install 'phgs[dask]'") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask: no scheduler answers at {address}") from error
    with client:
        yield client


def data_path(text: str) -> str:
    """Check that data are there, before any work; of many files that is done where they are opened."""
    from phgs.data.shards import is_many

    return text if is_many(text) else input_path(text, also_stdin=True)


def input_path(text: str, *, also_stdin: bool = False) -> str:
    """Check that an input file is there, before any work."""
    if also_stdin and text == "-":
        return text
    if not os.path.exists(text):  # noqa: PTH110 (a plain string is wanted back)
        raise ParameterError(f"there is no file {text}")
    return text
