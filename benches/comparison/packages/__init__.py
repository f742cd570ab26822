"""One file for each package.

A file has ``prepare(task, data)``, which returns a function without arguments, the call that is timed;
``edges(task, data, found)``, which turns what that returned into ``((directed, undirected), facts)`` with pairs of
column indices; and ``version()``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

Pairs = list[tuple[int, int]]

MODULES = {
    "phgs": "ours",
    "phgs-refined": "ours_refined",
    "phgs-extended": "ours_extended",
    "phgs-cg": "ours",
    "phgs-drop": "ours",
    "bnlearn-port": "bnlearn_port",
    "pybnesian": "of_pybnesian",
    "pybnesian-pc": "of_pybnesian",
    "pgmpy": "of_pgmpy",
    "causal-learn": "causal_learn",
    "pyagrum": "of_pyagrum",
    "ges": "of_ges",
    "xges": "of_xges",
    "flop": "of_flop",
    "tetrad": "tetrad",
    "tetrad-grasp": "tetrad",
    "tetrad-dg": "tetrad",
    "tetrad-dg-boss": "tetrad",
    "tetrad-cg": "tetrad",
}
"""The file of each package; names with a suffix are other methods of the same package."""


@dataclass(frozen=True)
class Input:
    """Data in memory, in the forms that packages take.

    A column of whole numbers holds the states of a category, -1 where the value is missing; one of floats holds
    numbers, NaN where the value is missing.
    """

    package: str
    names: list[str]
    columns: list[Any]
    data_type: str
    threads: int

    @classmethod
    def read(cls, package: str, file: str, data_type: str, threads: int) -> Input:
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        columns = [table.column(name).to_numpy() for name in table.column_names]
        return cls(package, table.column_names, columns, data_type, threads)

    @cached_property
    def array(self) -> Any:
        """n × p: floats, or integer codes."""
        import numpy as np

        return np.column_stack(self.columns).astype(float if self.data_type == "gaussian" else int)

    @property
    def complete_rows(self) -> Any:
        """The rows of `array` in which nothing is missing."""
        import numpy as np

        missing = [np.isnan(column) if column.dtype.kind == "f" else column < 0 for column in self.columns]
        return self.array[~np.any(missing, axis=0)]

    @cached_property
    def frame(self) -> Any:
        """A pandas frame: floats, and categories with text labels."""
        import numpy as np
        import pandas as pd

        def read(column: Any) -> Any:
            if column.dtype.kind == "f":
                return column
            return pd.Categorical.from_codes(column, [f"s{level}" for level in range(int(np.max(column)) + 1)])

        return pd.DataFrame({name: read(column) for name, column in zip(self.names, self.columns, strict=True)})

    def pairs(self, arcs: Any) -> Pairs:
        """Turn pairs of names into pairs of indices."""
        place = {name: index for index, name in enumerate(self.names)}
        return [(place[str(source)], place[str(target)]) for source, target in arcs]


def split(arcs: Pairs) -> tuple[Pairs, Pairs]:
    """Take arcs that are there in both directions as one undirected edge."""
    there = set(arcs)
    directed = sorted(arc for arc in there if arc[::-1] not in there)
    return directed, sorted(arc for arc in there if arc[0] < arc[1] and arc[::-1] in there)


def of_matrix(matrix: Any) -> tuple[Pairs, Pairs]:
    """Read a matrix with a[i, j] ≠ 0 for i → j, and both for an undirected edge."""
    import numpy as np

    return split([(int(i), int(j)) for i, j in zip(*np.nonzero(np.asarray(matrix)), strict=True)])
