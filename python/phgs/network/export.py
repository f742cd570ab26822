"""Networks as objects of other packages, which are imported when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from phgs.network import Network


def to_pgmpy(network: Network) -> Any:
    """Make pgmpy's network."""
    from pgmpy.factors.discrete import TabularCPD

    try:
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:  # before pgmpy 1.0
        from pgmpy.models import BayesianNetwork as DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.nodes)
    model.add_edges_from(network.edges)
    for node in network.nodes:
        parents = list(network.parents[node])
        rows = _normalised(network, node).reshape(-1, len(network.states[node]))
        table = TabularCPD(
            node,
            len(network.states[node]),
            rows.T,
            evidence=parents or None,
            evidence_card=[len(network.states[parent]) for parent in parents] or None,
            state_names={v: list(network.states[v]) for v in [node, *parents]},
        )
        model.add_cpds(table)
    return model


def to_pyagrum(network: Network) -> Any:
    """Make pyAgrum's network."""
    try:
        import pyagrum as gum
    except ImportError:  # before pyAgrum 2.0
        import pyAgrum as gum  # noqa: N813

    model = gum.BayesNet(network.name or "network")
    for node in network.nodes:
        model.add(gum.LabelizedVariable(node, node, list(network.states[node])))
    for node in network.nodes:
        for parent in network.parents[node]:
            model.addArc(parent, node)
    for node in network.nodes:
        table = _normalised(network, node)
        # Its tables run through the variable itself fastest, then through the first parent.
        order = [*range(table.ndim - 2, -1, -1), table.ndim - 1]
        model.cpt(node).fillWith(table.transpose(order).ravel().tolist())
    return model


def _normalised(network: Network, node: str) -> Any:
    """Return the table with rows that sum to 1 to the last digit: other packages are stricter than files are."""
    table = network.table(node)
    return table / np.sum(table, axis=-1, keepdims=True)
