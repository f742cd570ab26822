"""What simulations start from: random DAGs, and networks that are prepared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from phgs import _core, parameters
from phgs.errors import ParameterError

if TYPE_CHECKING:
    from phgs.network.network import Network


@dataclass(frozen=True)
class Prepared:
    """A network prepared for simulation, and what was done to it.

    Attributes
    ----------
    network : Network
        The prepared network.
    dropped_variables : tuple of str
        Variables that had one possible state.
    dropped_states : int
        Impossible states dropped from the variables that stay.
    merged_variables : tuple of str
        Variables of which states were merged.
    """

    network: Network
    dropped_variables: tuple[str, ...]
    dropped_states: int
    merged_variables: tuple[str, ...]


def random_dag(
    n_variables: int, *, degree: float | None = None, scale_free_parents: int | None = None, seed: int = 0
) -> Any:
    """Draw a random DAG over the variables ``X0``, ``X1``, ….

    Parameters
    ----------
    degree
        Average number of neighbours, by default 2; every pair is adjacent with the same probability (Erdős and Rényi).
    scale_free_parents
        In place of `degree`: variables come one after another, each gets this many parents, and those with many
        children are chosen more often (Barabási and Albert).

    Returns
    -------
    Graph
        A DAG.
    """
    from phgs.graphs import Graph

    if degree is not None and scale_free_parents is not None:
        raise ParameterError("give degree or scale_free_parents, not both")
    count = parameters.whole("n_variables", n_variables, 1)
    if scale_free_parents is None:
        arcs = _core.random_dag(
            count, parameters.real("degree", 2.0 if degree is None else degree), 0, parameters.seed(seed)
        )
    else:
        arcs = _core.random_dag(
            count, None, parameters.whole("scale_free_parents", scale_free_parents, 0), parameters.seed(seed)
        )
    return Graph._from_indices(tuple(f"X{x}" for x in range(count)), arcs)
