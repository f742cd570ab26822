"""Reading data files, by pyarrow."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from phgs.errors import DataError

MISSING_TEXT = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>")
"""Fields of a CSV file that are missing values, unless they are quoted."""

_PARQUET = {".parquet", ".pq"}
_FEATHER = {".feather", ".arrow", ".ipc"}
_TABS = {".tsv", ".tab"}

TEXT_MARK = b"phgs.text"
"""Schema metadata of tables that come from text, where every value is text."""


def read_file(path: str | os.PathLike[str]) -> Any:
    """Read a CSV, Parquet or Feather (Arrow) file into a `pyarrow.Table`.

    Parameters
    ----------
    path
        The kind of file is told by its ending (``.csv``, ``.tsv``, ``.parquet``, ``.pq``, ``.feather``, ``.arrow``),
        and where that says nothing by its first bytes. ``"-"`` reads CSV from standard input. CSV files have a
        header row, are UTF-8, may be gzipped, and every column of them is categorical: values are kept as text.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    DataError
        When it cannot be read as what it seems to be.
    """
    import pyarrow as pa

    if os.fspath(path) == "-":
        return _read_csv(pa.BufferReader(sys.stdin.buffer.read()), "standard input", "")
    path = Path(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    with path.open("rb") as file:
        start = file.read(6)
    if not start:
        raise DataError(f"{path} is empty")
    suffix = path.suffix.lower()
    try:
        if suffix in _PARQUET or start.startswith(b"PAR1"):
            import pyarrow.parquet

            # pyarrow's read_table imports pandas where it is installed, which takes far longer than reading.
            with pyarrow.parquet.ParquetFile(path) as file:
                return file.read()
        if suffix in _FEATHER or start == b"ARROW1":
            import pyarrow.feather

            return pyarrow.feather.read_table(path)
    except pa.ArrowException as error:
        raise DataError(f"cannot read {path}: {_first_line(error)}") from error
    compressed = suffix == ".gz"
    stream = pa.input_stream(str(path), compression="gzip" if compressed else None)
    inner = Path(path.stem).suffix.lower() if compressed else suffix
    return _read_csv(pa.BufferReader(stream.read()), str(path), inner)


def _read_csv(source: Any, name: str, suffix: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter="\t" if suffix in _TABS else ",", newlines_in_values=True)
    try:
        # The header first: every column is then read as text, so that "01" and "1" stay different labels.
        with csv.open_csv(source, parse_options=parse) as reader:
            columns = reader.schema.names
        source.seek(0)
        convert = csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            null_values=list(MISSING_TEXT),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        table = csv.read_csv(source, parse_options=parse, convert_options=convert)
    except pa.ArrowException as error:
        what = _first_line(error)
        if "Empty CSV" in what:
            raise DataError(f"{name} is empty") from error
        if "UTF8" in what or "UTF-8" in what:
            what += "; save the file as UTF-8"
        raise DataError(f"cannot read {name} as CSV: {what}") from error
    if len(columns) == 1:
        other = next((mark for mark in (";", "\t", "|") if mark in columns[0]), None)
        if other is not None:
            raise DataError(f"{name} has one column, {columns[0]!r}: it seems to be separated by {other!r}, not by ','")
    return table.replace_schema_metadata({TEXT_MARK: b"1"})


def is_text(data: Any) -> bool:
    """Whether a frame was read from a text file by `read_file`."""
    if not type(data).__module__.startswith("pyarrow"):
        return False
    metadata = getattr(data.schema, "metadata", None)
    return isinstance(metadata, dict) and TEXT_MARK in metadata


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]
