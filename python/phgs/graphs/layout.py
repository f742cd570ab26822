"""Layered positions of nodes: arrows point down, edges cross little."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_SWEEPS = 24
_FLAT = 2.0
_BESIDE_BOXES = np.array([(0.0, 0.25), (0.0, -0.25)])


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


def layered(n: int, arcs: list[tuple[int, int]], edges: list[tuple[int, int]]) -> Layout:
    """Place n nodes in layers.

    Parameters
    ----------
    n
        Number of nodes.
    arcs
        Directed edges.
    edges
        Undirected edges.

    Returns
    -------
    Layout
        Nodes and the bends of edges. Parts that are not connected stand in rows, isolated nodes below them.
    """
    around: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs + edges:
        around[a].append(b)
        around[b].append(a)
    positions = np.zeros((n, 2))
    bends: dict[tuple[int, int], NDArray[np.float64]] = {}
    parts = [part for part in _components(n, around) if len(part) > 1]
    drawn = []
    for part in parts:
        index = {node: i for i, node in enumerate(part)}
        inner_arcs = [(index[a], index[b]) for a, b in arcs if a in index]
        inner_edges = [(index[a], index[b]) for a, b in edges if a in index]
        drawn.append(_component(len(part), inner_arcs, inner_edges))
    sizes = [layout.corners[1] - layout.corners[0] + np.array((1.6, 1.4)) for layout in drawn]
    # Rows as wide as the widest part, or wide enough for a picture about twice as wide as high.
    wide = max([float(size[0]) for size in sizes] + [1.4 * float(np.sqrt(sum(w * h for w, h in sizes)))])
    left, top, lowest = 0.0, 0.0, 0.0
    for part, layout, size in zip(parts, drawn, sizes, strict=True):
        if left and left + size[0] > wide:
            left, top = 0.0, lowest
        moved = layout.shifted(np.array((left - layout.corners[0][0], top)))
        positions[part] = moved.places
        bends |= {(part[a], part[b]): points for (a, b), points in moved.bends.items()}
        left += float(size[0])
        lowest = min(lowest, top - float(size[1]))
    alone = [node for node in range(n) if not around[node]]
    columns = max(1, round(max(wide - 1.6, np.sqrt(len(alone)) * 1.5)))
    for i, node in enumerate(alone):
        positions[node] = (i % columns, lowest - 0.8 * (i // columns))
    return Layout(positions, bends)


def _components(n: int, around: list[list[int]]) -> list[list[int]]:
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


def _component(n: int, arcs: list[tuple[int, int]], edges: list[tuple[int, int]]) -> Layout:
    order = _order(n, arcs, edges)
    rank = {node: i for i, node in enumerate(order)}
    down = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in arcs + edges]
    layer = [0] * n
    for node in order:
        for a, b in down:
            if a == node:
                layer[b] = max(layer[b], layer[a] + 1)
    # Pull nodes down towards their children, so that edges are short.
    for node in reversed(order):
        below = [layer[b] for a, b in down if a == node]
        if below:
            layer[node] = max(layer[node], min(below) - 1)
    layers: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    # Long edges pass through a dummy in each layer between.
    n_all = n
    layer_of = list(layer)
    links: list[tuple[int, int]] = []
    passed: dict[tuple[int, int], list[int]] = {}
    for a, b in down:
        last, first = a, n_all
        for level in range(layer[a] + 1, layer[b]):
            layer_of.append(level)
            links.append((last, n_all))
            last = n_all
            n_all += 1
        links.append((last, b))
        if n_all > first:
            passed[a, b] = list(range(first, n_all))
    for node in [*order, *range(n, n_all)]:
        layers[layer_of[node]].append(node)
    x = _place(n_all, layers, links)
    points = np.column_stack([x, -np.asarray(layer_of, dtype=float)])
    bends: dict[tuple[int, int], NDArray[np.float64]] = {}
    for a, b in down:
        # Straight down beside the boxes of a layer, so that a flat line does not run behind one.
        inner = (points[passed.get((a, b), [])][:, None] + _BESIDE_BOXES).reshape(-1, 2)
        corners = np.vstack([points[a], inner, points[b]])
        flat = np.abs(np.diff(corners[:, 0])) > _FLAT
        if flat[0]:
            inner = np.vstack([points[a] + _BESIDE_BOXES[1], inner])
        if flat[-1]:
            inner = np.vstack([inner, points[b] + _BESIDE_BOXES[0]])
        if len(inner):
            bends[a, b] = inner
            bends[b, a] = bends[a, b][::-1]
    return Layout(points[:n], bends)


def _order(n: int, arcs: list[tuple[int, int]], edges: list[tuple[int, int]]) -> list[int]:
    """Order the nodes so that arcs go forward (cycles broken at the lowest node) and undirected edges stay near."""
    parents: list[set[int]] = [set() for _ in range(n)]
    for a, b in arcs:
        parents[b].add(a)
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs + edges:
        near[a].append(b)
        near[b].append(a)
    order: list[int] = []
    left = set(range(n))
    touched = [0] * n
    while left:
        free = [node for node in left if not parents[node] & left] or [min(left)]
        node = min(free, key=lambda v: (-touched[v], -len(near[v]), v))
        order.append(node)
        left.discard(node)
        for other in near[node]:
            touched[other] += 1
    return order


def _place(n: int, layers: list[list[int]], links: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Order each layer by the medians of its neighbours, sweeping down and up, and space nodes evenly."""
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for a, b in links:
        above[b].append(a)
        below[a].append(b)
    x: NDArray[np.float64] = np.zeros(n)
    for members in layers:
        for i, node in enumerate(members):
            x[node] = i - (len(members) - 1) / 2
    best: NDArray[np.float64] = x.copy()
    best_crossings = _crossings(layers, below, x)
    for sweep in range(_SWEEPS):
        towards, around = (layers, above) if sweep % 2 == 0 else (layers[::-1], below)
        for members in towards:
            wished = {v: float(np.mean(x[around[v]])) if around[v] else x[v] for v in members}
            _spread(members, wished, x)
        crossings = _crossings(layers, below, x)
        if crossings <= best_crossings:
            best, best_crossings = x.copy(), crossings
    return best


def _spread(members: list[int], wished: dict[int, float], x: NDArray[np.float64]) -> None:
    """Put the nodes of a layer as near to where they wish to be as an even spacing of one allows."""
    members.sort(key=lambda v: (wished[v], x[v], v))
    wishes = np.array([wished[v] for v in members]) - np.arange(len(members))
    # Isotonic regression: wishes must not fall; blocks that would are averaged.
    blocks: list[list[float]] = []
    for wish in wishes:
        blocks.append([wish, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value, weight = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + value * weight) / (blocks[-1][1] + weight),
                blocks[-1][1] + weight,
            ]
    fitted = np.repeat([b[0] for b in blocks], [int(b[1]) for b in blocks]) + np.arange(len(members))
    for node, value in zip(members, fitted, strict=True):
        x[node] = value


def _crossings(layers: list[list[int]], below: list[list[int]], x: NDArray[np.float64]) -> int:
    count = 0
    for members in layers:
        ends = [x[b] for a in sorted(members, key=lambda v: x[v]) for b in sorted(below[a], key=lambda v: x[v])]
        values = np.asarray(ends)
        for i in range(1, len(values)):
            count += int(np.count_nonzero(values[:i] > values[i] + 1e-9))
    return count
