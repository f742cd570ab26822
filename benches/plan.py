"""Fit what learning on workers takes to runs on this machine, and extrapolate it to clusters that are not here.

    python benches/plan.py FOLDER [--rows 1000000 4000000] [--workers 1 2 4] [--latencies 0 10 30] [--out FILE]

FOLDER has the files of `benches/workers.py --copies 3 --columns 100` (100 columns, a million rows each), of which the
first are read. Seconds of a run are taken as

    rounds × (latency + wait + a + b × workers) + bytes × (1 ÷ bandwidth + c)
    + cells × rows × d ÷ cores of all workers + tables × (e ÷ cores of a worker + f)

where `bytes` come back from all workers. Measured on local clusters of processes with one thread each: d and e from
seconds of the processor of all workers; a, b, c and f from those of the process that asks, over methods and numbers
of workers; and `wait`, what a round takes beside all that, from the clock of the calmest run. A latency is injected
as a sleep before each round is asked. More processes than this machine has cores tell about the one that asks
alone. Prints what was measured, what the model says of it, and the extrapolation; FILE gets all as JSON, of which
`docs/tools/pictures.py` draws the picture. Needs `phgs[dask]`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from workers import learned, write

import phgs

METHODS = ("pc", "hc", "fast-iamb")
GIGABIT = 1e9 / 8
CLUSTERS = (1, 2, 4, 8, 16, 32, 64)
CORES = 16


def runs(files: list[Path], workers: int, latencies: list[float]) -> list[dict[str, Any]]:
    """Learn by each method with each latency on a cluster."""
    import distributed  # type: ignore[import-not-found]

    found: list[dict[str, Any]] = []
    cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as client, phgs.shards(files, on=client) as source:
        parts = source.spread([], found_out=True).parts
        call = parts.call

        def processor() -> list[float]:
            return list(client.run(time.process_time).values())

        for method in METHODS:
            for latency in latencies:

                def late(*given: Any, seconds: float = latency) -> Any:
                    time.sleep(seconds)
                    return call(*given)

                parts.call = late
                asked = parts.requests, parts.tables_asked, parts.cells_received
                before, start, clock = processor(), time.process_time(), time.perf_counter()
                digest = learned(source, method)
                clock, asking = time.perf_counter() - clock, time.process_time() - start
                took = [after - other for after, other in zip(processor(), before, strict=True)]
                found.append(
                    {
                        "method": method,
                        "rows": source.n_rows,
                        "workers": workers,
                        "latency": latency,
                        "rounds": parts.requests - asked[0],
                        "tables": parts.tables_asked - asked[1],
                        "bytes": 4 * (parts.cells_received - asked[2]),
                        "clock": clock,
                        "asking": asking,
                        "counting": sum(took),
                        "busiest": max(took),
                        "digest": digest,
                    }
                )
                print({**found[-1], "digest": digest[:8]}, flush=True)
    return found


def fitted(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Fit the model."""
    from scipy.optimize import nnls

    def fit(wanted: str, *known: Any) -> list[float]:
        values = np.array(known, float).T
        scale = values.max(axis=0)
        return list(map(float, nnls(values / scale, np.array([run[wanted] for run in found]))[0] / scale))

    # Counting: so many seconds a row and cell, and so many a table whatever the rows.
    counting = fit(
        "counting",
        [run["rows"] * run["bytes"] / 4 / run["workers"] for run in found],
        [run["tables"] * run["workers"] for run in found],
    )
    # Asking: rounds, messages, bytes, tables; and Dask's own work while time passes, which takes no time of its own.
    asking = fit(
        "asking",
        [run["rounds"] for run in found],
        [run["rounds"] * run["workers"] for run in found],
        [run["bytes"] for run in found],
        [run["tables"] for run in found],
        [run["clock"] for run in found],
    )
    rest = [run["clock"] - run["rounds"] * run["latency"] - run["busiest"] - run["asking"] for run in found]
    # Whatever else the machine does makes a run longer: the calmest tells.
    wait = max(0.0, min(left / run["rounds"] for left, run in zip(rest, found, strict=True)))
    return {
        "counting": counting,
        **dict(zip(("round", "message", "byte", "table", "idle"), asking, strict=True)),
        "wait": wait,
    }


def seconds(
    model: dict[str, Any], run: dict[str, Any], rows: float, workers: int, cores: int, latency: float, bandwidth: float
) -> dict[str, float]:
    """What a run with these rounds, tables and bytes would take."""
    a_cell, a_table = model["counting"]
    of_one = run["bytes"] / run["workers"]
    sent = of_one * workers
    return {
        "counting": a_cell * of_one / 4 * rows / (workers * cores) + a_table * run["tables"] / cores,
        "latency": run["rounds"] * (latency + model["wait"]),
        "asking": run["rounds"] * (model["round"] + model["message"] * workers)
        + sent * model["byte"]
        + run["tables"] * model["table"],
        "bytes": sent / bandwidth,
    }


def main() -> None:
    """Measure, fit, extrapolate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 4_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--latencies", type=float, nargs="+", default=[0, 10, 30], help="of a round, in milliseconds")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measured", type=Path, help="an earlier --out, whose runs are fitted again")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.measured:
        found = json.loads(options.measured.read_text())["runs"]
    else:
        write(options.folder, "alarm", 20_000_000, 3, 100)
        files = sorted(options.folder.glob("*.parquet"))
        found = []
        for rows in options.rows:
            few = rows == options.rows[0]
            for workers in options.workers if few else options.workers[:1]:
                # Latency alone is told apart by one cluster, and what rows take by one worker.
                chosen = options.latencies if few and workers == options.workers[-2] else options.latencies[:1]
                found += runs(files[: rows // 1_000_000], workers, [1e-3 * latency for latency in chosen])
    model = fitted(found)
    print(json.dumps(model, indent=1))
    print("| method | rows | workers | latency, ms | rounds | MB in | s on the clock | the model | of it counting |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    cores = os.cpu_count() or 1
    for run in found:
        told = seconds(model, run, run["rows"], run["workers"], 1, run["latency"], np.inf)
        # More processes than cores take turns.
        told["counting"] *= max(1.0, run["workers"] / cores)
        print(
            f"| {run['method']} | {run['rows']:,} | {run['workers']} | {1e3 * run['latency']:.0f} | {run['rounds']} |"
            f" {1e-6 * run['bytes']:.1f} | {run['clock']:.1f} | {sum(told.values()):.1f} | {told['counting']:.1f} |"
        )
    plan = []
    print(f"\n| method | rows | workers of {CORES} cores | counting | rounds | asking | bytes | seconds |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for method in METHODS:
        run = max((run for run in found if run["method"] == method), key=lambda run: (run["rows"], -run["workers"]))
        for rows in (1e9, 1e10):
            for workers in CLUSTERS:
                told = seconds(model, run, rows, workers, CORES, 1e-3, 10 * GIGABIT)
                plan.append({"method": method, "rows": rows, "workers": workers, **told})
                if workers in (1, 8, 64):
                    parts = " | ".join(f"{told[part]:.1f}" for part in ("counting", "latency", "asking", "bytes"))
                    print(f"| {method} | {rows:.0e} | {workers} | {parts} | {sum(told.values()):.0f} |")
    if options.out:
        options.out.write_text(json.dumps({"runs": found, "model": model, "plan": plan}, indent=1) + "\n")


if __name__ == "__main__":
    main()
