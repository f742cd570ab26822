"""Wall-clock seconds of methods on the paper's tiled networks, with all processors. Run it on an idle machine.

    python benches/tiled_networks.py [--methods auto] [--networks alarm ...] [--rows 25000] [--seed 1] [--threads N]

Data are those of the paper's study. A call of `phgs.learn` is timed from the table in memory to the result. Prints a
Markdown table with p, seconds, seconds of the processor, and the Jaccard index of CPDAGs.
"""

from __future__ import annotations

import argparse
import time
import warnings

import phgs
from phgs.study import paper_values
from phgs.study.simulation import paper_network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = list(paper_values.networks())
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--networks", nargs="+", default=names, choices=names)
    parser.add_argument("--rows", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    print("| network | p | method | seconds | of the processor | JI |")
    print("|:---|---:|:---|---:|---:|---:|")
    for name in arguments.networks:
        network = paper_network(name, seed=arguments.seed)
        table = phgs.as_table(network.sample(arguments.rows, seed=arguments.seed))
        truth = phgs.dag_to_cpdag(phgs.as_dag(network))
        for method in arguments.methods:
            wall, processor = time.perf_counter(), time.process_time()
            result = phgs.learn(table, method, threads=arguments.threads, progress=False)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            found = phgs.compare(truth, result, as_cpdags=False).jaccard
            print(
                f"| {name} | {len(table.names):,} | {method} | {wall:.2f} | {processor:.2f} | {found:.3f} |", flush=True
            )


if __name__ == "__main__":
    main()
