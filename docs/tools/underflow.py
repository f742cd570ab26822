"""What local learners find where small p-values are 0, as in packages that keep p-values rather than their logarithms.

    python docs/tools/underflow.py [--floors 0 1e-16]
    python docs/tools/underflow.py --data DATA.parquet --truth EDGES.csv [--alpha 0.1] [--orders ...] [--floors ...]

The first form compares skeletons with bnlearn's on the data of the tests, the second learns from one data set with its
columns in several orders. G² is tested by a Python function that makes p-values below the floor 0: the strongest of
several candidates is then the first in column order. Prints Markdown tables for `docs/benchmarks/paper-methods.md`.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import phgs

REFERENCE = Path(__file__).parents[2] / "tests" / "data" / "reference"
LEARNERS = {"mmpc": phgs.MMPC, "hpc": phgs.HPC, "fast-iamb": phgs.FastIAMB, "si-hiton-pc": phgs.SIHitonPC}
NETWORKS = ("asia", "child", "alarm", "insurance", "hailfinder")


def cut(table: phgs.Table, floor: float) -> Callable[..., tuple[float, float, float]]:
    """Return G² with p-values below the floor made 0."""

    def test(x: Any, y: Any, given: tuple[Any, ...]) -> tuple[float, float, float]:
        found = phgs.independence_test(table, x, y, given)
        return found.statistic, found.degrees_of_freedom, found.p_value if found.p_value >= floor else 0.0

    return test


def learn(method: str, table: phgs.Table, floor: float, alpha: float) -> phgs.Result:
    """Learn by G², whose p-values are cut unless the floor is 0."""
    test: Any = cut(table, floor) if floor > 0 else "g2"
    return LEARNERS[method](test=test, alpha=alpha, progress=False).learn(table)


def pairs(graph: phgs.Graph) -> set[tuple[Any, ...]]:
    return {tuple(sorted(edge)) for edge in (*graph.directed, *graph.undirected)}


def reference(file: str, **where: str) -> set[tuple[Any, ...]]:
    """Return the pairs of variables that a reference file joins."""
    with (REFERENCE.parent / file).open(newline="") as rows:
        found = [row for row in csv.DictReader(rows) if all(row[key] == value for key, value in where.items())]
    return {tuple(sorted((row["from"], row["to"]))) for row in found}


def beside_bnlearn(floors: list[float], alpha: float) -> None:
    """Print how many edges bnlearn and this package find, and how many both."""
    heads = [f"floor {floor:g} | in both" for floor in floors]
    print("| network | method | bnlearn |", " | ".join(heads), "|\n|:---|:---|---:|" + "---:|---:|" * len(floors))
    for network in NETWORKS:
        table = phgs.as_table(str(REFERENCE / "data" / f"{network}.parquet"), warn=False)
        truth = reference("golden/cpdag.csv", network=network)
        for method in LEARNERS:
            theirs = reference("reference/arcs.csv", network=network, method=method)
            cells = [f"{len(theirs)} ({len(theirs - truth)})"]
            for floor in floors:
                ours = pairs(learn(method, table, floor, alpha).cpdag)
                cells += [f"{len(ours)} ({len(ours - truth)})", str(len(ours & theirs))]
            print(f"| {network} | {method} |", " | ".join(cells), "|", flush=True)


def ordered(truth: phgs.Graph, names: list[str], order: str) -> list[str]:
    if order == "as given":
        return names
    sources: dict[str, set[str]] = {name: set() for name in names}
    for tail, head in truth.directed:
        sources[str(head)].add(str(tail))
    done: list[str] = []
    while len(done) < len(names):
        seen = set(done)
        done += [name for name in names if name not in seen and sources[name] <= seen]
    return done if order == "causes first" else done[::-1]


def orders_of_columns(data: Path, edges: Path, orders: list[str], floors: list[float], alpha: float) -> None:
    """Print what MMPC and its hybrids reach for each order of columns and each floor."""
    frame = pd.read_parquet(data)
    names = [str(name) for name in frame.columns]
    print("| columns | floor | MMPC | MMHC by association | MMHC by columns | MMHC-HGI | log10 calls of MMPC × 10 |")
    print("|:---|---:|---:|---:|---:|---:|---:|")
    for order in orders:
        columns = ordered(phgs.as_dag(str(edges), names), names, order)
        table = phgs.as_table(frame[columns], warn=False)
        truth = phgs.dag_to_cpdag(phgs.as_dag(str(edges), columns))
        for floor in floors:
            skeleton = learn("mmpc", table, floor, alpha)
            found = [skeleton]
            for init, ties in (("empty", "association"), ("empty", "columns"), ("hgi", "association")):
                search = {"init": init, "ties": ties, "alpha": alpha, "max_conditioning_size": 5, "progress": False}
                found.append(phgs.learn(table, "gsc", skeleton=skeleton.cpdag, **search))
            shown = [f"{phgs.compare(truth, each, as_cpdags=False).jaccard:.3f}" for each in found]
            calls = math.log10(10 * skeleton.calls["total"])
            print(f"| {order} | {floor:g} |", " | ".join(shown), f"| {calls:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--alpha", type=float)
    parser.add_argument("--orders", nargs="+", default=["causes first", "as given", "effects first"])
    parser.add_argument("--floors", nargs="+", type=float, default=[0.0, 1e-16])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    if arguments.data is None:
        beside_bnlearn(arguments.floors, arguments.alpha or 0.05)
    else:
        orders_of_columns(arguments.data, arguments.truth, arguments.orders, arguments.floors, arguments.alpha or 0.1)


if __name__ == "__main__":
    main()
