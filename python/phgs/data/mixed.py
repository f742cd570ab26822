"""Mixed data: numbers beside categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phgs import _core
from phgs.data import findings
from phgs.data.base import Data
from phgs.data.frames import Name
from phgs.data.kinds import Decision
from phgs.data.table import Table, positions, seen
from phgs.names import named

Numbers: TypeAlias = Literal["ranks", "values"]
"""How numbers enter: by the normal scores of their ranks, or by their standardised values."""


@dataclass(frozen=True, eq=False, repr=False)
class MixedTable(Data):
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
    numbers : {"ranks", "values"}
        How numbers enter: by the normal scores of their ranks, or by their standardised values.
    powers : int
        1: numbers alone; 2: with their squares; 3: with squares and cubes.
    decisions : tuple of Decision
        What each column was taken for, where that was found out; else empty.
    """

    names: tuple[Name, ...]
    n_rows: int
    n_rows_read: int
    levels: tuple[tuple[Any, ...], ...]
    columns: tuple[NDArray[Any], ...]
    numbers: Numbers = "ranks"
    powers: int = 2
    decisions: tuple[Decision, ...] = ()

    data_type = "mixed"
    _derived = (*Data._derived, "core_with_rows", "arities", "degenerate", "copies", "categories")

    @cached_property
    def core(self) -> _core.MixedDataset:
        """The embedding as the core holds it, made when first asked for."""
        return self._embedded(keep_rows=False)

    @cached_property
    def core_with_rows(self) -> _core.MixedDataset:
        """The same with the numbers of each row, which the conditional Gaussian score needs."""
        return self._embedded(keep_rows=True)

    def core_for(self, score: _core.AnyScore) -> _core.MixedDataset:
        """Return the embedding, with rows where a score needs them."""
        return self.core_with_rows if score["name"] == "cg" else self.core

    def _embedded(self, keep_rows: bool) -> _core.MixedDataset:
        columns, arities = list(self.columns), list(self.arities)
        with named(self.names):
            return _core.MixedDataset(columns, arities, self.numbers == "ranks", self.powers, keep_rows, 0)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column; 0 of a number."""
        return tuple(len(levels) for levels in self.levels)

    def is_number(self, index: int) -> bool:
        """Whether the column at a position holds numbers."""
        return self.columns[index].dtype.kind == "f"

    @property
    def n_numbers(self) -> int:
        """Number of columns that hold numbers."""
        return sum(map(self.is_number, range(self.n_variables)))

    @cached_property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that learners keep isolated.

        Identifiers, which are categories with too few rows per state, what was set apart when the data were read, and
        numbers that are copies, as they enter, of numbers before them (after ranks, any monotone function of them).
        """
        found = {i for i, arity in enumerate(self.arities) if findings.is_identifier(arity, self.n_rows)}
        found |= {i for i, decision in enumerate(self.decisions) if decision.apart}
        return tuple(sorted(found | set(self.copies)))

    @cached_property
    def copies(self) -> dict[int, int]:
        """Positions of numbers that are copies, as they enter, of numbers before them, with these."""
        found: dict[int, int] = {}
        for first, copy in self.core.copies():
            found.setdefault(copy, found.get(first, first))
        return found

    @cached_property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns that are constant."""
        return tuple(i for i, column in enumerate(self.columns) if column.size == 0 or column.min() == column.max())

    @cached_property
    def categories(self) -> Table | None:
        """The columns that are no numbers; None where all are."""
        chosen = [i for i in range(self.n_variables) if not self.is_number(i)]
        if not chosen:
            return None
        return Table(
            names=tuple(self.names[i] for i in chosen),
            levels=tuple(self.levels[i] for i in chosen),
            codes=tuple(self.columns[i] for i in chosen),
            n_rows=self.n_rows,
            n_rows_read=self.n_rows_read,
            decisions=tuple(self.decisions[i] for i in chosen) if self.decisions else (),
        )

    @property
    def n_missing(self) -> tuple[int, ...]:
        """Number of missing values of each column: none is."""
        return (0,) * self.n_variables

    def take(self, rows: NDArray[np.intp]) -> MixedTable:
        """Return data of some rows; states that none of them shows are not counted."""
        drawn = [
            (column[rows], ()) if self.is_number(i) else seen(column[rows], self.levels[i])
            for i, column in enumerate(self.columns)
        ]
        columns, levels = tuple(column for column, _ in drawn), tuple(labels for _, labels in drawn)
        taken = replace(self, columns=columns, levels=levels, n_rows=len(rows), n_rows_read=len(rows))
        # What is an identifier is a matter of all rows: repetitions must not make it look like an ordinary column.
        taken.__dict__["isolated"] = self.isolated
        return taken

    def select(self, columns: Iterable[Name]) -> MixedTable:
        """Return data of some columns, in the order of these."""
        chosen = positions(self.names, columns)
        return replace(
            self,
            names=tuple(self.names[index] for index in chosen),
            levels=tuple(self.levels[index] for index in chosen),
            columns=tuple(self.columns[index] for index in chosen),
            decisions=tuple(self.decisions[index] for index in chosen) if self.decisions else (),
        )

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return the columns."""
        return iter(self.columns)

    def __repr__(self) -> str:
        kinds = f"{self.n_numbers:,} numbers, {self.n_variables - self.n_numbers:,} categories"
        return f"<phgs.MixedTable: {self.n_rows:,} rows × {self.n_variables:,} variables ({kinds})>"
