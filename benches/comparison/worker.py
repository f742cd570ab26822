"""Run one package on one data set and time it: ``python worker.py JOB ANSWER``, two JSON files.

Needs the package, pandas and pyarrow; not phgs. Nothing but the package's own call is timed: from a pandas frame (a
numpy array for packages that take no frame) in memory to its graph. Reading the file, imports and converting the graph
are not.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text())
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    module = importlib.import_module("comparison.packages." + job["module"])
    from comparison.packages import Input

    warnings.simplefilter("ignore")
    data = Input.read(job["package"], job["file"], job["data_type"], job["threads"])
    run = module.prepare(job["task"], data)
    # In CPU seconds, so that work of others on the machine does not count; what is repeated is far from it.
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + job["limit"]) + 1, resource.RLIM_INFINITY))
    before = _peak()
    Path(sys.argv[2] + ".started").touch()
    found, *first = _timed(run, 1)
    graph, extra = module.edges(job["task"], data, found)
    wall, cpu = [first[0]], [first[1]]
    # Once is enough for what takes long. What is quick is warm after the first call, and its calls are timed together,
    # since clocks of CPU time are coarse.
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if cpu[0] < job["limit"] / 10 and job["repeats"] > 1:
        calls = min(100, int(0.1 / first[0]) + 1)
        times = [_timed(run, calls)[1:] for _ in range(job["repeats"])]
        wall, cpu = [time[0] for time in times], [time[1] for time in times]
    answer = {"wall": wall, "cpu": cpu, "before_mb": before, "peak_mb": _peak(), "version": module.version(), **extra}
    answer["directed"], answer["undirected"] = graph
    written = Path(sys.argv[2] + ".part")
    written.write_text(json.dumps(answer))
    written.replace(sys.argv[2])
    # Some packages leave threads or a Java machine that would hold the process.
    os._exit(0)


def _timed(run: Any, calls: int) -> tuple[Any, float, float]:
    """Return what the last of some calls returned, and the wall and CPU seconds of one."""
    found = None
    start, used = time.perf_counter(), time.process_time()
    for _ in range(calls):
        found = run()
    return found, (time.perf_counter() - start) / calls, (time.process_time() - used) / calls


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
