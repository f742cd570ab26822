"""What the rule for ties is worth to hill-climbing from the empty graph.

    python docs/tools/ties.py FOLDER [--networks alarm ...]
    python docs/tools/ties.py --gaussian

FOLDER holds NETWORK-KAPPA-ROWS-SEED.parquet with NETWORK-KAPPA-ROWS-SEED.edges.csv. Ties are broken by looking ahead,
by association, and by column order with columns as given, sorted by the true graph, or permuted at random. Prints the
Markdown tables of `docs/benchmarks/paper-methods.md`: JI, and for single networks (KAPPA = 1) BIC beside that with
columns as given, which is bnlearn's. The second form learns from Gaussian samples of random DAGs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from underflow import ordered

import phgs

PERMUTATIONS = 8


class Found(NamedTuple):
    """BIC and the Jaccard index of CPDAGs."""

    bic: float
    jaccard: float


class DataSet:
    """One data set, whose columns can be put in any order."""

    def __init__(self, path: Path) -> None:
        self._frame = pd.read_parquet(path)
        self._edges = str(path.with_name(path.stem + ".edges.csv"))
        self.names = [str(name) for name in self._frame.columns]

    def truth(self, columns: list[str]) -> phgs.Graph:
        return phgs.as_dag(self._edges, columns)

    def search(self, make: Callable[[phgs.Graph], Any], order: str | int = "as given") -> Found:
        """Learn with columns in an order: a name of `ordered`, or the seed of a permutation."""
        if isinstance(order, int):
            columns = random.Random(order).sample(self.names, len(self.names))
        else:
            columns = ordered(self.truth(self.names), self.names, order)
        truth = self.truth(columns)
        result = make(truth).learn(phgs.as_table(self._frame[columns], warn=False))
        comparison = phgs.compare(phgs.dag_to_cpdag(truth), result.cpdag, as_cpdags=False)
        return Found(result.score.value, comparison.jaccard)


def over_all(kind: Any, ties: str) -> Callable[[phgs.Graph], Any]:
    return lambda truth: kind(ties=ties, progress=False)


def within(ties: str) -> Callable[[phgs.Graph], Any]:
    return lambda truth: phgs.GSC(skeleton=truth, ties=ties, progress=False)


def single(data: DataSet) -> list[str]:
    cells: list[str] = []
    for kind in (phgs.HillClimbing, phgs.Tabu):
        base = data.search(over_all(kind, "columns"))
        own = [data.search(over_all(kind, ties)) for ties in ("lookahead", "association")]
        others = [data.search(over_all(kind, "columns"), seed) for seed in range(PERMUTATIONS)]
        mean = Found(*(statistics.mean(values) for values in zip(*others, strict=True)))
        cells += [f"{base.jaccard:.3f}"]
        cells += [f"{found.bic - base.bic:+,.0f}, {found.jaccard:.3f}" for found in (*own, mean)]
    return cells


def tiled(data: DataSet, make: Callable[[str], Callable[[phgs.Graph], Any]]) -> list[str]:
    found = [data.search(make(ties)) for ties in ("lookahead", "association")]
    found += [data.search(make("columns"), order) for order in ("as given", "causes first", "effects first")]
    return [f"{each.jaccard:.3f}" for each in found]


def gaussian(n_variables: int, degree: float) -> list[str]:
    found: dict[tuple[Any, str], list[Found]] = {}
    for seed in range(20):
        dag = phgs.random_dag(n_variables, degree=degree, seed=seed)
        truth, table = phgs.dag_to_cpdag(dag), phgs.sample_gaussian(dag, 2000, seed=seed)
        for kind in (phgs.HillClimbing, phgs.Tabu):
            for ties in ("columns", "lookahead", "association"):
                result = kind(ties=ties, progress=False).learn(table)
                jaccard = phgs.compare(truth, result.cpdag, as_cpdags=False).jaccard
                found.setdefault((kind, ties), []).append(Found(result.score.value, jaccard))
    cells = []
    for (kind, ties), results in found.items():
        gain = statistics.mean(one.bic - base.bic for one, base in zip(results, found[kind, "columns"], strict=True))
        beside = "" if ties == "columns" else f"{gain:+.0f} "
        cells.append(f"{beside}({statistics.mean(one.jaccard for one in results):.3f})")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--gaussian", action="store_true", help="random DAGs in place of a folder")
    parser.add_argument("--networks", nargs="+", help="only data sets of these")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    if arguments.gaussian:
        for n_variables, degree in ((20, 2), (30, 3), (50, 3), (100, 2), (60, 5)):
            print(f"| {n_variables}, {degree} |", " | ".join(gaussian(n_variables, degree)), "|", flush=True)
        return
    if arguments.folder is None:
        parser.error("give a FOLDER or --gaussian")
    for path in sorted(arguments.folder.glob("*-*-*-*.parquet")):
        network, kappa = path.stem.split("-")[:2]
        if arguments.networks and network not in arguments.networks:
            continue
        data = DataSet(path)
        if kappa == "1":
            print(f"| {network} |", " | ".join(single(data)), "|", flush=True)
        else:
            for name, make in (("hc (tabu)", lambda ties: over_all(phgs.Tabu, ties)), ("gsc*", within)):
                print(f"| {network} × {kappa} | {name} |", " | ".join(tiled(data, make)), "|", flush=True)


if __name__ == "__main__":
    main()
