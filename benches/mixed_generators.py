"""Simulated tables of numbers beside categories, of which the true graph is known.

Kinds (see `KINDS`): linear models in which some columns are cut into categories, seen as they are, through monotone
maps, with categories whose states have effects in no order, with heavy or skewed errors, or curved; numbers alone;
conditional linear models, in which each configuration of categories has its own line; and networks of categories of
the repository, some columns of which are turned into numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import phgs
from phgs.data.mixed import MixedTable

Arc = tuple[str, str]


@dataclass(frozen=True)
class Simulated:
    """A table, and the arcs of the DAG that it was drawn from."""

    table: MixedTable
    arcs: list[Arc]


def random_arcs(p: int, degree: float, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return arcs of a random DAG of an average degree, along a random order."""
    order = rng.permutation(p)
    pairs = [(int(order[i]), int(order[j])) for i in range(p) for j in range(i + 1, p)]
    n_arcs = min(len(pairs), round(p * degree / 2))
    return [pairs[i] for i in sorted(rng.choice(len(pairs), n_arcs, replace=False))]


def _order(p: int, arcs: list[tuple[int, int]]) -> list[int]:
    parents = {x: {a for a, b in arcs if b == x} for x in range(p)}
    found: list[int] = []
    while len(found) < p:
        found += [x for x in range(p) if x not in found and parents[x] <= set(found)]
    return found


def _table(columns: list[NDArray[np.float64]], arities: list[int], arcs: list[tuple[int, int]]) -> Simulated:
    names = tuple(f"x{i}" for i in range(len(columns)))
    held, levels = [], []
    for column, arity in zip(columns, arities, strict=True):
        if arity:
            states, codes = np.unique(column.astype(np.int64), return_inverse=True)
            held.append(codes.astype(np.uint8))
            levels.append(tuple(states.tolist()))
        else:
            held.append(np.ascontiguousarray(column, dtype=np.float64))
            levels.append(())
    n = len(columns[0])
    table = MixedTable(names=names, n_rows=n, n_rows_read=n, levels=tuple(levels), columns=tuple(held))
    return Simulated(table, [(names[a], names[b]) for a, b in arcs])


def _arities(p: int, share: float, rng: np.random.Generator) -> list[int]:
    is_category = np.zeros(p, dtype=bool)
    is_category[rng.permutation(p)[: round(share * p)]] = True
    return [int(rng.integers(2, 5)) if c else 0 for c in is_category]


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = values.std()
    return (values - values.mean()) / (spread if spread > 0 else 1.0)


def linear(
    p: int,
    n: int,
    seed: int,
    *,
    categories: float = 0.5,
    degree: float = 3.0,
    seen: str = "plain",
    errors: str = "normal",
    states: str = "ordered",
    curve: str = "none",
) -> Simulated:
    """Draw from a linear model in which categories are cut from columns by thresholds, and act by their states.

    `seen`: ``"plain"`` or ``"monotone"`` (numbers through exp or powers); `errors`: ``"normal"``, ``"t3"`` or
    ``"lognormal"``; `states`: ``"ordered"`` or ``"unordered"`` effects; `curve`: ``"none"`` or ``"curved"`` (identity,
    tanh or square, by arc).
    """
    rng = np.random.default_rng(seed)
    arcs = random_arcs(p, degree, rng)
    arities = _arities(p, categories, rng)
    effect: dict[int, NDArray[np.float64]] = {}
    seen_columns: dict[int, NDArray[np.float64]] = {}
    for x in _order(p, arcs):
        if errors == "t3":
            noise = rng.standard_t(3, n) / np.sqrt(3)
        elif errors == "lognormal":
            noise = _standard(np.exp(rng.standard_normal(n)))
        else:
            noise = rng.standard_normal(n)
        total = noise
        for parent in [a for a, b in arcs if b == x]:
            weight = rng.uniform(0.5, 1.0) * rng.choice([-1, 1])
            value = effect[parent]
            if curve == "curved" and not arities[parent]:
                value = [value, np.tanh(2 * value), _standard(value**2)][int(rng.integers(3))]
            total = total + weight * value
        latent = _standard(total)
        if not arities[x]:
            effect[x] = latent
            seen_columns[x] = latent
            continue
        r = arities[x]
        cuts = np.quantile(latent, np.cumsum(rng.dirichlet(np.full(r, 5.0)))[:-1])
        codes = np.searchsorted(cuts, latent).astype(np.float64)
        seen_columns[x] = codes
        acts = rng.permutation(r)[codes.astype(int)].astype(np.float64) if states == "unordered" else codes
        effect[x] = _standard(acts)
    if seen == "monotone":
        for x in range(p):
            if not arities[x]:
                values = seen_columns[x]
                power = [np.exp(1.5 * values), np.sign(values) * np.abs(values) ** 3, -np.exp(-values)]
                seen_columns[x] = power[int(rng.integers(3))]
    return _table([seen_columns[x] for x in range(p)], arities, arcs)


def conditional_linear(
    p: int, n: int, seed: int, *, categories: float = 0.5, degree: float = 3.0, own: str = "all"
) -> Simulated:
    """Draw from a conditional linear Gaussian network.

    Each configuration of the parents that are categories has its own intercept and, unless `own` is ``"intercepts"``,
    its own slopes, signs and standard deviation. No number is a parent of a category.
    """
    rng = np.random.default_rng(seed)
    arities = _arities(p, categories, rng)
    arcs = random_arcs(p, degree, rng)
    arcs = [(b, a) if arities[b] and not arities[a] else (a, b) for a, b in arcs]
    # Turned arcs go from categories to numbers, and no arc goes back: the graph stays acyclic.
    columns: dict[int, NDArray[np.float64]] = {}
    for x in _order(p, arcs):
        parents = [a for a, b in arcs if b == x]
        cell = np.zeros(n, dtype=np.int64)
        n_cells = 1
        for parent in [a for a in parents if arities[a]]:
            cell = cell * arities[parent] + columns[parent].astype(np.int64)
            n_cells *= arities[parent]
        if arities[x]:
            tables = rng.dirichlet(np.full(arities[x], 0.7), n_cells)
            columns[x] = (rng.random(n)[:, None] > np.cumsum(tables, 1)[cell]).sum(1).clip(0, arities[x] - 1) * 1.0
            continue
        common = own == "intercepts"
        total = rng.normal(0, 1.5, n_cells)[cell]
        for parent in [a for a in parents if not arities[a]]:
            shape = 1 if common else n_cells
            slopes = rng.uniform(0.5, 1.0, shape) * rng.choice([-1, 1], shape)
            total = total + (slopes[0] if common else slopes[cell]) * columns[parent]
        spread = 1.0 if common else rng.uniform(0.5, 1.5, n_cells)[cell]
        columns[x] = _standard(total + spread * rng.standard_normal(n))
    return _table([columns[x] for x in range(p)], arities, arcs)


def network(name: str, n: int, seed: int, *, numbers: float = 0.1) -> Simulated:
    """Draw from a network of categories, and turn a share of its columns into numbers.

    Each state fills an interval of its own, which is then seen through the identity, exp or the square.
    """
    source = phgs.Network.load(name)
    drawn = source.sample(n, seed=seed)
    rng = np.random.default_rng(seed)
    p = len(source.nodes)
    is_number = np.zeros(p, dtype=bool)
    is_number[rng.permutation(p)[: round(numbers * p)]] = True
    columns, arities = [], []
    for x in range(p):
        codes = drawn.column(x).combine_chunks().indices.to_numpy().astype(np.float64)
        arities.append(0 if is_number[x] else int(codes.max()) + 1)
        if is_number[x]:
            filled = codes + rng.random(n)
            codes = [filled, np.exp(filled / 2), filled**2][int(rng.integers(3))]
        columns.append(codes)
    place = {node: x for x, node in enumerate(source.nodes)}
    return _table(columns, arities, [(place[a], place[b]) for a, b in source.edges])


NETWORKS = ("alarm", "child", "insurance", "hailfinder")
"""Networks of categories that :func:`network` is called with."""

KINDS = {
    "linear": lambda p, n, seed: linear(p, n, seed),
    "monotone": lambda p, n, seed: linear(p, n, seed, seen="monotone"),
    "unordered": lambda p, n, seed: linear(p, n, seed, states="unordered"),
    "t3": lambda p, n, seed: linear(p, n, seed, errors="t3"),
    "lognormal": lambda p, n, seed: linear(p, n, seed, errors="lognormal"),
    "curved": lambda p, n, seed: linear(p, n, seed, curve="curved"),
    "mostly categories": lambda p, n, seed: linear(p, n, seed, categories=0.8),
    "mostly numbers": lambda p, n, seed: linear(p, n, seed, categories=0.2),
    "numbers": lambda p, n, seed: linear(p, n, seed, categories=0.0),
    "numbers, monotone": lambda p, n, seed: linear(p, n, seed, categories=0.0, seen="monotone"),
    "numbers, t3": lambda p, n, seed: linear(p, n, seed, categories=0.0, errors="t3"),
    "numbers, curved": lambda p, n, seed: linear(p, n, seed, categories=0.0, curve="curved"),
    "conditional": lambda p, n, seed: conditional_linear(p, n, seed),
    "conditional intercepts": lambda p, n, seed: conditional_linear(p, n, seed, own="intercepts"),
}
"""Generators by name, each called as ``KINDS[name](p, n, seed)``."""
