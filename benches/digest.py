"""Print a hash of what every method learns from many tables under many options, and one of all.

A change that makes things faster or clearer and nothing else leaves every line as it was:

    python benches/digest.py > before; …; python benches/digest.py > after; diff before after
    PHGS_KERNEL=portable python benches/digest.py     # kernels agree
    python benches/digest.py --threads 1              # so do any numbers of threads

A hash is of the whole result file (graphs, scores, calls, separating sets, the path) without what depends on the day:
seconds and the version. Data are drawn from fixed seeds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import phgs

Case = tuple[str, Callable[[], Any]]

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "pc": [
        {"test": "x2"},
        {"degrees_of_freedom": "adjusted"},
        {"max_conditioning_size": None, "alpha": 0.2},
        {"minimum_sample": 10},
        {"collider_rule": "majority"},
        {"collider_rule": "conservative", "max_conditioning_size": 4},
        {"collider_rule": "max-p"},
    ],
    "ppc": [{"max_clusters": 3}, {"alpha": 0.2, "path_length": 4}],
    "phgs": [{"score": "sqnml"}, {"refine": "ges"}],
    "tabu": [{"score": score} for score in ("ebic", "qnml", "sqnml", "aic", "bdeu", "k2")] + [{"max_parents": 2}],
    "hc": [{"restarts": 2, "seed": 3}],
    "ges": [{"schedule": "interleaved"}, {"schedule": "extended", "score": "sqnml"}],
    "boss": [{"restarts": 2}],
    "mmpc": [{"max_conditioning_size": None}, {"max_conditioning_size": 5, "degrees_of_freedom": "adjusted"}],
}
"""Options beside the default ones, by method."""

SLOW = frozenset({"munin1", "many-states"})
"""Tables on which only some methods run."""


def tables() -> Iterator[tuple[str, Any]]:
    """Draw the tables: few and many states, few and many rows, missing entries, numbers, both."""
    for name, rows in [("asia", 300), ("child", 5000), ("insurance", 2000), ("hailfinder", 1000), ("win95pts", 1500)]:
        yield name, phgs.Network.load(name).sample(rows, seed=1)
    yield "munin1", phgs.Network.load("munin1").sample(1000, seed=1)
    yield "alarm", phgs.Network.load("alarm").sample(70_000, seed=2)
    random = np.random.default_rng(1)
    hidden = random.integers(0, 3, 1200)
    states = [2, 5, 12, 20, 40, 300]
    columns = {f"v{i}": (hidden * (i % 3) + random.integers(0, r, 1200)) % r for i, r in enumerate(states + states)}
    yield "many-states", columns
    frame = phgs.Network.load("child").sample(1000, seed=4).to_pandas().astype(object)
    yield "missing", frame.mask(random.random(frame.shape) < 0.01)
    graph = phgs.random_dag(15, degree=3, seed=5)
    yield "gaussian", phgs.sample_gaussian(graph, 800, seed=6)


def special(table: str) -> dict[str, Any]:
    """Return what a table needs to be read."""
    return {"missing": {"missing": "testwise"}, "gaussian": {"data_type": "gaussian"}}.get(table, {})


def cases(threads: int) -> Iterator[Case]:
    """List what is hashed."""
    for table, data in tables():
        for method in phgs.METHODS:
            if table in SLOW and method not in ("pc", "ppc", "mmpc", "tabu", "ges", "mmhc", "iamb"):
                continue
            for options in [{}, *OPTIONS.get(method, [])]:
                given = {"threads": threads, "progress": False, **special(table), **options}
                shown = ",".join(f"{key}={value}" for key, value in options.items())
                yield f"{table} {method} {shown}".strip(), lambda d=data, m=method, g=given: phgs.learn(d, m, **g)


def plain(value: Any) -> Any:
    """Leave out what may differ from run to run."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key not in ("seconds", "version", "threads")}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def digest(run: Callable[[], Any]) -> str:
    """Hash a result, or the error that says why there is none."""
    try:
        return of_result(run())
    except (ValueError, TypeError) as error:
        return _hash(f"{type(error).__name__}: {error}")


def of_result(result: phgs.Result) -> str:
    """Hash all of a result but what depends on the day."""
    return _hash(plain(result.to_dict(separations=True)))


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="only cases that have this in their name")
    parser.add_argument("--seconds", action="store_true", help="print the processor seconds of each case too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    whole = hashlib.sha256()
    for name, run in cases(arguments.threads):
        if arguments.only in name:
            start = time.process_time()
            line = f"{digest(run)}  {name}"
            whole.update(line.encode())
            print(line + (f"  {time.process_time() - start:.2f} s" if arguments.seconds else ""), flush=True)
    print(f"{whole.hexdigest()[:16]}  all")


if __name__ == "__main__":
    main()
