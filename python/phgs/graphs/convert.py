"""A `Graph` from anything that describes one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.delimited import lines
from phgs.errors import DataError, DocumentError, GraphError
from phgs.graphs.graph import Graph
from phgs.textfiles import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.frames import Name


def as_graph(graph: Any, variables: Sequence[Name] | None = None) -> Graph:
    """Make a `Graph`.

    Parameters
    ----------
    graph
        A `Graph`; a result or a fitted learner (its CPDAG); a networkx or igraph graph; a pgmpy network; an
        adjacency matrix (a[i, j] = 1 and a[j, i] = 0 is i → j, both 1 is undirected; weights may stand for 1; missing
        numbers and marks of ends, −1 and 1, are refused), as an array or a pandas frame; a
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
    matrix = np.asanyarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"an adjacency matrix is square, not {' × '.join(map(str, matrix.shape))}")
    if len(names) != len(matrix):
        raise GraphError(f"an adjacency matrix of {len(matrix)} variables for {len(names)} names")
    there = _arcs(matrix, names)
    if there.diagonal().any():
        raise GraphError(f"{names[int(np.flatnonzero(there.diagonal())[0])]!r} cannot be joined to itself")
    both = there & there.T
    variables = Graph(names).variables
    return Graph._from_indices(variables, np.argwhere(there & ~both), np.argwhere(np.triu(both)))


def _arcs(matrix: NDArray[Any], names: Sequence[Name]) -> NDArray[np.bool_]:
    """Return where an adjacency matrix has arcs; other conventions than ours, and what is no number, are refused."""
    convention = "a[i, j] = 1 and a[j, i] = 0 is i → j, both 1 is undirected"
    try:
        found = np.ma.filled(matrix.astype(np.float64), np.nan) if isinstance(matrix, np.ma.MaskedArray) else matrix
        numbers = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GraphError(f"an adjacency matrix holds numbers ({convention}): {error}") from None
    if np.isnan(numbers).any():
        i, j = np.argwhere(np.isnan(numbers))[0]
        raise GraphError(
            f"an adjacency matrix holds numbers, but that of {names[i]!r} and {names[j]!r} is missing ({convention})"
        )
    marks = (numbers < 0) & (numbers.T != 0)
    if marks.any():
        i, j = np.argwhere(marks)[0]
        raise GraphError(
            f"an adjacency matrix holds 0 and 1, but that of {names[i]!r} and {names[j]!r} is {numbers[i, j]:g}: marks"
            f" of ends such as causal-learn's −1 and 1 are another convention; ours is {convention}"
        )
    return np.asarray(numbers != 0)


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


def read_graph(path: str | os.PathLike[str], *, encoding: str | None = None) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path
        An edge list (CSV), a result file (JSON; its CPDAG) or a network (BIF); the ending says which, before that of
        compression. Of a network the tables play no part.
    encoding
        The encoding of an edge list or a network; by default UTF-8, or UTF-16 where the first bytes say so.

    Raises
    ------
    DataError, ParseError
        When it cannot be read; names the file and the line.
    """
    path = Path(path)
    packed = path.suffix.lower() in (".gz", ".bz2", ".xz") and len(path.suffixes) > 1
    kind = (path.suffixes[-2] if packed else path.suffix).lower()
    if kind == ".json":
        from phgs.result import Result

        return Result.load(path).cpdag
    if kind == ".bif":
        from phgs.network import Network

        return as_graph(Network._read(path, encoding=encoding, tolerance=0.5)[0])
    return _read_edges(path, encoding)


def _read_edges(path: Path, encoding: str | None) -> Graph:
    text = read_text(path, encoding=encoding)
    delimiter, begin = ("\t" if path.suffix.lower() in (".tsv", ".tab") else ","), 1
    announced = re.match(r"[sS][eE][pP]=([^\w\s\"]|\t)(?:\r\n|\r|\n)", text)
    if announced is not None:  # what Excel writes; it is no row
        text, delimiter, begin = text[announced.end() :], announced[1], 2
    rows = lines(text, str(path), delimiter, begin)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{path} is empty; an edge list has the header from,to")
    header = [field.strip().lower() for field in first.fields]
    if "from" not in header or "to" not in header:
        shown = ", ".join(field[:40] for field in first.fields[:8])
        other = next((mark for mark in (";", "\t", "|") if mark in shown and len(first.fields) == 1), None)
        hint = (
            "" if other is None else f"; it seems to be separated by {other!r}: begin the file with a line sep={other}"
        )
        raise DocumentError(f"{path}: an edge list has the columns from and to, found {shown}{hint}")
    source, target = header.index("from"), header.index("to")
    kind = header.index("kind") if "kind" in header else None
    names: dict[str, None] = {}
    pairs: list[tuple[str, str, bool]] = []
    for line in rows:
        row = line.fields
        if len(row) != len(header):
            raise DocumentError(f"{path}, line {line.number}: {len(row)} fields in place of {len(header)}")
        names.setdefault(row[source])
        if line.empty[target]:  # a variable without edges
            continue
        if line.empty[source]:
            raise DocumentError(f"{path}, line {line.number}: there is no name under from")
        if row[source] == row[target]:
            raise DocumentError(f"{path}, line {line.number}: {row[source]!r} cannot be joined to itself")
        names.setdefault(row[target])
        pairs.append((row[source], row[target], kind is None or row[kind] != "undirected"))
    return _from_pairs(pairs, list(names))
