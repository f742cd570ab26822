"""Simulation of Gaussian data on a known graph."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from phgs import _core, parameters
from phgs.data.gaussian import GaussianTable
from phgs.graphs import Graph, as_dag


def sample_gaussian(graph: Any, n_rows: int, *, seed: int = 0, threads: int = 0) -> GaussianTable:
    """Sample a random linear Gaussian network on a DAG.

    Weights are uniform on [−1, −0.1] ∪ [0.1, 1] and variances of the disturbances uniform on [1, 2], as in Huang and
    Zhou's section on Gaussian data.

    Parameters
    ----------
    graph
        A DAG: anything that `phgs.as_dag` takes.
    n_rows : int
        Number of rows, at least 2.
    seed : int
        Seed of the weights, the variances and the rows.
    threads : int
        Number of threads; 0 means all. The rows do not depend on it.

    Examples
    --------
    >>> import phgs
    >>> table = phgs.sample_gaussian([("a", "b"), ("b", "c")], 1000, seed=1)
    >>> table.names, len(table.values[0])
    (('a', 'b', 'c'), 1000)
    """
    rows, checked_seed = parameters.whole("n_rows", n_rows, 2), parameters.whole("seed", seed)
    checked_threads = parameters.whole("threads", threads)
    dag = as_dag(graph)
    columns = _core.sample_gaussian(dag.n_variables, dag._directed_indices(), rows, checked_seed, checked_threads)
    return GaussianTable(
        names=tuple(dag.variables),
        n_rows=rows,
        n_rows_read=rows,
        values=tuple(columns),
    )


def conditional_independence_graph(graph: Any) -> Graph:
    """Return the conditional-independence graph of a DAG: its skeleton with all parents of a child connected.

    Examples
    --------
    >>> import phgs
    >>> phgs.conditional_independence_graph([("a", "c"), ("b", "c")]).undirected
    (('a', 'c'), ('a', 'b'), ('c', 'b'))
    """
    dag = as_dag(graph)
    place = {name: index for index, name in enumerate(dag.variables)}
    parents: dict[Any, list[Any]] = {}
    pairs: set[tuple[int, int]] = set()
    for source, target in dag.directed:
        parents.setdefault(target, []).append(source)
        pairs.add((min(place[source], place[target]), max(place[source], place[target])))
    for several in parents.values():
        pairs.update((min(a, b), max(a, b)) for a, b in combinations([place[name] for name in several], 2))
    names = tuple(dag.variables)
    return Graph(names, (), [(names[a], names[b]) for a, b in sorted(pairs)])
