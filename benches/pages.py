"""What studies of many frames share: results that are kept in a file, line by line, and pages made of them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def parser(text: str | None, results: str) -> argparse.ArgumentParser:
    """Return a parser of what all such studies take."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--results", type=Path, default=Path(results), help="where results are kept")
    made.add_argument("--page", type=Path, help="write the summary here")
    return made


def kept(path: Path) -> list[dict[str, Any]]:
    """Return the results of earlier runs."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(str(cell)) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    shown = text if len(text) <= 240 else text[:239] + "…"
    return shown.replace("|", "\\|").replace("<", "&lt;")


def put(page: str, path: Path | None) -> None:
    """Write a page, or print it where no file is given."""
    if path is None:
        print(page)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
