"""Run the code blocks of the documentation and compare what they print with what the page shows.

Blocks marked ``python`` run in order in one namespace a page; of blocks marked ``console`` the lines ``$ phgs …`` run,
in the same process and folder. A ``text`` block right after a ``python`` block, and the other lines of a ``console``
block, are the output, which must match but for seconds. A block after the comment ``<!-- needs NAME -->`` runs only
where that package is installed.

``python docs/tools/blocks.py --write PAGE…`` puts the output as it is now into the pages.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(
    r"(?:<!-- needs (?P<needs>[\w.]+) -->\n+)?"
    r"^```(?P<kind>python|console)\n(?P<code>.*?)^```\n"
    r"(?:\n+^```text\n(?P<shown>.*?)^```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
_SECONDS = re.compile(r"(?<=seconds)( +)\d+\.\d+( \(\d+\.\d+ s reading\))?|\b\d+\.\d+ s\b")


class MismatchError(AssertionError):
    """A page shows something else than what comes out."""


@dataclass(frozen=True)
class Block:
    """A code block of a page: its place in the text, its code, the output that the page shows, where that is, and where
    all of it is."""

    page: Path
    line: int
    kind: str
    code: str
    shown: str | None
    needs: str | None
    span: tuple[int, int]
    whole: tuple[int, int]

    @property
    def name(self) -> str:
        """Where the block is."""
        return f"{self.page.name}, line {self.line}"


def pages() -> list[Path]:
    """Return the pages with blocks: the README and all of docs/."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if blocks(page)]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        code, shown, span = match["code"], match["shown"], match.span("shown")
        if match["kind"] == "console":
            lines = code.splitlines()
            if not any(line.startswith("$ phgs ") for line in lines):
                continue
            shown, span = code, match.span("code")
        found.append(Block(page, line, match["kind"], code, shown, match["needs"], span, match.span()))
    return found


def run_page(page: Path, *, write: bool = False) -> None:
    """Run the blocks of a page in the current folder; compare, or write the output into the page."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    replaced: list[tuple[Block, str]] = []
    for block in blocks(page):
        if block.needs is not None and importlib.util.find_spec(block.needs) is None:
            continue
        output = _console(block) if block.kind == "console" else _python(block, namespace)
        if block.shown is None:
            continue
        if write:
            replaced.append((block, output))
        elif _comparable(output) != _comparable(block.shown):
            raise MismatchError(f"{block.name}: the page shows\n{block.shown}\nbut this comes out\n{output}")
    for block, output in reversed(replaced):
        if _comparable(output) != _comparable(block.shown or ""):
            start, end = block.span
            text = text[:start] + output + text[end:]
    if write:
        page.write_text(text, encoding="utf-8")


def _comparable(text: str) -> str:
    lines = (line.rstrip() for line in _SECONDS.sub("# s", text).strip().splitlines())
    return "\n".join(lines)


def _python(block: Block, namespace: dict[str, Any]) -> str:
    """Run a block as a notebook would: the value of a last expression is shown."""
    # Blank lines in front let tracebacks name the line of the page.
    tree = ast.parse("\n" * (block.line - 1) + block.code, block.name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as output, warnings.catch_warnings():
        # A warning is part of a page only where the page shows output; those of other packages are theirs.
        warnings.simplefilter("ignore" if block.needs else "error" if block.shown is None else "always")
        warnings.showwarning = lambda message, category, *_, **__: print(f"{category.__name__}: {message}")
        try:
            exec(compile(tree, block.name, "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), block.name, "eval"), namespace)
                if value is not None:
                    print(repr(value))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            # An error is part of a page only where the page shows it.
            if block.shown is None or type(error).__name__ not in block.shown:
                raise
            print(said)
    return output.getvalue()


def _console(block: Block) -> str:
    from phgs.cli import main

    commands: list[str] = []
    continued = False
    for line in block.code.splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        elif continued:
            commands[-1] += f"\n{line}"
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    output = io.StringIO()
    for command in commands:
        output.write(f"$ {command}\n")
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        if words[0] != "phgs":
            raise MismatchError(f"{block.name}: only phgs commands can be in a block that has one, not {words[0]}")
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            contextlib.suppress(SystemExit),
        ):
            main(words[1:])
    return output.getvalue()


def _run_all(arguments: list[str]) -> None:
    write = "--write" in arguments
    chosen = [Path(name).resolve() for name in arguments if not name.startswith("--")] or pages()
    here = Path.cwd()
    for page in chosen:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                run_page(page, write=write)
            finally:
                os.chdir(here)
        print(f"{page}: {len(blocks(page))} blocks")


if __name__ == "__main__":
    _run_all(sys.argv[1:])
