"""Graphs over named variables, and what can be asked of them.

`graph` holds the value, `convert` makes it from anything that describes a graph, `export` turns it into other forms,
`functions` holds what the core computes of graphs, `adjustment` distances by causal effects, `layout` and `plot` draw.
"""

from phgs.graphs.adjustment import AdjustmentDistances, adjustment_distances
from phgs.graphs.convert import as_dag, as_graph
from phgs.graphs.functions import Comparison, all_dags, compare, cpdag_to_dag, d_separated, dag_to_cpdag
from phgs.graphs.graph import Edge, Graph

__all__ = [
    "AdjustmentDistances",
    "Comparison",
    "Edge",
    "Graph",
    "adjustment_distances",
    "all_dags",
    "as_dag",
    "as_graph",
    "compare",
    "cpdag_to_dag",
    "d_separated",
    "dag_to_cpdag",
]
