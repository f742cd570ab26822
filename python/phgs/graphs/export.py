"""Graphs in the forms of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from phgs.graphs.graph import Graph


def to_dot(graph: Graph) -> str:
    """Return Graphviz DOT text; undirected edges have no arrow head."""

    def quoted(name: Any) -> str:
        text = str(name).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'

    lines = ["digraph {", "  node [shape=ellipse];"]
    lines += [f"  {quoted(name)};" for name in graph.variables]
    for a, b, directed in graph.edges:
        lines.append(f"  {quoted(a)} -> {quoted(b)}{'' if directed else ' [dir=none]'};")
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
    for name, i in position.items():
        lines.append(f'    <node id={quoteattr(f"n{i}")}><data key="label">{escape(str(name))}</data></node>')
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
    made.vs["name"] = [str(name) for name in graph.variables]
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
    """Return an edge list with the columns from and to; an undirected edge is there both ways."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("from", "to"))
    for a, b, directed in graph.edges:
        writer.writerow((a, b))
        if not directed:
            writer.writerow((b, a))
    return text.getvalue()
