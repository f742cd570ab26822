"""Measure what many columns take: seconds of the processor and peak memory at 1,000 to 100,000 columns.

    python benches/wide.py [--columns 1000 10000 100000] [--rows 1000] [--methods screen pc] [--alpha 1e-5]
        [--threads 2]

Columns come in chains of ten, each a noisy copy of the one before, with two or three states, from a fixed seed: of
p columns 4.5 p pairs depend on each other. "screen" is PC without conditioning sets: the marginal tests of all pairs.
Each run has a process of its own; prints a table in Markdown. The digest is of the skeleton with every largest p-value
and separating set.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
from typing import Any

import numpy as np

CHAIN = 10


def chains(columns: int, rows: int, seed: int) -> np.ndarray:
    """Codes of columns in chains, as an array of rows × columns in columns' order."""
    generator = np.random.default_rng(seed)
    codes = np.empty((rows, columns), dtype=np.int8, order="F")
    arities = generator.integers(2, 4, size=columns)
    for column, arity in enumerate(arities):
        fresh = generator.integers(0, arity, size=rows)
        if column % CHAIN:
            keep = generator.random(rows) < 0.85
            fresh = np.where(keep, codes[:, column - 1] % arity, fresh)
        codes[:, column] = fresh
    return codes


def digest(result: Any) -> str:
    """Digest a result: the graph with every largest p-value and separating set."""
    found = result.to_dict(separations=True)
    del found["seconds"], found["stages"], found["version"], found["parameters"]
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def peak() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def one(columns: int, rows: int, method: str, alpha: float, threads: int) -> None:
    """Run once and print what it took."""
    import phgs

    table = phgs.as_table(chains(columns, rows, seed=1))
    before = peak()
    parameters: dict[str, Any] = {"threads": threads, "progress": False}
    if method == "screen":
        learner: Any = phgs.PC(alpha=alpha, max_conditioning_size=0, path_length=1, **parameters)
    elif method == "auto":
        learner = phgs.Auto(**parameters)
    else:
        extra = {"path_length": 1} if method in {"pc", "ppc", "phgs"} else {}
        learner = phgs.learner(method, alpha=alpha, **extra, **parameters)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result = learner.learn(table)
    after = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": result.seconds["total"],
        "processor": after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime,
        "edges": result.cpdag.n_edges,
        "before": before,
        "peak": peak(),
    }
    if columns <= 20_000:
        found["digest"] = digest(result)
    print(json.dumps(found))


def main() -> None:
    """Measure all that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--methods", nargs="+", default=["screen", "pc"])
    parser.add_argument("--alpha", type=float, default=1e-5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        columns, method = options.one
        one(int(columns), options.rows, method, options.alpha, options.threads)
        return
    print("| columns | method | edges | seconds | of the processor | MB with the table | peak MB | digest |")
    print("| ---: | :--- | ---: | ---: | ---: | ---: | ---: | :--- |")
    for columns in options.columns:
        for method in options.methods:
            arguments = [*sys.argv[1:], "--one", str(columns), method]
            done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
            found: dict[str, Any] = json.loads(done.stdout)
            print(
                f"| {columns:,} | {method} | {found['edges']:,} | {found['seconds']:.2f} | {found['processor']:.2f}"
                f" | {found['before']:.0f} | {found['peak']:.0f} | {found.get('digest', '')} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
