"""Tables of a network: those that are given, and those that are estimated from data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core, parameters
from phgs.errors import DataError, GraphError
from phgs.names import half_of_a_pair, unknown

if TYPE_CHECKING:
    from phgs.data import IncompleteTable
    from phgs.data.table import CategoricalTable
    from phgs.graphs import Graph


def of_tables(
    states: Mapping[str, Sequence[str]], parents: Mapping[str, Sequence[str]], tables: Mapping[str, Any], name: str
) -> _core.Network:
    """Make a network of an array for each variable; see `Network.from_tables`."""
    names = [str(variable) for variable in states]
    position = {variable: index for index, variable in enumerate(names)}
    for variable in [*parents, *tables]:
        if variable not in position:
            raise GraphError(unknown("variable", variable, names))
    flat, indices = [], []
    for variable in names:
        above = parents.get(variable, ())
        for parent in above:
            if parent not in position:
                raise GraphError(unknown("variable", parent, names))
        if variable not in tables:
            raise DataError(f"there is no table for {variable!r}")
        shape = tuple(len(states[v]) for v in [*above, variable])
        table = np.asarray(tables[variable], dtype=np.float64)
        if table.shape != shape:
            raise DataError(f"the table of {variable!r} has the shape {table.shape}, not {shape}")
        flat.append(table.ravel().tolist())
        indices.append([position[parent] for parent in above])
    labels = [list(map(str, states[v])) for v in names]
    check_texts("name", [name])
    check_texts("variable", names)
    for variable, own in zip(names, labels, strict=True):
        check_texts(f"a state of {variable!r}:", own)
    return _core.Network(name, names, labels, indices, flat)


def estimated(
    table: CategoricalTable | IncompleteTable, dag: Graph, equivalent_sample_size: float | None, threads: int
) -> _core.Network:
    """Estimate the tables of a DAG over a table's columns; see `Network.fit`."""
    from phgs.data import Table

    orders = [_sorted_codes(levels) for levels in table.levels]
    states = [[str(levels[code]) for code in order] for levels, order in zip(table.levels, orders, strict=True)]
    for variable, own in zip(table.names, states, strict=True):
        check_texts(f"a state of {variable!r}:", own)
    codes = []
    for column, order in zip(table.codes, orders, strict=True):
        # A missing value is numbered after the states.
        n_states = len(order)
        place = np.empty(n_states + 1, dtype=np.uint16)
        place[[*order, n_states]] = np.arange(n_states + 1)
        codes.append(place[column].astype(column.dtype))
    names = [str(variable) for variable in table.names]
    arcs, checked = dag._directed_indices(), parameters.whole("threads", threads)
    if isinstance(table, Table):
        arranged = Table(
            table.names, table.levels, tuple(codes), table.n_rows, table.n_rows_read, weights=table.weights
        )
        return _core.Network.learn_parameters(arranged.core, arcs, names, states, equivalent_sample_size, checked)
    empty = [name for name, own in zip(table.names, states, strict=True) if not own]
    if empty:
        raise DataError(f"column {empty[0]!r} has no known value, and so no states; leave it out")
    gapped = replace(table, codes=tuple(codes))
    return _core.Network.learn_parameters_em(
        gapped.core, arcs, names, states, equivalent_sample_size, checked, table.weights
    )


def check_texts(what: str, texts: Iterable[str]) -> None:
    """Refuse text that no file can hold."""
    for text in texts:
        problem = half_of_a_pair(str(text))
        if problem is not None:
            raise DataError(f"{what} {problem if len(text) < 200 else 'it holds half of a surrogate pair'}")


def _sorted_codes(levels: Sequence[Any]) -> list[int]:
    return sorted(range(len(levels)), key=lambda code: _key(levels[code]))


def _key(label: Any) -> tuple[int, Any, str]:
    """Sort numbers as numbers, then all else as text."""
    if isinstance(label, (int, float)):
        return 0, label, ""
    return 1, 0, str(label)
