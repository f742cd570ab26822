"""The HTML file of the viewer, sealed by a Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

_LONGEST_PLAIN = 30_000


@cache
def part(name: str) -> str:
    """Return a file of the viewer."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def as_json(value: Any) -> str:
    """Write JSON that can stand inside a page: it has no ``<``, so that no text in it ends its element."""
    text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Separators of lines and halves of letters, which some parsers refuse, are written by number.
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return "".join(c if not "\ud800" <= c <= "\udfff" else f"\\u{ord(c):04x}" for c in text)


def packed(text: str) -> str:
    """Compress text; the browser takes it apart."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _scripts(payload: dict[str, Any]) -> tuple[str, str, list[str]]:
    """Return what is shown as JSON, the script that begins, and all scripts that may run.

    A long payload is compressed, and the viewer with it; a short script unpacks them. Separating sets are compressed as
    they are.
    """
    viewer = part("view.js")
    most = {key: value for key, value in payload.items() if key != "absent"}
    text = as_json(most)
    if len(text) <= _LONGEST_PLAIN:
        return as_json(payload), viewer, [viewer]
    first = part("unpack.js")
    embedded = {"packed": packed(text), "viewer": packed(viewer), "absent": payload.get("absent")}
    return as_json(embedded), first, [first, viewer]


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def digest(text: str) -> str:
    """Return how a Content-Security-Policy names a script or a style sheet."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(payload: dict[str, Any], before: str = "", after: str = "", styles: Sequence[str] = ()) -> str:
    """Make the page.

    Parameters
    ----------
    payload
        What the viewer shows.
    before, after
        Markup before and after the viewer; with them it is a part of a longer page.
    styles
        Further style sheets.
    """
    data, first, scripts = _scripts(payload)
    sheets = [part("view.css"), *styles]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; style-src {' '.join(map(digest, sheets))};"
        " base-uri 'none'; form-action 'none'"
    )
    alone = "" if before or after else ' class="alone"'
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escaped(payload['title'])}</title>\n",
            *(f"<style>{sheet}</style>\n" for sheet in sheets),
            f"</head>\n<body{alone}>\n{before}",
            part("view.html").replace('<header id="title"></header>', _header(payload)),
            f'<script type="application/json" id="data">{data}</script>\n',
            f"<script>{first}</script>\n{after}</body>\n</html>\n",
        ]
    )


def escaped(text: object) -> str:
    """Escape text for a page; halves of letters, which no encoding has, become a mark."""
    return escape(str(text).encode("utf-8", "replace").decode())


def _header(payload: dict[str, Any]) -> str:
    lines = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in payload["lines"])
    return f'<header id="title"><h1>{escaped(payload["title"])}</h1><dl>{lines}</dl></header>'
