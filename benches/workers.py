"""Measure learning over the workers of a Dask cluster on this machine beside learning in one process.

    python benches/workers.py FOLDER --rows 2000000 --workers 2

The folder gets a sample of a network in twenty Parquet files, unless they are there. For each method it prints the
rounds of requests, the tables in them, what came back from the workers, and seconds of the processor: in one process,
in the process that asks, and of the busiest worker; seconds on the clock; and whether both results are the same to the
last bit. Reading is measured once, before. Needs `phgs[dask]`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from digest import of_result

import phgs

METHODS = ("pc", "ppc", "phgs", "mmpc", "si-hiton-pc", "fast-iamb", "hc", "tabu", "ges", "mmhc", "auto")
FILES = 20


def write(folder: Path, network: str, rows: int) -> None:
    """Sample a network into files of some row groups."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        path = folder / f"part-{number:02}.parquet"
        if not path.exists():
            table = phgs.Network.load(network).sample(rows // FILES, seed=number)
            pq.write_table(table, path, row_group_size=max(1, rows // FILES // 4))


def main() -> None:
    """Measure all methods."""
    import distributed  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    write(options.folder, options.network, options.rows)
    cluster = distributed.LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as client:

        def of_workers() -> list[float]:
            return list(client.run(time.process_time).values())

        source = phgs.shards(options.folder, on=client)
        before, start = of_workers(), time.perf_counter()
        parts = source.spread([], found_out=True).parts
        read = [after - other for after, other in zip(of_workers(), before, strict=True)]
        print(f"{source}: read in {time.perf_counter() - start:.1f} s, {max(read):.1f} s of the processor a worker")
        table = phgs.as_table(source)
        print("| method | rounds | tables | MB in | s here | s asking | s a worker | s on the clock | same |")
        print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- |")
        for method in options.methods:
            start = time.process_time()
            expected = of_result(phgs.learn(table, method, data_type="discrete", progress=False, threads=1))
            here = time.process_time() - start
            asked = parts.requests, parts.tables_asked, parts.cells_received
            before, start, clock = of_workers(), time.process_time(), time.perf_counter()
            found = phgs.learn(source, method, progress=False)
            clock, asking = time.perf_counter() - clock, time.process_time() - start
            workers = max(after - other for after, other in zip(of_workers(), before, strict=True))
            rounds, tables, cells = parts.requests - asked[0], parts.tables_asked - asked[1], parts.cells_received
            megabytes = 4e-6 * (cells - asked[2])
            same = "yes" if sameness(found, expected) else "no"
            print(
                f"| {method} | {rounds:,} | {tables:,} | {megabytes:.1f} | {here:.2f} | {asking:.2f} | {workers:.2f} |"
                f" {clock:.1f} | {same} |",
                flush=True,
            )


def sameness(found: Any, expected: str) -> bool:
    """Whether a result is the one that was expected, but for the type of data that was asked for."""
    found.parameters["data_type"] = "discrete"
    return of_result(found) == expected


if __name__ == "__main__":
    main()
