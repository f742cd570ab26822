"""Data of any type from any source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from phgs.data.base import Data
from phgs.data.gaussian import as_gaussian
from phgs.data.mixed import MixedTable
from phgs.data.table import Missing, as_table
from phgs.errors import ParameterError

if TYPE_CHECKING:
    from phgs.data.frames import Name


def as_data(
    data: Any,
    data_type: str = "discrete",
    *,
    missing: Missing = "error",
    columns: Iterable[Name] | None = None,
    categories: Iterable[Name] | Name | None = None,
    warn: bool = True,
    stacklevel: int = 2,
) -> Data:
    """Read any kind of data as the type that is asked for; what is checked already is of its own type.

    Parameters
    ----------
    data
        Anything that `phgs.as_table` reads, or what it and its siblings return.
    data_type : {"discrete", "gaussian", "mixed"}
        Whether columns are categories, jointly normal numbers, or numbers beside categories.
    missing, columns, categories, warn, stacklevel
        As in `phgs.as_table`.
    """
    if data_type == "gaussian" or (isinstance(data, Data) and data.data_type == "gaussian"):
        if categories is not None:
            raise ParameterError("categories: Gaussian data have none")
        return as_gaussian(data, missing=missing, columns=columns, warn=warn, stacklevel=stacklevel + 1)
    if isinstance(data, MixedTable):
        if categories is not None:
            raise ParameterError("categories: a MixedTable has its kinds already")
        return data if columns is None else data.select(columns)
    if data_type == "mixed":
        raise ParameterError("data_type: 'mixed' takes a phgs.data.MixedTable")
    return as_table(data, missing=missing, columns=columns, categories=categories, warn=warn, stacklevel=stacklevel + 1)
