"""Write the page of all command-line options from the parsers themselves."""

from __future__ import annotations

import os
from argparse import _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

from phgs.cli.common import Parser
from phgs.cli.main import parser

_HEAD = """<!-- Made by docs/tools/command_line.py from the parsers. -->

# All options

"""


def _parsers(top: Parser) -> Iterator[Parser]:
    for action in top._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                inner = list(_parsers(command))
                # A command that only has commands of its own is told by them.
                yield from inner or [command]


def write_command_line(path: Path) -> None:
    """Write the page; a page that would stay the same is left alone."""
    os.environ["COLUMNS"] = "100"
    os.environ["NO_COLOR"] = "1"
    text = _HEAD
    for command in _parsers(parser()):
        text += f"## {command.prog}\n\n```text\n{command.format_help()}```\n\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
