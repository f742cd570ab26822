"""Graphs over named variables, and what can be asked of them.

`graph` holds the value, `convert` makes it from anything that describes a graph, `export` turns it into other forms,
`functions` holds what the core computes of graphs, `layout` and `plot` draw.
"""

from phgs.graphs.convert import as_dag, as_graph
from phgs.graphs.functions import Comparison, all_dags, compare, cpdag_to_dag, d_separated, dag_to_cpdag
from phgs.graphs.graph import Edge, Graph

__all__ = [
    "Comparison",
    "Edge",
    "Graph",
    "all_dags",
    "as_dag",
    "as_graph",
    "compare",
    "cpdag_to_dag",
    "d_separated",
    "dag_to_cpdag",
]
