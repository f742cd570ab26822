"""The paper's figures, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phgs.graphs.plot import NAMES, save
from phgs.study import paper_values
from phgs.study.gaussian import Execution
from phgs.study.results import Results, log10
from phgs.study.tables import CONSTRAINT, ESTABLISHED
from phgs.texts import visible

_NAMES = {
    "ppc-path": "pPC",
    "pc-path": "PC",
    "mmpc": "MMPC",
    "hpc": "HPC",
    "phgs": "pHGS",
    "hc": "HC",
    "mmhc": "MMHC",
    "h2pc": "H2PC",
}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_MARKERS = ("o", "s", "^", "D")


def accuracy_against_calls(results: Results, path: Path) -> bool:
    """Draw JI against calls, a panel for each network; filled: means, hollow: data sets, crosses: the paper.

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    paper = paper_values.details("detail_constraint")
    labels = [(method, label) for method, label in CONSTRAINT.items() if label in results.labels]
    if not labels:
        return False
    figure, panels = _panels(results.networks)
    for network, panel in zip(results.networks, panels, strict=False):
        for (method, label), colour, marker in zip(labels, _COLOURS, _MARKERS, strict=False):
            summary = results.summary(network, label)
            if summary is None:
                continue
            scale = summary.mean_calls * len(summary.calls) / sum(summary.calls)
            panel.scatter(
                [log10(calls * scale) for calls in summary.calls],
                summary.ji,
                s=14,
                marker=marker,
                facecolors="none",
                edgecolors=colour,
                linewidths=0.7,
            )
            panel.scatter(
                log10(summary.mean_calls),
                summary.metrics["JI"],
                s=36,
                marker=marker,
                color=colour,
                edgecolors="black",
                linewidths=0.6,
                label=visible(_NAMES[label]),
            )
            theirs = paper.get((network, method, "log10_calls")), paper.get((network, method, "JI"))
            if None not in theirs:
                panel.scatter(*theirs, s=30, marker="x", color=colour, linewidths=1.2)
        panel.set_title(visible(network), fontsize=9, **NAMES)
    _finish(figure, panels, "log10 calls", "JI", path)
    return True


def accuracy_boxes(results: Results, path: Path) -> bool:
    """Draw box plots of JI over data sets, a panel for each network; crosses: the paper.

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    paper = paper_values.details("detail_established")
    labels = [(method, label) for method, label in ESTABLISHED.items() if label in results.labels]
    if not labels:
        return False
    figure, panels = _panels(results.networks)
    for network, panel in zip(results.networks, panels, strict=False):
        for place, (method, label) in enumerate(labels):
            summary = results.summary(network, label)
            if summary is None:
                continue
            panel.boxplot([summary.ji], positions=[place], widths=0.6, medianprops={"color": _COLOURS[place]})
            theirs = paper.get((network, method, "JI"))
            if theirs is not None:
                panel.scatter(place, theirs, s=30, marker="x", color=_COLOURS[place], zorder=3, linewidths=1.2)
        panel.set_xticks(range(len(labels)), [_NAMES[label] for _, label in labels], fontsize=8)
        panel.set_xlim(-0.6, len(labels) - 0.4)
        panel.set_title(visible(network), fontsize=9, **NAMES)
    _finish(figure, panels, "", "JI", path, legend=False)
    return True


def gains_by_hgi(found: Sequence[Execution], path: Path) -> bool:
    """Draw box plots of JI without and with HGI against the number of rows, a panel for each network.

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    if not found:
        return False
    networks = list(dict.fromkeys(each.network for each in found))
    sizes = sorted({each.n_rows for each in found})
    figure, panels = _panels(networks)
    for network, panel in zip(networks, panels, strict=False):
        for side, (name, colour) in enumerate((("ARGES", _COLOURS[0]), ("ARGES with HGI", _COLOURS[1]))):
            boxes = [
                [each.greedy if side else each.plain for each in found if (each.network, each.n_rows) == (network, n)]
                for n in sizes
            ]
            line = {"color": colour, "linewidth": 0.8}
            panel.boxplot(
                boxes,
                positions=[place + 0.4 * side - 0.2 for place in range(len(sizes))],
                widths=0.34,
                flierprops={"markersize": 1.5, "markeredgecolor": colour, "markeredgewidth": 0.5},
                boxprops=line,
                whiskerprops=line,
                capprops=line,
                medianprops={"color": colour},
                label=visible(name),
            )
        panel.set_xticks(range(len(sizes)), [f"{n:,}" for n in sizes], rotation=45)
        panel.set_xlim(-0.6, len(sizes) - 0.4)
        panel.set_ylim(0.0, 1.02)
        panel.set_title(visible(network), fontsize=9, **NAMES)
    _finish(figure, panels, "rows", "JI", path)
    return True


def _panels(networks: list[str]) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(5, len(networks))
    rows = -(-len(networks) // columns)
    # Wide enough for the legend, even with one panel.
    figure = Figure(figsize=(max(2.6 * columns, 4.5), 2.3 * rows + 0.3), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels[len(networks) :]:
        panel.set_axis_off()
    return figure, panels


def _finish(figure: Any, panels: Any, x: str, y: str, path: Path, *, legend: bool = True) -> None:
    for panel in panels:
        panel.tick_params(labelsize=7)
    figure.supxlabel(x, fontsize=10)
    figure.supylabel(y, fontsize=10)
    if legend:
        handles, names = panels[0].get_legend_handles_labels()
        legend_box = figure.legend(handles, names, loc="outside upper center", ncols=len(names), fontsize=9)
        for text in legend_box.get_texts():
            text.update(NAMES)
    save(figure, path, dpi=110)
