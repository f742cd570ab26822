"""The tree of the variables' distances, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phgs.graphs.plot import _DARK, NAMES, _figure, save
from phgs.texts import visible

if TYPE_CHECKING:
    from phgs.data.frames import Name

NAMED = 150
"""Trees of more variables than this are drawn without names, and only their upper part."""


def plot_dendrogram(distances: Any, names: Sequence[Name], clusters: Sequence[int], path: Any = None) -> Any:
    """Draw the tree of average linkage that pPC cuts.

    Parameters
    ----------
    distances
        Distances of all pairs, the upper triangle row by row.
    names, clusters
        Name and cluster of each variable.
    path
        Where to write the picture; the ending says how (PNG, SVG, PDF).

    Returns
    -------
    matplotlib.figure.Figure
        The figure; no window is opened.
    """
    p = len(names)
    named = p <= NAMED
    figure = _figure(7.0, max(2.0, 0.16 * p + 0.8) if named else 8.0)
    axes = figure.add_subplot()
    axes.set_xlabel("distance")
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    if p > 1:
        from scipy.cluster.hierarchy import dendrogram, linkage

        drawn = dendrogram(
            linkage(distances, "average"),
            p=NAMED,
            truncate_mode=None if named else "lastp",
            orientation="right",
            ax=axes,
            labels=[visible(name) for name in names],
            no_labels=not named,
            link_color_func=lambda _: "#777777",
        )
        if not named:
            # The upper part of a large tree lies close to its root.
            lowest = min(min(link[1:3]) for link in drawn["dcoord"] if min(link[1:3]) > 0)
            highest = max(max(link) for link in drawn["dcoord"])
            span = max(highest - lowest, 1e-3)
            axes.set_xlim(lowest - 0.05 * span, highest + 0.02 * span)
        else:
            axes.set_xlim(left=0)
            for label, leaf in zip(axes.get_yticklabels(), drawn["leaves"] or (), strict=True):
                label.set_color(_DARK[clusters[leaf] % len(_DARK)])
                label.set_fontsize(7)
    else:
        axes.set_yticks([0], [visible(name) for name in names])
    for label in axes.get_yticklabels():
        label.update(NAMES)
    if path is not None:
        save(figure, path)
    return figure
