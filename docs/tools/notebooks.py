"""Make a Jupyter notebook of each page in docs/examples; `make docs` offers them for download.

The pages are the source: their blocks run in the tests, with the output that the page shows. A notebook has the same
code in the same order, that output, and the pictures inside.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path
from typing import Any

from blocks import blocks

DOCS = Path(__file__).parents[1]
EXAMPLES = DOCS / "examples"

_PICTURE = re.compile(r"!\[(?P<title>[^\]]*)\]\((?P<path>[^)]+\.png)\)")
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>[^)#:]+\.md)(?:#[^)]*)?\)")
_DOWNLOAD = re.compile(r"^\{download\}.*\n\n", flags=re.MULTILINE)


def notebook(page: Path) -> dict[str, Any]:
    """Return a page as a notebook of format 4.5."""
    text = page.read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    end = 0
    for block in blocks(page):
        if block.kind == "python":
            start, stop = block.whole
            _add_text(cells, text[end:start], page)
            _add_code(cells, block.code, block.shown)
            end = stop
    _add_text(cells, text[end:], page)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_notebooks(folder: Path) -> list[Path]:
    """Write a notebook of each example into a folder; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in sorted(EXAMPLES.glob("*.md")):
        if page.stem == "index":
            continue
        path = folder / f"{page.stem}.ipynb"
        text = json.dumps(notebook(page), ensure_ascii=False, indent=1) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _add_text(cells: list[dict[str, Any]], text: str, page: Path) -> None:
    """Append a cell of text, without links to other pages and with its pictures inside."""
    text = _DOWNLOAD.sub("", text)
    if not text.strip():
        return
    attachments = {}
    for found in _PICTURE.finditer(text):
        path = (page.parent / found["path"]).resolve()
        attachments[path.name] = {"image/png": base64.b64encode(path.read_bytes()).decode()}
    text = _PICTURE.sub(lambda found: f"![{found['title']}](attachment:{Path(found['path']).name})", text)
    text = _LINK.sub(
        lambda found: found["text"] or f"“{_title(page.parent / found['path'])}” in the documentation", text
    )
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": text.strip("\n")}
    cells.append(cell | ({"attachments": attachments} if attachments else {}))


def _add_code(cells: list[dict[str, Any]], code: str, shown: str | None) -> None:
    outputs = [] if shown is None else [{"output_type": "stream", "name": "stdout", "text": shown}]
    source = code.rstrip("\n")
    cells.append({"cell_type": "code", "metadata": {}, "execution_count": None, "source": source, "outputs": outputs})


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")


if __name__ == "__main__":
    for made in write_notebooks(Path(sys.argv[1])):
        print(made)
