"""Make the files of this folder with other packages: ``python generate.py`` where numpy, causal-learn and ges are.

xges needs an older numpy: ``python generate.py xges`` in an environment with it adds its graphs.
"""

import csv
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
CASES = {"sparse": (30, 2.0), "medium": (25, 3.0), "dense": (20, 5.0)}
ROWS = 5000


def data(case: str) -> np.ndarray:
    """Sample a linear Gaussian network on a random DAG: weights on ±[0.1, 1], variances on [1, 2]."""
    p, degree = CASES[case]
    random = np.random.default_rng(list(case.encode()))
    arcs = np.triu(random.random((p, p)) < degree / (p - 1), 1)
    weights = arcs * random.uniform(0.1, 1.0, (p, p)) * random.choice([-1.0, 1.0], (p, p))
    found = np.empty((ROWS, p))
    noise = random.normal(size=(ROWS, p)) * np.sqrt(random.uniform(1.0, 2.0, p))
    for x in range(p):
        found[:, x] = found @ weights[:, x] if x == 0 else found[:, :x] @ weights[:x, x]
        found[:, x] = noise[:, x] if x == 0 else found[:, x] + noise[:, x]
    return found[:, random.permutation(p)]


def edges(matrix: np.ndarray) -> list[tuple[int, int]]:
    """List pairs with a[i, j] ≠ 0; an undirected edge is there in both directions."""
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(matrix), strict=True)]


def of_causal_learn(graph: object) -> np.ndarray:
    """Read the matrix of end marks: −1 is a tail and 1 a head at the row's variable."""
    marks = np.asarray(graph.graph)  # type: ignore[attr-defined]
    return (marks.T == 1) | ((marks == -1) & (marks.T == -1))


def main() -> None:
    """Write correlations and graphs."""
    rows: list[tuple[object, ...]] = []
    if sys.argv[1:] == ["xges"]:
        from xges import XGES

        for case in CASES:
            pdag = XGES(alpha=1.0).fit(data(case), verbose=0)
            rows += [(case, "xges", *edge) for edge in edges(pdag.to_adjacency_matrix())]
        with (FOLDER / "graphs.csv").open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return
    import ges
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.search.ScoreBased.GES import ges as causal_learn_ges

    for case in CASES:
        values = data(case)
        np.savetxt(FOLDER / f"{case}.csv", np.corrcoef(values.T), delimiter=",", fmt="%.17g")
        skeleton = of_causal_learn(pc(values, 0.01, "fisherz", show_progress=False).G)
        rows += [(case, "causal-learn pc", i, j) for i, j in edges(np.triu(skeleton | skeleton.T))]
        found = of_causal_learn(causal_learn_ges(values, "local_score_BIC_from_cov", lambda_value=0.5)["G"])
        rows += [(case, "causal-learn ges", *edge) for edge in edges(found)]
        rows += [(case, "ges", *edge) for edge in edges(ges.fit_bic(values)[0])]
    with (FOLDER / "graphs.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("case", "method", "from", "to"), *rows])


if __name__ == "__main__":
    main()
