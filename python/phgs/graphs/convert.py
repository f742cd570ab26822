"""A `Graph` from anything that describes one."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.errors import DataError, GraphError
from phgs.graphs.graph import Graph

if TYPE_CHECKING:
    from phgs.data.frames import Name


def as_graph(graph: Any, variables: Sequence[Name] | None = None) -> Graph:
    """Make a `Graph`.

    Parameters
    ----------
    graph
        A `Graph`; a result or a fitted learner (its CPDAG); a networkx or igraph graph; a pgmpy network; an
        adjacency matrix (a[i, j] = 1 and a[j, i] = 0 is i → j, both 1 is undirected), as an array or a pandas frame; a
        sequence of (from, to) pairs, where a pair that is there both ways is undirected; or the path of an
        edge list (CSV with the columns from and to), of a result file (JSON) or of a network (BIF).
    variables
        All variables, in order; by default those of the graph, for pairs in the order in which they come.

    Raises
    ------
    GraphError
        When it cannot be read, or names a variable that is not among `variables`.
    """
    found = _convert(graph, variables)
    if variables is None or tuple(variables) == found.variables:
        return found
    by_text: dict[str, Name] = {str(name): name for name in variables}

    def named(name: Name) -> Name:
        return name if name in known else by_text.get(str(name), name)

    known = set(variables)
    return Graph(
        variables,
        [(named(a), named(b)) for a, b in found.directed],
        [(named(a), named(b)) for a, b in found.undirected],
    )


def as_dag(graph: Any, variables: Sequence[Name] | None = None) -> Graph:
    """Make a `Graph` that is a DAG; of a result, its DAG.

    Raises
    ------
    GraphError
        When an edge is undirected or arcs close a cycle, which is named.
    """
    dag = getattr(graph, "dag", None) if not isinstance(graph, Graph) else None
    found = as_graph(graph if dag is None else dag, variables)
    if found.undirected:
        a, b = found.undirected[0]
        raise GraphError(f"the edge {a} − {b} has no direction; use phgs.cpdag_to_dag for a DAG of a CPDAG's class")
    _core.check_acyclic(found._directed_indices(), found._texts())
    return found


def _convert(graph: Any, variables: Sequence[Name] | None) -> Graph:
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        return read_graph(graph)
    for attribute in ("cpdag", "cpdag_"):
        inner = getattr(graph, attribute, None)
        if isinstance(inner, Graph):
            return inner
    inner = getattr(graph, "graph", None)
    if isinstance(inner, Graph):
        return inner
    if isinstance(graph, np.ndarray):
        return _from_matrix(graph, list(variables) if variables is not None else list(range(len(graph))))
    module = type(graph).__module__ or ""
    if module.startswith("pandas"):
        if list(graph.index) != list(graph.columns):
            raise GraphError("an adjacency frame needs the same names for rows and columns")
        return _from_matrix(graph.to_numpy(), list(graph.columns))
    if module.startswith("igraph"):
        names = graph.vs["name"] if "name" in graph.vs.attributes() else list(range(graph.vcount()))
        pairs = [(names[e.source], names[e.target]) for e in graph.es]
        return _from_pairs(pairs, names, undirected=not graph.is_directed())
    nodes, edges = getattr(graph, "nodes", None), getattr(graph, "edges", None)
    if nodes is not None and edges is not None:  # networkx, and pgmpy's networks
        pairs = list(edges() if callable(edges) else edges)
        names = list(nodes() if callable(nodes) else nodes)
        directed = graph.is_directed() if hasattr(graph, "is_directed") else True
        return _from_pairs([(a, b) for a, b, *_ in pairs], names, undirected=not directed)
    if isinstance(graph, Iterable) and not isinstance(graph, Mapping):
        return _from_pairs(list(graph), variables)
    raise GraphError(f"expected a graph, got {type(graph).__module__}.{type(graph).__qualname__}")


def _from_matrix(matrix: Any, names: Sequence[Name]) -> Graph:
    matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"an adjacency matrix is square, not {' × '.join(map(str, matrix.shape))}")
    if len(names) != len(matrix):
        raise GraphError(f"an adjacency matrix of {len(matrix)} variables for {len(names)} names")
    there = matrix != 0
    if there.diagonal().any():
        raise GraphError(f"{names[int(np.flatnonzero(there.diagonal())[0])]!r} cannot be joined to itself")
    both = there & there.T
    return Graph(
        names,
        [(names[i], names[j]) for i, j in np.argwhere(there & ~both)],
        [(names[i], names[j]) for i, j in np.argwhere(np.triu(both))],
    )


def _from_pairs(pairs: Sequence[Any], variables: Sequence[Name] | None, *, undirected: bool = False) -> Graph:
    made: list[tuple[Name, Name]] = []
    lines: list[tuple[Name, Name]] = []
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) not in (2, 3):
            raise GraphError(f"expected pairs of variables, got {pair!r}")
        undirected_edge = len(pair) == 3 and pair[2] is False  # an Edge
        (lines if undirected or undirected_edge else made).append((pair[0], pair[1]))
    names = list(variables) if variables is not None else list(dict.fromkeys(n for p in made + lines for n in p))
    there = dict.fromkeys(made)
    directed = [(a, b) for a, b in there if (b, a) not in there]
    edges = {frozenset(p): p for p in lines} | {frozenset((a, b)): (a, b) for a, b in there if (b, a) in there}
    if variables is not None:
        by_text = {str(name): name for name in variables}
        known = set(names)
        directed = [tuple(n if n in known else by_text.get(str(n), n) for n in p) for p in directed]  # type: ignore[misc]
        edges = {
            key: tuple(n if n in known else by_text.get(str(n), n) for n in p)  # type: ignore[misc]
            for key, p in edges.items()
        }
    return Graph(names, directed, edges.values())


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Read a graph from an edge list (CSV), a result file (JSON; its CPDAG) or a network (BIF, also gzipped)."""
    path = Path(path)
    kind = path.suffixes[-2].lower() if path.suffix.lower() == ".gz" and len(path.suffixes) > 1 else path.suffix.lower()
    if kind == ".json":
        from phgs.result import Result

        return Result.load(path).cpdag
    if kind == ".bif":
        return _read_bif(path)
    return _read_edges(path)


def _read_bif(path: Path) -> Graph:
    try:
        from phgs.network import Network
    except ImportError as error:
        raise DataError(f"{path}: BIF files cannot be read by this version") from error
    return as_graph(Network.load(path))


def _read_edges(path: Path) -> Graph:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text") from error
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows:
        raise DataError(f"{path} is empty; an edge list has the header from,to")
    header = [field.strip().lower() for field in rows[0]]
    if "from" not in header or "to" not in header:
        raise DataError(f"{path}: an edge list has the columns from and to, found {', '.join(rows[0])}")
    source, target = header.index("from"), header.index("to")
    kind = header.index("kind") if "kind" in header else None
    pairs: list[Any] = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise DataError(f"{path}, line {number}: {len(row)} fields in place of {len(header)}")
        if not row[target] and row[source]:
            pairs.append((row[source],))
            continue
        pairs.append((row[source], row[target], kind is None or row[kind] != "undirected"))
    isolated = [pair[0] for pair in pairs if len(pair) == 1]
    edges = [pair for pair in pairs if len(pair) == 3]
    names = list(dict.fromkeys([*isolated, *(n for pair in edges for n in pair[:2])]))
    return _from_pairs(edges, names)
