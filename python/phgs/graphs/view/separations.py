"""The separating sets of pairs without an edge, as few bytes: a thousand variables have tens of thousands of them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from phgs.texts import p_value_text

Separated = tuple[int, int, float, list[int]]
"""Two variables in ascending order, the log of the largest p-value, the set that gave it, ascending."""


def nearest(
    n: int, edges: Sequence[tuple[int, int]], pairs: Sequence[Separated], most: int
) -> tuple[list[Separated] | None, int | None]:
    """Keep the pairs that are nearest in the graph, not more than asked for.

    Returns
    -------
    list of tuple or None
        All pairs up to some number of edges apart. None: there are too many two edges apart.
    int or None
        That number; None for all pairs.
    """
    if len(pairs) <= most:
        return list(pairs), None
    x, y = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    # One bit for each variable that can be reached, all variables at once.
    reached = np.zeros((n, (n + 63) // 64), dtype=np.uint64)
    nodes = np.arange(n)
    reached[nodes, nodes // 64] = np.uint64(1) << (nodes % 64).astype(np.uint64)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    tails, heads = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    heads = heads[np.argsort(tails, kind="stable")]
    joined, starts = np.unique(np.sort(tails), return_index=True)
    found, steps = np.zeros(len(pairs), dtype=bool), 0
    while True:
        wider = reached.copy()
        if len(joined):
            wider[joined] |= np.bitwise_or.reduceat(reached[heads], starts, axis=0)
        inside = (wider[x, y // 64] >> (y % 64).astype(np.uint64) & np.uint64(1)).astype(bool)
        # Where no more can be reached, the rest of the pairs are in different parts.
        if np.count_nonzero(inside) > most or np.array_equal(wider, reached):
            break
        reached, found, steps = wider, inside, steps + 1
    if steps < 2:
        return None, None
    return [pair for pair, kept in zip(pairs, found.tolist(), strict=True) if kept], steps


def packed(n: int, edges: Sequence[tuple[int, int]], pairs: Sequence[Separated]) -> dict[str, Any]:
    """Write pairs as columns of small numbers, each compressed on its own.

    A member of a set is told by its place among the variables that are likely: the neighbours of the two, and what
    separated the two from others before, the latest first. The viewer keeps the same lists.
    """
    per_row = [0] * n
    gaps, digits, powers, sizes, places = [], [], [], [], []
    likely: list[list[int]] = [[] for _ in range(n)]
    for a, b in sorted((min(edge), max(edge)) for edge in edges):
        likely[a].append(b)
        likely[b].append(a)
    row, last = -1, 0
    for x, y, log_p, given in sorted(pairs):
        if x != row:
            row, last = x, x
        per_row[x] += 1
        gaps.append(y - last - 1)
        last = y
        digit, power = _decimal(log_p)
        digits.append(digit)
        powers.append(power)
        sizes.append(len(given))
        place = {z: i for i, z in enumerate(_alternating(likely[x], likely[y]))}
        before = -1
        for code in sorted(place.get(z, len(place) + z) for z in given):
            places.append(code - before - 1)
            before = code
        for end in (x, y):
            likely[end] = [*given, *(z for z in likely[end] if z not in given)]
    columns = (per_row, gaps, digits, powers, sizes, places)
    return {"columns": [_column(values) for values in columns], "pairs": len(pairs), "variables": n}


def _alternating(first: list[int], second: list[int]) -> list[int]:
    return [z for z in dict.fromkeys(chain.from_iterable(zip_longest(first, second, fillvalue=-1))) if z >= 0]


def _decimal(log_p: float) -> tuple[int, int]:
    """Three digits and a power of ten, as it is written everywhere; no digits for what is below the least float."""
    text = p_value_text(log_p)
    if text.startswith("10^"):
        return 0, min(10**6, int(-max(float(text[3:]), -1e6)))
    digits, power = f"{float(text):.2e}".split("e")
    return int(digits.replace(".", "")), -int(power)


def _column(values: Sequence[int]) -> str:
    """Compress numbers byte by byte, the high bytes first: of these nearly all are equal."""
    numbers = np.asarray(values, dtype=np.uint32)
    planes = [(numbers >> shift).astype(np.uint8) for shift in (24, 16, 8, 0)]
    while len(planes) > 1 and not planes[0].any():
        planes.pop(0)
    compressor = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9)
    out = []
    for plane in planes:
        # A code of its own for each plane.
        out += [compressor.compress(plane.tobytes()), compressor.flush(zlib.Z_SYNC_FLUSH)]
    return base64.b64encode(b"".join([*out, compressor.flush()])).decode()
