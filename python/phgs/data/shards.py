"""Tables in many Parquet files, read one row group at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.data.columns import CodedColumn
from phgs.data.engines import engine_of
from phgs.data.files import TEXT_MARK
from phgs.data.growing import Growing
from phgs.data.parts import RowGroup
from phgs.data.shard_files import ENDINGS, file_system, files_of, has_pattern, is_path
from phgs.data.stored import columns_at_once, let_go
from phgs.data.values import Problem
from phgs.errors import DataError, ParameterError
from phgs.names import unknown
from phgs.parameters import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from phgs.data.gaussian import GaussianTable
    from phgs.data.sharded import ShardedTable
    from phgs.data.table import Missing, Table


MOST_ROWS = 2**32 - 1
"""The most rows of a table: counts of its cells are whole numbers of 32 bits. `phgs.verify` counts any number."""

__all__ = ["Shards", "is_many", "on_workers", "row_groups_of", "shards"]


def shards(where: Any, *, on: Any = None, columns: Iterable[str] | None = None) -> Shards:
    """Open a table that lies in several Parquet files, without reading its rows.

    The rows are those of all files, in the order of the names of the files (of a list, in its own order). Every
    function that takes data takes what this returns, and takes the folder, pattern or list itself too. Rows are read
    one row group at a time, so that memory is taken for one row group and for bit planes: of each column an eighth of a
    byte a row for each state but the first.

    Parameters
    ----------
    where
        A folder of Parquet files, with those in folders in it; a pattern of their paths, such as ``"lake/*.parquet"``;
        a list of paths; or one path. Paths may be URIs of what pyarrow reads (``s3://``, ``gs://``, ``hdfs://``,
        ``file://``) or, where fsspec is installed, of what that does. Names that begin with ``_`` or ``.`` are passed
        over. Or a Dask dataframe.
    on
        A `distributed.Client` (``phgs[dask]``), or the module `ray` once it is connected (``phgs[ray]``): learners then
        leave the rows on its workers. Each reads its part of them and answers with contingency tables, which are added
        up, so that the result is the same to the last bit.
        All columns must be categories or, with ``data_type="gaussian"``, numbers, of which the workers sum products
        exactly. Missing categories may be a state or be left out with their rows, of all tests or of each
        (``missing="level"``, ``"drop"``, ``"testwise"``); nothing is filled in. None reads all rows into this process;
        a Dask dataframe is with the default client.
    columns
        The columns that the source has; None takes all.

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
        return where if on is None and columns is None else where.opened(on, columns)
    if is_dask_frame(where):
        from phgs.data.partitions import partitions

        return partitions(where, on).opened(None, columns)
    found = Shards(tuple(files_of(where)))
    found.check()
    return found.opened(on, columns)


def is_dask_frame(data: Any) -> bool:
    """Whether data are a dataframe of Dask; Dask is not imported."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(data, "to_delayed")


def on_workers(data: Any) -> Shards | None:
    """Return data whose rows stay on the workers of a cluster; None for all other data."""
    if is_dask_frame(data):
        return shards(data)
    return data if isinstance(data, Shards) and data.on is not None else None


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
    if isinstance(data, Shards) or is_many(data) or is_dask_frame(data):
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
    on
        Where the rows are read and counted, if not here.
    columns : tuple of str or None
        The columns that were chosen; None for all.
    counts : str or None
        The column that says how often each row stands in the data, which is no variable.
    """

    paths: tuple[str, ...]
    on: Any = None
    columns: tuple[str, ...] | None = None
    counts: str | None = None

    def opened(self, on: Any, columns: Iterable[str] | None) -> Self:
        """Return the source on a client, with some of its columns."""
        if on is not None:
            engine_of(on)  # Refuses what is no client.
        chosen = self.columns
        if columns is not None:
            wanted = [columns] if isinstance(columns, str) else list(columns)
            for name in wanted:
                if name not in self.names:
                    raise ParameterError(f"columns: {unknown('column', name, self.names)}")
            chosen = tuple(name for name in self.names if name in wanted)
        return replace(self, on=self.on if on is None else on, columns=chosen)

    def _counted(self, counts: Any) -> Self:
        """Return the source whose rows stand as often as one of its columns says: on workers alone."""
        if not isinstance(counts, str):
            raise ParameterError(
                "counts: the rows are on workers, and so must the counts be: give the name of the column that has them"
            )
        if counts not in self.names:
            raise ParameterError(f"counts: {unknown('column', counts, self.names)}")
        if len(self.names) == 1:
            raise DataError(f"counts: column {counts!r} is the only one; there is no variable to learn from")
        found = replace(self, counts=counts)
        # What the workers hold is found again, and let go of with this source.
        found.__dict__["_spread"] = self._spread
        return found

    @cached_property
    def _spread(self) -> dict[Any, ShardedTable]:
        """What the workers hold, by what was said of missing values and of columns."""
        return {}

    def spread(self, declared: Iterable[str], *, found_out: bool, missing: Missing = "error") -> ShardedTable:
        """Have the workers read the rows, unless they hold them already; see `phgs.data.sharded`."""
        from phgs.data.sharded import spread

        self.refuse_too_many()
        wanted = frozenset(declared), found_out, self.counts
        for (treatment, of_columns), held in self._spread.items():
            if of_columns == wanted and held.parts.handles and (treatment == missing or not held.had_gaps):
                return held
        self.close()
        table = spread(
            self.pieces(),
            engine_of(self.on),
            self.names,
            declared=wanted[0],
            found_out=found_out,
            missing=missing,
            counts=self.counts,
        )
        self._spread[missing, wanted] = table
        return table

    @cached_property
    def _sums(self) -> list[GaussianTable]:
        """What the workers have summed: one table, once that was done."""
        return []

    def summed(self) -> GaussianTable:
        """Have the workers sum products of all pairs of columns of numbers; see `phgs.data.sharded_numbers`."""
        from phgs.data.sharded_numbers import summed

        self.refuse_too_many()
        if not self._sums:
            self._sums.append(summed(self.pieces(), engine_of(self.on), self.names))
        return self._sums[0]

    def pieces(self) -> list[tuple[Any, int]]:
        """Return what a worker reads at once, with its number of rows, in order."""
        found = zip(self.paths, self._facts, strict=True)
        return [(RowGroup(path, i, n), n) for path, (_, _, rows) in found for i, n in enumerate(rows) if n]

    def close(self) -> None:
        """Let go of the rows that workers hold; what is asked for next is read again."""
        self._sums.clear()
        for table in self._spread.values():
            table.release()
        self._spread.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        return self._variables(without_index(schema, schema.names) if self.columns is None else self.columns)

    def _variables(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Leave the column of counts out."""
        return tuple(name for name in names if name != self.counts)

    def versions(self) -> list[list[Any]]:
        """Return what tells files from others of the same name: path, bytes, time of the last change, rows."""
        from pyarrow import fs

        found = []
        for path, (_, n_rows, _) in zip(self.paths, self._facts, strict=True):
            system, inner = file_system(path)
            info = (fs.LocalFileSystem() if system is None else system).get_file_info(inner)
            found.append([path if "://" in path else str(Path(path).resolve()), info.size, info.mtime_ns, n_rows])
        return found

    def type_of(self, name: str) -> Any:
        """Return the Arrow type of a column."""
        return self._facts[0][0].field(name).type

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
            growing = [Growing(name in declared, self.n_rows) for name in names]
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

    def _first(self, file: Any, path: str, group: int, columns: list[str], most: int) -> Any:
        import pyarrow as pa

        with _named(path):
            return pa.Table.from_batches([next(file.iter_batches(most, [group], columns))]).select(columns)

    def _read(self, file: Any, path: str, group: int, columns: list[str]) -> Any:
        with _named(path):
            return file.read_row_group(group, columns=columns).select(columns)

    def __repr__(self) -> str:
        files = "1 file" if len(self.paths) == 1 else f"{len(self.paths):,} files"
        return f"<phgs.Shards: {self.n_rows:,} rows × {len(self.names):,} columns in {files}>"


def read_row_group(path: str, group: int, n_rows: int, columns: Sequence[str], most: int | None = None) -> Any:
    """Read one row group, which must have as many rows as it had, or its first rows."""
    source = Shards((path,))
    with source._open(path) as file:
        if group < file.metadata.num_row_groups and file.metadata.row_group(group).num_rows == n_rows:
            if most is None:
                return source._read(file, path, group, list(columns))
            return source._first(file, path, group, list(columns), most)
    raise DataError(f"{path} has changed: its row group {group} is not what it was")


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the file that cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # What the system says, such as that the file is gone; not that it is torn.
        raise DataError(f"cannot read {path}: {str(error).strip().splitlines()[0]}") from error


def _kind(kind: Any) -> str:
    """Name a type; a dictionary is one of its values."""
    value = getattr(kind, "value_type", None)
    name = str(kind if value is None or not str(kind).startswith("dictionary") else value)
    return name.removeprefix("large_")
