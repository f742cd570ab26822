"""Measure learning over the workers of a Dask cluster on this machine beside learning in one process.

    python benches/workers.py FOLDER --rows 2000000 --workers 2
    python benches/workers.py FOLDER --rows 20000000 --workers 2 --copies 3 --columns 100 --methods pairs pc hc

The folder gets a sample of a network (or of some copies of it joined by tiling, of which the first columns are
kept) in twenty Parquet files, unless they are there. "pairs" are the tables of all pairs of columns. For each
method it prints the rounds of requests, the tables in them, what came back from the workers, and seconds of the
processor: in one process, in the process that asks, and of the busiest worker; seconds on the clock; and whether
both results are the same to the last bit. Reading is measured once, before. Needs `phgs[dask]`.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from digest import of_result

import phgs
from phgs import _core

METHODS = ("pc", "ppc", "phgs", "mmpc", "si-hiton-pc", "fast-iamb", "hc", "tabu", "ges", "mmhc", "auto")
FILES = 20


def write(folder: Path, network: str, rows: int, copies: int = 1, columns: int | None = None) -> None:
    """Sample a network into files of some row groups."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        path = folder / f"part-{number:02}.parquet"
        if not path.exists():
            model = phgs.Network.load(network)
            model = model.tile(copies, seed=1) if copies > 1 else model
            table = model.sample(rows // FILES, seed=number)
            table = table.select(table.column_names[:columns])
            pq.write_table(table, path, row_group_size=max(1, rows // FILES // 4))


def main() -> None:
    """Measure all methods."""
    import dask  # type: ignore[import-not-found]
    import distributed  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--columns", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--memory", default="auto", help="bytes that a worker may take, such as 1.6GB; Dask ends it else"
    )
    parser.add_argument("--alone", action="store_true", help="do not learn in one process too")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    write(options.folder, options.network, options.rows, options.copies, options.columns)
    # The workers are to be ended at their limit, not to be paused below it.
    memory = dict.fromkeys(("target", "spill", "pause"), False)
    dask.config.set({f"distributed.worker.memory.{what}": value for what, value in memory.items()})
    cluster = distributed.LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=":0", memory_limit=options.memory
    )
    with cluster, distributed.Client(cluster) as client:

        def of_workers() -> list[float]:
            return list(client.run(time.process_time).values())

        source = phgs.shards(options.folder, on=client)
        before, start = of_workers(), time.perf_counter()
        parts = source.spread([], found_out=True).parts
        read = [after - other for after, other in zip(of_workers(), before, strict=True)]
        print(f"{source}: read in {time.perf_counter() - start:.1f} s, {max(read):.1f} s of the processor a worker")
        table = None if options.alone else phgs.as_table(source)
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
        print(f"a worker takes {max(peaks.values()):.2f} GB at its peak")
        print("| method | rounds | tables | MB in | s here | s asking | s a worker | s on the clock | same |")
        print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- |")
        for method in options.methods:
            start = time.process_time()
            expected = "" if table is None else learned(table, method, data_type="discrete", threads=1)
            here = time.process_time() - start
            asked = parts.requests, parts.tables_asked, parts.cells_received
            before, start, clock = of_workers(), time.process_time(), time.perf_counter()
            found = learned(source, method)
            clock, asking = time.perf_counter() - clock, time.process_time() - start
            workers = max(after - other for after, other in zip(of_workers(), before, strict=True))
            rounds, tables, cells = parts.requests - asked[0], parts.tables_asked - asked[1], parts.cells_received
            megabytes = 4e-6 * (cells - asked[2])
            same = found if table is None else "yes" if found == expected else "no"
            print(
                f"| {method} | {rounds:,} | {tables:,} | {megabytes:.1f} | {here:.2f} | {asking:.2f} | {workers:.2f} |"
                f" {clock:.1f} | {same} |",
                flush=True,
            )


def learned(data: Any, method: str, **options: Any) -> str:
    """Hash what is learned but for the type of data that was asked for, or the tables of all pairs."""
    if method == "pairs":
        x, y = np.triu_indices(len(data.names), 1)
        members = np.column_stack([x, y]).astype(np.uint32).ravel()
        starts = np.arange(0, len(members) + 1, 2, dtype=np.uint64)
        if isinstance(data, phgs.Table):
            counts = _core.tables(data.core, members, starts, threads=1)
        else:
            counts = data.spread([], found_out=True).parts.tables(members, starts, lambda: False)
        return hashlib.sha256(np.asarray(counts, np.uint64).tobytes()).hexdigest()
    result = phgs.learn(data, method, progress=False, **options)
    result.parameters["data_type"] = "discrete"
    return of_result(result)


if __name__ == "__main__":
    main()
