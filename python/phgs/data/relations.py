"""Deterministic relations between columns: copies, and columns that one or two others determine.

Relations that chance explains are left out: where n rows fall into k configurations of the determining columns, n − k
rows repeat an earlier one; were the column independent, all of them would agree with probability at most q^(n − k),
with q the share of its most frequent state. A relation is reported when that is below `CHANCE` divided by the number
of relations looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs import _core
from phgs.data.packed import state_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.table import Categories

CHANCE = 1e-6
"""The highest probability, over all relations of a table, that a reported one is chance."""

FEW_ROWS = 30
"""In tables with fewer rows columns are copies of each other by chance."""

MOST_COLUMNS = 2000
"""Up to this many columns functions of one column are looked for; the work grows with the square of the number."""

MOST_COLUMNS_FOR_TWO = 150
"""Up to this many columns functions of two columns are looked for; the work grows with the cube of the number."""

MOST_CONFIGURATIONS = 256
"""Pairs of columns with more joint states than this are not looked at as determining another."""

_SAMPLE = 1024

_ROWS = 1 << 18
"""Rows that are looked at together: less memory, and most triples need no more."""


def copies(table: Categories) -> list[list[int]]:
    """Groups of columns that are the same partition of the rows.

    Codes are numbered by first appearance, so that copies under other labels have the same codes.
    """
    if table.n_rows < FEW_ROWS:
        return []
    return _core.copies(table.core)


def functions(table: Categories, groups: list[list[int]]) -> list[tuple[int, int]] | None:
    """Pairs (x, y) of columns such that y determines x and not the other way round; None for too many columns.

    Parameters
    ----------
    groups
        What `copies` returned: one column of each group is looked at.
    """
    columns = _candidates(table, groups)
    if len(columns) > MOST_COLUMNS:
        return None
    limit = math.log(CHANCE / max(1, len(columns) ** 2))
    found = _core.determined(table.core, columns)
    return sorted((x, y) for x, y in found if not _chance(table, x, _n_states(table, y), limit))


def functions_of_two(
    table: Categories, groups: list[list[int]], single: list[tuple[int, int]]
) -> list[tuple[int, int, int]] | None:
    """Triples (x, y, z) such that y and z together determine x, and neither alone; None for too many columns.

    Parameters
    ----------
    groups
        What `copies` returned.
    single
        What `functions` returned.
    """
    columns = _candidates(table, groups)
    if len(columns) > MOST_COLUMNS_FOR_TWO:
        return None
    sample = _sample(table, columns)
    known = set(single)
    states = [_n_states(table, x) for x in columns]
    limit = math.log(CHANCE / max(1, len(columns) ** 3))
    found = []
    for (i, y), (j, z) in combinations(enumerate(columns), 2):
        width = states[j]
        if states[i] * width > MOST_CONFIGURATIONS or (y, z) in known or (z, y) in known:
            continue
        held = _held(sample, sample[i].astype(np.int64) * width + sample[j])
        for x in (columns[k] for k in held if k not in (i, j)):
            if (x, y) in known or (x, z) in known:
                continue
            # First what most triples fail in their first rows.
            pair = _Pair(table, y, z, states[i], width)
            if pair.determines(x) and not _chance(table, x, pair.n_joint(), limit):
                found.append((x, y, z))
    return sorted(found)


def _candidates(table: Categories, groups: list[list[int]]) -> list[int]:
    """Columns that may determine or be determined: not constant, one of each group of copies, no identifiers."""
    left_out = {i for group in groups for i in group[1:]} | set(table.isolated)
    return [i for i in range(table.n_variables) if table.arities[i] > 1 and i not in left_out]


def _n_states(table: Categories, x: int) -> int:
    """Number of states of a column, missing among them where values are missing."""
    counts = state_counts(table.codes, x, table.arities[x])
    return max((state for state, count in enumerate(counts) if count), default=0) + 1


def _chance(table: Categories, x: int, n_configurations: int, log_limit: float) -> bool:
    """Whether chance explains that a column is the same wherever a configuration is."""
    most = max(state_counts(table.codes, x, table.arities[x]))
    repeats = table.n_rows - n_configurations
    return repeats * math.log(most / table.n_rows) > log_limit


def _sample(table: Categories, columns: list[int]) -> NDArray[Any]:
    """Rows that refute most relations, one column a line."""
    size = min(table.n_rows, _SAMPLE)
    rows = np.arange(size) * (table.n_rows - 1) // max(1, size - 1)
    return np.array([table.codes[x][rows] for x in columns], dtype=np.uint16).reshape(len(columns), len(rows))


def _held(sample: NDArray[Any], by: NDArray[Any]) -> list[int]:
    """Which columns of a sample are the same wherever another one is."""
    left = np.arange(len(sample))
    # A few of the rows first: they refute most.
    for step in (8, 1):
        some = by[::step]
        order = np.argsort(some, kind="stable")
        same = np.flatnonzero(some[order[1:]] == some[order[:-1]])
        rows = sample[left, ::step] if step > 1 else sample[left]
        differs = rows[:, order[same + 1]] != rows[:, order[same]]
        left = left[~differs.any(axis=1)]
    return left.tolist()  # type: ignore[no-any-return]


class _Pair(NamedTuple):
    """Two columns taken together, with the number of states of each."""

    table: Categories
    y: int
    z: int
    of_y: int
    of_z: int

    def parts(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Yield the joint states, some rows after others."""
        y, z = self.table.codes[self.y], self.table.codes[self.z]
        for start in range(0, self.table.n_rows, _ROWS):
            rows = slice(start, start + _ROWS)
            yield rows, y[rows].astype(np.int64) * self.of_z + z[rows]

    def n_joint(self) -> int:
        """Return the number of joint states that occur."""
        seen = np.zeros(self.of_y * self.of_z, dtype=np.bool_)
        for _, joint in self.parts():
            seen[joint] = True
        return int(np.count_nonzero(seen))

    def determines(self, x: int) -> bool:
        """Whether a column is the same in all rows where the two are."""
        value = np.full(self.of_y * self.of_z, -1, dtype=np.int32)
        of_x = self.table.codes[x]
        for rows, joint in self.parts():
            codes, before = of_x[rows], value[joint]
            if ((before != codes) & (before >= 0)).any():
                return False
            value[joint] = codes
            if (value[joint] != codes).any():
                return False
        return True
