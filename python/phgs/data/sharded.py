"""A table whose rows stay on the workers of a cluster, of which contingency tables are added up."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.data import checks, findings
from phgs.data.asking import Parts, check_memory, places_of
from phgs.data.base import Data
from phgs.data.columns import CodedColumn, name_of_missing
from phgs.data.growing import Growing
from phgs.data.kinds import are_categories, are_few
from phgs.data.missing import needs_complete_rows
from phgs.data.packed import MOST_STATES, can_pack
from phgs.data.parts import Gap, Part, RowGroup
from phgs.data.values import MAX_STATES, Problem, is_number
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from phgs.data.engines import Engine
    from phgs.data.frames import Name
    from phgs.data.kinds import Kind
    from phgs.data.parts import Piece
    from phgs.data.table import Missing

BYTES_A_CODE = 1.5
"""What a value takes on a worker: its code, its share of the bit planes."""

_FIRST_ROWS = 1000
"""Rows that are looked at for how many states columns have."""

_MARGIN = 1.1
"""What else a worker takes, and states that the first rows do not show."""

_AT_ONCE = 1 << 33
"""Rows times tables that are asked for in one call, up to a second's counting; of more, calls follow each other."""


@dataclass(eq=False)
class Counters(Parts):
    """Parts that count contingency tables.

    Attributes
    ----------
    most_rows
        Rows of the largest.
    requests, tables_asked, cells_received
        Rounds of requests so far, the tables in them, and the cells that have come back from all parts.
    """

    most_rows: int = 1
    requests: int = 0
    tables_asked: int = 0
    cells_received: int = 0

    def tables(
        self, members: NDArray[np.uint32], starts: NDArray[np.uint64], cancelled: Callable[[], bool]
    ) -> NDArray[np.uint32]:
        """Add up the tables of sets of variables."""
        most = max(1, _AT_ONCE // self.most_rows)
        found = []
        for first in range(0, len(starts) - 1, most):
            some = starts[first : first + most + 1]
            asked = (members[int(some[0]) : int(some[-1])], some - some[0])
            self.requests += 1
            self.tables_asked += len(some) - 1
            answers = self.call("tables", [asked] * len(self.handles), cancelled)
            if not answers:
                return np.empty(0, np.uint32)
            total = np.array(answers[0], np.uint32)
            for more in answers[1:]:
                total += more
            found.append(total)
            self.cells_received += len(total) * len(answers)
        return np.concatenate(found)

    def cells(
        self, variables: NDArray[np.uint32], cancelled: Callable[[], bool]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
        """Add up the cells of a large table."""
        answers = self.call("cells", [(variables,)] * len(self.handles), cancelled)
        if not answers:
            return np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint32)
        low, high, counts = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        order = np.lexsort((low, high))
        low, high, counts = low[order], high[order], counts[order]
        new = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))
        starts = np.flatnonzero(new)
        return low[starts], high[starts], np.add.reduceat(counts, starts, dtype=np.uint32)


@dataclass(frozen=True, eq=False, repr=False)
class ShardedTable(Data):
    """Categorical data whose rows stay on the workers of a cluster.

    Learners take it where they take a `Table`, and find the same to the last bit. It has no rows to draw from.

    Attributes
    ----------
    names, levels, n_rows, n_rows_read
        As of a `Table`: codes number the labels in the order of their first appearance in all rows.
    state_counts
        The rows of each state of each column.
    parts : Counters
        Who counts.
    taken_for : dict
        By position the columns that were found to be identifiers, constant or empty when they were read.
    had_gaps : bool
        Whether values were missing when they were read.
    """

    names: tuple[Name, ...]
    levels: tuple[tuple[Any, ...], ...]
    n_rows: int
    n_rows_read: int
    state_counts: list[list[int]]
    parts: Counters
    taken_for: dict[int, Kind] = field(default_factory=dict)
    had_gaps: bool = False

    has_rows = False

    @cached_property
    def core(self) -> _core.SourceDataset:
        """The source of tables as the core asks it."""
        return _core.SourceDataset(self.n_rows, self.arities, self.parts)

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(map(len, self.levels))

    @property
    def kinds(self) -> dict[Name, Kind]:
        """What each column is taken for."""
        return super().kinds | {self.names[i]: kind for i, kind in self.taken_for.items()}

    def release(self) -> None:
        """Let the workers go; the data can be read again from their source."""
        self.parts.free()

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of identifiers; see `Categories.isolated`."""
        known = [sum(counts) for counts in self.state_counts]
        found = {i for i, arity in enumerate(self.arities) if findings.is_identifier(arity, known[i])}
        return tuple(sorted(found.union(i for i, kind in self.taken_for.items() if kind != "constant")))

    @cached_property
    def identifiers(self) -> tuple[int, ...]:
        """Positions of those that searches with ``"sqnml"`` look at all the same; see `Categories.identifiers`."""
        if not self.complete:
            return ()
        return tuple(
            i
            for i in self.isolated
            if findings.says_something(self.arities[i], self.n_rows) and None not in self.levels[i]
        )

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Refuse: the rows are elsewhere."""
        del rows
        raise ParameterError(
            "data: the rows of this table are on workers; draw some with phgs.shards(...).sample(rows)"
        )

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Refuse: the rows are elsewhere."""
        return iter(self.take(np.empty(0, np.intp)).arrays())

    def __repr__(self) -> str:
        parts = checks.plural(len(self.parts.given), "part")
        return f"<phgs.ShardedTable: {self.n_rows:,} rows × {self.n_variables:,} variables in {parts}>"


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteShardedTable(ShardedTable):
    """The same with missing values, which tests leave out row by row: for methods that learn by tests alone.

    Attributes
    ----------
    n_missing : tuple of int
        Number of missing values of each column.
    """

    n_missing: tuple[int, ...] = ()

    complete = False

    @cached_property
    def core(self) -> _core.SourceDataset:
        """The source of tables as the core asks it: what is missing is a state after the others."""
        known = [max(arity, 1) for arity in self.arities]
        sizes = [n + (count > 0) for n, count in zip(known, self.n_missing, strict=True)]
        return _core.SourceDataset(self.n_rows, sizes, self.parts, known)

    @property
    def complete_core(self) -> Any:
        """Refused: there are no complete data."""
        raise needs_complete_rows("testwise", "missing='drop' or missing='level'")


def spread(
    pieces: Sequence[tuple[Piece, int]],
    engine: Engine,
    columns: Sequence[str],
    *,
    declared: Iterable[str],
    found_out: bool,
    missing: Missing = "error",
    counts: str | None = None,
) -> ShardedTable:
    """Have the workers of a cluster read all pieces, in parts of consecutive rows.

    Parameters
    ----------
    pieces
        What is read, with the number of rows of each.
    engine
        The cluster.
    columns
        The columns that are read.
    declared
        Those that are said to be categories.
    found_out
        Whether numbers with few different values are categories, as where `data_type` is found out; else whole ones
        are.
    missing
        What is done with missing values.
    counts
        The column that says how often each row stands in the data, if there is one.
    """
    places = places_of(engine)
    declared = list(declared)
    cut = _cut([rows for _, rows in pieces], len(places))
    of_parts = [sum(rows for _, rows in pieces[first:end]) for first, end in cut]
    states = states_of_first_rows(pieces[0][0], columns) if can_pack(min(of_parts), 1) else []
    check_memory(engine, places, of_parts, bytes_a_row(states, len(columns)))
    names, categories = list(columns), list(columns) if found_out else declared
    given = [([piece for piece, _ in pieces[first:end]], names, categories, counts) for first, end in cut]
    parts = Counters(engine, Part, given)
    try:
        parts.start(places)
        found = _states_of(parts, counts)
        return _read(parts, columns, found, set(declared), found_out=found_out, missing=missing)
    except BaseException:
        parts.free()
        raise


def states_of_first_rows(piece: Piece, columns: Sequence[str]) -> list[int]:
    """Count the states of each column in the first rows; of what cannot be looked at there are none."""
    if not isinstance(piece, RowGroup):
        return []
    rows = piece.read(columns, _FIRST_ROWS)
    found = [Growing(declared=True).read(values) for values in rows.columns]
    return [len(column.labels) for column in found if isinstance(column, CodedColumn)]


def bytes_a_row(states: Sequence[int], n_columns: int) -> float:
    """Return what a row takes on a worker, where columns of few states are kept as bit planes."""
    planes = sum((r - 1) / 8 if r <= MOST_STATES else BYTES_A_CODE for r in states)
    return _MARGIN * planes + BYTES_A_CODE * (n_columns - len(states))


def _cut(rows: Sequence[int], n_parts: int) -> list[tuple[int, int]]:
    """Cut pieces into parts of consecutive ones with about as many rows, none of them empty."""
    ends = np.cumsum(rows)
    n_parts = min(n_parts, len(rows))
    found, first = [], 0
    for part in range(n_parts):
        wanted = ends[-1] * (part + 1) / n_parts
        end = int(np.searchsorted(ends, wanted - 0.5 * rows[min(first, len(rows) - 1)])) + 1
        end = min(max(end, first + 1), len(rows) - (n_parts - part - 1))
        end = len(rows) if part + 1 == n_parts else end
        found.append((first, end))
        first = end
    return found


_States = tuple[int, "list[list[Any] | Problem]", "list[int]"]
"""What a part has: rows, the states of each column (or why it has none), its missing values."""


def _states_of(parts: Counters, counts: str | None) -> list[_States]:
    """Have all parts read, and tell what they have."""
    parts.work("read")
    found: list[_States] = parts.step("states", [()] * len(parts.handles))
    if counts is not None:
        from phgs.data.counts import none_above_0, refuse_too_many

        n_rows = sum(rows for rows, _, _ in found)
        source = f"counts: column {counts!r}"
        if not n_rows:
            raise none_above_0(source)
        refuse_too_many(n_rows, source)
    return found


def _read(
    parts: Counters,
    columns: Sequence[str],
    found: list[_States],
    declared: set[str],
    *,
    found_out: bool,
    missing: Missing,
) -> ShardedTable:
    """Make a table of what the parts have, once missing values are treated."""
    _refuse_problems(found, columns)
    n_rows_read = sum(rows for rows, _, _ in found)
    gaps = [sum(gaps[i] for _, _, gaps in found) for i in range(len(columns))]
    checks.refuse_one_row(n_rows_read)
    levels, _ = _united(found, len(columns))
    known = [n_rows_read - count for count in gaps]
    if found_out:
        facts = zip(columns, levels, known, strict=True)
        _refuse_numbers({name: (of, n) for name, of, n in facts if name not in declared})
        if not any(known):
            raise DataError("data: every value is missing")
    taken_for = _taken_for(columns, levels, known, declared) if found_out else {}
    apart = {i: kind for i, kind in taken_for.items() if kind != "constant"}
    counts: dict[Name, int] = {n: count for i, (n, count) in enumerate(zip(columns, gaps, strict=True)) if count}
    if counts:
        _refuse_gaps({n: count for n, count in counts.items() if columns.index(str(n)) not in apart}, missing)
        if missing == "level":
            as_states = list(range(len(columns)))
        else:
            # Where each test has rows of its own a column without any value leaves it none.
            as_states = [i for i, kind in apart.items() if missing != "testwise" or kind != "empty"]
        found = parts.step("without_gaps", [(as_states, missing == "drop")] * len(parts.handles))
        _refuse_problems(found, columns)
    n_rows = sum(rows for rows, _, _ in found)
    if not n_rows:
        raise DataError(f"no rows are left: each of the {n_rows_read:,} has a missing value; use missing='level'")
    checks.refuse_one_row(n_rows)
    levels, numbers = _united(found, len(columns))
    checks.refuse({n: Problem.TOO_MANY for n, of in zip(columns, levels, strict=True) if len(of) > MAX_STATES})
    left = [sum(gaps[i] for _, _, gaps in found) for i in range(len(columns))]
    # Missing values that are left have a code after the states, as if they were one; there must be a state before it.
    known_states = [max(len(of), 1) for of in levels]
    arities = [n + (count > 0) for n, count in zip(known_states, left, strict=True)]
    counted = parts.step("code", [(of_part, arities) for of_part in numbers], lambda answer: answer[1])
    parts.ready()
    total = np.sum([counts for counts, _ in counted], axis=0, dtype=np.uint64)
    if int(total.sum()) != n_rows * len(columns):
        raise DataError("data: the parts of the rows do not fit together")
    split = zip(np.split(total, np.cumsum(arities)[:-1]), levels, strict=True)
    state_counts = [part[: len(of)].tolist() for part, of in split]
    parts.most_rows = max(rows for rows, _, _ in found)
    table = ShardedTable(
        tuple(columns),
        tuple(map(_named, levels)),
        n_rows,
        n_rows_read,
        state_counts,
        parts,
        taken_for=taken_for,
        had_gaps=bool(counts),
    )
    return IncompleteShardedTable(**vars(table), n_missing=tuple(left)) if any(left) else table


def _refuse_problems(found: Sequence[_States], columns: Sequence[str]) -> None:
    problems: dict[Name, Problem] = {
        name: label
        for _, labels, _ in found
        for name, label in zip(columns, labels, strict=True)
        if isinstance(label, Problem)
    }
    checks.refuse(problems)


def _united(found: Sequence[_States], n_columns: int) -> tuple[list[tuple[Any, ...]], list[list[list[int]]]]:
    """Return the states of each column, and of each part the numbers of its states among them.

    A state that one worker alone sees is a state everywhere. Parts come in the order of their rows, so that states are
    numbered by their first appearance in all rows, as in one table.
    """
    number_of: list[dict[Any, int]] = [{} for _ in range(n_columns)]
    numbers = []
    for _, labels, _ in found:
        pairs = zip(number_of, labels, strict=True)
        # No label is a problem any more.
        numbers.append([[seen.setdefault(label, len(seen)) for label in of_part] for seen, of_part in pairs])  # type: ignore[union-attr]
    return [tuple(seen) for seen in number_of], numbers


def _named(labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Name the state of missing values, which must be no other state's name."""
    if Gap.MISSING not in labels:
        return labels
    name = name_of_missing(label for label in labels if label is not Gap.MISSING)
    return tuple(name if label is Gap.MISSING else label for label in labels)


def _taken_for(
    columns: Sequence[str], levels: Sequence[tuple[Any, ...]], known: Sequence[int], declared: set[str]
) -> dict[int, Kind]:
    """Return what is no category though its labels are not numbers, as `phgs.data.kinds` finds out of known values."""
    found: dict[int, Kind] = {}
    for i, (name, of, n) in enumerate(zip(columns, levels, known, strict=True)):
        if not of:
            found[i] = "empty"
        elif name not in declared and (len(of) == 1 or findings.is_identifier(len(of), n)):
            found[i] = "constant" if len(of) == 1 else "identifier"
    return found


def _refuse_gaps(missing: dict[Name, int], treatment: Missing) -> None:
    """Refuse missing values, unless rows are left out or they are a state."""
    if not missing or treatment in ("drop", "level", "testwise"):
        return
    raise DataError(
        f"missing values in {checks.with_counts(missing)}; on workers they are not filled in: pass missing='drop' to"
        " leave out incomplete rows, missing='level' to make 'missing' a state of its own, missing='testwise' for tests"
        " alone, or learn from phgs.shards(...).sample(rows)"
    )


def _refuse_numbers(levels: dict[Name, tuple[tuple[Any, ...], int]]) -> None:
    """Refuse columns that would be taken for numbers or dates in a table, by their labels and known values."""
    numbers: list[Name] = []
    dates: dict[Name, Problem] = {}
    for name, (of, n_rows) in levels.items():
        if of and all(
            isinstance(label, (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)) for label in of
        ):
            if not are_few(len(of), n_rows):
                dates[name] = Problem.DATES
        elif of and all(is_number(label) and not isinstance(label, (bool, np.bool_)) for label in of):
            whole = all(float(label).is_integer() for label in of)
            if not are_categories(len(of), n_rows, whole=whole):
                numbers.append(name)
    checks.refuse(dates)
    if numbers:
        many = len(numbers) > 1
        raise DataError(
            f"{'columns' if many else 'column'} {checks.listed(numbers)} {'are' if many else 'is'} taken for"
            f" {'numbers' if many else 'a number'}, and on workers all columns are categories, or all numbers with"
            " data_type='gaussian': name them in categories=, pass data_type='discrete' where all numbers are whole,"
            " cut them into intervals in the files, or learn from phgs.shards(...).sample(rows)"
        )
