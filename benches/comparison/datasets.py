"""Data sets with known truth, as every worker reads them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

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
        ``"discrete"`` or ``"gaussian"``.
    table : phgs.Table
        The same data, for scores.
    truth : phgs.Graph
        The true DAG over X0, X1, ….
    """

    name: str
    file: Path
    data_type: str
    table: Any
    truth: phgs.Graph

    @property
    def size(self) -> str:
        """Size, for the report."""
        return f"p = {self.truth.n_variables}, {self.truth.n_edges} arcs, n = {self.table.n_rows:,}"


def from_folder(path: Path, folder: Path) -> DataSet:
    """Read NAME.parquet (state codes) with NAME.edges.csv (from, to)."""
    frame = pq.read_table(path)
    with path.with_name(path.stem + ".edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    place = {name: index for index, name in enumerate(frame.column_names)}
    arcs = [(place[source], place[target]) for source, target in rows]
    columns = [np.unique(frame.column(name).to_numpy(), return_inverse=True)[1] for name in frame.column_names]
    return _written(path.stem, columns, arcs, "discrete", folder)


def sampled(name: str, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a named network, prepared as in Huang and Zhou's study; ``NAME*K`` tiles K copies of it."""
    network, _, copies = name.partition("*")
    drawn = simulate(NetworkEntry(network, int(copies or 1)), seed, n_rows)
    return _written(name, list(drawn.table.codes), drawn.truth._directed_indices(), "discrete", folder)


def sampled_gaussian(name: str, n_rows: int, seed: int, folder: Path) -> DataSet:
    """Sample a linear Gaussian network on the structure of a named one, or on a random DAG: ``random:P:DEGREE``."""
    kind, _, size = name.partition(":")
    if kind == "random":
        p, degree = size.split(":")
        dag = phgs.random_dag(int(p), degree=float(degree), seed=seed)
    else:
        network, _, copies = name.partition("*")
        dag = phgs.as_dag(phgs.study.paper_network(network, copies=int(copies or 1), seed=seed))
    table = phgs.sample_gaussian(dag, n_rows, seed=seed)
    label = f"random, {p} nodes, degree {degree}" if kind == "random" else name
    return _written(f"{label}, n = {n_rows:,}", list(table.values), dag._directed_indices(), "gaussian", folder)


def _written(name: str, columns: list[Any], arcs: list[tuple[int, int]], data_type: str, folder: Path) -> DataSet:
    names = [f"X{index}" for index in range(len(columns))]
    kind = np.uint8 if data_type == "discrete" else np.float64
    table = pa.table({label: np.asarray(column).astype(kind) for label, column in zip(names, columns, strict=True)})
    file = folder / f"{len(list(folder.iterdir()))}.parquet"
    pq.write_table(table, file)
    read = phgs.as_table(table, warn=False) if data_type == "discrete" else phgs.as_gaussian(table, warn=False)
    truth = phgs.Graph(names, [(names[source], names[target]) for source, target in arcs])
    return DataSet(name, file, data_type, read, truth)
