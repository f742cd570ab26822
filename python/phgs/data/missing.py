"""What was done about missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from phgs.errors import DataError

if TYPE_CHECKING:
    from phgs.data.base import Data
    from phgs.data.frames import Name

ROUNDS = 5
"""The most rounds of filling in and learning; the learning before the first of them is not counted."""

SWEEPS = 12
"""How often each missing value is drawn in a round, and the network estimated again."""


class MissingValues(NamedTuple):
    """What was done about missing values.

    Attributes
    ----------
    share : float
        Share of all values that are missing.
    columns : dict
        Number of missing values of each column that misses any.
    method : {"em", "testwise"}
        ``"em"``: they were filled in from the learned graph (structural EM by draws, which assumes that they are
        missing at random given what is seen); ``"testwise"``: each test used the rows that are complete in its columns.
    rounds : int
        How often they were filled in from a learned graph.
    repeated : bool
        Whether the last two rounds gave the same class of graphs.
    apart : tuple
        Columns that were kept isolated because fewer than 20 of their values are known.
    """

    share: float
    columns: dict[Name, int]
    method: Literal["em", "testwise"]
    rounds: int = 0
    repeated: bool = False
    apart: tuple[Name, ...] = ()


def missing_values(table: Data, **found: Any) -> MissingValues | None:
    """Count what is missing in data; None where nothing is."""
    columns = {name: count for name, count in zip(table.names, table.n_missing, strict=True) if count}
    if not columns:
        return None
    share = sum(columns.values()) / (table.n_rows * table.n_variables)
    apart = tuple(table.names[i] for i in table.few_known)
    return MissingValues(share, columns, "em" if table.to_fill else "testwise", apart=apart, **found)


def needs_complete_rows(missing: str = "auto", remedy: str = "missing='drop'") -> DataError:
    """Return the error of data in which missing values were left, where complete rows are needed."""
    return DataError(
        f"data: missing values were left in the table (missing={missing!r}), and this needs complete rows; read the"
        f" data with {remedy}"
    )


def filled_from(gapped: Any, arcs: list[tuple[int, int]], threads: int = 0) -> Data:
    """Fill in missing values from a graph that is given: as often as learners do, each time from what came before."""
    table: Data = gapped.start(threads=threads)
    for number in range(ROUNDS):
        table = gapped.fill(table, arcs, sweeps=SWEEPS, seed=number + 1, threads=threads)
    return table
