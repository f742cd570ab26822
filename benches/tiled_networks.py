"""Seconds and accuracy of methods on the paper's tiled networks, with all processors. Run it on an idle machine.

    python benches/tiled_networks.py [--methods auto] [--networks alarm ...] [--rows 25000] [--seed 1] [--threads N]
        [--page docs/benchmarks/tiled-networks.md]

Data are those of the paper's study. A call of `phgs.learn` is timed from the table in memory to the result. Prints a
Markdown table with p, seconds, seconds of the processor, and the Jaccard index of CPDAGs, and then the means; with
``--page`` it is written there, too.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections import defaultdict
from pathlib import Path

import phgs
from phgs.study import paper_values
from phgs.study.simulation import paper_network

HEAD = "| network | p | rows | method | seconds | of the processor | JI |\n|:---|---:|---:|:---|---:|---:|---:|"
MEANS = "| rows | method | networks | mean JI | mean seconds | most seconds | of the processor, most |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = list(paper_values.networks())
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--networks", nargs="+", default=names, choices=names)
    parser.add_argument("--rows", type=int, nargs="+", default=[25_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--page", type=Path, help="write the tables here")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    lines: list[str] = []
    all_runs: dict[tuple[int, str], list[tuple[float, float, float]]] = defaultdict(list)
    print(HEAD)
    for name in arguments.networks:
        network = paper_network(name, seed=arguments.seed)
        truth = phgs.dag_to_cpdag(phgs.as_dag(network))
        for rows in arguments.rows:
            table = phgs.as_table(network.sample(rows, seed=arguments.seed))
            for method in arguments.methods:
                wall, processor = time.perf_counter(), time.process_time()
                result = phgs.learn(table, method, threads=arguments.threads, progress=False)
                wall, processor = time.perf_counter() - wall, time.process_time() - processor
                found = phgs.compare(truth, result, as_cpdags=False).jaccard or 0.0
                all_runs[rows, method].append((found, wall, processor))
                taken = f"{wall:.2f} | {processor:.2f} | {found:.3f}"
                lines.append(f"| {name} | {len(table.names):,} | {rows:,} | {method} | {taken} |")
                print(lines[-1], flush=True)
    means = [MEANS, "|---:|:---|---:|---:|---:|---:|---:|"]
    for (rows, method), runs in sorted(all_runs.items()):
        accuracy, walls, processors = zip(*runs, strict=True)
        taken = f"{statistics.mean(walls):.1f} | {max(walls):.1f} | {max(processors):.1f}"
        means.append(f"| {rows:,} | {method} | {len(runs)} | {statistics.mean(accuracy):.3f} | {taken} |")
    print("", *means, sep="\n")
    if arguments.page is not None:
        parts = ["# The paper's tiled networks", *(__doc__ or "").strip().split("\n\n")[2:]]
        body = ["\n".join(means), "\n".join([HEAD, *lines])]
        arguments.page.write_text("\n\n".join([*parts, *body]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
