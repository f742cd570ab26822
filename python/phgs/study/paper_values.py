"""The paper's tables, as data."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "paper"

ALPHAS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.00001, 0.000005)
"""The significance levels at which the paper runs every method that needs tuning."""

MIX = "mix"
"""Name of the network that consists of the 14 simplest ones."""


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return a table of the paper as rows of text."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def networks() -> dict[str, dict[str, float]]:
    """Return the simulated networks in the paper's order: copies (kappa), p, edges and so on."""
    return {
        row["network"]: {key: float(value) for key, value in row.items() if key not in ("network", "row")}
        for row in rows("networks")
    }


@cache
def by_network(name: str) -> dict[str, dict[str, float]]:
    """Return a table with one row for each network."""
    return {
        row["network"]: {key: float(value) for key, value in row.items() if key not in ("network", "row")}
        for row in rows(name)
    }


@cache
def details(name: str) -> dict[tuple[str, str, str], float]:
    """Return a detailed table: (network, method, metric) → value."""
    return {(row["network"], row["method"], row["metric"]): float(row["value"]) for row in rows(name)}


@cache
def simplest() -> tuple[str, ...]:
    """Return the 14 networks of which MIX is made, those with the fewest parameters."""
    single = [name for name in networks() if name != MIX]
    return tuple(sorted(single, key=lambda name: networks()[name]["parameters"])[:14])
