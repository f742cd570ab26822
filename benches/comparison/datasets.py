"""Data sets with known truth, as every worker reads them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from gaussian_models import model
from mixed_generators import KINDS

import phgs
from phgs.study import NetworkEntry, simulate


@dataclass(frozen=True)
class DataSet:
    """A data set: a Parquet file with columns X0, X1, … for workers, and what it was drawn from.

    Attributes
    ----------
    name : str
        Name in the report.
    file : pathlib.Path
        What workers read: state codes, or numbers.
    data_type : str
        ``"discrete"``, ``"gaussian"`` or ``"mixed"``.
    table : phgs.Table
        The same data, for scores; None where these are not compared.
    truth : phgs.Graph
        The true DAG over X0, X1, …, or its class.
    seed : int
        What it was drawn with.
    has_gaps : bool
        Whether values are missing.
    n_rows : int
        Rows.
    """

    name: str
    file: Path
    data_type: str
    table: Any
    truth: phgs.Graph
    seed: int
    has_gaps: bool
    n_rows: int

    @property
    def size(self) -> str:
        """Size, for the report."""
        return f"p = {self.truth.n_variables}, {self.truth.n_edges} edges, n = {self.n_rows:,}, seed {self.seed}"


def from_folder(path: Path, folder: Path) -> DataSet:
    """Read NAME.parquet (state codes) with NAME.edges.csv (from, to)."""
    frame = pq.read_table(path)
    with path.with_name(path.stem + ".edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    place = {name: index for index, name in enumerate(frame.column_names)}
    arcs = [(place[source], place[target]) for source, target in rows]
    columns = [np.unique(frame.column(name).to_numpy(), return_inverse=True)[1] for name in frame.column_names]
    return _written(path.stem, columns, arcs, "discrete", 1, folder)


def sampled(name: str, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a named network, prepared as in Huang and Zhou's study; ``NAME*K`` tiles K copies of it."""
    network, _, copies = name.partition("*")
    drawn = simulate(NetworkEntry(network, int(copies or 1)), seed, n_rows)
    return _written(name, list(drawn.table.codes), drawn.truth._directed_indices(), "discrete", seed, folder)


def with_gaps(name: str, share: float, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a named network, and make a share of all values missing at random."""
    network, _, copies = name.partition("*")
    drawn = simulate(NetworkEntry(network, int(copies or 1)), seed, n_rows)
    table = phgs.make_missing(drawn.table, share, "mar", seed=seed)
    columns = [_marked(codes, arity) for codes, arity in zip(table.codes, table.arities, strict=True)]
    return _written(_gapped(name, share), columns, drawn.truth._directed_indices(), "discrete", seed, folder, True)


def gaussian_with_gaps(name: str, share: float, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a linear Gaussian network on the structure of a named one, with a share of values missing at random."""
    dag, _ = _linear(name, seed)
    table = phgs.make_missing(phgs.sample_gaussian(dag, n_rows, seed=seed), share, "mar", seed=seed)
    label = _gapped(name, share)
    return _written(label, list(table.values), dag._directed_indices(), "gaussian", seed, folder, True)


def mixed(kind: str, p: int, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Draw numbers beside categories by a generator of ``mixed_generators.py``."""
    drawn = KINDS[kind](p, n_rows, seed)
    place = {name: x for x, name in enumerate(drawn.table.names)}
    arcs = [(place[a], place[b]) for a, b in drawn.arcs]
    return _written(kind, list(drawn.table.columns), arcs, "mixed", seed, folder)


def linear_model(name: str, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a random linear model of ``gaussian_models.py``: P:DEGREE, or P:DEGREE:ROWS."""
    p, degree, *rows = name.split(":")
    n = int(rows[0]) if rows else n_rows
    values, truth = model(int(p), float(degree), n, seed)
    label = f"p = {p}, degree {degree}, n = {n:,}"
    directed, undirected = truth._directed_indices(), truth._undirected_indices()
    return _written(label, list(values.T), directed, "gaussian", seed, folder, undirected=undirected)


def sampled_gaussian(name: str, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a linear Gaussian network on the structure of a named one, or on a random DAG: ``random:P:DEGREE``."""
    dag, label = _linear(name, seed)
    table = phgs.sample_gaussian(dag, n_rows, seed=seed)
    return _written(f"{label}, n = {n_rows:,}", list(table.values), dag._directed_indices(), "gaussian", seed, folder)


def _linear(name: str, seed: int) -> tuple[phgs.Graph, str]:
    """Return the DAG of a Gaussian network, and its name in the report."""
    kind, _, size = name.partition(":")
    if kind == "random":
        p, degree = size.split(":")
        return phgs.random_dag(int(p), degree=float(degree), seed=seed), f"random, {p} nodes, degree {degree}"
    network, _, copies = name.partition("*")
    return phgs.as_dag(phgs.study.paper_network(network, copies=int(copies or 1), seed=seed)), name


def _gapped(name: str, share: float) -> str:
    return f"{name}, {100 * share:.0f} % missing"


def _marked(codes: Any, missing: int) -> Any:
    """Return codes with -1 for a value that is missing."""
    signed = codes.astype(np.int16)
    return np.where(signed == missing, np.int16(-1), signed)


def _written(
    name: str,
    columns: list[Any],
    directed: list[tuple[int, int]],
    data_type: str,
    seed: int,
    folder: Path,
    has_gaps: bool = False,
    undirected: Sequence[tuple[int, int]] = (),
) -> DataSet:
    names = [f"X{index}" for index in range(len(columns))]
    held = [np.asarray(column) for column in columns]
    if data_type == "discrete" and not has_gaps:
        held = [column.astype(np.uint8) for column in held]
    table = pa.table(dict(zip(names, held, strict=True)))
    file = folder / f"{len(list(folder.iterdir()))}.parquet"
    pq.write_table(table, file)
    read = None
    if data_type != "mixed" and not has_gaps:
        read = phgs.as_table(table, warn=False) if data_type == "discrete" else phgs.as_gaussian(table, warn=False)
    named = [[(names[source], names[target]) for source, target in pairs] for pairs in (directed, undirected)]
    return DataSet(name, file, data_type, read, phgs.Graph(names, *named), seed, has_gaps, table.num_rows)
