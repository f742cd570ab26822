"""What a learned graph claims, looked at again on all rows: effects of edges, and of the edges that are not there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from phgs import _core, parameters
from phgs.data import checks
from phgs.data.columns import CodedColumn
from phgs.data.shards import Growing, Shards, is_many, shards
from phgs.data.table import CategoricalTable
from phgs.data.values import Problem
from phgs.errors import DataError, ParameterError
from phgs.names import unknown
from phgs.result.records import RecordTable, texts
from phgs.texts import p_value_text, printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name
    from phgs.result import Result

__all__ = ["EffectRow", "EffectTable", "Verification", "verify"]

Usable = TypeVar("Usable")

_MOST_CELLS = 1 << 20
"""Tables with more cells are not counted."""

_MOST_TOGETHER = 1 << 25
"""Cells that are counted in one pass over the rows (256 MiB); where there are more, the rows are read again."""


class EffectRow(NamedTuple):
    """How strongly two variables depend on each other given others, on all rows.

    Attributes
    ----------
    x, y
        The variables; of a directed edge from x to y.
    directed : bool
        Whether the CPDAG has x → y.
    given : tuple
        The variables that are conditioned on.
    bits : float
        The conditional mutual information, in bits: at most the logarithm (base 2) of the fewer states. It does not
        grow with the number of rows, as G² does.
    statistic, degrees_of_freedom, log_p_value : float
        The G² test of independence: its statistic, 2 n ln 2 times `bits`, and the natural logarithm of its p-value.
    """

    x: Name
    y: Name
    directed: bool
    given: tuple[Name, ...]
    bits: float
    statistic: float
    degrees_of_freedom: float
    log_p_value: float

    @property
    def p_value(self) -> float:
        """The p-value; 0 where it is below the least float."""
        return math.exp(self.log_p_value)


@dataclass(frozen=True, eq=False, repr=False)
class EffectTable(RecordTable[EffectRow]):
    """Effects as a table: a sequence of rows, and columns by name; data-frame packages read it through Arrow."""

    COLUMNS = ("x", "y", "directed", "given", "bits", "statistic", "degrees_of_freedom", "log_p_value", "p_value")
    HEADER = ("pair", "given", "bits", "G²", "df", "p")
    ATTRIBUTES: ClassVar[dict[str, str]] = {}

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`; names are text in it."""
        import pyarrow as pa

        columns: dict[str, Any] = {name: texts(self[name]) for name in ("x", "y")}
        columns["directed"] = pa.array(self["directed"], pa.bool_())
        columns["given"] = pa.array([texts(row.given) for row in self.rows], pa.list_(pa.string()))
        for name in self.COLUMNS[4:]:
            columns[name] = pa.array(self[name], pa.float64())
        return pa.table(columns)

    def _cells(self, limit: int) -> list[tuple[str, ...]]:
        return [
            (
                f"{row.x} {'→' if row.directed else '−'} {row.y}",
                "{" + ", ".join(map(str, row.given)) + "}",
                f"{row.bits:.3g}",
                f"{row.statistic:.6g}",
                f"{row.degrees_of_freedom:g}",
                p_value_text(row.log_p_value),
            )
            for row in self.rows[:limit]
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Verification:
    """What `verify` found.

    Attributes
    ----------
    edges : EffectTable
        The edges of the CPDAG, weakest first.
    absent : EffectTable
        The pairs without an edge, strongest first.
    n_rows : int
        Rows that were counted.
    alpha : float
        Level at which a separation does not hold.
    least_bits : float
        Effects below it are passed over by `broken`, and edges below it are `weak`.
    too_large : tuple of pairs
        Pairs of which the table has more than 2²⁰ cells; they were not looked at.
    """

    edges: EffectTable
    absent: EffectTable
    n_rows: int
    alpha: float
    least_bits: float
    too_large: tuple[tuple[Name, Name], ...] = ()

    @property
    def broken(self) -> EffectTable:
        """Separations that do not hold: p ≤ `alpha`, and an effect of at least `least_bits`; strongest first."""
        level = math.log(self.alpha)
        rows = (row for row in self.absent if row.log_p_value <= level and row.bits >= self.least_bits)
        return EffectTable(tuple(rows))

    @property
    def weak(self) -> EffectTable:
        """Edges that all rows do not speak for: p > `alpha`, or an effect below `least_bits`; weakest first."""
        level = math.log(self.alpha)
        rows = (row for row in self.edges if row.log_p_value > level or row.bits < self.least_bits)
        return EffectTable(tuple(rows))

    def __repr__(self) -> str:
        return f"<phgs.Verification: {self.n_rows:,} rows, {len(self.edges)} edges, {len(self.broken)} broken>"

    def __str__(self) -> str:
        broken, weak = self.broken, self.weak
        lines = [
            f"{self.n_rows:,} rows: {len(self.edges):,} edges, of which {len(weak):,} are weak; of {len(self.absent):,}"
            f" separations {len(broken):,} do not hold (p ≤ {self.alpha:g}, at least {self.least_bits:g} bits)"
        ]
        if self.too_large:
            lines.append(f"{len(self.too_large):,} pairs have tables of more than {_MOST_CELLS:,} cells")
        for title, table in (("separations that do not hold", broken), ("weak edges", weak)):
            if table:
                lines += ["", title, repr(EffectTable(table.rows[:10]))]
        return printable("\n".join(lines))


def verify(
    result: Result,
    data: Any = None,
    *,
    alpha: float | None = None,
    least_bits: float = 0.0,
    threads: int = 0,
) -> Verification:
    """Look at every edge and every absent edge of a result on all rows, in one pass over them.

    Meant for more rows than one would learn from: learn from a sample of a million, then see what all rows say. With
    very many rows every p-value of a true dependence is 0 and every trifle significant, so look at `bits`.

    A pair is looked at given what the result says of it: an edge given the set that came closest to separating it,
    an absent edge given the set that separated it (no set: the marginal test). Where tests were not made, or a
    search has decided against them, the DAG says: an edge given the other parents of its head, an absent edge given
    the parents of the variable that comes later. G² has the rule for degrees of freedom that the method had.

    Parameters
    ----------
    result
        A result of categorical data.
    data
        Data with the variables of the result: what `phgs.as_table` takes, the files of `phgs.shards` included, of which
        one row group is held at a time. None takes the data that were learned from.
    alpha
        Level at which a separation does not hold; by default that of the method, or 0.01.
    least_bits
        Effects below it do not count; see `Verification`.
    threads
        Number of threads; 0 means all cores that the process may use.

    Returns
    -------
    Verification

    Raises
    ------
    ParameterError
        For Gaussian and mixed results, for rows with weights or counts, for missing values that each test treats on
        its own, and when a variable of the result is no column of the data.
    DataError
        When the data cannot be read, or have missing values where the method refused them.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.Network.load("asia").sample(20_000, seed=1)
    >>> result = phgs.learn(data.slice(0, 2_000), progress=False)
    >>> check = phgs.verify(result, data)
    >>> check.n_rows, len(check.edges) + len(check.absent)
    (20000, 28)
    >>> check.edges[-1].bits > 0.1
    True
    """
    if result.parameters.get("data_type", "discrete") != "discrete":
        raise ParameterError("result: verify counts states; of Gaussian and mixed data there are none")
    if any(result.parameters.get(name) is not None for name in ("weights", "counts")):
        raise ParameterError("result: verify counts rows; of rows with weights or counts give a result of the rows")
    if alpha is None:
        known = result.parameters.get("alpha", 0.01)
        alpha = known if isinstance(known, float) else 0.01
    parameters.probability("alpha", alpha)
    if parameters.real("least_bits", least_bits) < 0:
        raise ParameterError(f"least_bits: {least_bits!r} must not be below 0")
    parameters.whole("threads", threads)
    source = _source(result, data)
    claims = _claims(result)
    counts = _Counts(source, [len(result.levels.get(name, ())) for name in result.variables], threads)
    effects, n_rows = counts.effects(claims, result.parameters.get("degrees_of_freedom") == "adjusted")
    names, edges = result.variables, _edges(result)
    found: tuple[list[EffectRow], list[EffectRow]] = ([], [])
    too_large = []
    for members, effect in zip(claims, effects, strict=True):
        x, y, *given = members
        if effect is None:
            too_large.append((names[x], names[y]))
            continue
        key = (min(x, y), max(x, y))
        directed = edges.get(key)
        if directed is not None:
            x, y = directed[:2]
        row = EffectRow(
            names[x],
            names[y],
            directed is not None and directed[2],
            tuple(names[z] for z in given),
            *effect,
        )
        found[directed is None].append(row)
    found[0].sort(key=lambda row: row.bits)
    found[1].sort(key=lambda row: -row.bits)
    tables = [EffectTable(tuple(rows)) for rows in found]
    return Verification(tables[0], tables[1], n_rows, alpha, float(least_bits), tuple(too_large))


def _edges(result: Result) -> dict[tuple[int, int], tuple[int, int, bool]]:
    """Return the edges of the CPDAG by their ends in order: the ends as they are shown, and whether directed."""
    index = result.cpdag._index
    found = {}
    for a, b, directed in result.cpdag.edges:
        x, y = index(a), index(b)
        found[min(x, y), max(x, y)] = (x, y, directed)
    return found


def _claims(result: Result) -> list[tuple[int, ...]]:
    """Return what the result says of each pair: the two variables, and those that they are looked at given."""
    edges = _edges(result)
    p = len(result.variables)
    records: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {}
    if (kept := result._separations) is not None:
        starts, members = kept["starts"].tolist(), kept["members"].tolist()
        for i, pair in enumerate(zip(kept["x"].tolist(), kept["y"].tolist(), strict=True)):
            records[pair] = float(kept["log_p"][i]), tuple(members[starts[i] : starts[i + 1]])
    alpha = result.parameters.get("alpha")
    level = math.log(alpha) if isinstance(alpha, float) else -math.inf
    parents: list[list[int]] | None = None
    place: list[int] = []
    if result.dag is not None:
        parents = [[] for _ in range(p)]
        for tail, head in result.dag._directed_indices():
            parents[int(head)].append(int(tail))
        place = _places(parents)
    apart = {result.cpdag._index(name) for name in result.isolated}
    claims = []
    for x, y in combinations(range(p), 2):
        edge = edges.get((x, y))
        if edge is None and (x in apart or y in apart or result.untested(result.variables[x], result.variables[y])):
            continue
        record = records.get((x, y))
        if record is not None and (record[0] > level) == (edge is None):
            given = record[1]
        elif edge is None and record is None and kept is not None:
            given = ()
        elif parents is not None:
            later, earlier = (y, x) if place[y] > place[x] else (x, y)
            given = tuple(z for z in parents[later] if z != earlier)
        else:
            given = () if record is None else record[1]
        claims.append((x, y, *given))
    return claims


def _places(parents: list[list[int]]) -> list[int]:
    """Return the place of each variable in an order in which parents come first."""
    children: list[list[int]] = [[] for _ in parents]
    for child, of in enumerate(parents):
        for parent in of:
            children[parent].append(child)
    left = [len(of) for of in parents]
    ready = [x for x, n in enumerate(left) if n == 0]
    place = [0] * len(parents)
    for at, x in enumerate(ready):
        place[x] = at
        for child in children[x]:
            left[child] -= 1
            if left[child] == 0:
                ready.append(child)
    return place


@dataclass(frozen=True)
class _Source:
    """Where rows come from: a table as it is, or files."""

    table: CategoricalTable | None
    shards: Shards | None = None
    columns: tuple[str, ...] = ()
    declared: frozenset[str] = frozenset()
    missing: str = "error"

    def parts(self) -> Iterator[tuple[list[NDArray[Any]], list[int]]]:
        """Yield the rows in parts: codes of each column, and how many states each has shown so far."""
        if self.table is not None:
            yield list(self.table.codes), list(self.table.arities)
            return
        assert self.shards is not None
        growing = [Growing(name in self.declared) for name in self.columns]
        for group in self.shards.row_groups(self.columns):
            read = (column.read(values) for column, values in zip(growing, group.columns, strict=True))
            found = self._without_missing(self._usable(read))
            codes = self._usable(column.number(part) for column, part in zip(growing, found, strict=True))
            yield codes, [max(1, len(column.codes_of)) for column in growing]

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
            kept = np.logical_and.reduce([part.codes >= 0 for part in found])
            return self._usable(part.on_rows(kept, missing_is_state=False) for part in found)
        whole = self._usable(part.on_rows(None, missing_is_state=True) for part in found)
        # The state of missing values has one name in all parts, which no other state has.
        return [
            replace(after, labels=[label if label in before.labels else None for label in after.labels])
            for before, after in zip(found, whole, strict=True)
        ]


def _source(result: Result, data: Any) -> _Source:
    if not (isinstance(data, Shards) or is_many(data)):
        table = result._needed_data(data)
        if not isinstance(table, CategoricalTable):
            raise ParameterError("missing: verify counts complete rows; read the data with missing='drop' or 'level'")
        if table.weights is not None:
            raise ParameterError("data: verify counts rows, and these have weights; give the rows without them")
        for name in result.variables:
            if name not in table.position:
                raise ParameterError(f"data: {unknown('column', name, table.names)}")
        return _Source(table if table.names == result.variables else _in_order(table, result.variables))
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
    return _Source(None, source, columns, frozenset(declared), missing)


def _in_order(table: CategoricalTable, names: tuple[Name, ...]) -> CategoricalTable:
    at = [table.position[name] for name in names]
    codes, levels = tuple(table.codes[i] for i in at), tuple(table.levels[i] for i in at)
    return table._of_columns(names, codes, levels, None)


class _Counts:
    """Tables of sets over all parts of the rows."""

    def __init__(self, source: _Source, n_states: list[int], threads: int) -> None:
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
                if size > _MOST_CELLS:
                    continue
                if cells + size <= _MOST_TOGETHER:
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
        total: list[NDArray[np.uint64] | None] = [None] * len(sets)
        shapes: list[tuple[int, ...]] = [()] * len(sets)
        n_rows = 0
        for codes, arities in self.source.parts():
            n_rows += len(codes[0])
            self.arities = arities
            counted = [i for i in range(len(sets)) if self._cells(sets[i]) <= _MOST_CELLS]
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


def _grown(table: NDArray[np.uint64], before: tuple[int, ...], after: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return a table with zeros for states that are new; the first variable runs fastest."""
    grown = np.zeros(after, dtype=np.uint64, order="F")
    grown[tuple(slice(0, n) for n in before)] = table.reshape(before, order="F")
    return grown.reshape(-1, order="F")
