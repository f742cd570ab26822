"""A graph over named variables, of directed and undirected edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from phgs import _core
from phgs.errors import GraphError, ParameterError
from phgs.names import half_of_a_pair, unknown
from phgs.texts import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.confidence import EdgeConfidence
    from phgs.data.frames import Name
    from phgs.graphs.view import Explorer


class Edge(NamedTuple):
    """One edge.

    Attributes
    ----------
    source, target
        Its ends; for an undirected edge in the order of the columns.
    directed : bool
        Whether it goes from `source` to `target`.
    """

    source: Name
    target: Name
    directed: bool

    def __str__(self) -> str:
        return printable(f"{self.source} {'→' if self.directed else '−'} {self.target}")


@dataclass(frozen=True, eq=False)
class Graph:
    """A DAG, a CPDAG or any other partially directed graph over named variables.

    An undirected edge of a CPDAG is one whose direction the data cannot tell: both directions occur among the DAGs of
    the class. All variables are nodes, in column order, isolated ones too.

    Parameters
    ----------
    variables : iterable
        Names of the variables.
    directed : iterable of (from, to)
        Directed edges.
    undirected : iterable of pairs
        Undirected edges.

    Raises
    ------
    GraphError
        When an edge is a loop, is there twice, or names no variable.

    Examples
    --------
    >>> from phgs import Graph
    >>> graph = Graph(["rain", "sprinkler", "wet"], directed=[("rain", "wet"), ("sprinkler", "wet")])
    >>> graph.parents("wet")
    ('rain', 'sprinkler')
    >>> print(graph)
    3 variables, 2 edges (2 directed)
      rain → wet
      sprinkler → wet
    """

    variables: tuple[Name, ...]
    directed: tuple[tuple[Name, Name], ...]
    undirected: tuple[tuple[Name, Name], ...]
    # Both as positions of variables, sorted, of shape (number of edges, 2).
    _numbers: tuple[NDArray[np.int64], NDArray[np.int64]] = field(init=False, repr=False)

    def __init__(
        self,
        variables: Iterable[Name],
        directed: Iterable[tuple[Name, Name]] = (),
        undirected: Iterable[tuple[Name, Name]] = (),
    ) -> None:
        names = tuple(variables)
        position = {name: index for index, name in enumerate(names)}
        if len(position) != len(names):
            raise GraphError("variables must be distinct")
        for name in names:
            if not isinstance(name, str):
                continue
            problem = half_of_a_pair(name)
            if problem is not None:
                raise GraphError(f"variable {problem}")

        def numbered(pair: Any) -> tuple[int, int]:
            try:
                if isinstance(pair, str):
                    raise TypeError
                first, second = pair
            except (TypeError, ValueError):
                raise GraphError(f"expected pairs of variables, got {pair!r}") from None
            try:
                return position[first], position[second]
            except (KeyError, TypeError):
                missing = first if first not in names else second
                raise GraphError(unknown("variable", missing, names)) from None

        directed_numbers = _as_pairs([x for pair in directed for x in numbered(pair)])
        undirected_numbers = _as_pairs([x for pair in undirected for x in numbered(pair)])
        both = np.concatenate([directed_numbers, undirected_numbers])
        loops = both[both[:, 0] == both[:, 1]]
        if len(loops):
            raise GraphError(f"{names[loops[0, 0]]!r} cannot be joined to itself")
        ordered = _in_order(both, ordered=False)
        twice = ordered[1:][(ordered[1:] == ordered[:-1]).all(axis=1)]
        if len(twice):
            x, y = twice[0]
            raise GraphError(f"{names[x]!r} and {names[y]!r} are joined twice")
        numbers = _in_order(directed_numbers), _in_order(undirected_numbers, ordered=False)
        object.__setattr__(self, "variables", names)
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def _from_indices(
        cls,
        variables: tuple[Name, ...],
        directed: Iterable[tuple[int, int]] | NDArray[Any],
        undirected: Iterable[tuple[int, int]] | NDArray[Any] = (),
    ) -> Graph:
        """Make a graph from the core's own edges, which need no checks."""
        graph = object.__new__(cls)
        object.__setattr__(graph, "variables", variables)
        object.__setattr__(graph, "_numbers", (_in_order(directed), _in_order(undirected, ordered=False)))
        return graph

    def __getattr__(self, name: str) -> Any:
        """Put names to edges when they are asked for: a skeleton may have millions."""
        numbers = self.__dict__.get("_numbers")
        if name not in ("directed", "undirected") or numbers is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        names = self.variables
        found = tuple((names[x], names[y]) for x, y in numbers[name == "undirected"].tolist())
        object.__setattr__(self, name, found)
        return found

    @cached_property
    def _position(self) -> dict[Name, int]:
        return {name: index for index, name in enumerate(self.variables)}

    def _index(self, name: Name) -> int:
        try:
            return self._position[name]
        except (KeyError, TypeError):
            raise ParameterError(unknown("variable", name, self.variables)) from None

    def _directed_indices(self) -> list[tuple[int, int]]:
        return [(x, y) for x, y in self._numbers[0].tolist()]

    def _undirected_indices(self) -> list[tuple[int, int]]:
        return [(x, y) for x, y in self._numbers[1].tolist()]

    def _edges_for_core(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return self._directed_indices(), self._undirected_indices()

    def _pairs(self) -> NDArray[np.int64]:
        directed, undirected = self._numbers
        return _in_order(np.concatenate(self._numbers), ordered=False) if len(directed) else undirected

    def _pair_indices(self) -> list[tuple[int, int]]:
        return [(x, y) for x, y in self._pairs().tolist()]

    def _texts(self) -> list[str]:
        return [str(name) for name in self.variables]

    # Size and kind

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def n_edges(self) -> int:
        """Number of edges, directed and undirected."""
        return sum(map(len, self._numbers))

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, in column order."""
        return self._first_edges(self.n_edges)

    def _first_edges(self, most: int) -> tuple[Edge, ...]:
        directed, undirected = (numbers[:most] for numbers in self._numbers)
        numbers = np.concatenate([directed, undirected])
        order = np.argsort((numbers[:, 0] << 32) + numbers[:, 1])[:most]
        is_directed = order < len(directed)
        names = self.variables
        return tuple(
            Edge(names[x], names[y], arc)
            for (x, y), arc in zip(numbers[order].tolist(), is_directed.tolist(), strict=True)
        )

    @property
    def is_dag(self) -> bool:
        """Whether all edges are directed and close no cycle."""
        if len(self._numbers[1]):
            return False
        try:
            _core.check_acyclic(self._directed_indices(), self._texts())
        except GraphError:
            return False
        return True

    # Neighbourhoods

    @cached_property
    def _around(self) -> dict[Name, tuple[list[Name], list[Name], list[Name]]]:
        around: dict[Name, tuple[list[Name], list[Name], list[Name]]] = {name: ([], [], []) for name in self.variables}
        for a, b in self.directed:
            around[b][0].append(a)
            around[a][1].append(b)
        for a, b in self.undirected:
            around[a][2].append(b)
            around[b][2].append(a)
        for lists in around.values():
            for names in lists:
                names.sort(key=self._position.__getitem__)
        return around

    def parents(self, variable: Name) -> tuple[Name, ...]:
        """Variables with an edge directed to `variable`."""
        self._index(variable)
        return tuple(self._around[variable][0])

    def children(self, variable: Name) -> tuple[Name, ...]:
        """Variables to which `variable` has a directed edge."""
        self._index(variable)
        return tuple(self._around[variable][1])

    def neighbours(self, variable: Name) -> tuple[Name, ...]:
        """Variables joined to `variable` by an undirected edge."""
        self._index(variable)
        return tuple(self._around[variable][2])

    def adjacent(self, variable: Name) -> tuple[Name, ...]:
        """Variables joined to `variable` by any edge, in column order."""
        self._index(variable)
        return tuple(sorted((name for names in self._around[variable] for name in names), key=self._position.get))  # type: ignore[arg-type]

    def markov_blanket(self, variable: Name) -> tuple[Name, ...]:
        """Variables that make `variable` independent of all others: parents, children and their other parents.

        In a CPDAG the class has one blanket; it is that of any of its DAGs.
        """
        self._index(variable)
        graph: Graph = self
        if self.undirected:
            from phgs.graphs.functions import cpdag_to_dag

            graph = cpdag_to_dag(self)
        blanket = set(graph._around[variable][0]) | set(graph._around[variable][1])
        for child in graph._around[variable][1]:
            blanket.update(graph._around[child][0])
        blanket.discard(variable)
        return tuple(sorted(blanket, key=self._position.get))  # type: ignore[arg-type]

    def skeleton(self) -> Graph:
        """Return the same graph with all edges undirected."""
        return Graph._from_indices(self.variables, (), self._pairs())

    def subgraph(self, variables: Iterable[Name]) -> Graph:
        """Return the graph among some of the variables."""
        chosen = set(variables)
        for name in chosen:
            self._index(name)
        return Graph(
            [name for name in self.variables if name in chosen],
            [(a, b) for a, b in self.directed if a in chosen and b in chosen],
            [(a, b) for a, b in self.undirected if a in chosen and b in chosen],
        )

    # Other forms

    def to_numpy(self) -> NDArray[np.int8]:
        """Return the adjacency matrix.

        Returns
        -------
        numpy.ndarray
            Of shape (p, p) in column order: a[i, j] = 1 and a[j, i] = 0 is i → j; both 1 is undirected.
        """
        matrix = np.zeros((self.n_variables, self.n_variables), dtype=np.int8)
        for x, y in self._directed_indices():
            matrix[x, y] = 1
        for x, y in self._undirected_indices():
            matrix[x, y] = matrix[y, x] = 1
        return matrix

    def to_networkx(self) -> Any:
        """Return a `networkx.DiGraph`; an undirected edge is there in both directions, marked ``directed=False``."""
        from phgs.graphs.export import to_networkx

        return to_networkx(self)

    def to_igraph(self) -> Any:
        """Return a directed `igraph.Graph`; an undirected edge is there in both directions."""
        from phgs.graphs.export import to_igraph

        return to_igraph(self)

    def to_pgmpy(self) -> Any:
        """Return a pgmpy `DiscreteBayesianNetwork` without tables (of a DAG), or a `PDAG`."""
        from phgs.graphs.export import to_pgmpy

        return to_pgmpy(self)

    def to_dot(self) -> str:
        """Return Graphviz DOT text."""
        from phgs.graphs.export import to_dot

        return to_dot(self)

    def to_graphml(self) -> str:
        """Return GraphML text; an undirected edge is there in both directions, marked ``directed`` = false."""
        from phgs.graphs.export import to_graphml

        return to_graphml(self)

    def to_csv(self) -> str:
        """Return an edge list: CSV with the columns from and to.

        An undirected edge is there both ways; a variable without edges stands alone under from. `phgs.as_graph` reads
        the same variables and edges back, as text, whatever their names hold.
        """
        from phgs.graphs.export import to_csv

        return to_csv(self)

    def plot(
        self,
        path: Any = None,
        *,
        focus: Name | None = None,
        clusters: Any = None,
        title: str = "",
        layout: Any = "auto",
    ) -> Any:
        """Draw the graph with matplotlib, with the name of every variable; undirected edges have no head.

        Parameters
        ----------
        path : path, optional
            Where to write the picture (PNG, SVG, PDF).
        focus : name, optional
            Draw only this variable, what is adjacent to it, and what is adjacent to that.
        clusters : mapping, optional
            Cluster of each variable, for colours, and to place a large graph cluster by cluster.
        title : str
            Title of the picture.
        layout : str, mapping or callable
            ``"layers"`` puts arrows downwards, connected parts and the clusters of large ones side by side;
            ``"springs"`` makes a map, for large graphs without clusters; ``"auto"`` chooses between them. The programs
            of Graphviz (``"dot"``, ``"neato"``, ``"fdp"``, ``"sfdp"``, ``"twopi"``, ``"circo"``) are used where they
            are installed. A mapping has the place (x, y) of each variable; a function, such as
            ``networkx.kamada_kawai_layout``, gets the graph of `to_networkx` and returns such a mapping.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; no window is opened.
        """
        from phgs.graphs.plot import plot

        return plot(self, path, focus=focus, clusters=clusters, title=title, layout=layout)

    def explore(
        self,
        path: Any = None,
        *,
        truth: Any = None,
        clusters: Any = None,
        confidence: EdgeConfidence | None = None,
        title: str | None = None,
    ) -> Explorer:
        """Make a page in which the graph can be explored; see `Result.explore`.

        Parameters
        ----------
        path : path, optional
            Where to write the page (HTML).
        truth : optional
            The true graph, as `phgs.compare` takes it: edges are then coloured as right, in another direction, missing
            or false. As there, DAGs are compared, and shown, by their CPDAGs.
        clusters : mapping, optional
            Cluster of each variable, for colours and folding; by default the connected parts.
        confidence : EdgeConfidence, optional
            What `phgs.bootstrap` found of the same variables.
        title : str, optional
            Title of the page.
        """
        from phgs.graphs.view.payload import explore, of_graph

        return explore(of_graph(self, truth=truth, clusters=clusters, confidence=confidence, title=title), path)

    # Python's protocols

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if set(self.variables) != set(other.variables) or set(self.directed) != set(other.directed):
            return False
        return {frozenset(e) for e in self.undirected} == {frozenset(e) for e in other.undirected}

    def __hash__(self) -> int:
        return hash((frozenset(self.directed), frozenset(frozenset(e) for e in self.undirected)))

    def __contains__(self, pair: object) -> bool:
        """Whether two variables are joined by any edge."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            return False
        first, second = pair
        return first in self._around and any(second in names for names in self._around[first])

    def __iter__(self) -> Iterator[Edge]:
        return iter(self.edges)

    def __getstate__(self) -> dict[str, Any]:
        return {"variables": self.variables, "directed": self.directed, "undirected": self.undirected}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _size(self) -> str:
        sizes = zip(map(len, self._numbers), ("directed", "undirected"), strict=True)
        kinds = [f"{size:,} {kind}" for size, kind in sizes if size]
        edges = "1 edge" if self.n_edges == 1 else f"{self.n_edges:,} edges"
        return f"{self.n_variables:,} variables, {edges}" + (f" ({', '.join(kinds)})" if kinds else "")

    def __repr__(self) -> str:
        return printable(f"<phgs.Graph: {self._size()}>")

    def __str__(self) -> str:
        lines = [self._size()]
        lines += [f"  {edge}" for edge in self._first_edges(60)]
        if self.n_edges > 60:
            lines.append(f"  … and {self.n_edges - 60:,} more")
        return printable("\n".join(lines))

    def _repr_html_(self) -> str:
        from phgs.graphs.html import graph_html

        return graph_html(self)


def _as_pairs(numbers: Iterable[Any] | NDArray[Any]) -> NDArray[np.int64]:
    return np.array(numbers if isinstance(numbers, np.ndarray) else list(numbers), dtype=np.int64).reshape(-1, 2)


def _in_order(pairs: Iterable[tuple[int, int]] | NDArray[Any], *, ordered: bool = True) -> NDArray[np.int64]:
    """Sort pairs of numbers, those that are `ordered` as they are and others with the lower number first."""
    found = _as_pairs(pairs)
    if not ordered:
        found.sort(axis=1)
    key = (found[:, 0] << 32) + found[:, 1]
    return found if (key[1:] >= key[:-1]).all() else found[np.argsort(key)]
