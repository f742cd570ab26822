"""Tables in many Parquet files, read one row group at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.data.columns import CodedColumn
from phgs.data.files import TEXT_MARK
from phgs.data.growing import Growing
from phgs.data.shard_files import ENDINGS, file_system, files_of, has_pattern, is_path
from phgs.data.stored import columns_at_once, let_go
from phgs.data.values import Problem
from phgs.errors import DataError
from phgs.parameters import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phgs.data.table import Missing, Table


MOST_ROWS = 2**32 - 1
"""The most rows of a table: counts of its cells are whole numbers of 32 bits. `phgs.verify` counts any number."""

__all__ = ["Shards", "is_many", "row_groups_of", "shards"]


def shards(where: Any) -> Shards:
    """Open a table that lies in several Parquet files, without reading its rows.

    The rows are those of all files, in the order of the names of the files (of a list, in its own order). Every
    function that takes data takes what this returns, and takes the folder, pattern or list itself too. Rows are read
    one row group at a time, so that memory is taken for a byte a value and one row group.

    Parameters
    ----------
    where
        A folder of Parquet files, with those in folders in it; a pattern of their paths, such as ``"lake/*.parquet"``;
        a list of paths; or one path. Paths may be URIs of what pyarrow reads (``s3://``, ``gs://``, ``hdfs://``,
        ``file://``) or, where fsspec is installed, of what that does. Names that begin with ``_`` or ``.`` are passed
        over.

    Raises
    ------
    FileNotFoundError
        When there is no such file or folder.
    DataError
        Before any row is read: when no file is found, a folder holds other files, a file is no Parquet file or has no
        rows, or columns or their types differ between files.

    Examples
    --------
    >>> import pathlib, tempfile, phgs, pyarrow as pa, pyarrow.parquet as pq
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(3):
    ...         rows = {"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 40 + ["yes", "no"] * 10}
    ...         pq.write_table(pa.table(rows), pathlib.Path(folder, f"{part}.parquet"))
    ...     source = phgs.shards(folder)
    ...     print(source, source.sample(100, seed=1), phgs.learn(source).cpdag.n_edges)
    <phgs.Shards: 300 rows × 2 columns in 3 files> <phgs.Table: 100 rows × 2 variables> 1
    """
    if isinstance(where, Shards):
        return where
    found = Shards(tuple(files_of(where)))
    found.check()
    return found


def is_many(data: Any) -> bool:
    """Whether data are a folder, a pattern of paths or a list of paths."""
    if isinstance(data, (list, tuple)):
        return bool(data) and all(is_path(path) for path in data)
    if not isinstance(data, (str, os.PathLike)):
        return False
    text = os.fspath(data)
    return "://" in text or Path(text).is_dir() or (has_pattern(text) and not Path(text).exists())


def row_groups_of(data: Any) -> Shards | None:
    """Return data that can be read one row group at a time: several files, or one Parquet file; None for all else."""
    if isinstance(data, Shards) or is_many(data):
        return shards(data)
    if isinstance(data, (str, os.PathLike)) and Path(data).suffix.lower() in ENDINGS and Path(data).is_file():
        return Shards((os.fspath(data),))
    return None


@dataclass(frozen=True, eq=False, repr=False)
class Shards:
    """A table in several Parquet files; see `shards`.

    Attributes
    ----------
    paths : tuple of str
        The files, in the order of their rows.
    """

    paths: tuple[str, ...]

    @cached_property
    def _facts(self) -> list[tuple[Any, int, tuple[int, ...]]]:
        """Schema, rows and rows of each row group of every file."""
        found = []
        for path in self.paths:
            with self._open(path) as file:
                groups = file.metadata
                rows = tuple(groups.row_group(i).num_rows for i in range(groups.num_row_groups))
                found.append((file.schema_arrow, groups.num_rows, rows))
        return found

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(rows for _, rows, _ in self._facts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns; the index of a pandas frame is none."""
        from phgs.data.frames import without_index

        schema = self._facts[0][0]
        return without_index(schema, schema.names)

    def check(self) -> None:
        """Refuse files that do not fit together."""
        first, *_ = self._facts[0]
        for path, (schema, rows, _) in zip(self.paths, self._facts, strict=True):
            if rows == 0:
                raise DataError(f"{path} has no rows; leave it out")
            for name in first.names:
                if name not in schema.names:
                    raise DataError(f"{path} has no column {name!r}, which {self.paths[0]} has")
            for name in schema.names:
                if name not in first.names:
                    raise DataError(f"{path} has a column {name!r}, which {self.paths[0]} has not")
                kind, wanted = (_kind(of.field(name).type) for of in (schema, first))
                if kind != wanted:
                    raise DataError(
                        f"{path}: column {name!r} has type {kind}, in {self.paths[0]} {wanted}; write all files with"
                        " one schema"
                    )

    def refuse_too_many(self) -> None:
        """Refuse more rows than a table may have, before any is read."""
        if self.n_rows > MOST_ROWS:
            raise DataError(
                f"data has {self.n_rows:,} rows, and a table at most {MOST_ROWS:,}; learn from"
                " phgs.shards(...).sample(rows) and let phgs.verify count all of them"
            )

    def row_groups(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Read the row groups of all files in order, each a `pyarrow.Table`.

        Parameters
        ----------
        columns
            The columns to read; None reads all.
        """
        wanted = list(self.names if columns is None else columns)
        for path, (_, _, rows) in zip(self.paths, self._facts, strict=True):
            with self._open(path) as file:
                for group in range(len(rows)):
                    yield self._read(file, path, group, wanted)

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """Read all rows into one `pyarrow.Table`.

        Parameters
        ----------
        columns
            The columns to read; None reads all.
        """
        import pyarrow as pa

        return pa.concat_tables(list(self.row_groups(columns)), promote_options="permissive").unify_dictionaries()

    @property
    def of_text(self) -> bool:
        """Whether the files were written from tables that come from text files."""
        return any(TEXT_MARK in (schema.metadata or {}) for schema, _, _ in self._facts)

    def sample(
        self,
        rows: int,
        seed: int = 0,
        *,
        missing: Missing = "error",
        categories: Iterable[Any] | None = None,
    ) -> Table:
        """Draw rows at random, without repetition, and keep their order.

        What is drawn depends on the seed and on the number of all rows alone, so that it is the same however the rows
        lie in files. Learn from a million rows, then `verify` on all.

        Parameters
        ----------
        rows
            How many; all where there are no more.
        seed
            Seed of the draw.
        missing, categories
            As in `as_table`.
        """
        from phgs.data.table import as_table

        whole("rows", rows, 2)
        whole("seed", seed)
        if rows >= self.n_rows:
            return as_table(self, missing=missing, categories=categories)  # type: ignore[return-value]
        drawn = np.sort(np.random.default_rng(seed).choice(self.n_rows, rows, replace=False, shuffle=False))
        return as_table(self._rows(drawn), missing=missing, categories=categories)  # type: ignore[return-value]

    def _rows(self, drawn: NDArray[np.intp]) -> Any:
        import pyarrow as pa

        found, start = [], 0
        for path, (_, _, rows) in zip(self.paths, self._facts, strict=True):
            with self._open(path) as file:
                for group, length in enumerate(rows):
                    within = drawn[np.searchsorted(drawn, start) : np.searchsorted(drawn, start + length)] - start
                    start += length
                    if len(within):
                        found.append(self._read(file, path, group, list(self.names)).take(pa.array(within)))
        return pa.concat_tables(found, promote_options="permissive").unify_dictionaries()

    def encoded(self, columns: Sequence[str], declared: set[Any]) -> list[CodedColumn | Problem]:
        """Number states as `encode` does: of a few columns at a time, row group by row group."""
        found: list[CodedColumn | Problem] = []
        width = columns_at_once(self.n_rows)
        for first in range(0, len(columns), width):
            names = columns[first : first + width]
            growing = [Growing(name in declared) for name in names]
            for group in self.row_groups(names):
                for column, values in zip(growing, group.columns, strict=True):
                    column.add(values)
            found.extend(column.whole() for column in growing)
            let_go(self.n_rows)
        return found

    def _open(self, path: str) -> Any:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile

        try:
            source, inner = file_system(path)
            # A memory map would count as memory of the process.
            return ParquetFile(inner if source is None else source.open_input_file(inner), pre_buffer=False)
        except (pa.ArrowException, pa.ArrowInvalid) as error:
            raise DataError(f"cannot read {path} as Parquet: {str(error).strip().splitlines()[0]}") from error

    def _read(self, file: Any, path: str, group: int, columns: list[str]) -> Any:
        import pyarrow as pa

        try:
            return file.read_row_group(group, columns=columns).select(columns)
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # What the system says, such as that the file is gone; not that it is torn.
            raise DataError(f"cannot read {path}: {str(error).strip().splitlines()[0]}") from error

    def __repr__(self) -> str:
        files = "1 file" if len(self.paths) == 1 else f"{len(self.paths):,} files"
        return f"<phgs.Shards: {self.n_rows:,} rows × {len(self.names):,} columns in {files}>"


def _kind(kind: Any) -> str:
    """Name a type; a dictionary is one of its values."""
    value = getattr(kind, "value_type", None)
    name = str(kind if value is None or not str(kind).startswith("dictionary") else value)
    return name.removeprefix("large_")
