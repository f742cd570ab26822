"""Pictures, by matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.graphs.layout import Layout, cut_at_box, layered
from phgs.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phgs.data.frames import Name
    from phgs.graphs.graph import Graph
    from phgs.result import PathPoint

LABELLED = 120
"""Graphs with more nodes than this are drawn without labels."""

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
) -> Any:
    """Draw a graph in layers, arrows downwards; undirected edges have no head.

    Parameters
    ----------
    graph
        The graph; isolated nodes are drawn below the rest.
    path
        Where to write the picture; the ending says how (PNG, SVG, PDF).
    focus
        Draw only this variable, what is adjacent to it, and what is adjacent to that.
    clusters
        Cluster of each variable, for colours.
    title
        Title of the picture.
    widths
        For the pair of each edge a number in [0, 1]: how wide it is drawn.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; no window is opened.
    """
    if focus is not None:
        graph = around(graph, focus)
    if graph.n_variables <= LABELLED:
        arcs, edges = graph._directed_indices(), graph._undirected_indices()
        figure = _with_labels(graph, layered(graph.n_variables, arcs, edges), clusters, focus, title, widths)
    else:
        figure = _without_labels(graph, clusters, title, widths)
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


def _with_labels(
    graph: Graph,
    layout: Layout,
    clusters: Mapping[Name, int] | None,
    focus: Name | None,
    title: str,
    widths: Mapping[frozenset[Name], float] | None,
) -> Any:
    """Draw boxes with names, arrows that end at the boxes."""
    import warnings

    longest = max((len(visible(name)) for name in graph.variables), default=1)
    step = (max(0.85, 0.085 * longest + 0.25), 0.8)
    layout = layout.scaled(*step)
    places = layout.places
    margin = np.array((step[0] / 2 + 0.1, 0.4))
    low, high = (layout.corners[0] - margin, layout.corners[1] + margin) if graph.n_variables else (-margin, margin)
    width, height = high - low
    scale = min(1.0, 40.0 / max(width, height))
    figure = _figure(max(3.0, width * scale), max(2.0, height * scale + 0.3))
    axes = _axes(figure, title)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    boxes = []
    for name, (x, y) in zip(graph.variables, places, strict=True):
        colour = _COLOURS[clusters[name] % len(_COLOURS)] if clusters else _COLOURS[0]
        boxes.append(
            axes.text(
                x,
                y,
                visible(name),
                ha="center",
                va="center",
                fontsize=8 * scale,
                fontweight="bold" if focus is not None and name == focus else "normal",
                bbox={"boxstyle": "round,pad=0.3", "facecolor": colour, "edgecolor": "#777777", "linewidth": 0.6},
                zorder=2,
                **NAMES,
            )
        )
    with warnings.catch_warnings():
        # A font that lacks a letter draws a box; the picture is still worth having.
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure.draw_without_rendering()  # now the boxes have a size, at which arrows can end
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    inverse = axes.transData.inverted()
    for pairs, directed in ((graph._directed_indices(), True), (graph._undirected_indices(), False)):
        for a, b in pairs:
            box = inverse.transform_bbox(boxes[b].get_bbox_patch().get_window_extent())
            # Boxes lie above lines, so that only arrow heads need to stop at them.
            points = layout.route(a, b)
            axes.add_patch(
                FancyArrowPatch(
                    path=Path(cut_at_box(points, (box.width / 2, box.height / 2)) if directed else points),
                    arrowstyle="-|>,head_width=0.22,head_length=0.4" if directed else "-",
                    mutation_scale=8 * scale,
                    linewidth=0.9 * _width(graph, a, b, widths),
                    color="#555555" if directed else "#b06000",
                    zorder=1,
                )
            )
    return figure


def _without_labels(
    graph: Graph,
    clusters: Mapping[Name, int] | None,
    title: str,
    widths: Mapping[frozenset[Name], float] | None,
) -> Any:
    """Draw dots and lines: a view of the whole; `focus` shows a part."""
    from matplotlib.collections import LineCollection

    places = _radial(graph.n_variables, graph._pair_indices())
    figure = _figure(12.0, 12.0)
    axes = _axes(figure, title)
    for pairs, colour in ((graph._directed_indices(), "#888888"), (graph._undirected_indices(), "#b06000")):
        lines = [places[[a, b]] for a, b in pairs]
        wide = [0.5 * _width(graph, a, b, widths) for a, b in pairs]
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=wide, zorder=1))
    colours = [_DARK[(clusters[name] if clusters else 0) % len(_DARK)] for name in graph.variables]
    size = max(4.0, 8000.0 / graph.n_variables)
    axes.scatter(places[:, 0], places[:, 1], s=min(size, 25.0), c=colours, zorder=2, linewidths=0)
    axes.autoscale_view()
    return figure


_DARK = ("#3b75af", "#ef8636", "#519e3e", "#c53a32", "#8d69b8", "#84584e", "#d57dbe", "#7f7f7f", "#bcbd45", "#57bccc")


def _radial(n: int, edges: list[tuple[int, int]]) -> Any:
    """Place many nodes by a few rounds of springs, from a fixed start."""
    angle = np.arange(n) * np.pi * (3 - np.sqrt(5))
    places = np.sqrt(np.arange(n) + 0.5)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    if not edges:
        return places
    ends = np.asarray(edges)
    size = np.sqrt(n)
    for round_ in range(60):
        move = np.zeros_like(places)
        for start in range(0, n, 256):
            x, y = (places[start : start + 256, axis, None] - places[:, axis] for axis in (0, 1))
            weight = 1.0 / (x * x + y * y + 0.05)
            move[start : start + 256, 0] += np.einsum("ij,ij->i", x, weight)
            move[start : start + 256, 1] += np.einsum("ij,ij->i", y, weight)
        pull = (places[ends[:, 1]] - places[ends[:, 0]]) * 0.6
        np.add.at(move, ends[:, 0], pull)
        np.add.at(move, ends[:, 1], -pull)
        move -= places * 0.03
        length = np.linalg.norm(move, axis=1, keepdims=True)
        limit = size * 0.12 * (1 - round_ / 60) + 0.01
        places = places + move / np.maximum(length, 1e-9) * np.minimum(length, limit)
    return places * 1.6


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
