"""Graphs in the forms of other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from phgs.delimited import written
from phgs.errors import GraphError

if TYPE_CHECKING:
    from phgs.graphs.graph import Graph


_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 has no way to hold."""


def texts(graph: Graph, form: str, never: re.Pattern[str] | None = None) -> dict[Any, str]:
    """Return the text of each name as a file of some form holds it, or refuse what it cannot hold, by name.

    Raises
    ------
    GraphError
        When two names are the same as text, or one holds a character that the form has no way to hold.
    """
    found: dict[Any, str] = {}
    seen: dict[str, Any] = {}
    for name in graph.variables:
        text = str(name)
        other = seen.setdefault(text, name)
        if other is not name:
            raise GraphError(f"variables {other!r} and {name!r} are the same as text; {form} cannot hold both")
        bad = None if never is None else never.search(text)
        if bad is not None:
            raise GraphError(f"variable {name!r} holds {bad[0]!a}, which {form} cannot hold; rename it")
        found[name] = text
    return found


def to_dot(graph: Graph) -> str:
    """Return Graphviz DOT text; undirected edges have no arrow head."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    named = {name: quoted(text) for name, text in texts(graph, "DOT", re.compile("\x00")).items()}
    lines = ["digraph {", "  node [shape=ellipse];"]
    lines += [f"  {text};" for text in named.values()]
    for a, b, directed in graph.edges:
        lines.append(f"  {named[a]} -> {named[b]}{'' if directed else ' [dir=none]'};")
    return "\n".join([*lines, "}"]) + "\n"


def to_graphml(graph: Graph) -> str:
    """Return GraphML text; an undirected edge is there in both directions, marked ``directed`` = false.

    The format could hold both kinds of edges in one graph, but common readers refuse that or ignore it.
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
        '  <key id="directed" for="edge" attr.name="directed" attr.type="boolean"/>',
        '  <graph edgedefault="directed">',
    ]
    position = {name: i for i, name in enumerate(graph.variables)}
    # A carriage return, written as it is, would be read as the end of a line.
    for i, text in enumerate(texts(graph, "XML", _NOT_XML).values()):
        label = escape(text, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
        lines.append(f'    <node id="n{i}"><data key="label">{label}</data></node>')
    for a, b, directed in graph.edges:
        mark = f'<data key="directed">{str(directed).lower()}</data>'
        for source, target in ((a, b),) if directed else ((a, b), (b, a)):
            lines.append(f'    <edge source="n{position[source]}" target="n{position[target]}">{mark}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def to_networkx(graph: Graph) -> Any:
    """Return a `networkx.DiGraph`."""
    import networkx as nx

    made = nx.DiGraph()
    made.add_nodes_from(graph.variables)
    for a, b, directed in graph.edges:
        made.add_edge(a, b, directed=directed)
        if not directed:
            made.add_edge(b, a, directed=False)
    return made


def to_igraph(graph: Graph) -> Any:
    """Return a directed `igraph.Graph`."""
    import igraph

    pairs = graph._directed_indices()
    marks = [True] * len(pairs)
    for x, y in graph._undirected_indices():
        pairs += [(x, y), (y, x)]
        marks += [False, False]
    made = igraph.Graph(n=graph.n_variables, edges=pairs, directed=True)
    made.vs["name"] = list(texts(graph, "igraph").values())
    made.es["directed"] = marks
    return made


def to_pgmpy(graph: Graph) -> Any:
    """Return a pgmpy network without tables, or its `PDAG` where edges are undirected."""
    if graph.undirected:
        from pgmpy.base import PDAG

        made = PDAG(directed_ebunch=list(graph.directed), undirected_ebunch=list(graph.undirected))
    else:
        from pgmpy.models import DiscreteBayesianNetwork

        made = DiscreteBayesianNetwork(list(graph.directed))
    made.add_nodes_from(graph.variables)
    return made


def to_csv(graph: Graph) -> str:
    """Return an edge list with the columns from and to.

    An undirected edge is there both ways; a variable without edges stands alone under from.
    """
    named = texts(graph, "an edge list")
    lines = [written(("from", "to"))]
    for a, b, directed in graph.edges:
        lines.append(written((named[a], named[b])))
        if not directed:
            lines.append(written((named[b], named[a])))
    joined = {name for edge in graph.edges for name in edge[:2]}
    lines += [written((text, None)) for name, text in named.items() if name not in joined]
    return "".join(lines)
