"""The table that everything is learned from."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data import checks, findings
from phgs.data.base import Data
from phgs.data.columns import CodedColumn, complete_rows, encode
from phgs.data.counts import PerRow, counted
from phgs.data.files import MISSING_TEXT
from phgs.data.frames import Frame, Name, names_of, take_apart
from phgs.data.kinds import Decision
from phgs.data.missing import needs_complete_rows
from phgs.data.packed import packed_or_problem, state_codes, stored
from phgs.data.shards import Shards, row_groups_of
from phgs.data.values import Problem
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from typing_extensions import Self

Missing: TypeAlias = Literal["auto", "error", "drop", "level", "testwise"]
"""What to do with missing values: fill them in from the learned graph, refuse them, leave out incomplete rows, make
missing a state, leave rows out test by test."""


class Categories(Data):
    """Columns of state codes; what complete and incomplete tables share.

    Attributes
    ----------
    levels : tuple of tuple
        The states of each column: ``levels[j][code]`` is the label of a code.
    codes : sequence of numpy.ndarray
        The state codes of each column, ``uint8`` or ``uint16``.
    apart : tuple of int or None
        Positions of the columns that learners keep isolated, where that is a matter of other rows than these.
    """

    levels: tuple[tuple[Any, ...], ...]
    codes: Sequence[NDArray[Any]]
    apart: tuple[int, ...] | None
    weights: NDArray[np.float64] | None = None

    _derived = (*Data._derived, "arities")

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""
        return tuple(len(levels) for levels in self.levels)

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of identifiers: columns with too few rows per state for tests to tell anything.

        More than ten states, and on average fewer than five known values of each. Learners keep them isolated, and so
        they do columns that are mostly unknown (`few_known`), and what was set apart when the data were read.
        """
        if self.apart is not None:
            return self.apart
        set_apart = {i for i, decision in enumerate(self.decisions) if decision.apart}
        found = zip(self.arities, self.n_missing, strict=True)
        identifiers = [i for i, (arity, gaps) in enumerate(found) if findings.is_identifier(arity, self.n_rows - gaps)]
        return tuple(sorted({*identifiers, *set_apart, *self.few_known}))

    @cached_property
    def identifiers(self) -> tuple[int, ...]:
        """Positions of identifiers that searches with the score ``"sqnml"`` look at all the same.

        It charges for the cells that occur. Not dates, nor identifiers with missing values, nor those of which hardly a
        state is repeated, which gain no edge. Where rows are repeated, as in bootstrap replicates, there are none: the
        repetitions would make an identifier look as if it decided everything.
        """
        if self.apart is not None or not self.complete:
            return ()
        return tuple(
            i
            for i in self.isolated
            if findings.says_something(self.arities[i], self.n_rows)
            and not (self.decisions and self.decisions[i].kind in ("date", "empty"))
            and None not in self.levels[i]
        )

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns that are constant."""
        return tuple(i for i, arity in enumerate(self.arities) if arity <= 1)

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return data of some rows with their weights; states that none of them shows are not counted."""
        columns = [seen(codes[rows], labels) for codes, labels in zip(self.codes, self.levels, strict=True)]
        codes, levels = tuple(codes for codes, _ in columns), tuple(labels for _, labels in columns)
        # What is an identifier is a matter of all rows: repetitions must not make it look like an ordinary column.
        weights = None if self.weights is None else self.weights[rows]
        drawn = self._with(codes, levels, len(rows))
        taken = replace(drawn, apart=self.isolated, weights=weights)  # type: ignore[type-var]
        taken.__dict__["identifiers"] = self.identifiers if len(np.unique(rows)) == len(rows) else ()
        return taken

    def select(self, columns: Iterable[Name]) -> Self:
        """Return data of some columns, in the order of these."""
        chosen = positions(self.names, columns)
        selected = self._of_columns(
            tuple(self.names[index] for index in chosen),
            state_codes(stored(self.codes)[index] for index in chosen),
            tuple(self.levels[index] for index in chosen),
            None if self.apart is None else tuple(i for i, index in enumerate(chosen) if index in self.apart),
        )
        return selected._decided(tuple(self.decisions[index] for index in chosen) if self.decisions else ())

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the codes of each column, and the weights if there are any."""
        yield from self.codes
        if self.weights is not None:
            yield self.weights

    @abstractmethod
    def _decided(self, decisions: tuple[Decision, ...]) -> Self: ...

    @abstractmethod
    def _of_columns(
        self,
        names: tuple[Name, ...],
        codes: Sequence[NDArray[Any]],
        levels: tuple[tuple[Any, ...], ...],
        apart: tuple[int, ...] | None,
    ) -> Self: ...

    @abstractmethod
    def _with(self, codes: Sequence[NDArray[Any]], levels: tuple[tuple[Any, ...], ...], n_rows: int) -> Self: ...


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalTable(Categories):
    """Categorical data, checked and numbered once; every function that takes data takes a `Table` too.

    Attributes
    ----------
    names : tuple
        Column names, in input order.
    levels : tuple of tuple
        The states of each column: ``levels[j][code]`` is the label of a code. Codes number the labels in the order of
        their first appearance in the rows, so that they do not depend on the type of the labels.
    codes : sequence of numpy.ndarray
        The state codes of each column, ``uint8`` or ``uint16``. Of a million rows and more they are kept as bit planes,
        and an array is made of a column when it is asked for.
    n_rows : int
        Rows that are used.
    n_rows_read : int
        Rows of the input; more than `n_rows` where incomplete rows were dropped.
    decisions : tuple of Decision
        What each column was taken for, where that was found out; else empty.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same.
    apart : tuple of int or None
        Positions of the columns that learners keep isolated, where that is a matter of other rows than these.
    """

    names: tuple[Name, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: Sequence[NDArray[Any]]
    n_rows: int
    n_rows_read: int
    decisions: tuple[Decision, ...] = ()
    weights: NDArray[np.float64] | None = None
    apart: tuple[int, ...] | None = None

    @cached_property
    def core(self) -> _core.CategoricalDataset | _core.WeightedDataset:
        """The data as the core holds them, made when first asked for."""
        if self.weights is not None:
            return _core.WeightedDataset(list(self.codes), list(self.arities), self.weights)
        return _core.CategoricalDataset(list(stored(self.codes)), list(self.arities))

    def _decided(self, decisions: tuple[Decision, ...]) -> Self:
        return replace(self, decisions=decisions)

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return self.core.effective_rows if isinstance(self.core, _core.WeightedDataset) else float(self.n_rows)

    def _of_columns(
        self,
        names: tuple[Name, ...],
        codes: Sequence[NDArray[Any]],
        levels: tuple[tuple[Any, ...], ...],
        apart: tuple[int, ...] | None,
    ) -> Self:
        return replace(self, names=names, codes=codes, levels=levels, apart=apart)

    def _with(self, codes: Sequence[NDArray[Any]], levels: tuple[tuple[Any, ...], ...], n_rows: int) -> Self:
        return replace(self, codes=codes, levels=levels, n_rows=n_rows, n_rows_read=n_rows)

    def __repr__(self) -> str:
        return f"<phgs.Table: {self.n_rows:,} rows × {self.n_variables:,} variables>"


Table = CategoricalTable
"""The public name of categorical data."""


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteTable(Categories):
    """Categorical data with missing values.

    Made by `as_table` where values are missing. With ``missing="auto"`` learners fill them in from the graph that they
    learn. With ``missing="testwise"`` each test uses the rows that are complete in its own columns, and only methods
    that learn by tests alone take it. A single test does so in either case. In `codes` a missing value is the number of
    states of its column.

    Attributes
    ----------
    names, levels, codes, n_rows, n_rows_read, decisions, apart
        As of a `Table`.
    n_missing : tuple of int
        Number of missing values of each column.
    missing : {"auto", "testwise"}
        What learners do with missing values.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same, and with ``missing="testwise"``.
    """

    names: tuple[Name, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: Sequence[NDArray[Any]]
    n_rows: int
    n_rows_read: int
    apart: tuple[int, ...] | None = None
    n_missing: tuple[int, ...] = ()
    missing: Literal["auto", "testwise"] = "testwise"
    decisions: tuple[Decision, ...] = ()
    weights: NDArray[np.float64] | None = None

    complete = False

    @property
    def to_fill(self) -> bool:  # type: ignore[override]
        """Whether learners fill in missing values before they learn."""
        return self.missing == "auto"

    @property
    def few_known(self) -> tuple[int, ...]:
        """Positions of columns that are kept isolated because too few of their values are known to fill in others."""
        if self.missing != "auto":
            return ()
        return few_known(self.n_rows, self.n_missing)

    @cached_property
    def core(self) -> _core.IncompleteDataset:
        """The data as the core holds them, made when first asked for."""
        # Of a column without any value the core counts one state, which no row has.
        codes = [c if arity else np.ones_like(c) for c, arity in zip(self.codes, self.arities, strict=True)]
        return _core.IncompleteDataset(codes, [max(1, arity) for arity in self.arities])

    @property
    def complete_core(self) -> Any:
        """Refused: there are no complete data."""
        raise needs_complete_rows(self.missing, "missing='drop' or missing='level'")

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return kish(self.n_rows, self.weights)

    def _decided(self, decisions: tuple[Decision, ...]) -> Self:
        return replace(self, decisions=decisions)

    def treated(self, missing: Missing) -> Table | IncompleteTable:
        """Do with missing values what is asked: as if the table had been read so."""
        if missing in ("auto", "testwise"):
            if missing == "testwise" and self.weights is not None:
                raise testwise_with_weights()
            return self if missing == self.missing else replace(self, missing=missing)
        columns = zip(stored(self.codes), self.levels, self.n_missing, strict=True)
        coded = [CodedColumn.of_table(*column) for column in columns]
        options: dict[str, Any] = {"n_rows_read": self.n_rows_read, "from_text": False, "decisions": self.decisions}
        options["weights"] = self.weights
        return _in_one(self.names, coded, missing, **options)

    def start(self, seed: int = 0, *, threads: int = 0) -> Table:
        """Draw each missing value from the known values of its column."""
        options = {"sweeps": 0, "seed": seed, "threads": threads}
        return self._completed(
            _core.fill_categories(self.core, None, [], **options, time_limit=None, weights=self.weights)
        )

    def fill(
        self,
        completed: Data,
        arcs: list[tuple[int, int]],
        *,
        sweeps: int,
        seed: int,
        threads: int = 0,
        time_limit: float | None = None,
    ) -> Table:
        """Draw the missing values of each row given its known ones.

        Parameters
        ----------
        completed : Table
            What `start` or `fill` returned: the tables of the graph are estimated from it, and draws start there.
        arcs
            The arcs of a DAG, by position.
        sweeps
            How often each missing value is drawn.
        seed
            Draws depend on it and on the position of the row.
        threads
            Number of threads, on which nothing depends.
        time_limit
            Seconds after which `TimeoutError` is raised.
        """
        assert isinstance(completed, CategoricalTable)
        core = completed.core
        if not isinstance(core, _core.CategoricalDataset):
            core = _core.CategoricalDataset(list(stored(completed.codes)), list(completed.arities))
        options = {"sweeps": sweeps, "seed": seed, "threads": threads}
        return self._completed(
            _core.fill_categories(self.core, core, arcs, **options, time_limit=time_limit, weights=self.weights)
        )

    def _completed(self, core: _core.CategoricalDataset) -> Table:
        # Of a column without any value the core has one state.
        levels = tuple(labels or (None,) for labels in self.levels)
        options: dict[str, Any] = {"decisions": self.decisions, "apart": self.isolated, "weights": self.weights}
        made = Table(self.names, levels, tuple(core.codes()), self.n_rows, self.n_rows_read, **options)
        if self.weights is None:
            made.__dict__["core"] = core
        return made

    def _of_columns(
        self,
        names: tuple[Name, ...],
        codes: Sequence[NDArray[Any]],
        levels: tuple[tuple[Any, ...], ...],
        apart: tuple[int, ...] | None,
    ) -> Self:
        n_missing = tuple(self.n_missing[self.position[name]] for name in names)
        return replace(self, names=names, codes=codes, levels=levels, apart=apart, n_missing=n_missing)

    def _with(self, codes: Sequence[NDArray[Any]], levels: tuple[tuple[Any, ...], ...], n_rows: int) -> Self:
        counts = [int(np.count_nonzero(c == len(labels))) for c, labels in zip(codes, levels, strict=True)]
        changed = replace(self, codes=codes, levels=levels, n_rows=n_rows, n_rows_read=n_rows)
        return replace(changed, n_missing=tuple(counts))

    def __repr__(self) -> str:
        missing = f"{sum(self.n_missing):,} values missing"
        return f"<phgs.IncompleteTable: {self.n_rows:,} rows × {self.n_variables:,} variables, {missing}>"


def kish(n_rows: int, weights: NDArray[np.float64] | None) -> float:
    """Number of rows of equal weight that rows are worth: (Σ w)² / Σ w² (Kish 1965)."""
    if weights is None:
        return float(n_rows)
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares * shares).sum())


def testwise_with_weights() -> ParameterError:
    """Return the error of weighted rows that each test were to choose anew."""
    return ParameterError(
        "missing: 'testwise' does not go with weights; use missing='auto', which fills values in, 'drop', or 'level',"
        " a state of its own"
    )


def few_known(n_rows: int, n_missing: Sequence[int]) -> tuple[int, ...]:
    """Positions of columns with gaps and fewer known values than `findings.FEWEST_KNOWN`."""
    return tuple(i for i, count in enumerate(n_missing) if count and n_rows - count < findings.FEWEST_KNOWN)


def seen(codes: NDArray[Any], labels: tuple[Any, ...]) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """Number the states that are there anew; what is missing has the code after the last state."""
    there = np.bincount(codes, minlength=len(labels) + 1)[: len(labels)] > 0
    if there.all():
        return codes, labels
    kept = tuple(label for label, seen in zip(labels, there.tolist(), strict=True) if seen)
    number = np.append(np.cumsum(there) - 1, len(kept)).astype(codes.dtype)
    return number[codes], kept


def as_table(
    data: Any,
    *,
    missing: Missing = "error",
    names: Iterable[Name] | None = None,
    columns: Iterable[Name] | None = None,
    categories: Iterable[Name] | Name | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    cache: str | os.PathLike[str] | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> Table | IncompleteTable:
    """Read any kind of data into a `Table` of categorical columns.

    Parameters
    ----------
    data
        A `Table` (returned as it is); a pandas, polars or pyarrow frame; any object with the Arrow C stream or the
        dataframe protocol; a numpy array of n rows × p columns; a mapping from names to columns; the path of a CSV,
        Parquet or Feather file; or a folder, a pattern or a list of paths of Parquet files (see `shards`). Values are
        labels of unordered states: strings, booleans, integers, whole floats, categories (unused ones are not
        counted), intervals, or a mixture.
    missing
        What to do with missing values: ``"error"`` raises and names them, ``"drop"`` leaves out incomplete rows,
        ``"level"`` makes missing a state of its own, labelled None (or ``"missing"`` where a state is called None),
        ``"testwise"`` leaves them in (an `IncompleteTable`), for methods that learn by tests alone: each test then uses
        the rows that are complete in its columns. ``"auto"`` leaves them in too, and learners fill them in from the
        graph that they learn. Of an `IncompleteTable` itself ``"auto"`` keeps what it was read with.
    names
        Column names in place of those of the frame.
    columns
        Names of the columns to read, in the order of the frame; None reads all. What the others hold does not matter.
    categories
        Columns of which each value is a category, whatever it looks like: doses 0.5, 1 and 2.5, or dates.
    counts
        How often each row stands in the data: the name of a column of whole numbers, which then is no variable, or such
        a number for each row. The table has as many rows as they sum to (at most 10,000,000), each as often as its
        count says; rows of count 0 are left out before anything looks at the data.
    weights
        Sampling weights: the name of a column of numbers, which then is no variable, or a number for each row. Tests
        and scores use the weighted table, scaled to Kish's effective number of rows. Rows of weight 0 are left out.
    cache
        Path of a file in which a table that comes from Parquet files is kept. The next call with the same files (by
        path, size and time of their last change) and the same options maps that file into memory and reads no row; a
        call with others makes it anew.
    warn
        Whether to warn of what `phgs.describe` finds: constant columns, identifiers, columns with very many states,
        copies, labels that are the same as text, and (up to 100 columns) columns that another one determines.
    stacklevel
        Where warnings point, as in `warnings.warn`.

    Raises
    ------
    DataError
        Names the columns that cannot be used and the remedy: numbers that are not whole, dates, missing values,
        repeated names, no columns, fewer than two rows.
    ParameterError
        When `categories`, `counts` or `weights` names no column, or the data are a `Table` and have counts.

    Examples
    --------
    >>> from phgs.data import as_table
    >>> table = as_table({"rain": ["no", "yes", "no"], "wet": [0, 1, 0]})
    >>> table.names, table.levels
    (('rain', 'wet'), (('no', 'yes'), (0, 1)))
    >>> as_table({"dose": [0.5, 1, 2.5], "cured": ["no", "no", "yes"]}, categories=["dose"]).levels[0]
    (0.5, 1, 2.5)
    """
    if missing not in get_args(Missing):
        raise ParameterError(f"missing: {unknown('treatment', missing, get_args(Missing))}")
    if counts is not None:
        data, names = counted(data, counts, names, stay=False), None
    if weights is not None:
        from phgs.data.weights import weighted

        data, names = weighted(data, weights, names, stay=False), None
    if cache is not None and isinstance(data, Data):
        raise no_cache(data)
    if isinstance(data, (CategoricalTable, IncompleteTable)):
        for name in names_of(categories, "categories", data.names) if categories is not None else ():
            data.index(name)
        chosen = data if columns is None else data.select(columns)
        return treated(chosen, missing)
    if isinstance(data, Data):
        raise DataError(f"data: expected categories, got {data!r}; give the frame that it was made of")
    if (source := row_groups_of(data)) is not None:
        return _table_of_shards(source, missing, names, columns, categories, cache, warn, stacklevel + 1)
    if cache is not None:
        raise no_cache(data)
    frame = take_apart(data, names)
    declared = declared_in(frame, categories)
    frame = frame.only(positions(frame.names, columns))
    found = [packed_or_problem(encode(values)) for values in frame.values(declared & set(frame.names))]
    return table_of(
        frame.names,
        found,
        missing,
        from_text=frame.from_text,
        weights=frame.weights,
        warn=warn,
        stacklevel=stacklevel + 1,
    )


def no_cache(data: Any) -> ParameterError:
    """Return the error of a table that does not come from Parquet files as they are."""
    return ParameterError(
        "cache: what was read from Parquet files is kept, without counts= and weights=; for other data"
        f" ({type(data).__name__}) leave cache= out"
    )


def _table_of_shards(
    source: Shards,
    missing: Missing,
    names: Iterable[Name] | None,
    columns: Iterable[Name] | None,
    categories: Iterable[Name] | Name | None,
    cache: str | os.PathLike[str] | None,
    warn: bool,
    stacklevel: int,
) -> Table | IncompleteTable:
    """Read files one row group at a time, unless they were read before."""
    source.refuse_too_many()
    chosen = source.names if names is None else tuple(names)
    if len(chosen) != len(source.names):
        raise DataError(f"names: {len(chosen)} names for {len(source.names)} columns")
    checks.check_names(chosen)
    frame = Frame(chosen, list(source.names))
    declared = declared_in(frame, categories)
    frame = frame.only(positions(frame.names, columns))
    read = {column for name, column in zip(frame.names, frame.columns, strict=True) if name in declared}

    def table(*, warned: bool) -> Table | IncompleteTable:
        found = source.encoded(frame.columns, read)
        return table_of(frame.names, found, missing, from_text=False, warn=warned, stacklevel=stacklevel + 2)

    if cache is None:
        return table(warned=warn)
    if not source.paths:
        raise no_cache(source)
    from phgs.data.cached import cached

    options = {"names": frame.names, "columns": frame.columns, "categories": sorted(read), "missing": missing}
    found = cached(cache, source, options, lambda: table(warned=False))
    if warn:
        findings.warn_of(found, stacklevel + 1)
    return found


def treated(table: Table | IncompleteTable, missing: Missing) -> Table | IncompleteTable:
    """Do with the missing values of a table what is asked; ``"auto"`` keeps what it was read with."""
    return table if isinstance(table, CategoricalTable) or missing == "auto" else table.treated(missing)


def declared_in(frame: Frame, categories: Iterable[Name] | Name | None) -> set[Name]:
    """Return the columns that are said to be categories; an unknown name raises."""
    found = [] if categories is None else names_of(categories, "categories", frame.names)
    for name in found:
        frame.index(name, "categories")
    return set(found)


def table_of(
    names: tuple[Name, ...],
    found: Sequence[CodedColumn | Problem],
    missing: Missing,
    *,
    from_text: bool,
    warn: bool,
    stacklevel: int,
    decisions: tuple[Decision, ...] = (),
    weights: NDArray[np.float64] | None = None,
) -> Table | IncompleteTable:
    """Put columns together, and do with missing values what is asked."""
    coded = _usable(names, found)
    n_rows_read = len(coded[0])
    checks.check_lengths({name: len(column) for name, column in zip(names, coded, strict=True)})
    if n_rows_read == 0:
        raise DataError("data has no rows")
    table = _in_one(
        names, coded, missing, n_rows_read=n_rows_read, from_text=from_text, decisions=decisions, weights=weights
    )
    if warn:
        findings.warn_of(table, stacklevel + 1)
    return table


def _in_one(
    names: tuple[Name, ...],
    coded: list[CodedColumn],
    missing: Missing,
    *,
    n_rows_read: int,
    from_text: bool,
    decisions: tuple[Decision, ...] = (),
    weights: NDArray[np.float64] | None = None,
) -> Table | IncompleteTable:
    left_in = missing in ("auto", "testwise") and any(column.missing for column in coded)
    if missing == "auto" and all(column.missing == len(column) for column in coded):
        raise DataError("data: every value is missing")
    if not left_in:
        complete = complete_rows(coded)
        coded = _without_missing(names, coded, missing, from_text=from_text)
        if missing == "drop" and weights is not None:
            weights = weights[complete]
    elif weights is not None and missing == "testwise":
        raise testwise_with_weights()
    n_rows = len(coded[0])
    if n_rows == 0:
        raise DataError(f"no rows are left: each of the {n_rows_read:,} has a missing value; use missing='level'")
    checks.refuse_one_row(n_rows)
    table = replace(table_of_columns(names, coded), n_rows_read=n_rows_read, decisions=decisions)
    if weights is not None:
        table = replace(table, weights=weights)
    return table.treated(missing) if isinstance(table, IncompleteTable) else table


def _usable(names: tuple[Name, ...], found: Sequence[CodedColumn | Problem]) -> list[CodedColumn]:
    checks.refuse({name: c for name, c in zip(names, found, strict=True) if isinstance(c, Problem)})
    return [column for column in found if isinstance(column, CodedColumn)]


def positions(names: Sequence[Name], columns: Iterable[Name] | None) -> list[int]:
    """Return the positions of columns, increasing; of all where None are named.

    Raises
    ------
    ParameterError
        When there is no such column.
    """
    if columns is None:
        return list(range(len(names)))
    at = {name: index for index, name in enumerate(names)}
    by_text = {str(name): index for index, name in enumerate(names)}
    found = set()
    for name in columns:
        try:
            index = at[name] if name in at else by_text.get(str(name))
        except TypeError:
            index = None
        if index is None:
            raise ParameterError(unknown("column", name, names))
        found.add(index)
    return sorted(found)


def table_of_columns(names: tuple[Name, ...], columns: list[CodedColumn]) -> Table | IncompleteTable:
    """Put columns together; where values are missing in them, to an `IncompleteTable`."""
    levels = tuple(tuple(column.labels) for column in columns)
    n_rows = len(columns[0])
    if not any(column.missing for column in columns):
        codes = state_codes(column.stored for column in columns)
        return Table(names=names, levels=levels, codes=codes, n_rows=n_rows, n_rows_read=n_rows)
    return IncompleteTable(
        names=names,
        levels=levels,
        codes=tuple(column.for_table() for column in columns),
        n_rows=n_rows,
        n_rows_read=n_rows,
        n_missing=tuple(column.missing for column in columns),
    )


def what_is_missing() -> str:
    """Say what counts as missing in text files."""
    marks = ", ".join(mark for mark in MISSING_TEXT if mark)
    return f" (in CSV files empty fields and {marks} count as missing unless quoted)"


def _without_missing(
    names: tuple[Name, ...], columns: list[CodedColumn], missing: Missing, *, from_text: bool
) -> list[CodedColumn]:
    counts = {name: column.missing for name, column in zip(names, columns, strict=True) if column.missing}
    if not counts:
        return columns
    if missing == "error":
        checks.refuse_missing(counts, what_is_missing() if from_text else "")
    if missing == "level":
        return _usable(names, [column.on_rows(None, missing_is_state=True) for column in columns])
    keep = complete_rows(columns)
    return _usable(names, [column.on_rows(keep, missing_is_state=False) for column in columns])
