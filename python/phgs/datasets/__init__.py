"""Data sets that come with the package.

``alarm.parquet`` holds 25,000 rows sampled from the ALARM network (Beinlich and others 1989; 37 variables, 46 edges) of
the Bayesian network repository, its columns permuted and its states numbered; ``alarm-edges.csv`` is the true DAG.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phgs.data import Table
    from phgs.graphs import Graph

__all__ = ["Dataset", "load_alarm"]


@dataclass(frozen=True)
class Dataset:
    """Data with the network that they were sampled from.

    Attributes
    ----------
    table : Table
        The data.
    truth : Graph
        The true DAG.
    """

    table: Table
    truth: Graph


def load_alarm() -> Dataset:
    """Return 25,000 rows sampled from the ALARM network, and its DAG of 37 variables and 46 edges."""
    # Loaded when data are: it takes a tenth of the time in which phgs is imported.
    from importlib.resources import as_file, files

    from phgs.data import CategoricalTable, as_table
    from phgs.graphs import as_dag

    folder = files(__name__)
    with as_file(folder / "alarm.parquet") as data, as_file(folder / "alarm-edges.csv") as edges:
        table = as_table(data)
        assert isinstance(table, CategoricalTable)
        return Dataset(table, as_dag(edges, table.names))
