"""Positions of nodes: in layers, arrows pointing down, or by springs.

The core places each connected part; here the parts are put side by side so that they fill a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phgs import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Pairs = list[tuple[int, int]]

IN_LAYERS = 150
"""Connected parts of more nodes than this are wide bands in layers: they are placed by springs, or by groups."""


class Layout(NamedTuple):
    """Where nodes are, and where edges pass between other nodes.

    Attributes
    ----------
    places : numpy.ndarray
        Of shape (n, 2): x and y of each node, layers one apart, the first layer on top.
    bends : dict
        For an edge (a, b) that crosses layers the points that it passes on its way from a to b, of shape (k, 2).
    """

    places: NDArray[np.float64]
    bends: dict[tuple[int, int], NDArray[np.float64]]

    def scaled(self, x: float, y: float) -> Layout:
        """Return the same layout with other distances."""
        step = np.array((x, y))
        return Layout(self.places * step, {edge: points * step for edge, points in self.bends.items()})

    def shifted(self, by: NDArray[np.float64]) -> Layout:
        """Return the same layout elsewhere."""
        return Layout(self.places + by, {edge: points + by for edge, points in self.bends.items()})

    @property
    def corners(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest x and y of all nodes and bends."""
        points = np.vstack([self.places, *self.bends.values()])
        return points.min(axis=0), points.max(axis=0)

    def route(self, a: int, b: int) -> NDArray[np.float64]:
        """Return points of a smooth line from the middle of a to the middle of b, of shape (k, 2)."""
        corners = np.vstack([self.places[a], self.bends.get((a, b), np.empty((0, 2))), self.places[b]])
        if len(corners) == 2:
            return corners
        # Quadratic curves with the corners as controls, joined half way between them.
        joints = [corners[0], *((corners[i] + corners[i + 1]) / 2 for i in range(1, len(corners) - 2)), corners[-1]]
        share = np.linspace(0, 1, 9)[:, None]
        pieces = [
            (1 - share) ** 2 * joints[i] + 2 * share * (1 - share) * corners[i + 1] + share**2 * joints[i + 1]
            for i in range(len(joints) - 1)
        ]
        return np.vstack([pieces[0], *(piece[1:] for piece in pieces[1:])])


def cut_at_box(points: NDArray[np.float64], half: tuple[float, float]) -> NDArray[np.float64]:
    """Cut a line where it enters the box around its last point; `half` is half of the box's width and height."""
    inside = (np.abs(points - points[-1]) <= half).all(axis=1)
    if inside.all():
        return points
    last = int(np.flatnonzero(~inside)[-1])
    outer, inner = points[last] - points[-1], points[last + 1] - points[-1]
    step = inner - outer
    shares = [
        (np.sign(outer[i]) * half[i] - outer[i]) / step[i] for i in (0, 1) if abs(outer[i]) > half[i] and step[i] != 0
    ]
    entry = points[-1] + outer + max(shares) * step
    return np.vstack([points[: last + 1], entry])


def layered(
    n: int,
    arcs: Pairs,
    edges: Pairs,
    groups: Sequence[int] | None = None,
    widths: Sequence[float] | None = None,
    aspect: float = 2.0,
) -> Layout:
    """Place n nodes in layers.

    Parameters
    ----------
    n
        Number of nodes.
    arcs
        Directed edges.
    edges
        Undirected edges.
    groups
        For each node the number of its group (cluster): a connected part of more than `IN_LAYERS` nodes is placed group
        by group, one beside the other.
    widths
        For each node the room that it takes in its layer; by default one.
    aspect
        How much wider than high the whole should be.

    Returns
    -------
    Layout
        Nodes and the bends of edges. Parts that are not connected stand in rows, isolated nodes below them.
    """
    parts = components(n, arcs + edges)
    if groups is not None:
        parts = [piece for part in parts for piece in _by_group(part, groups, arcs, edges)]

    room = [1.0] * n if widths is None else [float(width) for width in widths]

    def place(part: list[int], inner_arcs: Pairs, inner_edges: Pairs) -> Layout:
        places, (points, starts) = _core.layered([room[node] for node in part], inner_arcs, inner_edges)
        bends: dict[tuple[int, int], NDArray[np.float64]] = {}
        ends = starts.tolist()
        for (a, b), start, end in zip(inner_arcs + inner_edges, ends, ends[1:], strict=False):
            if start < end:
                bends[a, b] = points[start:end]
                bends[b, a] = bends[a, b][::-1]
        return Layout(places, bends)

    return _side_by_side(n, parts, arcs, edges, place, room, aspect)


def springs(n: int, pairs: Pairs, aspect: float = 1.6) -> Layout:
    """Place n nodes by springs between neighbours and repulsion (Hu 2005): a map of a large graph.

    Edges are about one long. Parts that are not connected stand in rows, isolated nodes below them.
    """

    def place(part: list[int], inner: Pairs, _: Pairs) -> Layout:
        places = _core.force(len(part), inner)
        # From the top left corner on, as layers are.
        return Layout(places - (0.0, float(places[:, 1].max())), {})

    return _side_by_side(n, components(n, pairs), pairs, [], place, [1.0] * n, aspect)


def components(n: int, pairs: Pairs) -> list[list[int]]:
    """Return the connected parts, the largest first, each in the order of its nodes."""
    around: list[list[int]] = [[] for _ in range(n)]
    for a, b in pairs:
        around[a].append(b)
        around[b].append(a)
    seen = [False] * n
    parts = []
    for start in range(n):
        if seen[start]:
            continue
        seen[start] = True
        part, stack = [], [start]
        while stack:
            node = stack.pop()
            part.append(node)
            for other in around[node]:
                if not seen[other]:
                    seen[other] = True
                    stack.append(other)
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _by_group(part: list[int], groups: Sequence[int], arcs: Pairs, edges: Pairs) -> list[list[int]]:
    """Take a large part apart by groups, and each of them into its connected parts."""
    if len(part) <= IN_LAYERS:
        return [part]
    inside = set(part)
    members: dict[int, list[int]] = {}
    for node in part:
        members.setdefault(groups[node], []).append(node)
    pieces: list[list[int]] = []
    same = [(a, b) for a, b in arcs + edges if a in inside and groups[a] == groups[b]]
    for group in sorted(members):
        index = {node: i for i, node in enumerate(members[group])}
        inner = [(index[a], index[b]) for a, b in same if a in index]
        pieces += [[members[group][i] for i in piece] for piece in components(len(index), inner)]
    return pieces


def _side_by_side(
    n: int,
    parts: list[list[int]],
    arcs: Pairs,
    edges: Pairs,
    place: Callable[[list[int], Pairs, Pairs], Layout],
    room: list[float],
    aspect: float,
) -> Layout:
    """Place each part and put them in rows that fill a page."""
    which, index = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
    for number, part in enumerate(parts):
        which[part] = number
        index[part] = np.arange(len(part))
    numbers, indices = which.tolist(), index.tolist()
    inner: list[tuple[Pairs, Pairs]] = [([], []) for _ in parts]
    for kind, pairs in enumerate((arcs, edges)):
        for a, b in pairs:
            if numbers[a] == numbers[b]:
                inner[numbers[a]][kind].append((indices[a], indices[b]))
    positions = np.zeros((n, 2))
    bends: dict[tuple[int, int], NDArray[np.float64]] = {}
    drawn = [(part, place(part, *inner[number])) for number, part in enumerate(parts) if len(part) > 1]
    corners = [layout.corners for _, layout in drawn]
    # Nodes at the sides stand half out of the corners, which are places.
    widest = max(room, default=1.0)
    sizes = [high - low + np.array((widest + 0.6, 1.4)) for low, high in corners]
    alone = [part[0] for part in parts if len(part) == 1]
    area = sum(float(w * h) for w, h in sizes) + 0.8 * sum(room[node] for node in alone)
    # Rows as wide as the widest part, or wide enough for a picture of the wanted shape.
    wide = max([float(size[0]) for size in sizes] + [float(np.sqrt(aspect * area))])
    left, top, lowest = 0.0, 0.0, 0.0
    # The highest first, so that parts in a row are about as high as each other.
    for i in sorted(
        range(len(drawn)), key=lambda i: (-round(float(sizes[i][1]), 6), -len(drawn[i][0]), drawn[i][0][0])
    ):
        (part, layout), size = drawn[i], sizes[i]
        if left and left + size[0] > wide + 1e-9:
            left, top = 0.0, lowest
        moved = layout.shifted(np.array((left - corners[i][0][0], top)))
        positions[part] = moved.places
        bends.update({(part[a], part[b]): points for (a, b), points in moved.bends.items()})
        left += float(size[0])
        lowest = min(lowest, top - float(size[1]))
    right = max(wide - widest - 0.6, widest * float(np.sqrt(len(alone))) * 1.5)
    x, y = 0.0, lowest
    for i, node in enumerate(alone):
        if i:
            x += (room[alone[i - 1]] + room[node]) / 2
            if x > right + 1e-9:
                x, y = 0.0, y - 0.8
        positions[node] = (x, y)
    return Layout(positions, bends)
