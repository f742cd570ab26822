"""Writes data.csv, fisher_z.csv and bic.csv with NumPy and SciPy: `python generate.py` in this directory."""

import csv
import itertools
import math

import numpy as np
from scipy import stats

rng = np.random.default_rng(20)
N, P = 120, 8
weights = np.triu(rng.uniform(0.2, 1.0, (P, P)) * rng.choice([-1, 1], (P, P)) * (rng.random((P, P)) < 0.45), 1)
data = np.zeros((N, P))
for j in range(P):
    data[:, j] = data @ weights[:, j] + rng.normal(0, math.sqrt(rng.uniform(1, 2)), N) + j
with open("data.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([f"v{j}" for j in range(P)])
    writer.writerows([[repr(float(v)) for v in row] for row in data])


def residual(target, given):
    """What least squares on an intercept and `given` leave of a column."""
    design = np.column_stack([np.ones(N), data[:, list(given)]])
    return data[:, target] - design @ np.linalg.lstsq(design, data[:, target], rcond=None)[0]


with open("fisher_z.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["x", "y", "given", "statistic", "log_p_value"])
    for size in range(6):
        for x, y in itertools.combinations(range(P), 2):
            others = [z for z in range(P) if z not in (x, y)]
            sets = list(itertools.combinations(others, size))
            given = sets[rng.integers(len(sets))]
            a, b = residual(x, given), residual(y, given)
            r = a @ b / math.sqrt((a @ a) * (b @ b))
            statistic = math.sqrt(N - size - 3) * abs(math.atanh(r))
            log_p = math.log(2) + stats.norm.logsf(statistic)
            writer.writerow([x, y, " ".join(map(str, given)), repr(statistic), repr(float(log_p))])

with open("bic.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["child", "parents", "lambda", "score"])
    for child in range(P):
        others = [z for z in range(P) if z != child]
        for size in range(6):
            sets = list(itertools.combinations(others, size))
            parents = sets[rng.integers(len(sets))]
            penalty = (0.5, 0.9, 2.3)[rng.integers(3)]
            left = residual(child, parents)
            deviation = math.sqrt(left @ left / N)
            log_likelihood = float(np.sum(stats.norm.logpdf(left, scale=deviation)))
            score = log_likelihood - penalty * math.log(N) * (size + 2)
            writer.writerow([child, " ".join(map(str, parents)), penalty, repr(score)])
