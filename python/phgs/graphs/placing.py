"""Where the static picture puts variables: our own layouts, Graphviz's, or places that a user gives."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.errors import ParameterError
from phgs.graphs.layout import IN_LAYERS, Layout, components, layered, springs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name
    from phgs.graphs.graph import Graph

GRAPHVIZ = ("dot", "neato", "fdp", "sfdp", "twopi", "circo")
"""Programs of Graphviz that place nodes."""

OWN = ("auto", "layers", "springs")

_POINTS = 72.0


def placed(
    graph: Graph,
    layout: str | Mapping[Name, Sequence[float]] | Callable[[Any], Any],
    clusters: Mapping[Name, int] | None,
    halves: NDArray[np.float64],
) -> Layout:
    """Place the variables of a graph, in inches.

    Parameters
    ----------
    graph
        The graph.
    layout
        See `Graph.plot`.
    clusters
        Cluster of each variable.
    halves
        Half of the width and height of each variable's box, of shape (n, 2).
    """
    if not isinstance(layout, str):
        return _given(graph, layout)
    if layout in GRAPHVIZ:
        return _graphviz(graph, layout, halves)
    if layout not in OWN:
        from phgs.names import unknown

        raise ParameterError(f"layout: {unknown('layout', layout, (*OWN, *GRAPHVIZ))}")
    n = graph.n_variables
    arcs, edges = graph._directed_indices(), graph._undirected_indices()
    if layout == "auto":
        largest = len(components(n, arcs + edges)[0]) if n else 0
        layout = "layers" if largest <= IN_LAYERS or clusters is not None else "springs"
    if layout == "layers":
        groups = None if clusters is None else [clusters[name] for name in graph.variables]
        widths = [max(0.6, 2 * wide + 0.16) for wide in halves[:, 0].tolist()]
        return layered(n, arcs, edges, groups, widths).scaled(1.0, 0.8)
    # A map: as small as names allow, those that still touch moved apart.
    found = springs(n, arcs + edges)
    crowding = 1.6 * float(np.sqrt((4 * (halves[:, 0] + 0.08) * (halves[:, 1] + 0.12)).mean())) if n else 1.0
    places = found.places * max(crowding, 0.6)
    return Layout(_core.separate(places, halves + np.array((0.06, 0.1))), {})


def _given(graph: Graph, layout: Mapping[Name, Sequence[float]] | Callable[[Any], Any]) -> Layout:
    """Take places that a user gives, stretched to what names need."""
    found: Any = layout(graph.to_networkx()) if callable(layout) else layout
    try:
        places = np.array([[float(x) for x in found[name]] for name in graph.variables], dtype=float).reshape(-1, 2)
    except (KeyError, TypeError, ValueError) as error:
        raise ParameterError(
            f"layout: a mapping has the place (x, y) of every variable; found {type(found).__name__} and {error!r}"
        ) from None
    if not np.isfinite(places).all():
        raise ParameterError("layout: places must be finite numbers")
    if len(places) > 1:
        size = places.max(axis=0) - places.min(axis=0)
        largest = float(size.max())
        if largest > 0:
            places = places * (1.2 * float(np.sqrt(len(places))) / largest)
    return Layout(places, {})


def _graphviz(graph: Graph, program: str, halves: NDArray[np.float64]) -> Layout:
    """Let a program of Graphviz place boxes and lines; names stay here, so that nothing in them is read as markup."""
    command = shutil.which(program)
    if command is None:
        raise ParameterError(
            f"layout: '{program}' is a program of Graphviz, which is not installed here; install Graphviz or choose"
            " 'layers' or 'springs'"
        )
    lines = ["digraph {", 'node [shape=box, label="", fixedsize=true];', "overlap=prism; ranksep=0.45; nodesep=0.15;"]
    lines += [f"{i} [width={2 * w:.3f}, height={2 * h:.3f}];" for i, (w, h) in enumerate(halves.tolist())]
    lines += [f"{a} -> {b};" for a, b in graph._directed_indices()]
    lines += [f"{a} -> {b} [dir=none];" for a, b in graph._undirected_indices()]
    # The command is one of GRAPHVIZ, and what it reads is made of numbers.
    done = subprocess.run([command, "-Tjson"], input="\n".join([*lines, "}"]), capture_output=True, text=True)  # noqa: S603
    if done.returncode != 0:
        raise ParameterError(f"layout: {program} failed: {' '.join(done.stderr.split())}")
    found = json.loads(done.stdout)
    places = np.zeros((graph.n_variables, 2))
    node_of = {}
    for node in found.get("objects", ()):
        node_of[node["_gvid"]] = int(node["name"])
        places[int(node["name"])] = [float(x) / _POINTS for x in node["pos"].split(",")]
    bends = {}
    for edge in found.get("edges", ()):
        a, b = node_of[edge["tail"]], node_of[edge["head"]]
        points = _spline(edge.get("pos", ""))
        if len(points) > 4:
            bends[a, b] = points[1:-1]
            bends[b, a] = bends[a, b][::-1]
    return Layout(places, bends)


def _spline(text: str) -> NDArray[np.float64]:
    """Return points of a line of Graphviz: pieces of third degree, each with two controls between its ends."""
    corners = [part for part in text.split() if part[:2] not in ("e,", "s,")]
    points = np.array([[float(x) / _POINTS for x in corner.split(",")] for corner in corners]).reshape(-1, 2)
    if len(points) < 4:
        return points
    share = np.linspace(0, 1, 5)[:, None]
    pieces = [points[:1]]
    for i in range(0, len(points) - 3, 3):
        p, q, r, s = points[i : i + 4]
        curve = (1 - share) ** 3 * p + 3 * share * (1 - share) ** 2 * q + 3 * share**2 * (1 - share) * r + share**3 * s
        pieces.append(curve[1:])
    return np.vstack(pieces)
