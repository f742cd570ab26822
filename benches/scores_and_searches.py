"""Accuracy of scores and searches, alone and one after another, on data with a known graph.

    python benches/scores_and_searches.py [--tables DIR] [--networks NAME ...] [--random P:DEGREE:STATES ...]
        [--rows 1000 5000 25000] [--seeds 1] [--methods auto ...] [--limit 10] [--threads 1] [--out results.csv]

``--tables`` is a directory of ``NAME.parquet`` (state codes) with ``NAME.edges.csv`` (from, to) beside it; of each the
first rows are taken. Networks are names that `phgs.networks` lists or paths of BIF files; rows are sampled from the
network itself, or from its tiled copies as in the paper's study with ``--tiled``. Random networks have so many
variables, a mean degree, and two up to so many states. A method is a chain of stages joined by ``>``, each of which
starts from the graph before it; a stage is a search, a score, a γ and a cap on parents, joined by ``:``
(``auto>ges:sqnml:1``, see `SEARCHES`; without a score that of the search). A stage that does not end within the limit,
in seconds of the clock, counts with the best graph until then, and the stages after it do not run.

Prints, and appends to the file, one line a table and method: rows, seconds of the processor, and the Jaccard index of
CPDAGs; then means.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import phgs
from phgs.study.simulation import paper_network

SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("auto", {"effort": "quick"}),
    "normal": ("auto", {"effort": "normal"}),
    "thorough": ("auto", {"effort": "thorough"}),
    "hc": ("hc", {}),
    "tabu": ("tabu", {}),
    "ges": ("ges", {"schedule": "interleaved"}),
    "rounds": ("ges", {"schedule": "rounds"}),
    "xges": ("ges", {"schedule": "extended"}),
    "boss": ("boss", {}),
    "start": ("auto", {"refine": "none"}),
}
"""What a stage of a chain runs; ``start`` is auto before its last stage."""


def stages(method: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the methods and parameters of a chain."""
    found = []
    for stage in method.split(">"):
        search, *rest = stage.split(":")
        name, options = SEARCHES[search]
        options = dict(options)
        if rest:
            options["score"] = rest[0]
        if len(rest) > 1:
            options["gamma"] = float(rest[1])
        if len(rest) > 2:
            options["max_parents"] = int(rest[2])
        found.append((name, options))
    return found


def run(method: str, table: phgs.Table, limit: float, threads: int) -> tuple[Any, float]:
    """Run a chain; return its last result within the limit, and the processor's seconds of all stages."""
    started, spent = time.perf_counter(), time.process_time()
    result = None
    for name, options in stages(method):
        if result is not None:
            options["start"] = result.dag
        left = limit - (time.perf_counter() - started)
        if left <= 0:
            break
        result = phgs.learn(table, name, threads=threads, time_limit=left, progress=False, **options)
    return result, time.process_time() - spent


def tables(arguments: argparse.Namespace) -> Iterator[tuple[str, int, phgs.Table, phgs.Graph]]:
    """Yield the name, rows, table and true CPDAG of each data set."""
    import pandas as pd

    for path in sorted(Path(arguments.tables).glob("*.parquet")) if arguments.tables else ():
        frame = pd.read_parquet(path)
        with path.with_suffix("").with_suffix(".edges.csv").open(newline="") as file:
            edges = [(row["from"], row["to"]) for row in csv.DictReader(file)]
        for rows in arguments.rows:
            if rows <= len(frame) and (not arguments.only or path.stem in arguments.only):
                table = phgs.as_table(frame.head(rows).astype("category"), warn=False)
                yield path.stem, rows, table, phgs.dag_to_cpdag(phgs.as_dag(edges, list(frame.columns)))
    for name in arguments.random:
        p, degree, most = name.split(":")
        for seed in arguments.seeds:
            dag = phgs.random_dag(int(p), degree=float(degree), seed=seed)
            network = phgs.Network.random(dag, states=(2, int(most)), seed=seed)
            truth = phgs.dag_to_cpdag(phgs.as_dag(network))
            for rows in arguments.rows:
                yield f"{name}-{seed}", rows, phgs.as_table(network.sample(rows, seed=seed), warn=False), truth
    for name in arguments.networks:
        for seed in arguments.seeds:
            network = paper_network(name, seed=seed) if arguments.tiled else phgs.Network.load(name)
            truth = phgs.dag_to_cpdag(phgs.as_dag(network))
            for rows in arguments.rows:
                table = phgs.as_table(network.sample(rows, seed=seed), warn=False)
                yield f"{Path(name).name.removesuffix('.bif.gz')}-{seed}", rows, table, truth


def main() -> None:
    """Run every method on every table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables")
    parser.add_argument("--only", nargs="*", help="names of tables of the directory")
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--random", nargs="*", default=[], metavar="P:DEGREE:STATES", help="random networks")
    parser.add_argument("--tiled", action="store_true")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 5000, 25000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--methods", nargs="+", default=["auto:ebic", "auto:sqnml", "normal:sqnml"])
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    seconds: dict[tuple[int, str], list[float]] = defaultdict(list)
    out = Path(arguments.out).open("a", newline="", encoding="utf-8") if arguments.out else None  # noqa: SIM115
    for name, rows, table, truth in tables(arguments):
        for method in arguments.methods:
            result, taken = run(method, table, arguments.limit, arguments.threads)
            jaccard = phgs.compare(truth, result).jaccard or 0.0
            found[rows, method].append(jaccard)
            seconds[rows, method].append(taken)
            line = [name, rows, method, f"{taken:.2f}", f"{jaccard:.3f}"]
            print("  ".join(map(str, line)), flush=True)
            if out:
                csv.writer(out, lineterminator="\n").writerow(line)
                out.flush()
    print("\n| rows | method | tables | mean JI | mean seconds |\n|---:|---|---:|---:|---:|")
    for (rows, method), values in sorted(found.items()):
        taken = statistics.mean(seconds[rows, method])
        print(f"| {rows:,} | {method} | {len(values)} | {statistics.mean(values):.3f} | {taken:.2f} |")


if __name__ == "__main__":
    main()
