"""Accuracy of the default where values are missing, beside the same data without gaps and beside the other ways.

    python benches/missing.py [--seeds 3] [--rows 2000] [--shares 0.05 0.1 0.2 0.3] [--write PAGE]

Data: three networks of categories (child, alarm, insurance), random linear Gaussian models, and three kinds of tables
of numbers beside categories (`mixed_generators.py`). Values are made missing by `phgs.make_missing`, completely at
random and at random. Prints mean Jaccard indices of CPDAGs, and seconds of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mixed_generators
import numpy as np
from gaussian_models import model

import phgs

NETWORKS = ("child", "alarm", "insurance")
MIXED = ("linear", "monotone", "curved")


def sets(seeds: int, rows: int) -> dict[str, list[tuple[Any, phgs.Graph]]]:
    """Return tables and true classes by type of data."""
    found: dict[str, list[tuple[Any, phgs.Graph]]] = {"categories": [], "Gaussian": [], "mixed": []}
    for seed in range(1, seeds + 1):
        for name in NETWORKS:
            network = phgs.Network.load(name)
            table = phgs.as_table(network.sample(rows, seed=seed), warn=False)
            found["categories"].append((table, phgs.dag_to_cpdag(phgs.as_graph(network))))
        values, truth = model(30, 3.0, rows, seed)
        names = list(truth.variables)
        found["Gaussian"].append((phgs.as_gaussian(values, names=names, warn=False), truth))
        for kind in MIXED:
            simulated = mixed_generators.KINDS[kind](50, rows, seed)
            graph = phgs.as_graph(simulated.arcs, simulated.table.names)
            found["mixed"].append((simulated.table, phgs.dag_to_cpdag(graph)))
    return found


WAYS: dict[str, Callable[[Any], phgs.Graph]] = {
    way: lambda table, way=way: phgs.learn(table, missing=way, threads=1, progress=False).cpdag
    for way in ("auto", "drop", "level")
}


def accuracy(learned: Callable[[Any], phgs.Graph], table: Any, truth: phgs.Graph) -> float:
    """Return the Jaccard index of what is learned; NaN where no rows are left, or numbers have no level."""
    try:
        return phgs.compare(truth, learned(table)).jaccard
    except (phgs.DataError, phgs.ParameterError):
        return float("nan")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.05, 0.1, 0.2, 0.3])
    parser.add_argument("--types", nargs="+", default=["categories", "Gaussian", "mixed"])
    parser.add_argument("--write", type=Path, help="a page to write the table into")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []

    def tell(*cells: str) -> None:
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)

    tell("data", "missing", "share", "complete", *WAYS, "seconds of auto, of complete")
    tell(*["---"] * (5 + len(WAYS)))
    for kind, tables in sets(arguments.seeds, arguments.rows).items():
        if kind not in arguments.types:
            continue
        started = time.process_time()
        complete = np.mean([phgs.compare(truth, WAYS["auto"](table)).jaccard for table, truth in tables])
        once = (time.process_time() - started) / len(tables)
        for mechanism in ("mcar", "mar"):
            for share in arguments.shares:
                gapped = [
                    phgs.make_missing(table, share, mechanism, seed=at) for at, (table, _) in enumerate(tables, start=1)
                ]
                cells, seconds = [], 0.0
                for way, learned in WAYS.items():
                    started = time.process_time()
                    pairs = zip(gapped, tables, strict=True)
                    found = [accuracy(learned, table, truth) for table, (_, truth) in pairs]
                    if way == "auto":
                        seconds = (time.process_time() - started) / len(tables)
                    known = [value for value in found if not np.isnan(value)]
                    cells.append(f"{np.mean(known):.3f}" if len(known) == len(found) else "–")
                tell(kind, mechanism, f"{100 * share:.0f} %", f"{complete:.3f}", *cells, f"{seconds:.2f}, {once:.2f}")
    if arguments.write is not None:
        before = arguments.write.read_text(encoding="utf-8").split("| data | missing")[0]
        arguments.write.write_text(before + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
