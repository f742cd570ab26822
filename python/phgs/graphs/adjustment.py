"""Distances of graphs by the causal effects that they identify, computed by gadjid."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.errors import GraphError
from phgs.graphs.convert import as_graph
from phgs.graphs.functions import _class, _union, cpdag_to_dag, dag_to_cpdag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.graphs.graph import Graph


@dataclass(frozen=True)
class AdjustmentDistances:
    """How often a learned graph identifies a causal effect wrongly, over all ordered pairs of variables.

    Attributes
    ----------
    parent, ancestor, oset : float
        Adjustment identification distances: the share of ordered pairs whose effect is not identified as in truth when
        it is adjusted for parents, for ancestors, or for the optimal set, read from the learned graph.
    parent_mistakes, ancestor_mistakes, oset_mistakes : int
        The number of these pairs.
    shd : int
        Structural Hamming distance.
    """

    parent: float
    ancestor: float
    oset: float
    parent_mistakes: int
    ancestor_mistakes: int
    oset_mistakes: int
    shd: int

    def to_dict(self) -> dict[str, float]:
        """Return all values by name."""
        return asdict(self)


def adjustment_distances(truth: Any, learned: Any, *, as_cpdags: bool = True) -> AdjustmentDistances:
    """Compare a learned graph with the true one by the causal effects that it identifies.

    Adjustment identification distances (Henckel, Würtzen and Weichwald 2024) ask for each pair of variables whether the
    effect of one on the other, adjusted as the learned graph says, is the true one. Needs gadjid: ``pip install
    'phgs[gadjid]'``.

    Parameters
    ----------
    truth, learned
        Anything that `phgs.as_graph` takes; each must be a DAG or a CPDAG.
    as_cpdags : bool
        Whether DAGs are compared by their CPDAGs, as `phgs.compare` does.

    Raises
    ------
    GraphError
        When a graph is neither a DAG nor a CPDAG, as methods based on tests alone may return, or variables cannot be
        matched.
    ImportError
        Without gadjid.

    Examples
    --------
    >>> import phgs
    >>> found = phgs.adjustment_distances([("a", "b")], [("b", "a")], as_cpdags=False)  # doctest: +SKIP
    >>> found.parent, found.parent_mistakes  # doctest: +SKIP
    (1.0, 2)
    """
    try:
        import gadjid
    except ImportError:
        raise ImportError("adjustment_distances needs gadjid: pip install 'phgs[gadjid]'") from None
    first, second = as_graph(truth), as_graph(learned)
    names = _union(first, second)
    first, second = as_graph(first, names), as_graph(second, names)
    if as_cpdags:
        first, second = _class(first), _class(second)
    a, b = _matrix("truth", first), _matrix("learned", second)
    if len(names) < 2:
        return AdjustmentDistances(0.0, 0.0, 0.0, 0, 0, 0, 0)
    direction = "from row to column"
    parent, ancestor, oset = (
        distance(a, b, edge_direction=direction)
        for distance in (gadjid.parent_aid, gadjid.ancestor_aid, gadjid.oset_aid)
    )
    return AdjustmentDistances(
        parent[0], ancestor[0], oset[0], parent[1], ancestor[1], oset[1], int(gadjid.shd(a, b)[1])
    )


def _matrix(which: str, graph: Graph) -> NDArray[np.int8]:
    """Return the matrix that gadjid takes; it aborts on graphs that are no CPDAGs, so these are refused before."""
    if not graph.is_dag:
        try:
            valid = dag_to_cpdag(cpdag_to_dag(graph)) == graph
        except GraphError:
            valid = False
        if not valid:
            raise GraphError(
                f"{which}: the graph is neither a DAG nor a CPDAG; give a DAG, such as result.dag, or use phgs.compare"
            )
    found = np.zeros((graph.n_variables, graph.n_variables), dtype=np.int8)
    for source, target in graph._directed_indices():
        found[source, target] = 1
    for source, target in graph._undirected_indices():
        found[source, target] = 2
    return found
