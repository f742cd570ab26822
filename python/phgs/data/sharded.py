"""A table whose rows stay on the workers of a cluster, of which contingency tables are added up."""

from __future__ import annotations

import contextlib
import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from phgs import _core
from phgs.data import checks, findings
from phgs.data.base import Data
from phgs.data.engines import Engine, Handle, LostError, Pending, Place
from phgs.data.kinds import are_categories, are_few
from phgs.data.parts import Failure, Piece
from phgs.data.values import MAX_STATES, Problem, is_number
from phgs.errors import DataError, ParameterError
from phgs.texts import bytes_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from phgs.data.frames import Name

_WAIT = 0.05
"""Seconds between two looks at whether the run was cancelled."""

_READ = 0.5
"""Seconds for which a worker reads before it says how far it is: so soon a Ctrl-C frees it, or a row group later."""

_BYTES_A_VALUE = 1.5
"""What a value takes on a worker: its code, its share of the bit planes."""

_AT_ONCE = 1 << 31
"""Rows times tables that are asked for in one call, about a second's counting; of more, calls follow each other."""

_NEW_WORKER = 15.0
"""Seconds to wait for another worker where the last one is lost."""

_ATTEMPTS = 5
"""So often a part is made again before it is given up."""


@dataclass(frozen=True)
class _Known:
    """What was true of a part when it was read first."""

    n_rows: int
    labels: list[list[Any]]
    numbers: list[list[int]]
    counts: NDArray[np.uint32]
    checksum: int


@dataclass(eq=False)
class Parts:
    """All parts of the rows, wherever they are at the moment.

    Attributes
    ----------
    engine
        Where they are counted.
    pieces
        What each reads.
    columns, declared
        What is read of each, and what is said to be categories.
    lost
        Parts that were made again.
    requests, tables_asked, cells_received
        Rounds of requests so far, the tables in them, and the cells that have come back from all parts.
    """

    engine: Engine
    pieces: list[list[Piece]]
    columns: list[str]
    declared: list[str]
    threads: dict[str, int] = field(default_factory=dict)
    handles: list[Handle] = field(default_factory=list)
    known: list[_Known] = field(default_factory=list)
    arities: list[int] = field(default_factory=list)
    lost: int = 0
    requests: int = 0
    tables_asked: int = 0
    cells_received: int = 0

    def start(self, places: Sequence[Place]) -> None:
        """Put each part on a worker of its own."""
        self.threads = {place.name: place.threads for place in places}
        for pieces, place in zip(self.pieces, places, strict=False):
            self.handles.append(self._put(pieces, place.name))
        versions = self.call("version", [()] * len(self.handles))
        for handle, version in zip(self.handles, versions, strict=True):
            if version != _core.__version__:
                raise DataError(
                    f"worker {handle.place} has version {version} of phgs, and this is {_core.__version__}; install the"
                    " same on all"
                )

    def _put(self, pieces: list[Piece], place: str) -> Handle:
        return self.engine.put(pieces, self.columns, self.declared, self.threads.get(place, 1), place)

    def read(self) -> list[tuple[int, list[list[Any] | Problem], list[int]]]:
        """Read all parts, and return what each found."""
        left = [1] * len(self.handles)
        while any(left):
            left = self.call("read", [(_READ,)] * len(self.handles))
        found: list[tuple[int, list[list[Any] | Problem], list[int]]] = self.call("states", [()] * len(self.handles))
        return found

    def code(self, found: Sequence[tuple[int, list[list[Any]]]], numbers: list[list[list[int]]]) -> None:
        """Number the states as in all parts."""
        counts = self.call("code", [(of_part, self.arities) for of_part in numbers])
        for (n_rows, labels), of_part, (singles, checksum) in zip(found, numbers, counts, strict=True):
            self.known.append(_Known(n_rows, labels, of_part, np.array(singles), checksum))

    def free(self) -> None:
        """Let go of all parts."""
        for handle in self.handles:
            handle.free()
        self.handles = []

    def call(self, method: str, given: Sequence[tuple[Any, ...]], cancelled: Callable[[], bool] | None = None) -> Any:
        """Call a method of every part, and return the answers; of lost parts once they have been made again.

        Returns an empty list when the run was cancelled.
        """
        answers: dict[int, Any] = {}
        lost = list(range(len(self.handles)))
        try:
            for attempt in range(_ATTEMPTS):
                waiting: dict[int, Pending] = {}
                for i in lost:
                    with contextlib.suppress(LostError):
                        waiting[i] = self.handles[i].send(method, *given[i])
                for i, pending in waiting.items():
                    with contextlib.suppress(LostError):
                        answers[i] = self._answer(i, pending, cancelled)
                lost = [i for i in lost if i not in answers]
                for i in lost:
                    if attempt + 1 == _ATTEMPTS or not self.known:
                        # Before all is read nothing is known that a part made again could be compared with.
                        self._give_up(i)
                    self._again(i, cancelled)
                if not lost:
                    break
        except CancelledError:
            return []
        return [answers[i] for i in range(len(self.handles))]

    def _answer(self, i: int, pending: Pending, cancelled: Callable[[], bool] | None) -> Any:
        """Wait for an answer: `LostError` when the part is lost, `CancelledError` when the run was cancelled."""
        while True:
            try:
                answer = pending.get(_WAIT)
            except TimeoutError:
                if cancelled is not None and cancelled():
                    raise CancelledError from None
                continue
            if isinstance(answer, Failure):
                raise self._of_worker(i, answer.error)
            return answer

    def _of_worker(self, i: int, error: Exception) -> Exception:
        place = self.handles[i].place
        if isinstance(error, FileNotFoundError):
            return DataError(f"worker {place} finds no file {error}; the files must be where all workers see them")
        if isinstance(error, (MemoryError, OSError)):
            return DataError(f"worker {place}: {type(error).__name__}: {error}")
        return error

    def _give_up(self, i: int) -> NoReturn:
        raise DataError(
            f"worker {self.handles[i].place} was lost, and its part of the rows with it; give the workers more memory,"
            " or learn from phgs.shards(...).sample(rows)"
        )

    def _again(self, i: int, cancelled: Callable[[], bool] | None) -> None:
        """Make a part again on another worker: it must be what it was."""
        self.lost += 1
        dead = self.handles[i].place
        self.handles[i].free()
        for _ in range(_ATTEMPTS):
            places = self._places_but(dead, cancelled)
            if not places:
                break
            self.threads = {place.name: place.threads for place in places}
            self.handles[i] = self._put(self.pieces[i], places[0].name)
            with contextlib.suppress(LostError):
                self._read_again(i, cancelled)
                return
            dead = places[0].name
        self._give_up(i)

    def _places_but(self, dead: str, cancelled: Callable[[], bool] | None) -> list[Place]:
        """Return the workers, those with the fewest parts first; wait for one where there is none but what was lost."""
        held = [handle.place for handle in self.handles]
        until = time.monotonic() + _NEW_WORKER
        while True:
            found = self.engine.places()
            others = [place for place in found if place.name != dead]
            if others or time.monotonic() > until:
                # It may be that the worker is there and the part alone is lost.
                return sorted(others or found, key=lambda place: held.count(place.name))
            if cancelled is not None and cancelled():
                raise CancelledError
            time.sleep(_WAIT)

    def _read_again(self, i: int, cancelled: Callable[[], bool] | None) -> None:
        known = self.known[i]

        def asked(method: str, *given: Any) -> Any:
            return self._answer(i, self.handles[i].send(method, *given), cancelled)

        while asked("read", _READ):
            pass
        n_rows, labels, _ = asked("states")
        same = (n_rows, labels) == (known.n_rows, known.labels)
        if not same or asked("code", known.numbers, self.arities)[1] != known.checksum:
            raise DataError("data: a part of the rows was read again, and is not what it was; the files have changed")

    # What the core asks

    def tables(
        self, members: NDArray[np.uint32], starts: NDArray[np.uint64], cancelled: Callable[[], bool]
    ) -> NDArray[np.uint32]:
        """Add up the tables of sets of variables."""
        most = max(1, _AT_ONCE // max(known.n_rows for known in self.known))
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
    parts : Parts
        Who counts.
    """

    names: tuple[Name, ...]
    levels: tuple[tuple[Any, ...], ...]
    n_rows: int
    n_rows_read: int
    parts: Parts

    has_rows = False

    @cached_property
    def core(self) -> _core.SourceDataset:
        """The source of tables as the core asks it."""
        return _core.SourceDataset(self.n_rows, self.arities, self.parts)

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(map(len, self.levels))

    def release(self) -> None:
        """Let the workers go; the data can be read again from their source."""
        self.parts.free()

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of identifiers; see `Categories.isolated`."""
        return tuple(i for i, arity in enumerate(self.arities) if findings.is_identifier(arity, self.n_rows))

    @property
    def state_counts(self) -> list[list[int]]:
        """The rows of each state of each column."""
        total = np.sum([known.counts for known in self.parts.known], axis=0, dtype=np.uint64)
        return [part.tolist() for part in np.split(total, np.cumsum(self.arities)[:-1])]

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
        parts = checks.plural(len(self.parts.pieces), "part")
        return f"<phgs.ShardedTable: {self.n_rows:,} rows × {self.n_variables:,} variables in {parts}>"


def spread(
    pieces: Sequence[tuple[Piece, int]],
    engine: Engine,
    columns: Sequence[str],
    *,
    declared: Iterable[str],
    found_out: bool,
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
    """
    places = engine.places()
    if not places:
        raise ParameterError(f"on: there are no {engine.word}; start some and try again")
    declared = list(declared)
    cut = _cut([rows for _, rows in pieces], len(places))
    _check_memory(engine, places, cut, pieces, len(columns))
    given = [[piece for piece, _ in pieces[first:end]] for first, end in cut]
    parts = Parts(engine, given, list(columns), list(columns) if found_out else declared)
    try:
        parts.start(places)
        return _read(parts, columns, set(declared), found_out=found_out)
    except BaseException:
        parts.free()
        raise


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


def _check_memory(
    engine: Engine, places: Sequence[Place], cut: Sequence[tuple[int, int]], pieces: Sequence[tuple[Piece, int]], p: int
) -> None:
    """Refuse what no worker could hold, before any row is read."""
    for place, (first, end) in zip(places, cut, strict=False):
        needed = _BYTES_A_VALUE * p * sum(rows for _, rows in pieces[first:end])
        if place.memory is not None and needed > place.memory:
            total = _BYTES_A_VALUE * p * sum(rows for _, rows in pieces)
            raise DataError(
                f"the table takes about {bytes_text(total)} on the {engine.word}, and worker {place.name} would need"
                f" {bytes_text(needed)} of its {bytes_text(place.memory)}; give more workers or more memory, or learn"
                " from phgs.shards(...).sample(rows)"
            )


def _read(parts: Parts, columns: Sequence[str], declared: set[str], *, found_out: bool) -> ShardedTable:
    found = parts.read()
    n_rows = sum(rows for rows, _, _ in found)
    problems: dict[Name, Problem] = {
        name: label
        for _, labels, _ in found
        for name, label in zip(columns, labels, strict=True)
        if isinstance(label, Problem)
    }
    checks.refuse(problems)
    missing: dict[Name, int] = {}
    for i, name in enumerate(columns):
        if count := sum(gaps[i] for _, _, gaps in found):
            missing[name] = count
    if missing:
        raise DataError(
            f"missing values in {checks.with_counts(missing)}; on workers all values must be known: fill them in or"
            " leave the rows out in the files, or learn from phgs.shards(...).sample(rows)"
        )
    checks.refuse_one_row(n_rows)
    known = [(rows, [list(label) for label in labels]) for rows, labels, _ in found]  # type: ignore[arg-type]
    number_of: list[dict[Any, int]] = [{} for _ in columns]
    numbers = []
    # A state that one worker alone sees is a state everywhere. Parts come in the order of their rows, so that states
    # are numbered by their first appearance in all rows, as in one table.
    for _, labels in known:
        pairs = zip(number_of, labels, strict=True)
        numbers.append([[seen.setdefault(label, len(seen)) for label in of_part] for seen, of_part in pairs])
    levels = [tuple(seen) for seen in number_of]
    if found_out:
        _refuse_numbers({name: of for name, of in zip(columns, levels, strict=True) if name not in declared}, n_rows)
    checks.refuse({n: Problem.TOO_MANY for n, of in zip(columns, levels, strict=True) if len(of) > MAX_STATES})
    parts.arities = [len(of) for of in levels]
    parts.code(known, numbers)
    if not all(int(known.counts.sum()) == known.n_rows * len(columns) for known in parts.known):
        raise DataError("data: the parts of the rows do not fit together")
    return ShardedTable(tuple(columns), tuple(levels), n_rows, n_rows, parts)


def _refuse_numbers(levels: dict[Name, tuple[Any, ...]], n_rows: int) -> None:
    """Refuse columns that would be taken for numbers or dates in a table."""
    numbers: list[Name] = []
    dates: dict[Name, Problem] = {}
    for name, of in levels.items():
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
            f" {'numbers' if many else 'a number'}, and on workers all columns are categories: name them in"
            " categories=, pass data_type='discrete' where all numbers are whole, cut them into intervals in the files,"
            " or learn from phgs.shards(...).sample(rows)"
        )
