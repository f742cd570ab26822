"""Pictures, by matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.graphs.layout import cut_at_box
from phgs.graphs.placing import placed
from phgs.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from phgs.data.frames import Name
    from phgs.graphs.graph import Graph
    from phgs.result import PathPoint

MOST_INCHES = 120.0
"""The longer side of the largest picture: 18,000 points of a PNG file, which usual viewers still show."""

LONGEST_NAME = 40
"""Longer names are cut; the figure would be as wide as they are."""

NAMES: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Properties of texts that hold names: a dollar sign is a dollar sign."""

_COLOURS = (
    "#cfe2f3",
    "#fde2c4",
    "#d5ecd4",
    "#f6d5d5",
    "#e3d9f0",
    "#e8dcd3",
    "#f7d9ea",
    "#e4e4e4",
    "#eeeec8",
    "#cdeef2",
)


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'phgs[plot]'") from error
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plot(
    graph: Graph,
    path: Any = None,
    *,
    focus: Name | None = None,
    clusters: Mapping[Name, int] | None = None,
    title: str = "",
    widths: Mapping[frozenset[Name], float] | None = None,
    layout: str | Mapping[Name, Sequence[float]] | Callable[[Any], Any] = "auto",
) -> Any:
    """Draw a graph with the names of its variables; undirected edges have no head.

    Parameters
    ----------
    graph
        The graph; isolated nodes are drawn below the rest.
    path
        Where to write the picture; the ending says how (PNG, SVG, PDF).
    focus
        Draw only this variable, what is adjacent to it, and what is adjacent to that.
    clusters
        Cluster of each variable, for colours; large connected parts are placed cluster by cluster.
    title
        Title of the picture.
    widths
        For the pair of each edge a number in [0, 1]: how wide it is drawn.
    layout
        How variables are placed; see `Graph.plot`.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; no window is opened.
    """
    if focus is not None:
        graph = around(graph, focus)
    figure = _drawn(graph, clusters, focus, title, widths, layout)
    if path is not None:
        save(figure, path)
    return figure


def _axes(figure: Any, title: str) -> Any:
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    if title:
        # Seven hundredths of an inch a letter.
        wrapped = textwrap.fill(visible(title), max(20, int(figure.get_figwidth() / 0.07)))
        axes.set_title(wrapped, fontsize=9, **NAMES)
    return axes


def around(graph: Graph, focus: Name) -> Graph:
    """Return the graph of a variable, of what is adjacent to it, and of what is adjacent to that."""
    near = {focus, *graph.adjacent(focus)}
    return graph.subgraph(near | {other for name in list(near) for other in graph.adjacent(name)})


def _width(graph: Graph, a: int, b: int, widths: Mapping[frozenset[Name], float] | None) -> float:
    """Return the width of an edge between positions, relative to the usual one."""
    if widths is None:
        return 1.0
    return 0.3 + 2.2 * widths.get(frozenset((graph.variables[a], graph.variables[b])), 0.0)


def _drawn(
    graph: Graph,
    clusters: Mapping[Name, int] | None,
    focus: Name | None,
    title: str,
    widths: Mapping[frozenset[Name], float] | None,
    chosen: str | Mapping[Name, Sequence[float]] | Callable[[Any], Any],
) -> Any:
    """Draw boxes with names, arrows that end at the boxes."""
    import warnings

    from matplotlib.collections import LineCollection, PolyCollection

    labels = [_shortened(visible(name)) for name in graph.variables]
    halves = _halves(graph)
    layout = placed(graph, chosen, clusters, halves)
    places = layout.places
    margin = np.array((max((float(half[0]) for half in halves), default=0.4) + 0.1, 0.4))
    low, high = (layout.corners[0] - margin, layout.corners[1] + margin) if graph.n_variables else (-margin, margin)
    width, height = high - low
    # A canvas as large as the names need; beyond what formats and viewers bear they become smaller.
    scale = min(1.0, MOST_INCHES / max(width, height))
    figure = _figure(max(3.0, width * scale), max(2.0, height * scale + 0.3))
    axes = _axes(figure, title)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    boxes = []
    for name, label, (x, y) in zip(graph.variables, labels, places, strict=True):
        colour = _COLOURS[clusters[name] % len(_COLOURS)] if clusters else _COLOURS[0]
        boxes.append(
            axes.text(
                x,
                y,
                label,
                ha="center",
                va="center",
                fontsize=8 * scale,
                fontweight="bold" if focus is not None and name == focus else "normal",
                bbox={
                    "boxstyle": "round,pad=0.3",
                    "facecolor": colour,
                    "edgecolor": "#777777",
                    "linewidth": 0.6 * scale,
                },
                zorder=3,
                **NAMES,
            )
        )
    with warnings.catch_warnings():
        # A font that lacks a letter draws a box; the picture is still worth having.
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure.draw_without_rendering()  # now the boxes have a size, at which arrows can end
    inverse = axes.transData.inverted()
    extents = [inverse.transform_bbox(box.get_bbox_patch().get_window_extent()) for box in boxes]
    for pairs, directed in ((graph._directed_indices(), True), (graph._undirected_indices(), False)):
        lines, heads, wide = [], [], []
        for a, b in pairs:
            # Boxes lie above lines, so that only arrow heads need to stop at them.
            points = layout.route(a, b)
            wide.append(0.9 * scale * _width(graph, a, b, widths))
            if directed:
                points = cut_at_box(points, (extents[b].width / 2, extents[b].height / 2))
                points, head = _head(points, 0.1, 0.035 + 0.012 * wide[-1] / scale)
                heads.append(head)
            lines.append(points)
        colour = "#555555" if directed else "#b06000"
        axes.add_collection(
            LineCollection(
                lines, colors=colour, linewidths=wide, linestyles="solid" if directed else (0, (4, 2)), zorder=1
            )
        )
        axes.add_collection(PolyCollection(heads, facecolors=colour, edgecolors="none", zorder=2))
    return figure


def _halves(graph: Graph) -> NDArray[np.float64]:
    """Half of the width and height of each variable's box, in inches at a font of eight points."""
    labels = [_shortened(visible(name)) for name in graph.variables]
    return np.array([(0.036 * len(text) + 0.14, 0.14) for text in labels]).reshape(-1, 2)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _head(points: NDArray[np.float64], length: float, half: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a line shortened by an arrow head, and the head's three corners, in the units of the line."""
    tip = points[-1]
    before = points[:-1][np.linalg.norm(points[:-1] - tip, axis=1) > length]
    towards = tip - (before[-1] if len(before) else points[0])
    size = float(np.linalg.norm(towards))
    direction = towards / size if size > 0 else np.array((0.0, -1.0))
    base = tip - direction * length
    aside = np.array((-direction[1], direction[0])) * half
    line = np.vstack([before, base]) if len(before) else np.vstack([points[0], base])
    return line, np.vstack([tip, base + aside, base - aside])


_DARK = ("#3b75af", "#ef8636", "#519e3e", "#c53a32", "#8d69b8", "#84584e", "#d57dbe", "#7f7f7f", "#bcbd45", "#57bccc")


def plot_path(points: Sequence[PathPoint], path: Any = None) -> Any:
    """Draw score and number of edges along the solution path."""
    figure = _figure(5.5, 3.2)
    axes = figure.add_subplot()
    alphas = [point.alpha for point in points]
    axes.semilogx(alphas, [point.score for point in points], "o-", color=_DARK[0], label="score")
    chosen = next((point for point in points if point.selected), None)
    if chosen is not None:
        axes.axvline(chosen.alpha, color="#999999", linestyle=":", linewidth=1)
    axes.set_xlabel("significance level")
    axes.set_ylabel("score", color=_DARK[0])
    if len(alphas) == 1:
        axes.set_xlim(alphas[0] / 10, min(1.0, alphas[0] * 10))
    twin = axes.twinx()
    twin.semilogx(alphas, [point.edges for point in points], "s--", color=_DARK[1], markersize=4)
    twin.set_ylabel("edges", color=_DARK[1])
    if path is not None:
        save(figure, path)
    return figure


def save(figure: Any, path: Any, dpi: int = 150) -> None:
    """Write a figure, whole or not at all."""
    from phgs.output import write_whole

    write_whole(path, rendered(figure, path, dpi))


def check_format(path: Any) -> str:
    """Return the format that a path's ending names; an unknown one raises."""
    from pathlib import Path

    from phgs.errors import ParameterError

    known = _figure(1, 1).canvas.get_supported_filetypes()
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in known:
        raise ParameterError(f"cannot draw {path}: end its name in .png, .svg or .pdf")
    return kind


def rendered(figure: Any, path: Any, dpi: int = 150) -> bytes:
    """Return the bytes of a picture in the format that the path's ending names."""
    import io
    import warnings

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # A font that lacks a letter draws a box; the picture is still worth having.
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure.savefig(buffer, format=check_format(path), dpi=dpi)
    return buffer.getvalue()
