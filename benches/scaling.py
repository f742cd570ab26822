"""Measure how seconds grow with rows, variables and threads, and draw it.

    python benches/scaling.py FOLDER [--methods phgs pc tabu] [--network alarm] [--limit SECONDS]

Data are sampled from copies of a bundled network joined by tiling, from fixed seeds. Each method is run over the number
of rows (at 10 copies), the number of copies (at 5,000 rows) and the number of threads (at 20 copies and 10,000 rows),
each time in a process of its own that also tells its peak memory; where one run takes longer than the limit, larger
ones are left out. Writes scaling.png, scaling.svg, scaling.md and scaling.csv to FOLDER. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROWS = (1000, 2000, 5000, 10_000, 25_000, 50_000)
COPIES = (3, 5, 10, 20, 40, 80)
BASE = {"copies": 10, "rows": 5000}
THREAD_SIZE = {"copies": 20, "rows": 10_000}
SEED = 1


class Run(NamedTuple):
    """One measured run: what varied, on what, and what it took."""

    axis: str
    method: str
    variables: int
    rows: int
    threads: int
    seconds: float
    megabytes: float


def measure(network: str, copies: int, rows: int, method: str, threads: int) -> Run:
    """Learn once in a process of its own."""
    arguments = [sys.executable, __file__, "--one", network, str(copies), str(rows), method, str(threads)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return Run("", method, found["variables"], rows, threads, found["seconds"], found["megabytes"])


def one(network: str, copies: int, rows: int, method: str, threads: int) -> None:
    """Sample, learn and print seconds (without sampling and reading) and peak memory in MB."""
    import resource

    import phgs

    small = phgs.Network.load(network).tile(3, seed=SEED).sample(100, seed=SEED)
    # Loads the modules that the first call loads.
    phgs.learn(small, method=method, threads=threads, progress=False)
    table = phgs.Network.load(network).tile(copies, seed=SEED).sample(rows, seed=SEED)
    result = phgs.learn(table, method=method, threads=threads, progress=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = result.seconds["total"] - result.seconds.get("read", 0.0)
    found = {"variables": len(result.variables), "seconds": seconds}
    # Kilobytes on Linux, bytes on macOS.
    found["megabytes"] = peak / (1e6 if sys.platform == "darwin" else 1e3)
    print(json.dumps(found))


def sweep(network: str, methods: list[str], limit: float) -> list[Run]:
    """All runs, smaller ones first."""
    threads = os.cpu_count() or 1
    counts = sorted({1, 2, threads} if threads > 1 else {1})
    runs: list[Run] = []
    for method in methods:
        plans = {
            "rows": [(BASE["copies"], rows, threads) for rows in ROWS],
            "variables": [(copies, BASE["rows"], threads) for copies in COPIES],
            "threads": [(THREAD_SIZE["copies"], THREAD_SIZE["rows"], count) for count in counts],
        }
        for axis, plan in plans.items():
            for copies, rows, count in plan:
                run = measure(network, copies, rows, method, count)._replace(axis=axis)
                runs.append(run)
                print(
                    f"{axis} {method} p={run.variables} n={rows} threads={count}: {run.seconds:.2f} s", file=sys.stderr
                )
                if run.seconds > limit and axis != "threads":
                    break
    return runs


def table(runs: list[Run]) -> str:
    """A Markdown table of all runs."""
    lines = ["| varied | method | variables | rows | threads | seconds | peak MB |", "|---|---|---|---|---|---|---|"]
    lines += [
        f"| {r.axis} | {r.method} | {r.variables:,} | {r.rows:,} | {r.threads} | {r.seconds:.2f} | {r.megabytes:,.0f} |"
        for r in runs
    ]
    return "\n".join(lines) + "\n"


def draw(runs: list[Run], folder: Path, network: str) -> None:
    """Seconds against rows, variables and threads."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

    methods = list(dict.fromkeys(run.method for run in runs))
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    number = FuncFormatter(lambda value, _: f"{value:,.10g}")
    for panel, axis in zip(axes, ("rows", "variables", "threads"), strict=True):
        places: set[int] = set()
        for method, marker in zip(methods, "osD^v<>", strict=False):
            own = [run for run in runs if run.axis == axis and run.method == method]
            at = [getattr(run, axis) for run in own]
            places.update(at)
            panel.plot(at, [run.seconds for run in own], marker=marker, markersize=4, label=method)
            if axis == "threads" and own:
                ideal = [own[0].seconds * own[0].threads / run.threads for run in own]
                panel.plot(at, ideal, color="0.6", linestyle=":", zorder=0)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.xaxis.set_major_locator(FixedLocator(sorted(places)))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_major_formatter(number)
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(number)
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.tick_params(axis="x", labelsize=8, rotation=45 if axis != "threads" else 0)
        panel.grid(visible=True, which="major", color="0.9")
        size = [run for run in runs if run.axis == axis]
        fixed = f"p = {size[0].variables:,}" if axis != "variables" else ""
        fixed += ", " if axis == "threads" else ""
        fixed += f"n = {size[0].rows:,}" if axis != "rows" else ""
        panel.set_xlabel(f"{axis} ({fixed})")
    axes[0].set_ylabel("seconds")
    axes[2].plot([], [], color="0.6", linestyle=":", label="in proportion")
    figure.legend(*axes[2].get_legend_handles_labels(), loc="outside right center", frameon=False, fontsize=8)
    figure.suptitle(f"Learning from samples of tiled {network}", fontsize=10)
    for suffix in ("png", "svg"):
        figure.savefig(folder / f"scaling.{suffix}", dpi=150)


def main() -> None:
    """Measure, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", nargs="+", default=["phgs", "pc", "tabu"])
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of a run after which no larger one is made")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = sweep(options.network, options.methods, options.limit)
    (options.folder / "scaling.md").write_text(table(runs), encoding="utf-8")
    with (options.folder / "scaling.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Run._fields)
        writer.writerows(runs)
    draw(runs, options.folder, options.network)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
    else:
        main()
