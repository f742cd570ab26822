"""The partitions of a Dask dataframe as a source of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.data.shards import Shards
from phgs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def partitions(frame: Any, on: Any) -> Partitions:
    """Open a Dask dataframe on a client, or on the default one."""
    if on is None:
        from distributed import default_client  # type: ignore[import-not-found]

        try:
            on = default_client()
        except ValueError:
            raise ParameterError(
                "data: a Dask dataframe is counted by the workers of a client, and there is none; make a"
                " distributed.Client first, or give the frame as frame.compute()"
            ) from None
    found = Partitions((), on, frame=frame)
    found.check()
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Partitions(Shards):
    """A table in the partitions of a Dask dataframe; see `shards`.

    Attributes
    ----------
    frame
        The dataframe.
    """

    frame: Any = None

    @cached_property
    def _futures(self) -> list[Any]:
        return [self.on.compute(partition) for partition in self.frame.to_delayed()]

    @cached_property
    def _lengths(self) -> list[int]:
        return [int(n) for n in self.on.gather([self.on.submit(len, future) for future in self._futures])]

    @property
    def n_rows(self) -> int:
        """Rows of all partitions."""
        return sum(self._lengths)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._variables(tuple(self.frame.columns) if self.columns is None else self.columns)

    @property
    def of_text(self) -> bool:
        """Never: a dataframe has types."""
        return False

    def check(self) -> None:
        """Refuse names that Parquet could not have either."""
        for name in self.frame.columns:
            if not isinstance(name, str):
                raise DataError(f"data: column {name!r} of the Dask dataframe is not named by text; rename it")

    def pieces(self) -> list[tuple[Any, int]]:
        """Return the partitions that have rows: futures, which arrive at a worker as frames."""
        found = [(future, n) for future, n in zip(self._futures, self._lengths, strict=True) if n]
        if not found:
            raise DataError("data has no rows")
        return found

    def row_groups(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Fetch the partitions in order, each a `pyarrow.Table`."""
        wanted = list(self.names if columns is None else columns)
        for future, _ in self.pieces():
            yield self.on.submit(as_arrow, future, wanted).result()

    def _rows(self, drawn: NDArray[np.intp]) -> Any:
        import pyarrow as pa

        found, start = [], 0
        for future, length in self.pieces():
            within = drawn[np.searchsorted(drawn, start) : np.searchsorted(drawn, start + length)] - start
            start += length
            if len(within):
                found.append(self.on.submit(_rows_of, future, list(self.names), within).result())
        return pa.concat_tables(found, promote_options="permissive").unify_dictionaries()

    def __repr__(self) -> str:
        return (
            f"<phgs.Shards: {len(self.names):,} columns in {self.frame.npartitions:,} partitions of a Dask dataframe>"
        )


def as_arrow(frame: Any, columns: Sequence[str]) -> Any:
    """Return some columns of a pandas frame as a `pyarrow.Table`."""
    import pyarrow as pa

    return pa.Table.from_pandas(frame[list(columns)], preserve_index=False)


def _rows_of(frame: Any, columns: Sequence[str], rows: NDArray[np.intp]) -> Any:
    return as_arrow(frame[list(columns)].iloc[rows], columns)
