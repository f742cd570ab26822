"""Mixed data: numbers beside categories, without gaps and with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data import findings
from phgs.data.base import Data
from phgs.data.cuts import labels_of_groups
from phgs.data.frames import Name
from phgs.data.kinds import Decision
from phgs.data.missing import needs_complete_rows
from phgs.data.table import IncompleteTable, Table, few_known, kish, positions, seen
from phgs.errors import ParameterError
from phgs.names import named

if TYPE_CHECKING:
    from typing_extensions import Self

Numbers: TypeAlias = Literal["ranks", "values", "groups"]
"""How numbers enter: by the normal scores of their ranks, by their standardised values, or cut into groups."""

_LOOKED_AT = 100
"""Up to so many numbers are cut to see whether groups tell more than the embedding."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Numbers in groups, and how much these tell of other columns, relative to the embedding."""

    codes: dict[int, NDArray[Any]]
    bounds: dict[int, list[tuple[float, float]]]
    advantage: float


@dataclass(frozen=True, eq=False, repr=False)
class Mixed(Data):
    """Numbers beside categories, complete or not; `MixedTable` tells of its attributes."""

    names: tuple[Name, ...]
    n_rows: int
    n_rows_read: int
    levels: tuple[tuple[Any, ...], ...]
    columns: tuple[NDArray[Any], ...]
    numbers: Numbers = "ranks"
    powers: int = 2
    decisions: tuple[Decision, ...] = ()
    apart: tuple[int, ...] = ()
    settled: bool = False

    data_type = "mixed"
    _derived = (*Data._derived, "arities")

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column; 0 of a number."""
        return tuple(len(levels) for levels in self.levels)

    @property
    def enters_as(self) -> str:
        """Which tests and scores apply: those of categories where numbers are cut into groups."""
        return "discrete" if self.numbers == "groups" else "mixed"

    @property
    def by_ranks(self) -> bool:
        """Whether numbers are embedded by their ranks; where they are cut into groups they are drawn so, too."""
        return self.numbers != "values"

    def entering(self, numbers: Numbers, powers: int | None = None) -> Self:
        """Return the same data with their numbers entered in a way that is settled."""
        changed = replace(self, numbers=numbers, powers=powers or self.powers, settled=True)
        if (changed.by_ranks, changed.powers) == (self.by_ranks, self.powers):
            # The embedding is the same, and so are groups of numbers.
            same = ("embedded", "core_with_rows", "copies", "isolated", "groups", "grouped")
            changed.__dict__.update({name: self.__dict__[name] for name in same if name in self.__dict__})
        return changed

    def is_number(self, index: int) -> bool:
        """Whether the column at a position holds numbers."""
        return self.columns[index].dtype.kind == "f"

    @property
    def n_numbers(self) -> int:
        """Number of columns that hold numbers."""
        return sum(map(self.is_number, range(self.n_variables)))

    def _set_apart(self) -> set[int]:
        """Positions of identifiers, which are categories with too few rows per state, and of what was set apart."""
        known = (self.n_rows - count for count in self.n_missing)
        found = {
            i for i, (arity, n) in enumerate(zip(self.arities, known, strict=True)) if findings.is_identifier(arity, n)
        }
        return found | {i for i, decision in enumerate(self.decisions) if decision.apart} | set(self.apart)

    def _categories(self) -> dict[str, Any]:
        """Return the fields of a table of the columns that are no numbers."""
        chosen = [i for i in range(self.n_variables) if not self.is_number(i)]
        return {
            "names": tuple(self.names[i] for i in chosen),
            "levels": tuple(self.levels[i] for i in chosen),
            "codes": tuple(self.columns[i] for i in chosen),
            "n_rows": self.n_rows,
            "n_rows_read": self.n_rows_read,
            "decisions": tuple(self.decisions[i] for i in chosen) if self.decisions else (),
        }

    def _rows(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        """Return the fields of a table of some rows; states that none of them shows are not counted."""
        drawn = [
            (column[rows], ()) if self.is_number(i) else seen(column[rows], self.levels[i])
            for i, column in enumerate(self.columns)
        ]
        columns, levels = tuple(column for column, _ in drawn), tuple(labels for _, labels in drawn)
        return {"columns": columns, "levels": levels, "n_rows": len(rows), "n_rows_read": len(rows)}

    def select(self, columns: Iterable[Name]) -> Self:
        """Return data of some columns, in the order of these."""
        chosen = positions(self.names, columns)
        apart = set(self.apart)
        selected: Self = replace(
            self,
            names=tuple(self.names[index] for index in chosen),
            levels=tuple(self.levels[index] for index in chosen),
            columns=tuple(self.columns[index] for index in chosen),
            decisions=tuple(self.decisions[index] for index in chosen) if self.decisions else (),
            apart=tuple(i for i, index in enumerate(chosen) if index in apart),
        )
        return selected

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns."""
        return iter(self.columns)

    def _size(self) -> str:
        kinds = f"{self.n_numbers:,} numbers, {self.n_variables - self.n_numbers:,} categories"
        return f"{self.n_rows:,} rows × {self.n_variables:,} variables ({kinds})"


@dataclass(frozen=True, eq=False, repr=False)
class MixedTable(Mixed):
    """Numbers beside categories, checked once. Functions that take data accept it, and use mixed tests and scores.

    There may be numbers alone.

    Attributes
    ----------
    names : tuple
        Column names, in input order.
    n_rows : int
        Rows that are used.
    n_rows_read : int
        Rows of the input; more than `n_rows` where incomplete rows were dropped.
    levels : tuple of tuple
        The states of each column, ``levels[j][code]``; none of a number.
    columns : tuple of numpy.ndarray
        The columns: state codes, ``uint8`` or ``uint16``, of categories, ``float64`` (finite) of numbers.
    numbers : {"ranks", "values", "groups"}
        How numbers enter: by the normal scores of their ranks, by their standardised values, or cut into groups by what
        these tell of other columns, which makes them categories to tests and scores.
    powers : int
        1: numbers alone; 2: with their squares; 3: with squares and cubes.
    decisions : tuple of Decision
        What each column was taken for, where that was found out; else empty.
    apart : tuple of int
        Positions of the columns that learners keep isolated whatever their rows are.
    settled : bool
        Whether it was decided how numbers enter; else the default method chooses between ranks and groups.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same.
    """

    weights: NDArray[np.float64] | None = None

    _derived = (
        *Mixed._derived,
        "embedded",
        "core_with_rows",
        "degenerate",
        "copies",
        "categories",
        "groups",
        "grouped",
    )

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return self.embedded.effective_rows

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns, and the weights of rows where they differ."""
        yield from self.columns
        if self.weights is not None:
            yield self.weights

    @property
    def core(self) -> _core.MixedDataset | _core.CategoricalDataset | _core.WeightedDataset:
        """What tests and scores see, as the core holds it: the embedding, or categories where numbers are in groups."""
        return self.grouped.core if self.numbers == "groups" else self.embedded

    @cached_property
    def embedded(self) -> _core.MixedDataset:
        """The embedding as the core holds it, made when first asked for."""
        return self._embedded(keep_rows=False)

    @cached_property
    def core_with_rows(self) -> _core.MixedDataset:
        """The same with the numbers of each row, which the conditional Gaussian score needs."""
        return self._embedded(keep_rows=True)

    def core_for(self, score: _core.AnyScore) -> _core.Dataset:
        """Return the same, with the rows of the embedding where a score needs them."""
        return self.core_with_rows if score["name"] == "cg" and self.numbers != "groups" else self.core

    def _embedded(self, keep_rows: bool) -> _core.MixedDataset:
        columns, arities = list(self.columns), list(self.arities)
        with named(self.names):
            return _core.MixedDataset(columns, arities, self.by_ranks, self.powers, keep_rows, self.weights, 0)

    @cached_property
    def groups(self) -> Groups:
        """All numbers cut into groups by what these tell of other columns; see `grouped`."""
        return self._cut([i for i in range(self.n_variables) if self.is_number(i)])

    def gains_by_groups(self) -> float:
        """How much groups of numbers tell of other columns relative to the embedding; see `phgs.Auto`.

        Of many numbers those that are looked at are evenly spread over the columns.
        """
        numbers = [i for i in range(self.n_variables) if self.is_number(i)]
        if len(numbers) <= _LOOKED_AT:
            return self.groups.advantage
        return self._cut([numbers[i * len(numbers) // _LOOKED_AT] for i in range(_LOOKED_AT)]).advantage

    def _cut(self, numbers: list[int]) -> Groups:
        with named(self.names):
            codes, bounds, advantage = self.embedded.groups(
                list(self.columns), list(self.arities), numbers, self.isolated, 0
            )
        return Groups(dict(zip(numbers, codes, strict=True)), dict(zip(numbers, bounds, strict=True)), advantage)

    @cached_property
    def grouped(self) -> Table:
        """The same rows with each number cut into groups, as a table of categories.

        Of each number the 16 columns are looked at that tell the most of it by their embedding. Its groups of ten rows
        (at least 99, at most 999 groups) are merged, always the two neighbours that lose the least information of those
        columns; of the numbers of groups on the way, 2 to 20, the one is taken for which quotient NML with the support
        coded gains the most in sum. Other numbers are in five groups for that. A number that gains with no column is
        cut into three. Only the order of the numbers matters.
        """
        found = self.groups
        columns = [found.codes.get(i, column) for i, column in enumerate(self.columns)]
        levels = [
            tuple(labels_of_groups(found.bounds[i])) if i in found.bounds else labels
            for i, labels in enumerate(self.levels)
        ]
        return Table(
            names=self.names,
            levels=tuple(levels),
            codes=tuple(columns),
            n_rows=self.n_rows,
            n_rows_read=self.n_rows_read,
            weights=self.weights,
            apart=self.isolated,
        )

    @property
    def groups_of_numbers(self) -> dict[Name, tuple[str, ...]]:
        """The intervals of numbers that enter cut into groups."""
        if self.numbers != "groups":
            return {}
        named_levels = enumerate(zip(self.names, self.grouped.levels, strict=True))
        return {name: levels for i, (name, levels) in named_levels if self.is_number(i)}

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that learners keep isolated.

        Identifiers, which are categories with too few rows per state, what was set apart when the data were read, and
        numbers that are copies, as they enter, of numbers before them (after ranks, any monotone function of them).
        """
        return tuple(sorted(self._set_apart() | set(self.copies)))

    @cached_property
    def copies(self) -> dict[int, int]:
        """Positions of numbers that are copies, as they enter, of numbers before them, with these."""
        found: dict[int, int] = {}
        for first, copy in self.embedded.copies():
            found.setdefault(copy, found.get(first, first))
        return found

    @cached_property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns that are constant."""
        return tuple(i for i, column in enumerate(self.columns) if column.size == 0 or column.min() == column.max())

    @cached_property
    def categories(self) -> Table | None:
        """The columns that are no numbers; None where all are."""
        chosen = self._categories()
        if not chosen["names"]:
            return None
        return Table(**chosen)

    def take(self, rows: NDArray[np.intp]) -> MixedTable:
        """Return data of some rows; states that none of them shows are not counted."""
        weights = None if self.weights is None else self.weights[rows]
        taken = replace(self, **self._rows(rows), weights=weights)
        # What is an identifier is a matter of all rows: repetitions must not make it look like an ordinary column.
        taken.__dict__["isolated"] = self.isolated
        return taken

    def __repr__(self) -> str:
        return f"<phgs.MixedTable: {self._size()}>"


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteMixedTable(Mixed):
    """Numbers beside categories with missing values, which learners fill in from the graph that they learn.

    It is what numbers and categories are read into where values are missing, with ``missing="auto"``.

    Attributes
    ----------
    names, n_rows, n_rows_read, levels, numbers, powers, decisions, apart, settled
        As of a `MixedTable`.
    columns : tuple of numpy.ndarray
        The columns; of a category a missing value is the number of its states, of a number it is NaN.
    weights : numpy.ndarray of float or None
        The sampling weight of each row, above 0; None where all weigh the same.
    """

    weights: NDArray[np.float64] | None = None

    complete = False
    to_fill = True
    _derived = (*Mixed._derived, "n_missing")

    @property
    def core(self) -> _core.MixedDataset:
        """Refused: there are no complete data."""
        raise needs_complete_rows()

    @cached_property
    def n_missing(self) -> tuple[int, ...]:
        """Number of missing values of each column."""
        gaps = (self.gaps(i) for i in range(self.n_variables))
        return tuple(int(np.count_nonzero(missing)) for missing in gaps)

    @property
    def copies(self) -> dict[int, int]:
        """Copies are told from complete rows alone."""
        return {}

    @property
    def categories(self) -> IncompleteTable | None:
        """The columns that are no numbers; None where all are."""
        chosen = self._categories()
        if not chosen["names"]:
            return None
        n_missing = (count for i, count in enumerate(self.n_missing) if not self.is_number(i))
        return IncompleteTable(**chosen, n_missing=tuple(n_missing), missing="auto")

    def gaps(self, index: int) -> NDArray[np.bool_]:
        """Where the column at a position misses values."""
        column = self.columns[index]
        found: NDArray[np.bool_] = np.isnan(column) if self.is_number(index) else column == self.arities[index]
        return found

    @property
    def few_known(self) -> tuple[int, ...]:
        """Positions of columns that are kept isolated because too few of their values are known to fill in others."""
        return few_known(self.n_rows, self.n_missing)

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that learners keep isolated."""
        return tuple(sorted(self._set_apart() | set(self.few_known)))

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns whose known values are all the same."""
        known = (column[~self.gaps(i)] for i, column in enumerate(self.columns))
        return tuple(i for i, values in enumerate(known) if values.size == 0 or values.min() == values.max())

    def take(self, rows: NDArray[np.intp]) -> IncompleteMixedTable:
        """Return data of some rows with their weights, their gaps included."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, **self._rows(rows), apart=self.isolated, weights=weights)

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth."""
        return kish(self.n_rows, self.weights)

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns, and the weights of rows where they differ."""
        yield from self.columns
        if self.weights is not None:
            yield self.weights

    def distances(self, threads: int = 0) -> NDArray[np.float64]:
        """Distances of all pairs, each of the rows that are complete in both: the upper triangle row by row."""
        columns, arities = self._for_core()
        with named(self.names):
            return _core.distances_of_incomplete(columns, arities, self.by_ranks, self.powers, threads, self.weights)

    def start(self, seed: int = 0, *, threads: int = 0) -> MixedTable:
        """Draw each missing value from the known values of its column."""
        return self._filled(None, [], sweeps=0, seed=seed, threads=threads, time_limit=None)

    def fill(
        self,
        completed: Data,
        arcs: list[tuple[int, int]],
        *,
        sweeps: int,
        seed: int,
        threads: int = 0,
        time_limit: float | None = None,
    ) -> MixedTable:
        """Draw the missing values of each row given its known ones; see `IncompleteTable.fill`."""
        assert isinstance(completed, MixedTable)
        return self._filled(
            list(completed.columns), arcs, sweeps=sweeps, seed=seed, threads=threads, time_limit=time_limit
        )

    def _filled(self, completed: list[NDArray[Any]] | None, arcs: list[tuple[int, int]], **options: Any) -> MixedTable:
        columns, arities = self._for_core()
        with named(self.names):
            drawn = _core.fill_mixed(
                columns,
                arities,
                completed,
                arcs,
                ranks=self.by_ranks,
                powers=self.powers,
                **options,
                weights=self.weights,
            )
        # Of a column without any value the core has one state.
        levels = tuple(labels if labels or self.is_number(i) else (None,) for i, labels in enumerate(self.levels))
        return MixedTable(
            self.names,
            self.n_rows,
            self.n_rows_read,
            levels,
            tuple(drawn),
            self.numbers,
            self.powers,
            self.decisions,
            self.isolated,
            self.settled,
            self.weights,
        )

    def _for_core(self) -> tuple[list[NDArray[Any]], list[int]]:
        """Columns and numbers of states: of a column without any value the core counts one state, which no row has."""
        empty = [not self.is_number(i) and not arity for i, arity in enumerate(self.arities)]
        columns = [np.ones_like(c) if none else c for c, none in zip(self.columns, empty, strict=True)]
        return columns, [1 if none else arity for arity, none in zip(self.arities, empty, strict=True)]

    def __repr__(self) -> str:
        return f"<phgs.IncompleteMixedTable: {self._size()}, {sum(self.n_missing):,} values missing>"


def entered(table: Any, numbers: Numbers | None, powers: int | None) -> Any:
    """Return data with their numbers entered as asked for; only mixed data can be."""
    if numbers is None and powers is None:
        return table
    name = "powers" if numbers is None else "numbers"
    if not isinstance(table, Mixed):
        alone = "hold numbers alone" if table.data_type == "gaussian" else "hold categories alone"
        raise ParameterError(
            f"{name}: it says how numbers enter beside categories, and these data {alone}; leave it out"
        )
    wanted = (numbers or table.numbers, powers or table.powers)
    return table if (table.numbers, table.powers, table.settled) == (*wanted, True) else table.entering(*wanted)
