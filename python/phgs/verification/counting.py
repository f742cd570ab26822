"""Rows read part by part, and counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from phgs import _core
from phgs.data import checks
from phgs.data.columns import CodedColumn, Stored, complete_rows
from phgs.data.growing import Growing
from phgs.data.packed import state_codes, stored
from phgs.data.shards import Shards, is_many, shards
from phgs.data.table import CategoricalTable
from phgs.data.values import Problem
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name
    from phgs.data.sharded import ShardedTable
    from phgs.result import Result


Usable = TypeVar("Usable")

MOST_CELLS = 1 << 20
"""Tables with more cells are not counted."""

MOST_TOGETHER = 1 << 25
"""Cells that are counted in one pass over the rows (256 MiB); where there are more, the rows are read again."""


@dataclass(frozen=True)
class Source:
    """Where rows come from: a table as it is, or files."""

    table: CategoricalTable | None
    shards: Shards | None = None
    columns: tuple[str, ...] = ()
    declared: frozenset[str] = frozenset()
    missing: str = "error"
    sharded: ShardedTable | None = None

    def parts(self) -> Iterator[tuple[list[Stored], list[int]]]:
        """Yield the rows in parts: codes of each column, and how many states each has shown so far."""
        if self.table is not None:
            yield list(stored(self.table.codes)), list(self.table.arities)
            return
        assert self.shards is not None
        growing = [Growing(name in self.declared) for name in self.columns]
        for group in self.shards.row_groups(self.columns):
            read = (column.read(values) for column, values in zip(growing, group.columns, strict=True))
            found = self._without_missing(self._usable(read))
            codes = self._usable(column.number(part) for column, part in zip(growing, found, strict=True))
            yield [*codes], [max(1, len(column.codes_of)) for column in growing]

    def _usable(self, found: Iterable[Usable | Problem]) -> list[Usable]:
        """Refuse columns that cannot be used."""
        found = list(found)
        checks.refuse({name: part for name, part in zip(self.columns, found, strict=True) if isinstance(part, Problem)})
        return [part for part in found if not isinstance(part, Problem)]

    def _without_missing(self, found: list[CodedColumn]) -> list[CodedColumn]:
        """Treat missing values as the method did that learned."""
        if not any(part.missing for part in found):
            return found
        if self.missing not in ("drop", "level"):
            name = next(name for name, part in zip(self.columns, found, strict=True) if part.missing)
            raise DataError(
                f"column {name!r} has missing values, and verify counts rows as they are; learn with missing='drop' or"
                " missing='level'"
            )
        if self.missing == "drop":
            kept = complete_rows(found)
            return self._usable(part.on_rows(kept, missing_is_state=False) for part in found)
        whole = self._usable(part.on_rows(None, missing_is_state=True) for part in found)
        # The state of missing values has one name in all parts, which no other state has.
        return [
            replace(after, labels=[label if label in before.labels else None for label in after.labels])
            for before, after in zip(found, whole, strict=True)
        ]


def source_of(result: Result, data: Any) -> Source:
    """Return where the rows of data are, or say why they cannot be counted."""
    if not (isinstance(data, Shards) or is_many(data)):
        table = result._needed_data(data)
        if not isinstance(table, CategoricalTable):
            raise ParameterError("missing: verify counts complete rows; read the data with missing='drop' or 'level'")
        if table.weights is not None:
            raise ParameterError("data: verify counts rows, and these have weights; give the rows without them")
        for name in result.variables:
            if name not in table.position:
                raise ParameterError(f"data: {unknown('column', name, table.names)}")
        return Source(table if table.names == result.variables else _in_order(table, result.variables))
    source = shards(data)
    missing = result.parameters.get("missing", "error")
    if missing == "testwise":
        raise ParameterError("missing: verify counts complete rows; learn with missing='drop' or 'level'")
    columns = tuple(str(name) for name in result.variables)
    for name in columns:
        if name not in source.names:
            raise ParameterError(f"data: {unknown('column', name, source.names)}")
    # What was found to be categories is so whatever the labels look like.
    declared = {str(name) for name, kind in result.kinds.items() if kind == "category"}
    declared.update(map(str, result.parameters.get("categories") or ()))
    if source.on is not None:
        table = source.opened(None, columns).spread(declared.intersection(columns), found_out=True, missing=missing)
        return Source(None, None, columns, frozenset(declared), missing, table)
    return Source(None, source, columns, frozenset(declared), missing)


def _in_order(table: CategoricalTable, names: tuple[Name, ...]) -> CategoricalTable:
    at = [table.position[name] for name in names]
    codes, levels = state_codes(stored(table.codes)[i] for i in at), tuple(table.levels[i] for i in at)
    return table._of_columns(names, codes, levels, None)


class Counts:
    """Tables of sets over all parts of the rows."""

    def __init__(self, source: Source, n_states: list[int], threads: int) -> None:
        self.source = source
        self.arities = [1] * len(n_states)
        self.expected = n_states
        self.threads = threads

    def effects(
        self, sets: list[tuple[int, ...]], adjusted: bool
    ) -> tuple[list[tuple[float, float, float, float] | None], int]:
        """Return the effect of the first two of each set given the others, and the number of rows.

        None stands for sets of which the table is too large.
        """
        found: list[tuple[float, float, float, float] | None] = [None] * len(sets)
        left, n_rows = list(range(len(sets))), 0
        while left or not n_rows:
            # How many states there are is known when all rows are read; until then the sample tells.
            together, rest, cells = [], [], 0
            self.expected = [max(pair) for pair in zip(self.expected, self.arities, strict=True)]
            for i in left:
                size = math.prod(self.expected[v] for v in sets[i])
                if size > MOST_CELLS:
                    continue
                if cells + size <= MOST_TOGETHER:
                    together.append(i)
                    cells += size
                else:
                    rest.append(i)
            members = np.fromiter((v for i in together for v in sets[i]), np.uint32)
            starts = np.concatenate([[0], np.cumsum([len(sets[i]) for i in together], dtype=np.int64)]).astype(
                np.uint64
            )
            counted, n_rows = self._count([sets[i] for i in together], members, starts)
            kept = [j for j, table in enumerate(counted) if table is not None]
            chosen = [sets[together[j]] for j in kept]
            flat = np.concatenate([counted[j] for j in kept]) if kept else np.empty(0, np.uint64)
            members = np.fromiter((v for members in chosen for v in members), np.uint32)
            starts = np.concatenate([[0], np.cumsum([len(s) for s in chosen], dtype=np.int64)]).astype(np.uint64)
            columns = _core.effects(flat, members, starts, self.arities, adjusted)
            for j, effect in zip(kept, zip(*(column.tolist() for column in columns), strict=True), strict=True):
                found[together[j]] = effect
            left = rest
        return found, n_rows

    def _cells(self, members: tuple[int, ...]) -> int:
        return math.prod(self.arities[v] for v in members)

    def _count(
        self, sets: list[tuple[int, ...]], members: NDArray[np.uint32], starts: NDArray[np.uint64]
    ) -> tuple[list[NDArray[np.uint64] | None], int]:
        """Add up the tables of all parts; None for those that grow too large."""
        if self.source.sharded is not None:
            return self._count_on_workers(self.source.sharded, sets)
        total: list[NDArray[np.uint64] | None] = [None] * len(sets)
        shapes: list[tuple[int, ...]] = [()] * len(sets)
        n_rows = 0
        for codes, arities in self.source.parts():
            n_rows += len(codes[0])
            self.arities = arities
            counted = [i for i in range(len(sets)) if self._cells(sets[i]) <= MOST_CELLS]
            if len(counted) < len(sets):
                chosen = [sets[i] for i in counted]
                members = np.fromiter((v for of in chosen for v in of), np.uint32)
                starts = np.concatenate([[0], np.cumsum([len(of) for of in chosen])]).astype(np.uint64)
            if not len(codes[0]):
                continue
            flat = _core.tables(_core.CategoricalDataset(codes, arities), members, starts, self.threads)
            end = 0
            for i in counted:
                shape = tuple(arities[v] for v in sets[i])
                start, end = end, end + math.prod(shape)
                before = total[i]
                if before is not None and shapes[i] != shape:
                    before = _grown(before, shapes[i], shape)
                total[i] = flat[start:end] if before is None else before + flat[start:end]
                shapes[i] = shape
            for i in set(range(len(sets))) - set(counted):
                total[i] = None
        # A later part may have shown states that the parts of an earlier one had not.
        for i, table in enumerate(total):
            shape = tuple(self.arities[v] for v in sets[i])
            if table is not None and shapes[i] != shape:
                total[i] = _grown(table, shapes[i], shape)
        if n_rows == 0:
            raise DataError("data: no row is complete; nothing can be counted")
        return total, n_rows

    def _count_on_workers(
        self, table: ShardedTable, sets: list[tuple[int, ...]]
    ) -> tuple[list[NDArray[np.uint64] | None], int]:
        """Ask workers for all tables at once."""
        position = [table.index(name) for name in self.source.columns]
        self.arities = [table.arities[i] for i in position]
        counted = [i for i in range(len(sets)) if self._cells(sets[i]) <= MOST_CELLS]
        # Workers number the variables of a set by their columns.
        asked = [sorted(position[v] for v in sets[i]) for i in counted]
        members = np.fromiter((v for of in asked for v in of), np.uint32)
        starts = np.concatenate([[0], np.cumsum([len(of) for of in asked], dtype=np.int64)]).astype(np.uint64)
        flat = table.parts.tables(members, starts, lambda: False) if counted else np.empty(0, np.uint32)
        total: list[NDArray[np.uint64] | None] = [None] * len(sets)
        end = 0
        for i, of in zip(counted, asked, strict=True):
            shape = tuple(table.arities[v] for v in of)
            start, end = end, end + math.prod(shape)
            order = [of.index(position[v]) for v in sets[i]]
            found = flat[start:end].reshape(shape, order="F").transpose(order)
            total[i] = found.reshape(-1, order="F").astype(np.uint64)
        return total, table.n_rows


def _grown(table: NDArray[np.uint64], before: tuple[int, ...], after: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return a table with zeros for states that are new; the first variable runs fastest."""
    grown = np.zeros(after, dtype=np.uint64, order="F")
    grown[tuple(slice(0, n) for n in before)] = table.reshape(before, order="F")
    return grown.reshape(-1, order="F")
