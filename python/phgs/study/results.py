"""Outcomes put together as the paper does: the best level of each data set, then averages over data sets."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from phgs.study import paper_values
from phgs.study.solving import SKELETON_PHASES, Outcome

METRICS = ("P", "TP", "R", "FP", "SHD", "JI")


@dataclass(frozen=True)
class Summary:
    """A method on a network, over its data sets.

    Attributes
    ----------
    metrics : dict
        Means of P, TP, R, FP, SHD and JI, each data set at the level with its highest JI (the highest of several).
    ji : list of float
        The JI of each data set.
    calls : list of float
        The calls of each data set, all levels together.
    levels : int
        Number of levels.
    """

    metrics: dict[str, float]
    ji: list[float]
    calls: list[float]
    levels: int

    @property
    def mean_calls(self) -> float:
        """Mean calls of a data set, scaled to the paper's ten levels where a method ran at more than one."""
        scale = len(paper_values.ALPHAS) / self.levels if self.levels > 1 else 1.0
        return fmean(self.calls) * scale


class Results:
    """All outcomes of a study that succeeded."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        everything = list(outcomes)
        self.failed = [outcome for outcome in everything if outcome.error is not None and outcome.finished]
        self.not_finished = [outcome for outcome in everything if not outcome.finished]
        self._by_method: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
        for outcome in everything:
            if outcome.error is None:
                self._by_method[outcome.network, outcome.label].append(outcome)

    @cached_property
    def networks(self) -> list[str]:
        """Names of the networks: those of the paper in its order, then others."""
        found = {network for network, _ in self._by_method}
        paper = [name for name in paper_values.networks() if name in found]
        return paper + sorted(found.difference(paper))

    @cached_property
    def labels(self) -> list[str]:
        """Labels of the methods."""
        return sorted({label for _, label in self._by_method})

    def outcomes(self, network: str, label: str) -> list[Outcome]:
        """Return the outcomes of a method on a network."""
        return self._by_method.get((network, label), [])

    def summary(self, network: str, label: str, level: float | None = None) -> Summary | None:
        """Put the outcomes of a method on a network together; of one level only where `level` is given."""
        chosen = [o for o in self.outcomes(network, label) if level is None or o.level in (None, level)]
        if not chosen:
            return None
        by_data_set: dict[int, list[Outcome]] = defaultdict(list)
        for outcome in chosen:
            by_data_set[outcome.seed].append(outcome)
        # Of equally good levels the highest.
        best = [max(found, key=lambda o: (o.values["JI"], o.level or 0.0)) for found in by_data_set.values()]
        return Summary(
            metrics={metric: fmean(outcome.values[metric] for outcome in best) for metric in METRICS},
            ji=[outcome.values["JI"] for outcome in best],
            calls=[float(sum(o.values["calls"]["total"] for o in found)) for found in by_data_set.values()],
            levels=max(len(found) for found in by_data_set.values()),
        )

    def ji(self, network: str, label: str, level: float | None = None) -> float | None:
        """Return the mean JI."""
        summary = self.summary(network, label, level)
        return None if summary is None else summary.metrics["JI"]

    def calls_ratio(self, network: str, label: str, base: str, level: float | None = None) -> float | None:
        """Return the mean calls of a method in units of those of another one."""
        summary, unit = self.summary(network, label, level), self.summary(network, base)
        return None if summary is None or unit is None else summary.mean_calls / unit.mean_calls

    def additional_calls(self, label: str, phases: Iterable[str] | None = None) -> list[float]:
        """Return for each execution the calls of some phases, in per cent of those of the skeleton.

        By default the calls of all phases but the skeleton's.
        """
        found = []
        for (_, name), outcomes in self._by_method.items():
            if name != label:
                continue
            for outcome in outcomes:
                calls: dict[str, Any] = outcome.values["calls"]
                skeleton = sum(calls.get(phase, 0) for phase in SKELETON_PHASES)
                chosen = calls["total"] - skeleton if phases is None else sum(calls.get(phase, 0) for phase in phases)
                if skeleton:
                    found.append(100.0 * chosen / skeleton)
        return found


def log10(value: float) -> float:
    """Return the decimal logarithm, 0 for nothing."""
    return math.log10(value) if value > 0 else 0.0
