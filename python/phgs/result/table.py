"""The table of edges, and what separated the pairs that have none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from phgs.result.records import RecordTable, texts

if TYPE_CHECKING:
    from phgs.data.frames import Name


class EdgeRow(NamedTuple):
    """One learned edge and the evidence for it.

    Attributes
    ----------
    source, target
        Its ends; of an undirected edge in column order.
    directed : bool
        Whether the CPDAG directs it from `source` to `target`.
    log_p_value : float or None
        Natural logarithm of the largest p-value of all tests of the pair: how close the pair came to being separated.
        None where the method made no tests of it.
    weakest_set : tuple or None
        The conditioning set that gave this p-value.
    score_gain : float or None
        What the arc adds to the score of the learned DAG. None where there is no DAG.
    """

    source: Name
    target: Name
    directed: bool
    log_p_value: float | None
    weakest_set: tuple[Name, ...] | None
    score_gain: float | None

    @property
    def p_value(self) -> float | None:
        """The largest p-value of all tests of the pair; 0 below 1e-308."""
        return None if self.log_p_value is None else math.exp(self.log_p_value)


class Separation(NamedTuple):
    """What separates two variables that are not adjacent.

    Attributes
    ----------
    x, y
        The variables.
    given : tuple
        The separating set.
    log_p_value : float or None
        Natural logarithm of the p-value of the test; None for pairs that their marginal test separated, whose value is
        not kept: above the significance level.
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    log_p_value: float | None


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTable(RecordTable[EdgeRow]):
    """The learned edges as a table: a sequence of rows, and columns by name.

    It has the Arrow C stream, so that data-frame packages can read it, as in ``polars.DataFrame(result.edges)``;
    `to_pandas` makes a pandas frame.
    """

    COLUMNS = ("from", "to", "directed", "p_value", "log_p_value", "weakest_set", "score_gain")
    ATTRIBUTES: ClassVar[dict[str, str]] = {"from": "source", "to": "target"}
    HEADER = ("edge", "largest p", "given", "score gain")

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`; names are text in it."""
        import pyarrow as pa

        sets = [None if row.weakest_set is None else texts(row.weakest_set) for row in self.rows]
        return pa.table(
            {
                "from": pa.array(texts(self["from"]), pa.string()),
                "to": pa.array(texts(self["to"]), pa.string()),
                "directed": pa.array(self["directed"], pa.bool_()),
                "p_value": pa.array(self["p_value"], pa.float64()),
                "log_p_value": pa.array(self["log_p_value"], pa.float64()),
                "weakest_set": pa.array(sets, pa.list_(pa.string())),
                "score_gain": pa.array(self["score_gain"], pa.float64()),
            }
        )

    def _cells(self, limit: int) -> list[tuple[str, ...]]:
        def number(value: float | None) -> str:
            return "" if value is None else f"{value:.4g}"

        cells: list[tuple[str, ...]] = []
        for row in self.rows[:limit]:
            edge = f"{row.source} {'→' if row.directed else '−'} {row.target}"
            given = "" if row.weakest_set is None else "{" + ", ".join(map(str, row.weakest_set)) + "}"
            if row.log_p_value is None:
                p_value = ""
            elif row.log_p_value < -690:
                p_value = f"1e{row.log_p_value / math.log(10):.0f}"
            else:
                p_value = number(row.p_value)
            cells.append((edge, p_value, given, number(row.score_gain)))
        return cells
