"""Draw the random networks of the study default-method-confirmed into the current folder.

Three Erdős–Rényi graphs of average degree 2, 3 and 4 and one scale-free graph, 500 variables each, two or three states,
rows of the tables uniform over the simplex (Dirichlet draws).
"""

from __future__ import annotations

import phgs

GRAPHS = {f"degree-{degree}": {"degree": degree} for degree in (2, 3, 4)} | {"scale-free": {"scale_free_parents": 2}}

if __name__ == "__main__":
    for seed, (name, kind) in enumerate(GRAPHS.items(), start=1):
        graph = phgs.random_dag(500, seed=seed, **kind)
        network = phgs.Network.random(graph, states=(2, 3), concentration=1.0, seed=seed)
        network.save(f"random-{name}.bif.gz")
        print(f"{name}: {len(graph.directed)} arcs, at most {network.max_in_degree} parents")
