"""A restriction that leaves nothing to connect."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from phgs.errors import PhgsWarning


def warn_of_nothing(described: Mapping[str, Any], n_variables: int, stacklevel: int) -> None:
    """Warn where the graph that is given as restriction joins no pair that knowledge allows.

    Parameters
    ----------
    described
        The method as the core reads it.
    n_variables
        Number of variables; with one there is nothing to connect in any case.
    stacklevel
        Where the warning points, as if the caller warned.
    """
    composition = described["composition"]
    restrict = composition["restrict"]
    if restrict["kind"] != "given" or composition["refine"] or n_variables < 2:
        return
    known = described["knowledge"]
    if any(_may_be_joined(x, y, known) for x, y in restrict["edges"]):
        return
    if known is not None and (known["required"] or known["required_edges"]):
        return
    what = "joins only pairs that knowledge forbids" if restrict["edges"] else "joins no variables"
    warnings.warn(
        f"the graph that is given as skeleton, cig or restriction {what}, so that nothing may be connected and the"
        " result has no edges; give the pairs that may be connected, or use a method without a restriction, such as"
        " phgs.Tabu()",
        PhgsWarning,
        stacklevel=stacklevel + 1,
    )


def _may_be_joined(x: int, y: int, known: Mapping[str, Any] | None) -> bool:
    if known is None:
        return True
    if x in known["isolated"] or y in known["isolated"]:
        return False
    tiers = known["tiers"] or {x: None, y: None}
    return any(
        (a, b) not in known["forbidden"] and (tiers[a] is None or tiers[b] is None or tiers[a] <= tiers[b])
        for a, b in ((x, y), (y, x))
    )
