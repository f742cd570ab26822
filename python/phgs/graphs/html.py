"""Graphs in notebooks: HTML with a drawing, without any dependency."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from phgs.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phgs.data.frames import Name
    from phgs.graphs.graph import Graph

DRAWN = 150
"""Of graphs with more nodes than this a part is drawn in notebooks."""


def svg(graph: Graph, clusters: Mapping[Name, int] | None = None) -> str:
    """Draw a graph as SVG text."""
    import numpy as np

    from phgs.graphs.layout import cut_at_box, layered
    from phgs.graphs.plot import _COLOURS

    labels = [visible(name) for name in graph.variables]
    shown = [text if len(text) <= 24 else text[:23] + "…" for text in labels]
    arcs, edges = graph._directed_indices(), graph._undirected_indices()
    widths = [max(60.0, 7.0 * len(text) + 22) / 90.0 for text in shown]
    layout = layered(graph.n_variables, arcs, edges, widths=widths).scaled(90.0, -62.0)
    step = 90.0 * max(widths, default=1.0)
    margin = np.array((step / 2 + 4, 24))
    layout = layout.shifted(margin - layout.corners[0])
    places = layout.places
    width, height = layout.corners[1] + margin
    half = [(3.6 * len(text) + 8, 12.0) for text in shown]

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'style="max-width:{width:.0f}px;width:100%" font-family="sans-serif" font-size="12">',
        '<defs><marker id="phgs-head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ]
    for pairs, style in ((arcs, 'stroke="#555" marker-end="url(#phgs-head)"'), (edges, 'stroke="#b06000"')):
        for a, b in pairs:
            # Boxes lie above lines, so that only arrow heads need to stop at them.
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in cut_at_box(layout.route(a, b), half[b]))
            lines.append(f'<polyline points="{points}" fill="none" {style}/>')
    for i, name in enumerate(graph.variables):
        (x, y), (w, h) = places[i], half[i]
        fill = _COLOURS[clusters[name] % len(_COLOURS)] if clusters else _COLOURS[0]
        lines.append(
            f'<g><title>{escape(labels[i])}</title><rect x="{x - w:.1f}" y="{y - h:.1f}" width="{2 * w:.1f}" '
            f'height="{2 * h:.1f}" rx="6" fill="{fill}" stroke="#777"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="#000">{escape(shown[i])}</text></g>'
        )
    return "".join([*lines, "</svg>"])


def graph_html(graph: Graph, clusters: Mapping[Name, int] | None = None) -> str:
    """Return a graph as HTML."""
    size = escape(graph._size())
    if not graph.n_variables or (graph.n_variables > DRAWN and not graph.n_edges):
        return f"<div><b>{size}</b></div>"
    if graph.n_variables <= DRAWN:
        return f"<div><b>{size}</b><br>{svg(graph, clusters)}</div>"
    from phgs.graphs.plot import around

    most = max(graph.variables, key=lambda name: len(graph.adjacent(name)))
    part = around(graph, most)
    if part.n_variables > DRAWN:
        part = graph.subgraph({most, *graph.adjacent(most)})
    if part.n_variables > DRAWN:
        return f"<div><b>{size}</b></div>"
    where = f"around {escape(visible(most))}, which has the most edges; explore() shows all"
    return f"<div><b>{size}</b><br>{where}<br>{svg(part, clusters)}</div>"
