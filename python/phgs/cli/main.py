"""The entry point."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from phgs._core import __version__
from phgs.cli.common import Parser, UsageError, kinds_as_options
from phgs.errors import InternalError

COMMANDS = {
    "learn": "learn a graph from data",
    "describe": "report what stands out in data before learning",
    "bootstrap": "learn from rows drawn again: how sure is each edge",
    "compare": "compare a learned graph with the true one",
    "sample": "draw data from a Bayesian network",
    "networks": "list the networks that can be named",
    "study": "run the paper's simulation study, or one of your own",
}
"""The commands; each has a module of its name beside this one."""


def parser() -> Parser:
    """Make the parser of all commands."""
    top = Parser(
        prog="phgs",
        description="Learn the structure of Bayesian networks from data.",
        epilog="'phgs COMMAND --help' tells the options of a command.",
    )
    top.add_argument("--version", action="version", version=f"phgs {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, purpose in COMMANDS.items():
        module = importlib.import_module(f"phgs.cli.{name}")
        command = commands.add_parser(name, help=purpose, description=module.__doc__)
        module.add(command)
        command.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments
        The command line without the program's name; by default that of the process.

    Returns
    -------
    int
        Exit status: 0 done, 2 for wrong usage or bad input, 130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is written as an escape: no work is lost for a letter.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            options = parser().parse_args(arguments)
            status: int = options.run(options)
            sys.stdout.flush()
            return status
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except InternalError as error:
        _tell(str(error))
        return 1
    except (UsageError, ValueError, ImportError, OSError) as error:
        _tell(_text(error))
        return 2
    except MemoryError:
        _tell("not enough memory")
        return 2


def _text(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return " ".join(f"{error.filename}: {error.strerror}".split())
    return _as_options(" ".join(str(error).split())) or type(error).__name__


def _as_options(text: str) -> str:
    """Write Python's ``missing='drop'`` as ``--missing drop``."""
    named = r"\b(missing|path_length|degrees_of_freedom|data_type|score|encoding|delimiter|decimal)=(['\"]?)([\w.-]+)\2"
    text = re.sub(named, lambda match: f"--{match[1].replace('_', '-')} {match[3]}", text)
    return re.sub(r"\bcategories=", "--category", kinds_as_options(text))


def _tell(message: str) -> None:
    sys.stderr.write(f"phgs: {message}\n")


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    sys.stderr.write(f"phgs: warning: {_as_options(str(message))}\n")
