"""Accuracy and seconds of the default on random linear models, sparse to dense, beside FLOP if that is installed.

    python benches/gaussian_models.py [--models 50:4 50:8 100:8 100:16] [--rows 1000] [--seeds 1] [--restarts 20]

A model is a number of variables and a mean degree; coefficients are uniform in ±[0.5, 1.5], errors standard normal, and
columns are standardised. Prints, for each model and seed, the Jaccard index of CPDAGs and the processor's seconds of
`phgs.Auto` with each effort, on one thread, and of FLOP (`pip install flopsearch`).
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from typing import Any

import numpy as np

import phgs


def model(p: int, degree: float, n: int, seed: int) -> tuple[Any, phgs.Graph]:
    """Sample a random linear model; return the rows and the true class."""
    rng = np.random.default_rng(seed)
    order, pairs = rng.permutation(p), [(i, j) for i in range(p) for j in range(i + 1, p)]
    weights = np.zeros((p, p))
    for at in rng.choice(len(pairs), round(p * degree / 2), replace=False):
        i, j = pairs[at]
        weights[order[i], order[j]] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
    data = np.zeros((n, p))
    for x in order:
        data[:, x] = data @ weights[:, x] + rng.normal(size=n)
    truth = phgs.dag_to_cpdag(phgs.as_graph((weights != 0).astype(int)))
    return (data - data.mean(axis=0)) / data.std(axis=0), truth


def flop(data: Any, restarts: int) -> phgs.Graph:
    """Return the class that FLOP finds, with twice BIC's penalty, as its authors recommend."""
    import flopsearch

    return phgs.as_graph((np.asarray(flopsearch.flop(data, 2.0, restarts=restarts)) > 0).astype(int))


def main() -> None:
    """Run all models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["50:4", "50:8", "100:8", "100:16"])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--efforts", nargs="+", default=["quick", "normal"])
    arguments = parser.parse_args()
    for name in arguments.models:
        p, degree = name.split(":")
        for seed in arguments.seeds:
            data, truth = model(int(p), float(degree), arguments.rows, seed)
            line = [f"{name:8} seed {seed}"]
            for effort in arguments.efforts:
                started = time.process_time()
                found = phgs.learn(data, data_type="gaussian", effort=effort, threads=1, progress=False).cpdag
                spent = time.process_time() - started
                line.append(f"{effort} {phgs.compare(truth, found).jaccard:.3f} ({spent:.2f} s)")
            if importlib.util.find_spec("flopsearch") is not None:
                started = time.process_time()
                found = flop(data, arguments.restarts)
                spent = time.process_time() - started
                line.append(f"flop {phgs.compare(truth, found).jaccard:.3f} ({spent:.2f} s)")
            print("  ".join(line), flush=True)


if __name__ == "__main__":
    main()
