"""What speaks for edges, and why pairs were not tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phgs import _core
from phgs.result.table import EdgeRow, EdgeTable

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.result.result import Result


def edge_table(result: Result) -> EdgeTable:
    """Return the edges of the CPDAG with the tests that speak for them."""
    gains = _gains(result)
    rows = []
    for a, b, directed in result.cpdag.edges:
        record = result._record(a, b)
        rows.append(
            EdgeRow(
                source=a,
                target=b,
                directed=directed,
                log_p_value=None if record is None else record[0],
                weakest_set=None if record is None else record[1],
                score_gain=gains.get((a, b), gains.get((b, a))),
            )
        )
    return EdgeTable(tuple(rows))


def _gains(result: Result) -> dict[tuple[Name, Name], float]:
    if result.dag is None or result._table is None or result._score is None:
        return {}
    threads = int(result.parameters.get("threads", 0))
    arcs = result.dag._directed_indices()
    table = result._table
    core = table.complete_core if table.data_type == "discrete" else table.core_for(result._score)
    found = _core.score_gains(core, arcs, result._score, threads)
    return dict(zip(result.dag.directed, found, strict=True))


def untested(result: Result, x: Name, y: Name) -> str | None:
    """Say why a pair was kept apart without a test; see `Result.untested`."""
    for name in (x, y):
        if result.missing is not None and name in result.missing.apart:
            return f"fewer than 20 values of {name} are known: it is kept isolated"
        if name in result.isolated:
            apart = {"date": "holds dates", "empty": "has no values", "number": "is a copy of a number before it"}
            if (kind := result.kinds.get(name)) in apart:
                return f"{name} {apart[str(kind)]}, so it is kept isolated"
            return (
                f"{name} has {result.isolated[name]:,} states in {result.n_rows:,} rows: no test can tell anything of"
                " it, so it is kept isolated"
            )
    if result.knowledge is not None and result.knowledge.forbids(x, y):
        return "background knowledge forbids their edge"
    for name in (x, y):
        if name in result.identifiers:
            return (
                f"{name} has {result.identifiers[name]:,} states in {result.n_rows:,} rows: no test can tell anything"
                " of it, and the score alone decided"
            )
    return None
