"""What the core computes of graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from phgs import _core, parameters
from phgs.errors import GraphError
from phgs.graphs.convert import as_dag, as_graph
from phgs.graphs.graph import Graph

if TYPE_CHECKING:
    from phgs.data.frames import Name


def dag_to_cpdag(dag: Any) -> Graph:
    """Return the CPDAG of a DAG: the edges whose direction all DAGs of its class share are directed.

    Examples
    --------
    >>> import phgs
    >>> phgs.dag_to_cpdag([("a", "b"), ("b", "c")]).undirected
    (('a', 'b'), ('b', 'c'))
    """
    dag = as_dag(dag)
    return Graph._from_indices(dag.variables, *_core.dag_to_cpdag(dag._directed_indices(), dag._texts()))


def cpdag_to_dag(cpdag: Any) -> Graph:
    """Return a DAG of the class of a CPDAG: a consistent extension, with no new v-structure (Dor and Tarsi 1992).

    Raises
    ------
    GraphError
        When there is none; the message names what stands in its way.
    """
    graph = as_graph(cpdag)
    return Graph._from_indices(graph.variables, _core.cpdag_to_dag(graph._edges_for_core(), graph._texts()))


def all_dags(cpdag: Any, limit: int = 1000) -> list[Graph]:
    """Return the DAGs of the class of a CPDAG, at most `limit` of them, in a fixed order."""
    graph = as_graph(cpdag)
    found = _core.members(graph.n_variables, graph._edges_for_core(), parameters.whole("limit", limit, 1))
    return [Graph._from_indices(graph.variables, arcs) for arcs in found]


def d_separated(dag: Any, x: Name, y: Name, given: Iterable[Name] = ()) -> bool:
    """Whether x and y are d-separated given a set of variables, so independent in every distribution of the DAG.

    Examples
    --------
    >>> import phgs
    >>> collider = [("a", "c"), ("b", "c")]
    >>> phgs.d_separated(collider, "a", "b"), phgs.d_separated(collider, "a", "b", ["c"])
    (True, False)
    """
    graph = as_dag(dag)
    if isinstance(given, str):
        given = [given]
    first, second, others = graph._index(x), graph._index(y), [graph._index(z) for z in given]
    if first == second or first in others or second in others:
        raise GraphError("x, y and the variables of given must be different")
    return _core.d_separated(graph._directed_indices(), graph._texts(), first, second, others)


@dataclass(frozen=True)
class Comparison:
    """How close a learned graph is to the true one, edge by edge.

    Attributes
    ----------
    learned_edges : int
        Edges of the learned graph (the paper's P).
    true_edges : int
        Edges of the true graph.
    true_positives : int
        Edges in both with the same direction, or undirected in both (TP).
    wrong_directions : int
        Edges in both whose direction or kind differs (R): `reversed`, `direction_lost` (directed in truth only) and
        `direction_invented` (directed in the learned graph only) together.
    false_positives : int
        Learned edges between variables that are not adjacent in truth (FP).
    false_negatives : int
        True edges between variables that are not adjacent in the learned graph.
    shd : int
        Structural Hamming distance: R + FP + FN.
    jaccard : float
        TP / (true edges + learned edges − TP) (JI).
    precision, recall, skeleton_precision, skeleton_recall : float or None
        Shares of edges, with and without directions; None where there is no edge to take a share of.
    directed, undirected : tuple of int
        For one kind of edge: in truth, learned, the same in both.
    """

    learned_edges: int
    true_edges: int
    true_positives: int
    wrong_directions: int
    reversed: int
    direction_lost: int
    direction_invented: int
    false_positives: int
    false_negatives: int
    shd: int
    jaccard: float
    precision: float | None
    recall: float | None
    skeleton_precision: float | None
    skeleton_recall: float | None
    directed: tuple[int, int, int]
    undirected: tuple[int, int, int]

    def to_dict(self) -> dict[str, Any]:
        """Return all values by name."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"P {self.learned_edges}  TP {self.true_positives}  R {self.wrong_directions}  FP {self.false_positives}"
            f"  FN {self.false_negatives}  SHD {self.shd}  JI {self.jaccard:.3f}"
        )


def compare(truth: Any, learned: Any, *, as_cpdags: bool = True) -> Comparison:
    """Compare a learned graph with the true one, by the names of the variables.

    Parameters
    ----------
    truth, learned
        Anything that `phgs.as_graph` takes: graphs, results, pairs, paths of edge lists, result files and BIF files.
    as_cpdags : bool
        Whether DAGs are compared by their CPDAGs, as in the paper, since data cannot tell the members of a class apart;
        otherwise arc by arc.

    Raises
    ------
    GraphError
        When the variables cannot be matched. A graph that was made from pairs alone may lack isolated variables; they
        are added.
    """
    first, second = as_graph(truth), as_graph(learned)
    names = _union(first, second)
    first, second = as_graph(first, names), as_graph(second, names)
    if as_cpdags:
        first, second = _class(first), _class(second)
    found = _core.compare(len(names), first._edges_for_core(), second._edges_for_core())
    return Comparison(**found)


def _union(first: Graph, second: Graph) -> Sequence[Name]:
    if set(first.variables) == set(second.variables):
        return first.variables
    texts = {str(name) for name in first.variables}
    return [*first.variables, *(name for name in second.variables if str(name) not in texts)]


def _class(graph: Graph) -> Graph:
    """Return the CPDAG of a DAG; any other graph is left as it is."""
    if graph.undirected:
        return graph
    try:
        return dag_to_cpdag(graph)
    except GraphError:
        return graph
