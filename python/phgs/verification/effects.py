"""What verification says of each edge, and of all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from phgs.result.records import RecordTable, texts
from phgs.texts import p_value_text, printable
from phgs.verification.counting import MOST_CELLS

if TYPE_CHECKING:
    from phgs.data.frames import Name


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
            lines.append(f"{len(self.too_large):,} pairs have tables of more than {MOST_CELLS:,} cells")
        for title, table in (("separations that do not hold", broken), ("weak edges", weak)):
            if table:
                lines += ["", title, repr(EffectTable(table.rows[:10]))]
        return printable("\n".join(lines))
