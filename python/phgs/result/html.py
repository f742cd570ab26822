"""Results in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from phgs.graphs.html import graph_html
from phgs.result.summary import summary

if TYPE_CHECKING:
    from phgs.result.result import Result


def result_html(result: Result) -> str:
    """Return a result as HTML: its summary, its graph and its edges."""
    drawing = graph_html(result.cpdag, result.clusters)
    table = result.edges._repr_html_()
    return (
        f"<div><pre>{escape(summary(result))}</pre>{drawing}"
        f"<details><summary>{len(result.edges):,} edges</summary>{table}</details></div>"
    )
