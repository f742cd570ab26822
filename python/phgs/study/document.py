"""A document of headings, paragraphs, tables and pictures, as Markdown and as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from phgs.texts import visible


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table; all columns but the first are aligned to the right.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        The cells.
    caption : str
        What it shows.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture file beside the document."""

    file: str
    caption: str


Block: TypeAlias = Heading | Paragraph | Table | Picture


@dataclass
class Document:
    """Blocks in order."""

    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        self.blocks.extend(blocks)

    def to_markdown(self) -> str:
        """Return the document as Markdown."""
        return "\n\n".join(_markdown(block) for block in self.blocks) + "\n"

    def to_html(self) -> str:
        """Return the document as one HTML page."""
        title = next((block.text for block in self.blocks if isinstance(block, Heading)), "Report")
        body = "\n".join(_html(block) for block in self.blocks)
        return _PAGE.format(title=html.escape(title), body=body)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }}
table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; padding: 0.4em 0; color: #555; }}
th, td {{ padding: 0.15em 0.6em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
.scroll {{ overflow-x: auto; }}
img {{ max-width: 100%; }}
figcaption {{ color: #555; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Paragraph):
        return _plain(block.text)
    if isinstance(block, Picture):
        return f"![{_plain(block.caption)}]({block.file})\n\n*{_plain(block.caption)}*"
    lines = [_row(block.header), "|" + "|".join([":---", *["---:"] * (len(block.header) - 1)]) + "|"]
    lines += [_row(row) for row in block.rows]
    return "\n".join([*([f"*{_plain(block.caption)}*", ""] if block.caption else []), *lines])


_MARKUP = re.compile(r"[\\`*_\[\]|~$#]|(?<!\w)!(?=\[)")


def _plain(text: str) -> str:
    """Write text so that Markdown shows it as it is: names are not markup, and never HTML."""
    return _MARKUP.sub(lambda found: "\\" + found[0], html.escape(visible(text), quote=False))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_plain, cells)) + " |"


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{html.escape(visible(block.text))}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{html.escape(visible(block.text))}</p>"
    if isinstance(block, Picture):
        caption = html.escape(visible(block.caption))
        return (
            f'<figure><img src="{html.escape(block.file)}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'
        )
    head = "".join(f"<th>{html.escape(visible(cell))}</th>" for cell in block.header)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(visible(cell))}</td>" for cell in row) + "</tr>" for row in block.rows
    )
    caption = f"<caption>{html.escape(visible(block.caption))}</caption>" if block.caption else ""
    return f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
