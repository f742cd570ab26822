"""Kill a worker of a Dask cluster at a random moment of a run, again and again: all runs must learn the same.

    python benches/killed_workers.py FOLDER [--runs 20] [--workers 2] [--method phgs] [--rows 2000000] [--seed 0]

The folder is that of `benches/workers.py`. Each run starts a cluster of processes of its own and learns, from
reading on. After a random part of the time that a run without a loss takes (so that some are killed while they
read, and some while they count), one of the workers gets `kill -9`. Prints for each run when that was, which stage
it was in, how often a part was read again, the seconds on the clock, and the digest of what was learned (graphs,
scores, largest p-values, separating sets), which must be that of one process. Needs `phgs[dask]`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from workers import learned, write

import phgs


def run(folder: Path, method: str, workers: int, moment: float | None, chosen: random.Random) -> dict[str, Any]:
    """Learn once; kill a worker so many seconds after the beginning."""
    import distributed  # type: ignore[import-not-found]

    told: dict[str, Any] = {"stage": "none"}
    cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as client, phgs.shards(folder, on=client) as source:
        pids = list(client.run(os.getpid).values())
        client.run(lambda: __import__("phgs.data.parts"))

        def kill() -> None:
            # What is asked for has no parts before all rows are read.
            told["stage"] = "counts" if source._spread else "reads"
            os.kill(chosen.choice(pids), signal.SIGKILL)

        timer = threading.Timer(0 if moment is None else moment, kill)
        start = time.perf_counter()
        if moment is not None:
            timer.start()
        told["digest"] = learned(source, method)
        told["seconds"] = time.perf_counter() - start
        timer.cancel()
        told["read again"] = source.spread([], found_out=True).parts.lost
    return told


def main() -> None:
    """Run, kill and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--method", default="phgs")
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    write(options.folder, options.network, options.rows)
    expected = learned(phgs.as_table(phgs.shards(options.folder)), options.method, data_type="discrete")
    chosen = random.Random(options.seed)
    whole = run(options.folder, options.method, options.workers, None, chosen)
    print(
        f"one process: {expected}; {options.workers} workers, none killed: {whole['digest']}, {whole['seconds']:.1f} s"
    )
    print("| run | killed after, s | while it | read again | s on the clock | digest | same |")
    print("| ---: | ---: | :--- | ---: | ---: | :--- | :--- |")
    wrong = int(whole["digest"] != expected)
    for number in range(options.runs):
        moment = chosen.uniform(0, 0.95 * whole["seconds"])
        told = run(options.folder, options.method, options.workers, moment, chosen)
        same = told["digest"] == expected
        wrong += not same
        print(
            f"| {number + 1} | {moment:.2f} | {told['stage']} | {told['read again']} | {told['seconds']:.1f} |"
            f" {told['digest']} | {'yes' if same else 'no'} |",
            flush=True,
        )
    sys.exit(min(wrong, 1))


if __name__ == "__main__":
    main()
