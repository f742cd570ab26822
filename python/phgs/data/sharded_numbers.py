"""A table of numbers whose rows are summed on the workers of a cluster, which are then free."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phgs import _core
from phgs.data import checks
from phgs.data.asking import Parts, check_memory, places_of
from phgs.data.gaussian import GaussianTable, Moments, refuse_infinite, refuse_other_than_numbers
from phgs.data.number_parts import Found, NumberPart
from phgs.errors import DataError
from phgs.names import named

if TYPE_CHECKING:
    from phgs.data.engines import Engine
    from phgs.data.frames import Name
    from phgs.data.parts import Piece

_BYTES_A_VALUE = 16.0
"""What a value takes on a worker: 8 bytes, and as many of the columns that are being put together."""


def summed(pieces: Sequence[tuple[Piece, int]], engine: Engine, columns: Sequence[str]) -> GaussianTable:
    """Have the workers of a cluster read all pieces, and sum products of all pairs of columns.

    The sums are exact, so that they are the same bit for bit however the rows are split, and in one process.

    Parameters
    ----------
    pieces
        What is read, with the number of rows of each.
    engine
        The cluster.
    columns
        The columns that are read.
    """
    places = places_of(engine)
    cut = cut_at_chunks([rows for _, rows in pieces], len(places))
    rows = [sum(end - first for _, first, end in part) for part in cut]
    check_memory(engine, places, rows, _BYTES_A_VALUE * len(columns))
    given = [
        ([pieces[i][0] for i, _, _ in part], [(first, end) for _, first, end in part], list(columns)) for part in cut
    ]
    parts = Parts(engine, NumberPart, given)
    try:
        parts.start(places)
        parts.work("read")
        found: list[Found] = parts.step("found", [()] * len(given))
        _check(found, columns)
        return _table(parts, found, tuple(columns))
    finally:
        parts.free()


def cut_at_chunks(rows: Sequence[int], n_parts: int) -> list[list[tuple[int, int, int]]]:
    """Cut pieces of so many rows into parts of about as many, each of which begins with a chunk of rows.

    Returns
    -------
    list
        Of each part the pieces that it reads, and of each of these the first row and the one after the last. No part is
        empty; a piece may lie in several.
    """
    chunk, total = _core.NumberSums.CHUNK, sum(rows)
    bounds = [min(total, round(total * i / n_parts / chunk) * chunk) for i in range(n_parts)] + [total]
    starts = np.concatenate([[0], np.cumsum(rows)]).tolist()
    parts = []
    for first, end in itertools.pairwise(bounds):
        lying = [
            (i, max(first, start), min(end, start + n)) for i, (start, n) in enumerate(zip(starts, rows, strict=False))
        ]
        part = [(i, begin - starts[i], stop - starts[i]) for i, begin, stop in lying if begin < stop]
        if part:
            parts.append(part)
    return parts


def _check(found: Sequence[Found], columns: Sequence[str]) -> None:
    """Refuse columns that cannot be used, as `as_gaussian` does."""
    others = sorted({i for part in found for i in part.not_numbers})
    refuse_other_than_numbers([columns[i] for i in others])
    refuse_infinite([name for i, name in enumerate(columns) if any(part.infinite[i] for part in found)])
    counts = {i: sum(part.missing[i] for part in found) for i in range(len(columns))}
    missing: dict[Name, int] = {columns[i]: count for i, count in counts.items() if count}
    if missing:
        raise DataError(
            f"missing values in {checks.with_counts(missing)}; on workers all values must be known: fill them in or"
            " leave the rows out in the files, or learn from phgs.shards(...).sample(rows)"
        )
    checks.refuse_one_row(sum(part.n_rows for part in found))


def _table(parts: Parts, found: Sequence[Found], names: tuple[str, ...]) -> GaussianTable:
    n_rows = sum(part.n_rows for part in found)
    ranges = [part.ranges for part in found if part.ranges is not None]
    sums = _core.NumberSums(n_rows, ranges)
    everyone = range(len(found))
    sums.centre(parts.call("sums", [(sums.centrings,) for _ in everyone]))
    parts.work("multiply", sums.centrings)
    with named(names):
        core = sums.dataset(parts.call("products", [() for _ in everyone]))
    moments = Moments(
        core.correlations(),
        np.array(core.log_variances()),
        np.array(sums.means()),
        np.min([least for least, _ in ranges], axis=0),
        np.max([largest for _, largest in ranges], axis=0),
        whole=all(part.whole for part in found),
    )
    return GaussianTable(names, n_rows, n_rows, moments=moments)
