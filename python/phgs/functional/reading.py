"""The columns that a test or a graph names, read from any data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from phgs.data import Data, IncompleteGaussianTable, IncompleteMixedTable, IncompleteTable, as_data
from phgs.data.kinds import Given
from phgs.data.table import Missing

if TYPE_CHECKING:
    from phgs.data.frames import Name


def columns_of(
    data: Any,
    names: Iterable[Name] | None,
    data_type: str,
    missing: Missing,
    categories: Iterable[Name] | Name | None,
    kinds: Given | None,
) -> Any:
    """Read these columns and no others: what those hold must not matter. None reads all."""
    return as_data(
        data,
        data_type,
        missing=missing,
        categories=categories,
        kinds=kinds,
        columns=names,
        warn=False,
    )


def complete_in(table: Any, names: Iterable[Name]) -> Any:
    """Return the rows that are complete in some columns, where the test does not find them itself."""
    weighed = isinstance(table, IncompleteTable) and table.weights is not None
    if weighed or isinstance(table, (IncompleteGaussianTable, IncompleteMixedTable)):
        return as_data(table.select(names), missing="drop")
    return table


def type_of(data: Any, asked: str | None) -> str:
    """Return the type of data that are checked already, or what a test or score asks for; else it is found out."""
    if isinstance(data, Data) and (data.data_type != "discrete" or asked is None):
        return data.data_type
    return asked or "auto"
