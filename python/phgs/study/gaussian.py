"""The paper's experiment on Gaussian data: what hybrid greedy initialization brings to ARGES."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from phgs.study.configuration import Configuration
from phgs.study.document import Table
from phgs.study.entries import NetworkEntry
from phgs.study.results import Results

PLAIN = ("arges-skeleton", "arges-cig")
"""Labels of ARGES without HGI; the paper takes the higher JI of the two."""

GREEDY = "arges-hgi"
"""Label of ARGES from the class of HGI's DAG."""

PAPER = "14–18 % typically, slightly more with n; worse in 2.7 % of executions, by more than 4 % in less than 0.4 %"


@dataclass(frozen=True)
class Execution:
    """JI without and with HGI on one data set at one penalty.

    Attributes
    ----------
    network : str
        The network.
    n_rows : int
        Rows of the data set.
    seed : int
        Its seed.
    penalty : float or None
        The penalty of the score.
    plain, greedy : float
        JI of ARGES (the better of skeleton and conditional-independence graph), and of ARGES with HGI.
    """

    network: str
    n_rows: int
    seed: int
    penalty: float | None
    plain: float
    greedy: float

    @property
    def gain(self) -> float | None:
        """The gain by HGI, as a share of JI without; None where that is 0."""
        return self.greedy / self.plain - 1.0 if self.plain > 0.0 else None


def executions(configuration: Configuration, results: Results) -> list[Execution]:
    """Pair what ran without and with HGI; what is not finished yet is left out."""
    found = []
    for entry in configuration.networks:
        ji = {
            label: {(o.seed, o.level): float(o.values["JI"]) for o in results.outcomes(entry.label, label)}
            for label in (*PLAIN, GREEDY)
        }
        for task, greedy in ji[GREEDY].items():
            plain = [ji[label][task] for label in PLAIN if task in ji[label]]
            if len(plain) == len(PLAIN):
                found.append(Execution(entry.title, _rows(entry, configuration), *task, max(plain), greedy))
    return found


def _rows(entry: NetworkEntry, configuration: Configuration) -> int:
    return entry.n_rows or configuration.n_rows


def accuracy(configuration: Configuration, results: Results) -> Table:
    """Make a table by the number of rows: mean JI of every method, at the best level of each data set, and seconds."""
    sizes = sorted({_rows(entry, configuration) for entry in configuration.networks})
    labels = {n: [e.label for e in configuration.networks if _rows(e, configuration) == n] for n in sizes}

    def row(title: str, digits: int, values: dict[str, list[float]]) -> list[str]:
        found = [[value for network in labels[n] for value in values.get(network, [])] for n in sizes]
        return [title, *(f"{fmean(each):.{digits}f}" if each else "" for each in found)]

    rows = []
    for label in results.labels:
        found = {network: results.outcomes(network, label) for network in results.networks}
        best = {network: results.summary(network, label) for network in results.networks}
        rows += [
            row(label, 3, {network: [float(o.values["JI"]) for o in each] for network, each in found.items()}),
            row(f"{label}, best level", 3, {network: each.ji for network, each in best.items() if each is not None}),
            row(f"{label}, seconds", 2, {network: [o.seconds for o in each] for network, each in found.items()}),
        ]
    caption = "Mean JI over networks, data sets and levels, by the number of rows; seconds of an execution, one thread."
    return Table(["method", *(f"n = {n:,}" for n in sizes)], rows, caption)


def gains(found: Sequence[Execution]) -> Table:
    """Make a table of what HGI brings, by the number of rows."""
    rows = []
    for n in (*sorted({each.n_rows for each in found}), None):
        chosen = [each for each in found if n in (None, each.n_rows)]
        shares = [each.gain for each in chosen if each.gain is not None]
        if not shares:
            continue
        low, high = np.quantile(shares, (0.25, 0.75))
        rows.append(
            [
                "all" if n is None else f"{n:,}",
                str(len(chosen)),
                f"{fmean(each.plain for each in chosen):.3f}",
                f"{fmean(each.greedy for each in chosen):.3f}",
                f"{100 * fmean(shares):+.1f}",
                f"{100 * median(shares):+.1f} ({100 * low:+.1f}, {100 * high:+.1f})",
                f"{100 * fmean(share < 0.0 for share in shares):.1f}",
                f"{100 * fmean(share < -0.04 for share in shares):.1f}",
            ]
        )
    header = [
        "n",
        "executions",
        "JI, ARGES",
        "JI, with HGI",
        "mean gain, %",
        "median (quartiles)",
        "worse, %",
        "> 4 % worse",
    ]
    return Table(header, rows, f"What HGI brings to ARGES, in per cent of the JI without. The paper: {PAPER}.")


def by_network(found: Sequence[Execution]) -> Table:
    """Make a table of mean JI without and with HGI: a row for each network, a column for each number of rows."""
    sizes = sorted({each.n_rows for each in found})
    rows = []
    for network in dict.fromkeys(each.network for each in found):
        cells = []
        for n in sizes:
            chosen = [each for each in found if (each.network, each.n_rows) == (network, n)]
            cells.append(
                f"{fmean(e.plain for e in chosen):.3f} → {fmean(e.greedy for e in chosen):.3f}" if chosen else ""
            )
        rows.append([network, *cells])
    caption = "Mean JI of ARGES → with HGI, over data sets and penalties."
    return Table(["network", *(f"n = {n:,}" for n in sizes)], rows, caption)
