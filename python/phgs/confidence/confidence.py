"""How often replicates had each edge."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs import parameters as checks
from phgs._core import __version__
from phgs.confidence.consensus import KINDS, consensus
from phgs.confidence.threshold import estimated_threshold
from phgs.delimited import written
from phgs.documents import Node, json_text, read_json
from phgs.errors import ParameterError
from phgs.knowledge import Knowledge, knowledge_of
from phgs.output import write_whole
from phgs.result.records import RecordTable, texts
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.graphs import Graph
    from phgs.graphs.view import Explorer


class PairConfidence(NamedTuple):
    """How often the replicates joined two variables, and with which direction. Shares are of all replicates.

    Attributes
    ----------
    x, y
        The variables.
    frequency : float
        Share of the replicates whose CPDAG joins them.
    x_to_y, y_to_x, undirected : float
        Shares of the replicates with x → y, with y → x and with x − y: they add to `frequency`.
    absent : float
        Share of the replicates that do not join them: the four shares add to 1.
    """

    x: Name
    y: Name
    frequency: float
    x_to_y: float
    y_to_x: float
    undirected: float
    absent: float


@dataclass(frozen=True, eq=False, repr=False)
class PairTable(RecordTable[PairConfidence]):
    """The pairs that any replicate joins, the most frequent first: a sequence of rows, and columns by name."""

    COLUMNS = ("x", "y", "frequency", "x_to_y", "y_to_x", "undirected", "absent")
    HEADER = ("pair", "frequency", "→", "←", "−")

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`; names are text in it."""
        import pyarrow as pa

        columns = {name: pa.array(texts(self[name]), pa.string()) for name in ("x", "y")}
        return pa.table(columns | {name: pa.array(self[name], pa.float64()) for name in self.COLUMNS[2:]})

    def _cells(self, limit: int) -> list[tuple[str, ...]]:
        return [
            (
                f"{row.x}, {row.y}",
                *(f"{share:.3f}" for share in (row.frequency, row.x_to_y, row.y_to_x, row.undirected)),
            )
            for row in self.rows[:limit]
        ]


@dataclass(frozen=True, eq=False, repr=False)
class EdgeConfidence:
    """What `phgs.bootstrap` finds: how often each edge is learned from resampled rows.

    Attributes
    ----------
        method : str
            Name of the method.
        variables : tuple
            Names of the variables, in column order.
        n_replicates : int
            Number of replicates.
        n_incomplete : int
            How many of them the learner's time limit cut short.
        seed : int
            Seed of the rows.
        n_rows : int
            Rows of each replicate: as many as the data have.
        parameters : dict
            Every parameter of the learner.
        counts : dict
            For the positions (x, y), x < y, of each pair that any replicate joins, the number of replicates with x → y,
            with y → x and with x − y.
        version : str
            Version of phgs.
        knowledge : Knowledge or None
            The background knowledge of the learner.
    """

    method: str
    variables: tuple[Name, ...]
    n_replicates: int
    n_incomplete: int
    seed: int
    n_rows: int
    parameters: dict[str, Any]
    counts: dict[tuple[int, int], tuple[int, int, int]]
    version: str = __version__
    isolated: dict[Name, int] = field(default_factory=dict)
    knowledge: Knowledge | None = None

    @cached_property
    def pairs(self) -> PairTable:
        """The pairs that any replicate joins, the most frequent first, equals in column order."""
        order = sorted(self.counts.items(), key=lambda item: (-sum(item[1]), item[0]))
        return PairTable(tuple(self._row(x, y, counts) for (x, y), counts in order))

    def _row(self, x: int, y: int, counts: tuple[int, int, int]) -> PairConfidence:
        n, joined = self.n_replicates, sum(counts)
        forward, backward, undirected = (count / n for count in counts)
        return PairConfidence(
            self.variables[x], self.variables[y], joined / n, forward, backward, undirected, (n - joined) / n
        )

    @cached_property
    def _position(self) -> dict[Name, int]:
        return {name: index for index, name in enumerate(self.variables)}

    def pair(self, x: Name, y: Name) -> PairConfidence:
        """Return how often two variables are joined, with `x` and `y` as they are given here."""
        from phgs.names import unknown

        for name in (x, y):
            if name not in self._position:
                raise ParameterError(unknown("variable", name, self.variables))
        if x == y:
            raise ParameterError("x and y must be different")
        a, b = self._position[x], self._position[y]
        forward, backward, undirected = self.counts.get((min(a, b), max(a, b)), (0, 0, 0))
        return self._row(a, b, (forward, backward, undirected) if a < b else (backward, forward, undirected))

    @cached_property
    def estimated_threshold(self) -> float:
        """The threshold of Scutari and Nagarajan (2013): edges above it are significant.

        See `phgs.confidence.threshold.estimated_threshold`.
        """
        p = len(self.variables)
        found = np.zeros(max(p * (p - 1) // 2, 1))
        found[: len(self.counts)] = [sum(counts) / self.n_replicates for counts in self.counts.values()]
        return estimated_threshold(found)

    def significant(self, threshold: float | str = "estimated") -> PairTable:
        """Return the pairs whose edge is frequent enough.

        Parameters
        ----------
        threshold : float or "estimated"
            The least frequency; or those above `estimated_threshold`, that is in more than half of the replicates.
        """
        if isinstance(threshold, str):
            checks.one_of("threshold", threshold, ("estimated",))
            least = self.estimated_threshold
            return PairTable(tuple(row for row in self.pairs if row.frequency > least))
        least = checks.real("threshold", threshold)
        if not 0.0 < least <= 1.0:
            raise ParameterError(f"threshold: {threshold!r} is not a frequency above 0 and at most 1, nor 'estimated'")
        return PairTable(tuple(row for row in self.pairs if row.frequency >= least))

    def consensus(self, threshold: float | str = "estimated", kind: str = "majority") -> Graph:
        """Return one graph without directed cycles, of the edges that are frequent enough.

        Parameters
        ----------
        threshold : float or "estimated"
            As in `significant`.
        kind : {"majority", "dag", "cpdag"}
            ``"majority"`` draws each edge as most of the replicates that have it do: directed one way, the other way,
            or undirected (also where they are equally many). Arcs come in by decreasing share; one that would close a
            directed cycle is left out, so that of each cycle the weakest arc is missing and no arc points against all
            replicates. ``"dag"`` also directs what is undirected, without new v-structures wherever that is possible.
            ``"cpdag"`` is the class of this DAG, with the directions that background knowledge of the learner compels.
        """
        checks.one_of("kind", kind, KINDS)
        return consensus(self.variables, self.significant(threshold), kind, self.knowledge)

    def plot(
        self,
        path: Any = None,
        *,
        threshold: float | str = "estimated",
        focus: Name | None = None,
        title: str | None = None,
        layout: Any = "auto",
    ) -> Any:
        """Draw the majority graph with matplotlib, wider edges are more frequent; see `phgs.Result.plot`."""
        from phgs.graphs.plot import plot

        graph = self.consensus(threshold)
        widths = {frozenset((row.x, row.y)): row.frequency for row in self.pairs}
        title = f"{self.method}, {self.n_replicates:,} replicates: {graph._size()}" if title is None else title
        return plot(graph, path, focus=focus, title=title, widths=widths, layout=layout)

    def explore(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        threshold: float | str = "estimated",
        truth: Any = None,
        title: str | None = None,
    ) -> Explorer:
        """Make a page in which all pairs can be explored, with a slider on their share; see `phgs.Result.explore`.

        Parameters
        ----------
        path : path, optional
            Where to write the page (HTML).
        threshold : float or "estimated"
            Where the slider begins: edges as `consensus` has them. Rarer pairs, up to 20,000, appear as it moves down,
            each as most of its replicates have it.
        truth, title
            As in `phgs.Result.explore`.
        """
        from phgs.graphs.view.payload import explore, of_confidence

        return explore(of_confidence(self, threshold=threshold, truth=truth, title=title), path)

    # Other forms

    def to_pandas(self) -> Any:
        """Return the table of pairs as a `pandas.DataFrame`."""
        return self.pairs.to_pandas()

    def to_arrow(self) -> Any:
        """Return the table of pairs as a `pyarrow.Table`."""
        return self.pairs.to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.pairs.__arrow_c_stream__(requested_schema)

    def to_csv(self) -> str:
        """Return the table of pairs as CSV text."""
        return "".join(map(written, (self.pairs.columns, *self.pairs.rows)))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values of JSON."""
        return {
            "bootstrap": self.method,
            "version": self.version,
            "variables": texts(self.variables),
            "n_rows": self.n_rows,
            "n_replicates": self.n_replicates,
            "n_incomplete": self.n_incomplete,
            "isolated": {str(name): count for name, count in self.isolated.items()},
            "seed": self.seed,
            "parameters": self.parameters,
            "knowledge": None if self.knowledge is None else self.knowledge._for_file(),
            "estimated_threshold": self.estimated_threshold,
            "pairs": [
                {"x": str(self.variables[x]), "y": str(self.variables[y]), "x_to_y": f, "y_to_x": b, "undirected": u}
                for (x, y), (f, b, u) in sorted(self.counts.items())
            ],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything as JSON, whole or not at all; shares are there as numbers of replicates."""
        write_whole(path, json_text(self.to_dict()))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> EdgeConfidence:
        """Read a file of `save`; names of variables are then text.

        Raises
        ------
        DocumentError
            When it is not such a file, or was changed; the message names the place.
        """
        found = Node(read_json(path, what="a file of bootstrap results"), str(path))
        if type(found.value) is not dict or "bootstrap" not in found.value:
            found.fail("this is not a file of bootstrap results")
        variables = found["variables"].names()
        position = {name: index for index, name in enumerate(variables)}
        n_replicates = found["n_replicates"].whole(1)
        counts: dict[tuple[int, int], tuple[int, int, int]] = {}
        for row in found["pairs"]:
            x, y = (position[row[key].name(position)] for key in ("x", "y"))
            if x >= y or (x, y) in counts:
                row.fail("a pair is there once, its variables in their order")
            shares = tuple(row[key].whole(0, n_replicates) for key in ("x_to_y", "y_to_x", "undirected"))
            if not 1 <= sum(shares) <= n_replicates:
                row.fail(f"{sum(shares):,} of {n_replicates:,} replicates have this pair")
            counts[x, y] = (shares[0], shares[1], shares[2])
        return EdgeConfidence(
            method=found["bootstrap"].text(),
            variables=variables,
            n_replicates=n_replicates,
            n_incomplete=found["n_incomplete"].whole(0, n_replicates),
            seed=found["seed"].whole(most=(1 << 200)),
            n_rows=found["n_rows"].whole(1),
            parameters=found["parameters"].table(),
            counts=counts,
            version=found["version"].text(),
            isolated={name: found["isolated"][name].whole(1, n_replicates) for name in found["isolated"].table()},
            knowledge=None if (node := found.get("knowledge")) is None else knowledge_of(node),
        )

    # Python's protocols

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, EdgeConfidence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<phgs.EdgeConfidence: {self.method}, {self.n_replicates:,} replicates,"
            f" {len(self.significant()):,} significant edges of {len(self.counts):,}>"
        )

    def __str__(self) -> str:
        from phgs.result.summary import aligned

        replicates = f"{self.n_replicates:,} of {self.n_rows:,} rows, seed {self.seed}"
        if self.n_incomplete:
            replicates += f"; {self.n_incomplete:,} cut short by the time limit"
        lines = [
            ("method", self.method),
            ("variables", f"{len(self.variables):,}"),
            ("replicates", replicates),
            *([("isolated", self._isolated())] if self.isolated else []),
            ("edges", f"{len(self.counts):,} in any replicate, {len(self.significant()):,} significant"),
            ("threshold", f"above {self.estimated_threshold:.3g} (estimated)"),
        ]
        return printable(f"{aligned(lines)}\n\n{self.pairs!r}")

    def _isolated(self) -> str:
        from phgs.data.checks import plural

        each = [f"{name!r} in {plural(count, 'replicate')}" for name, count in self.isolated.items()]
        more = f" and {len(each) - 8} more" if len(each) > 8 else ""
        return f"{', '.join(each[:8])}{more} (constant there, or copies of others)"

    def _repr_html_(self) -> str:
        from html import escape

        from phgs.graphs.html import graph_html

        graph = graph_html(self.consensus())
        head = str(self).split("\n\n", 1)[0]
        return f"<div><pre>{escape(head)}</pre>{graph}{self.pairs._repr_html_()}</div>"


def counted(replicates: Iterable[tuple[list[tuple[int, int]], list[tuple[int, int]]]]) -> Any:
    """Count the directed and undirected edges of replicates, given by positions of variables."""
    counts: dict[tuple[int, int], list[int]] = {}
    for directed, undirected in replicates:
        for x, y in directed:
            counts.setdefault((min(x, y), max(x, y)), [0, 0, 0])[x > y] += 1
        for x, y in undirected:
            counts.setdefault((min(x, y), max(x, y)), [0, 0, 0])[2] += 1
    return {pair: tuple(counts[pair]) for pair in sorted(counts)}
