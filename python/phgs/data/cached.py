"""Tables of categories as files of bit planes: what was read once from Parquet is there at once the next time.

A file has a line that says what it is, the length of a header, the header in JSON, and the columns. Each begins at a
multiple of 64 bytes, so that the core can look into the file as it lies in memory.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.data.columns import Stored
from phgs.data.packed import state_codes, stored
from phgs.data.table import CategoricalTable
from phgs.errors import DataError
from phgs.output import check_writable, write_pieces

if TYPE_CHECKING:
    from phgs.data.shards import Shards
    from phgs.data.table import IncompleteTable

_OURS = b"phgs planes "
_FIRST = _OURS + b"1\n"
_LINE = 64


def cached(
    path: str | os.PathLike[str],
    source: Shards,
    options: dict[str, Any],
    read: Callable[[], CategoricalTable | IncompleteTable],
) -> CategoricalTable:
    """Return a table that was kept, if it is of the same files read in the same way; else read it and keep it.

    Parameters
    ----------
    path
        The file in which the table is kept.
    source
        What is read.
    options
        How it is read.
    read
        Reads it.

    Raises
    ------
    DataError
        Before anything is read, when another program wrote the file; and when a table cannot be kept, since values are
        missing or labels are no text, number or truth value.
    """
    path = check_writable(path)
    name = next((name for name in options["names"] if type(name) not in (str, int)), None)
    if name is not None:
        raise DataError(f"cache: names that are kept are text or whole numbers, and one is {name!r}; give other names=")
    of = {"files": source.versions(), "byteorder": sys.byteorder, "options": options}
    header = _header(path)
    if header is not None and header["of"] == json.loads(json.dumps(of)):
        return _kept(path, header)
    table = read()
    if not isinstance(table, CategoricalTable):
        raise DataError("cache: tables with missing values are not kept; read with missing='drop' or missing='level'")
    _keep(path, table, of)
    return table


def _header(path: Path) -> dict[str, Any] | None:
    """Return the header of a file; None where there is no file, or one that was written in another way."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        first = file.read(len(_FIRST))
        if not first.startswith(_OURS):
            raise DataError(f"cache: {path} is there, and phgs did not write it; give another path")
        if first != _FIRST:
            return None
        length = int.from_bytes(file.read(8), "little")
        try:
            found: dict[str, Any] = json.loads(file.read(length))
        except ValueError:
            return None
    return found if path.stat().st_size == found["bytes"] else None


def _kept(path: Path, header: dict[str, Any]) -> CategoricalTable:
    """Look into a file."""
    n_rows, mapped = header["n_rows"], _core.MappedFile(path)
    columns: list[Stored] = []
    for kind, start, labels in zip(header["kinds"], header["starts"], header["labels"], strict=True):
        if kind == "planes":
            columns.append(_core.PackedColumn.mapped(mapped, start, n_rows, len(labels)))
        else:
            columns.append(np.fromfile(path, kind, n_rows, offset=start))
    return CategoricalTable(
        names=tuple(header["names"]),
        levels=tuple(tuple(labels) for labels in header["labels"]),
        codes=state_codes(columns),
        n_rows=n_rows,
        n_rows_read=header["n_rows_read"],
    )


def _keep(path: Path, table: CategoricalTable, of: dict[str, Any]) -> None:
    """Write a file, whole or not at all."""
    for name, labels in zip(table.names, table.levels, strict=True):
        other = next((label for label in labels if type(label) not in (str, int, float, bool, type(None))), None)
        if other is not None:
            raise DataError(
                f"cache: column {name!r} has the label {other!r}, and labels that are kept are text, numbers or truth"
                " values; leave cache= out, or turn them into text"
            )
    columns = stored(table.codes)
    kinds = ["planes" if isinstance(column, _core.PackedColumn) else str(column.dtype) for column in columns]
    header: dict[str, Any] = {
        "of": of,
        "n_rows": table.n_rows,
        "n_rows_read": table.n_rows_read,
        "names": list(table.names),
        "labels": [list(labels) for labels in table.levels],
        "kinds": kinds,
    }
    # Numbers of the same length whatever the length of the header, so that this is known before they are.
    room = len(json.dumps(header | {"starts": [10**18] * len(columns), "bytes": 10**18}))
    at = _rounded(len(_FIRST) + 8 + room)
    starts = []
    for column in columns:
        starts.append(at)
        at = _rounded(at + column.nbytes)
    text = json.dumps(header | {"starts": starts, "bytes": at}).ljust(room).encode()
    write_pieces(path, _pieces(text, columns))


def _pieces(header: bytes, columns: Sequence[Stored]) -> Iterator[bytes | memoryview]:
    yield _FIRST
    yield len(header).to_bytes(8, "little")
    yield header
    yield _filling(len(_FIRST) + 8 + len(header))
    for column in columns:
        if isinstance(column, _core.PackedColumn):
            yield from column.planes()
        else:
            yield np.ascontiguousarray(column).data
        yield _filling(column.nbytes)


def _rounded(at: int) -> int:
    return -(-at // _LINE) * _LINE


def _filling(size: int) -> bytes:
    return bytes(_rounded(size) - size)
