"""What all data that can be learned from have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from phgs.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from phgs import _core
    from phgs.data.frames import Name
    from phgs.data.kinds import Decision, Kind


class Data(ABC):
    """Data, checked once; every function that takes data takes them too.

    Its siblings are `CategoricalTable` (which is `phgs.Table`), `IncompleteTable`, `GaussianTable`,
    `IncompleteGaussianTable`, `MixedTable`, and the names alone of variables that a function as test knows. None of
    them is a kind of another.

    Attributes
    ----------
    names : tuple
        Column names, in input order.
    n_rows : int
        Rows that are used.
    n_rows_read : int
        Rows of the input; more than `n_rows` where incomplete rows were dropped.
    data_type : {"discrete", "gaussian", "mixed"}
        Which tests and scores it has.
    has_data : bool
        Whether there is more than names.
    has_rows : bool
        Whether rows can be drawn from it.
    complete : bool
        Whether all tests and scores see one set of rows, so that graphs can be compared by a score.
    to_fill : bool
        Whether learners fill in missing values before they learn; `start` and `fill` then do.
    """

    names: tuple[Name, ...]
    n_rows: int
    n_rows_read: int

    if TYPE_CHECKING:

        @property
        def levels(self) -> tuple[tuple[Any, ...], ...]:
            """The states of each column; none of a column that holds no categories."""

    data_type: ClassVar[str] = "discrete"
    has_rows: ClassVar[bool] = True
    has_data: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    to_fill: ClassVar[bool] = False

    decisions: tuple[Decision, ...] = ()
    """What each column was taken for and why, where that was found out."""

    _derived: ClassVar[tuple[str, ...]] = ("core", "position", "isolated")
    """What is computed at first use, and not pickled."""

    @property
    @abstractmethod
    def core(self) -> _core.Dataset:
        """The data as the core holds them, made when first asked for."""

    @property
    def complete_core(self) -> Any:
        """The same for scores and tables of networks, which need one set of complete rows; else `DataError`."""
        return self.core

    def core_for(self, score: _core.AnyScore) -> Any:
        """Return the data as the core holds them for a score; some need more of them than others."""
        del score
        return self.core

    @property
    def enters_as(self) -> str:
        """The type of data whose tests and scores apply."""
        return self.data_type

    @property
    def isolated(self) -> tuple[int, ...]:
        """Positions of columns that no test can tell anything of, which learners keep isolated."""
        return ()

    @property
    def identifiers(self) -> tuple[int, ...]:
        """Positions of those of them of which a score may tell something: searches with ``"sqnml"`` look at these."""
        return ()

    @property
    def n_missing(self) -> tuple[int, ...]:
        """Number of missing values of each column."""
        return (0,) * self.n_variables

    @property
    def few_known(self) -> tuple[int, ...]:
        """Positions of columns that are kept isolated because too few of their values are known."""
        return ()

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Positions of columns that the rows drawn left without information, where the type of data refuses such."""
        return ()

    @property
    def kinds(self) -> dict[Name, Kind]:
        """What each column is taken for; empty where there are names alone."""
        isolated = set(self.isolated)
        found: dict[Name, Kind] = {}
        for i, (name, levels) in enumerate(zip(self.names, self.levels if self.has_data else (), strict=False)):
            if self.decisions:
                kind = self.decisions[i].kind
            elif self.data_type == "gaussian" or not levels:
                kind = "number"
            else:
                kind = "category" if len(levels) > 1 else "constant"
            found[name] = "identifier" if kind == "category" and i in isolated else kind
        return found

    @property
    def guesses(self) -> dict[Name, str]:
        """Of the columns whose kind was guessed and could be wrong: why, and what changes it."""
        decided = zip(self.names, self.decisions, strict=False)
        return {name: decision.told(name) for name, decision in decided if decision.doubtful}

    @property
    def groups_of_numbers(self) -> dict[Name, tuple[str, ...]]:
        """The intervals of numbers that enter cut into groups."""
        return {}

    @abstractmethod
    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return data of some rows, in their order, repetitions included."""

    @abstractmethod
    def arrays(self) -> Iterator[NDArray[Any]]:
        """Return what the data are made of, array by array, so that they can be told from others."""

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight that the rows are worth; `n_rows` where they have no weights."""
        return float(self.n_rows)

    @property
    def n_variables(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def position(self) -> dict[Name, int]:
        """The position of each name."""
        return {name: index for index, name in enumerate(self.names)}

    def index(self, name: Name) -> int:
        """Return the position of a column; an unknown name raises `ParameterError` with near ones."""
        try:
            return self.position[name]
        except (KeyError, TypeError):
            from phgs.names import unknown

            raise ParameterError(unknown("column", name, self.names)) from None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in self._derived}
