"""The result of learning."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs._core import __version__
from phgs.data import Data
from phgs.data.missing import MissingValues
from phgs.data.weights import Weights
from phgs.errors import ParameterError
from phgs.graphs.graph import Graph
from phgs.result.columns import ColumnFacts, column_facts
from phgs.result.evidence import edge_table, untested
from phgs.result.parts import Conflict, PathPoint, Score, Stage, Triple
from phgs.result.table import EdgeTable, Separation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from phgs.confidence import EdgeConfidence
    from phgs.data.frames import Name
    from phgs.graphs.functions import Comparison
    from phgs.graphs.view import Explorer
    from phgs.knowledge import Knowledge
    from phgs.mixed_network import MixedNetwork
    from phgs.network import Network
    from phgs.result.report import Report


@dataclass(frozen=True, eq=False)
class Result:
    """What a method learned, and how.

    Attributes
    ----------
    method : str
        Name of the method.
    variables : tuple
        Names of the variables, in column order.
    cpdag : Graph
        The learned CPDAG. An undirected edge is one whose direction the data cannot tell.
    extendable : bool
        Whether the CPDAG has a consistent extension, that is whether `phgs.cpdag_to_dag` finds a DAG; False only for
        methods without a DAG: on conflicting v-structures, or where only v-structures at pairs that knowledge forbids
        (so that they were never tested) could explain the edges.
    dag : Graph or None
        The learned DAG; None where the method learns none.
    score : Score or None
        Score of the DAG.
    calls : dict
        Statistical calls by phase, and ``"total"``: independence tests, local scores and, for clustering, mutual
        informations and entropies.
    seconds : dict
        Seconds by phase, ``"read"`` and ``"total"``.
    clusters : dict or None
        Cluster of each variable; None where they were not partitioned.
    path : tuple of PathPoint or None
        The solution path; None without PATH.
    oriented : bool
        Whether the skeleton was directed; False where the time limit came first and left it as it was: edges then have
        the directions that background knowledge gives them, and `extendable` is False because nobody has looked.
    conflicts : tuple of Conflict
        V-structures that were skipped because they conflict with others (both, where their evidence is equal), and
        triples at which Meek's rules contradict each other: the first 10,000 of them.
    undecided : tuple of Triple
        Unshielded triples that a cautious `collider_rule` left open: each may be a v-structure or not. The first
        10,000 of them.
    n_conflicts, n_undecided : int
        Numbers of all of these.
    parameters : dict
        Every parameter as used.
    test : str
        Name of the independence test and its rule for degrees of freedom.
    complete : bool
        Whether every stage ran to its end (False: the time limit cut it short).
    stages : tuple of Stage
        What each stage did.
    n_rows, n_rows_read : int
        Rows used, and rows of the input.
    levels : dict
        The states of each variable. A result file has them as text, truth values and numbers, and none of identifiers.
    isolated : dict
        The variables that were kept isolated because they have fewer than five rows per state (identifiers), or fewer
        than 20 known values (`MissingValues.apart`), or were set apart (see `kinds`), with their number of states.
    identifiers : dict
        Of the identifiers those that were not: that no test looked at, and of which the score alone decided, with their
        number of states. See `phgs.CategoricalTable.identifiers`.
    kinds : dict
        What each variable was taken for: ``"number"``, ``"category"``, ``"constant"``, ``"identifier"``, ``"date"`` or
        ``"empty"``; the last three are set apart. Empty where that is not known.
    guesses : dict
        Of the variables of which that was found out and could be wrong: why it was taken so, and what changes it.
    groups : dict
        Of numbers that were cut into groups (``parameters["numbers"]`` is ``"groups"``): the intervals, as text.
    weights : Weights or None
        How rows were weighed: the `column` (None: weights were given themselves) and the `effective_rows`, the number
        of rows of equal weight that these are worth. None where all rows weigh the same.
    missing : MissingValues or None
        What was missing, and what was done about it; None where nothing was missing, was left out or was made a state.
    knowledge : Knowledge or None
        The background knowledge that was used.
    decided_by_minimum_sample : int
        How many tests the least-sample rule decided.
    version : str
        Version of phgs.
    """

    method: str
    variables: tuple[Name, ...]
    cpdag: Graph
    extendable: bool
    dag: Graph | None
    score: Score | None
    calls: dict[str, int]
    seconds: dict[str, float]
    clusters: dict[Name, int] | None
    path: tuple[PathPoint, ...] | None
    conflicts: tuple[Conflict, ...]
    parameters: dict[str, Any]
    n_rows: int
    n_rows_read: int
    test: str = ""
    complete: bool = True
    stages: tuple[Stage, ...] = ()
    levels: dict[Name, tuple[Any, ...]] = field(default_factory=dict)
    isolated: dict[Name, int] = field(default_factory=dict)
    identifiers: dict[Name, int] = field(default_factory=dict)
    kinds: dict[Name, str] = field(default_factory=dict)
    guesses: dict[Name, str] = field(default_factory=dict)
    groups: dict[Name, tuple[str, ...]] = field(default_factory=dict)
    weights: Weights | None = None
    knowledge: Knowledge | None = None
    decided_by_minimum_sample: int = 0
    version: str = __version__
    n_conflicts: int = 0
    undecided: tuple[Triple, ...] = ()
    n_undecided: int = 0
    oriented: bool = True
    missing: MissingValues | None = None
    _separations: _core.Separations | None = None
    _edges: EdgeTable | None = None
    _table: Data | None = None
    _gapped: Data | None = None
    _score: _core.AnyScore | None = None
    _columns: dict[Name, ColumnFacts] | None = None

    @classmethod
    def _from_core(
        cls,
        learned: _core.Outcome,
        *,
        method: str,
        test: str,
        table: Data,
        gapped: Data | None,
        missing: MissingValues | None,
        parameters: dict[str, Any],
        score_described: _core.AnyScore,
        score_name: str,
        read_seconds: float,
        untested: Sequence[int] = (),
        weights: Weights | None = None,
        knowledge: Knowledge | None = None,
    ) -> Result:
        names = table.names
        read = table if gapped is None else gapped
        calls = {name: count for name, count in learned["calls"].items() if count}
        calls["total"] = sum(calls.values())
        seconds = {name: value for name, value in learned["seconds"].items() if value or name in calls}
        # The total comes last, when the result is made.
        seconds |= {"read": read_seconds, "total": math.nan}
        score, dag, path, clusters = learned["score"], learned["dag"], learned["path"], learned["clusters"]
        conflicts = tuple(Conflict(names[v["x"]], names[v["centre"]], names[v["y"]]) for v in learned["conflicts"])
        undecided = tuple(Triple(names[t["x"]], names[t["centre"]], names[t["y"]]) for t in learned["undecided"])
        return cls(
            method=method,
            variables=names,
            cpdag=Graph._from_indices(names, *learned["cpdag"]),
            extendable=learned["extendable"],
            dag=None if dag is None else Graph._from_indices(names, dag),
            score=None if score is None else Score(score_name, score),
            calls=calls,
            seconds=seconds,
            clusters=None if clusters is None else dict(zip(names, clusters, strict=True)),
            path=None if path is None else tuple(PathPoint(**point) for point in path),
            oriented=learned["directed"],
            conflicts=conflicts,
            n_conflicts=learned["n_conflicts"],
            undecided=undecided,
            n_undecided=learned["n_undecided"],
            parameters=parameters,
            n_rows=table.n_rows,
            n_rows_read=table.n_rows_read,
            test=test,
            complete=learned["complete"],
            stages=tuple(Stage(**stage) for stage in learned["stages"]),
            levels=dict(zip(names, read.levels, strict=True)),
            isolated={names[i]: len(read.levels[i]) for i in read.isolated if i not in untested},
            identifiers={names[i]: len(read.levels[i]) for i in untested},
            kinds=dict(read.kinds),
            guesses=read.guesses,
            groups=table.groups_of_numbers,
            weights=weights,
            knowledge=knowledge,
            missing=missing,
            decided_by_minimum_sample=learned["decided_by_minimum_sample"],
            _separations=learned["separations"],
            _table=table,
            _gapped=gapped,
            _score=score_described,
        )

    # Edges and the lack of them

    @property
    def _codes(self) -> dict[Name, int]:
        """The variables whose states are codes of rows, not values to be shown or kept, with their number of states."""
        return self.isolated | self.identifiers

    @cached_property
    def edges(self) -> EdgeTable:
        """The edges of the CPDAG with the tests that speak for them."""
        if self._edges is not None:
            return self._edges
        return edge_table(self)

    @cached_property
    def columns(self) -> dict[Name, ColumnFacts]:
        """What the data were, column by column: rows of each state, missing values; empty where they are not known."""
        if self._columns is not None:
            return self._columns
        table = self._gapped or self._table
        return {} if table is None else column_facts(table)

    @cached_property
    def _record_of(self) -> dict[tuple[int, int], int]:
        found = self._separations
        if found is None:
            return {}
        return {pair: i for i, pair in enumerate(zip(found["x"].tolist(), found["y"].tolist(), strict=True))}

    def _record(self, a: Name, b: Name) -> tuple[float, tuple[Name, ...]] | None:
        x, y = self.cpdag._index(a), self.cpdag._index(b)
        at = self._record_of.get((min(x, y), max(x, y)))
        if at is None or self._separations is None:
            return None
        start, end = self._separations["starts"][at : at + 2]
        given = tuple(self.variables[i] for i in self._separations["members"][start:end])
        return float(self._separations["log_p"][at]), given

    def separation(self, x: Name, y: Name) -> Separation | None:
        """Return what separates two variables.

        None when they are adjacent, when the method keeps no separating sets, and when no test was made of the pair
        because background knowledge forbids it or one of them is an identifier.
        """
        self.cpdag._index(x), self.cpdag._index(y)
        if (x, y) in self.cpdag or not self._separations or self.untested(x, y) is not None:
            return None
        record = self._record(x, y)
        if record is None:
            return Separation(x, y, (), None)
        return Separation(x, y, record[1], record[0])

    def untested(self, x: Name, y: Name) -> str | None:
        """Say why a pair was kept apart without a test; None for pairs that tests and scores decided."""
        return untested(self, x, y)

    def _data(self, data: Any) -> Data | None:
        """Read data that a user gives, or take those that were learned from if they are still there."""
        from phgs.result.data import data_of

        return data_of(self, data)

    def _needed_data(self, data: Any) -> Data:
        found = self._data(data)
        if found is None:
            raise ParameterError("data: a loaded or unpickled result does not keep its data; pass data=")
        return found

    def explain(self, x: Name, y: Name, data: Any = None) -> str:
        """Say why two variables are or are not adjacent.

        Parameters
        ----------
        x, y
            Names of variables.
        data
            The data; with them the deciding test is shown in full. A result that has just been learned has them; a
            loaded or unpickled one does not.
        """
        from phgs.result.summary import explain

        return explain(self, x, y, data)

    # Going on from here

    def to_numpy(self) -> NDArray[np.int8]:
        """Return the CPDAG's adjacency matrix; see `Graph.to_numpy`."""
        return self.cpdag.to_numpy()

    def to_networkx(self) -> Any:
        """Return the CPDAG as a `networkx.DiGraph`; see `Graph.to_networkx`."""
        return self.cpdag.to_networkx()

    def to_pgmpy(self) -> Any:
        """Return the DAG (the CPDAG where there is none) as a pgmpy network without tables."""
        return (self.dag or self.cpdag).to_pgmpy()

    def to_igraph(self) -> Any:
        """Return the CPDAG as a directed `igraph.Graph`; see `Graph.to_igraph`."""
        return self.cpdag.to_igraph()

    def to_pyagrum(self, data: Any = None) -> Any:
        """Return the network of `fit` as a pyAgrum network, for inference."""
        return self._network(data, None, 0).to_pyagrum()

    def to_dot(self) -> str:
        """Return the CPDAG as Graphviz DOT text."""
        return self.cpdag.to_dot()

    def to_graphml(self) -> str:
        """Return the CPDAG as GraphML text."""
        return self.cpdag.to_graphml()

    def to_csv(self) -> str:
        """Return the CPDAG as an edge list: CSV with the columns from and to; an undirected edge is there both ways."""
        return self.cpdag.to_csv()

    def fit(
        self, data: Any = None, *, equivalent_sample_size: float | None = None, threads: int = 0
    ) -> Network | MixedNetwork:
        """Estimate the tables of the DAG, for inference, sampling or a BIF file.

        Parameters
        ----------
        data : optional
            Data with the same columns; by default those that were learned from, which a result that was loaded or
            unpickled does not know.
        equivalent_sample_size, threads
            As in `Network.fit`, which estimates by EM where values are missing.

        Returns
        -------
        Network or MixedNetwork
            The DAG with its tables; of a method that learns no DAG, one of the class of its CPDAG. `Network.save`
            writes it as BIF. Of Gaussian and of mixed data a `MixedNetwork`, with lines and logistic regressions.

        Raises
        ------
        ParameterError
            When the data are needed, or are correlations alone.
        GraphError
            When the CPDAG has no consistent extension.

        Examples
        --------
        >>> import phgs
        >>> data = {"rain": ["no", "no", "no", "yes"] * 50, "wet": ["no", "no", "yes", "yes"] * 50}
        >>> known = {"required": [("rain", "wet")]}
        >>> phgs.learn(data, knowledge=known, progress=False).fit().table("rain")
        array([0.75, 0.25])
        """
        return self._network(data, equivalent_sample_size, threads)

    def _network(self, data: Any, equivalent_sample_size: float | None, threads: int) -> Network | MixedNetwork:
        from phgs.result.data import network_of

        return network_of(self, data, equivalent_sample_size, threads)

    def plot(
        self, path: Any = None, *, focus: Name | None = None, title: str | None = None, layout: Any = "auto"
    ) -> Any:
        """Draw the CPDAG with matplotlib, coloured by cluster.

        Parameters
        ----------
        path : path, optional
            Where to write the picture (PNG, SVG, PDF); by default the figure is returned only.
        focus : name, optional
            Draw only the neighbourhood of this variable.
        title : str, optional
            Title of the picture.
        layout : str, mapping or callable
            How variables are placed; see `Graph.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        if title is None:
            title = f"{self.method}: " + (self.cpdag._size() if focus is None else f"around {focus}")
        return self.cpdag.plot(path, focus=focus, clusters=self.clusters, title=title, layout=layout)

    def explore(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        truth: Any = None,
        confidence: EdgeConfidence | None = None,
        title: str | None = None,
    ) -> Explorer:
        """Make a page in which to explore the graph: move, search, and ask about variables and edges.

        A notebook shows what is returned. The file works from disk in any browser, without a network. It holds what the
        result file holds, but no data. Of more than 15,000 pairs without an edge it has the tests of the nearest only:
        those up to some number of edges apart, which the page tells.

        Parameters
        ----------
        path : path, optional
            Where to write the page (HTML).
        truth : optional
            The true graph, as `phgs.compare` takes it: edges are then coloured as right, in another direction, missing
            or false.
        confidence : EdgeConfidence, optional
            What `phgs.bootstrap` found of the same variables: the share of each edge is shown and edges can be hidden
            by it.
        title : str, optional
            Title of the page.

        Examples
        --------
        >>> import phgs
        >>> data = {"rain": ["no", "no", "no", "yes"] * 50, "wet": ["no", "no", "yes", "yes"] * 50}
        >>> page = phgs.learn(data, progress=False).explore()
        >>> page.html.startswith("<!doctype html>")
        True
        """
        from phgs.graphs.view.payload import explore, of_result

        return explore(of_result(self, truth=truth, confidence=confidence, title=title), path)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        data: Any = None,
        truth: Any = None,
        confidence: EdgeConfidence | None = None,
        title: str | None = None,
    ) -> Report:
        """Make one page that reports the analysis.

        It has the data (rows, columns, what was assumed, what stands out), the method as a paragraph for a paper's
        methods section, the graph to explore, the table of edges, PATH, clusters, bootstrap shares, every parameter,
        and how to cite. It is one file and needs no network.

        Parameters
        ----------
        path : path, optional
            Where to write the page (HTML).
        data : optional
            The data that were learned from, for what stands out in them. A result that has just been learned knows
            them; one that was loaded or unpickled does not.
        truth, confidence, title
            As in `explore`.

        Examples
        --------
        >>> import phgs
        >>> data = {"rain": ["no", "no", "no", "yes"] * 50, "wet": ["no", "no", "yes", "yes"] * 50}
        >>> phgs.learn(data, progress=False).report().methods.startswith("The structure of a Bayesian network over 2")
        True
        """
        from phgs.result.report import report

        return report(self, path, data=data, truth=truth, confidence=confidence, title=title)

    def plot_path(self, path: Any = None) -> Any:
        """Draw the score and the number of edges along the solution path, with matplotlib.

        Raises
        ------
        ParameterError
            When the method has no solution path.
        """
        if self.path is None:
            raise ParameterError(f"path: {self.method} has no solution path; learn with path_length above 1")
        from phgs.graphs.plot import plot_path

        return plot_path(self.path, path)

    def plot_dendrogram(self, path: Any = None, *, data: Any = None) -> Any:
        """Draw the dendrogram of the variables' distances that the partition cuts, with matplotlib.

        Names are coloured by cluster. A cluster may hold several branches: small ones are merged into others.

        Parameters
        ----------
        path : path, optional
            Where to write the picture; by default the figure is returned only.
        data : optional
            The data that were learned from. A result that has just been learned knows them; one that was loaded or
            unpickled does not.

        Raises
        ------
        ParameterError
            When the method makes no partition, or the data are needed.
        """
        if self.clusters is None:
            raise ParameterError(f"clusters: {self.method} makes no partition; learn with phgs or ppc")
        table = self._needed_data(data)
        from phgs.functional.partition import distances
        from phgs.graphs.dendrogram import plot_dendrogram

        found = distances(table, threads=int(self.parameters.get("threads", 0)))
        return plot_dendrogram(found, self.variables, list(self.clusters.values()), path)

    def to_dict(self, *, separations: bool | None = None) -> dict[str, Any]:
        """Return the result in the form of the result file.

        Parameters
        ----------
        separations : bool, optional
            As in `save`.
        """
        from phgs.result.file import to_dict

        return to_dict(self, separations)

    def save(self, path: str | os.PathLike[str], *, separations: bool | None = None) -> None:
        """Write the result as JSON, whole or not at all.

        Parameters
        ----------
        path : path
            Where to write it.
        separations : bool, optional
            Whether to keep the separating sets of absent pairs, from which `explain` and `separation` tell why they are
            absent. None keeps them where there are at most 100,000 of them (some four megabytes).
        """
        from phgs.result.file import save

        save(self, path, separations)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Result:
        """Read a result file.

        A loaded result has everything except the data; pass them to `explain`, `fit` and `plot_dendrogram`. Names of
        variables are text.
        """
        from phgs.result.file import load

        return load(path)

    @property
    def selected(self) -> PathPoint | None:
        """The point of the solution path that was chosen."""
        return next((point for point in self.path or () if point.selected), None)

    # Python's protocols

    def __getstate__(self) -> dict[str, Any]:
        # The data stay behind, and functions of the user's own; what is derived from them goes along.
        state = {name: value for name, value in self.__dict__.items() if name not in ("edges", "columns", "_record_of")}
        return state | {"_edges": self.edges, "_columns": self.columns, "_table": None, "_gapped": None, "_score": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<phgs.Result: {self.method}, {self.cpdag._size()}>"

    def __str__(self) -> str:
        from phgs.texts import printable

        return printable(self._summary())

    def _summary(self, comparison: Comparison | None = None) -> str:
        from phgs.result.summary import summary

        return summary(self, comparison)

    def _repr_html_(self) -> str:
        from phgs.result.html import result_html

        return result_html(self)
