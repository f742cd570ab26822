"""Layered positions of nodes: arrows point down, edges cross little."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SWEEPS = 24


def layered(n: int, arcs: list[tuple[int, int]], edges: list[tuple[int, int]]) -> NDArray[np.float64]:
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
    numpy.ndarray
        Of shape (n, 2): x and y of each node, layers one apart, the first layer on top.
    """
    around: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs + edges:
        around[a].append(b)
        around[b].append(a)
    positions = np.zeros((n, 2))
    left = 0.0
    for part in _components(n, around):
        if len(part) == 1:
            continue
        index = {node: i for i, node in enumerate(part)}
        inner_arcs = [(index[a], index[b]) for a, b in arcs if a in index]
        inner_edges = [(index[a], index[b]) for a, b in edges if a in index]
        places = _component(len(part), inner_arcs, inner_edges)
        places[:, 0] += left - places[:, 0].min()
        positions[part] = places
        left = places[:, 0].max() + 1.6
    alone = [node for node in range(n) if not around[node]]
    if alone:
        # Isolated nodes in rows below the rest.
        lowest = positions[:, 1].min() if len(alone) < n else 1.0
        columns = max(1, round(max(left - 1.6, np.sqrt(len(alone)) * 1.5)))
        for i, node in enumerate(alone):
            positions[node] = (i % columns, lowest - 1.2 - 0.8 * (i // columns))
    return positions


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


def _component(n: int, arcs: list[tuple[int, int]], edges: list[tuple[int, int]]) -> NDArray[np.float64]:
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
    for a, b in down:
        last = a
        for level in range(layer[a] + 1, layer[b]):
            layer_of.append(level)
            links.append((last, n_all))
            last = n_all
            n_all += 1
        links.append((last, b))
    for node in [*order, *range(n, n_all)]:
        layers[layer_of[node]].append(node)
    x = _place(n_all, layers, links)
    return np.column_stack([x[:n], -np.asarray(layer, dtype=float)])


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
