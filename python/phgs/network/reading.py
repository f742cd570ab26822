"""How files of networks are read: their limits, and warnings of rows that were changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phgs import parameters
from phgs.errors import ParameterError

if TYPE_CHECKING:
    from phgs.network.network import Network


def limits(tolerance: float | None, max_entries: int | None) -> tuple[float | None, int | None]:
    """Check what a file may be."""
    if tolerance is not None and not 0.0 < parameters.real("tolerance", tolerance) < 1.0:
        raise ParameterError(f"tolerance: {tolerance!r} must be above 0 and below 1, such as 0.01")
    return tolerance, parameters.whole("max_entries", max_entries, 1, none="33,554,432")


def warn_of(repairs: list[tuple[int, int, int]], network: Network, stacklevel: int) -> None:
    """Say which tables were changed to be read."""
    import warnings

    from phgs.data.checks import listed, plural
    from phgs.errors import PhgsWarning

    for column, what in ((1, "were divided by their sum"), (2, "of NaN were made uniform")):
        changed = [(network.nodes[repair[0]], repair[column]) for repair in repairs if repair[column]]
        if changed:
            rows = plural(sum(count for _, count in changed), "row")
            names = listed(name for name, _ in changed)
            verb = what if not rows.startswith("1 ") else what.replace("were", "was").replace("their", "its")
            warnings.warn(f"{rows} {verb}, in the tables of {names}", PhgsWarning, stacklevel=stacklevel + 1)
