"""Reading data files, by pyarrow."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phgs.delimited import lines
from phgs.errors import DataError, DocumentError, ParameterError
from phgs.textfiles import checked_encoding, read_bytes, refuse_foreign, told, wrong_encoding

MISSING_TEXT = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>")
"""Fields of a CSV file that are missing values, unless they are quoted."""

_PARQUET = {".parquet", ".pq"}
_FEATHER = {".feather", ".arrow", ".ipc"}
_TABS = {".tsv", ".tab"}
_PACKED = {".gz", ".bz2", ".xz"}

TEXT_MARK = b"phgs.text"
"""Schema metadata of tables that come from text, where every value is text."""


def read_file(path: str | os.PathLike[str]) -> Any:
    """Read a CSV, Parquet or Feather (Arrow) file into a `pyarrow.Table`.

    Parameters
    ----------
    path
        The kind of file is told by its ending (``.csv``, ``.tsv``, ``.parquet``, ``.pq``, ``.feather``, ``.arrow``),
        and where that says nothing by its first bytes. ``"-"`` reads CSV from standard input. CSV files are read as
        `read_csv` reads them.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    DataError
        When it cannot be read as what it seems to be.
    """
    found = _read_binary(path)
    return read_csv(path) if found is None else found


def _read_binary(path: str | os.PathLike[str]) -> Any:
    """Read a Parquet or Feather file; return None for any other."""
    import pyarrow as pa

    if os.fspath(path) == "-":
        return None
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
    return None


def read_csv(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Any:
    r"""Read a CSV file into a `pyarrow.Table` whose columns are text, as all functions that take data take it.

    Parameters
    ----------
    path
        A file with a header row, which may be compressed by gzip, bzip2 or xz; ``"-"`` is standard input.
    delimiter
        What separates fields. By default what a first line such as ``sep=;`` says, else a tab for ``.tsv`` and
        ``.tab``, else a comma.
    decimal
        The decimal mark of numbers, ``"."`` or ``","``. With ``","`` columns that hold nothing but numbers are read
        with it.
    encoding
        The encoding; by default UTF-8, or UTF-16 where the first bytes say so.
    max_bytes
        The most bytes that a compressed file may unpack to; by default 256 MiB, or a hundred times its size.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    DataError
        When it is no such table; names the file, the line and the remedy.

    Examples
    --------
    >>> import pathlib, tempfile, phgs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "survey.csv")
    ...     _ = path.write_text("dose;place\n1,5;north\n2,5;south\n")
    ...     phgs.read_csv(path, delimiter=";", decimal=",").to_pydict()
    {'dose': ['1.5', '2.5'], 'place': ['north', 'south']}
    """
    checked_encoding(encoding)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ParameterError(f"delimiter: expected one character such as ';', got {delimiter!r}")
    if delimiter is not None and not delimiter.isascii():
        raise ParameterError(f"delimiter: {delimiter!r} is not an ASCII character")
    if decimal not in (".", ","):
        raise ParameterError(f"decimal: expected '.' or ',', got {decimal!r}")
    if os.fspath(path) == "-":
        name = "standard input"
        content = refuse_foreign(sys.stdin.buffer.read(), name)
    else:
        name = str(path)
        content = read_bytes(path, max_bytes=max_bytes)
    content = _as_utf8(content, name, encoding)
    first = _first_lines(content, 1)
    announced = re.fullmatch(r"[sS][eE][pP]=([^\w\s\"]|\t)", first[0]) if first else None
    if announced is not None:
        # What Excel writes and reads; it is no row.
        content = content[len(announced[0].encode()) :].lstrip(b"\r").removeprefix(b"\n")
        delimiter = delimiter or announced[1]
    if not content.strip():
        raise DataError(f"{name} is empty")
    if content.lstrip()[:1] in (b"{", b"[") and (name.endswith(".json") or content.rstrip()[-1:] in (b"}", b"]")):
        raise DocumentError(f"{name} is JSON, not a table; data are read from CSV, Parquet or Feather files")
    delimiter = delimiter or _tabs(path) or ","
    if decimal == delimiter:
        raise ParameterError(f"decimal: {decimal!r} separates the fields; give another delimiter, such as ';'")
    return _read(content, name, delimiter, decimal, 1 if announced is None else 2)


def _tabs(path: str | os.PathLike[str]) -> str | None:
    """Return the tab of a file that is named for it."""
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in _PACKED else path
    return "\t" if inner.suffix.lower() in _TABS else None


def _as_utf8(content: bytes, name: str, encoding: str | None) -> bytes:
    """Return the same text in UTF-8, without a byte-order mark."""
    used = checked_encoding(encoding) or told(content)
    if used in ("utf-8", "utf-8-sig"):
        try:
            # Piece by piece: the text itself is not needed, and takes up to four times the memory.
            _check_utf8(content)
        except UnicodeDecodeError as error:
            raise wrong_encoding(content, error, name, "utf-8", named=encoding is not None) from None
        return content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode(used)
    except UnicodeDecodeError as error:
        raise wrong_encoding(content, error, name, used, named=encoding is not None) from None
    try:
        return text.removeprefix("\ufeff").encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise DocumentError(f"{name}, line {line}: half of a surrogate pair, which is no character") from None


def _check_utf8(content: bytes) -> None:
    import codecs

    if content.isascii():
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 1 << 20
    view = memoryview(content)
    for start in range(0, len(content), step):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(view[start : start + step], final=start + step >= len(content))
        except UnicodeDecodeError as error:
            shift = start - pending
            raise UnicodeDecodeError("utf-8", content, error.start + shift, error.end + shift, error.reason) from None


def _first_lines(content: bytes, count: int) -> list[str]:
    """Return the first lines that are not empty, shortened to what can tell a delimiter."""
    text = content[:100_000].decode(errors="replace")
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()][:count]


def _read(content: bytes, name: str, delimiter: str, decimal: str, begin: int) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    source = pa.BufferReader(content)
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
        if "Empty CSV" in str(error):
            raise DataError(f"{name} has no rows: a header and nothing else") from error
        _refuse_other_delimiter(content, name, delimiter, None)
        _refuse_uneven(content, name, delimiter, begin)
        raise DataError(f"cannot read {name} as CSV: {_first_line(error)}") from error
    if len(columns) == 1:
        _refuse_other_delimiter(content, name, delimiter, columns[0])
    if decimal == ",":
        table = _with_points(table)
    return table.replace_schema_metadata({TEXT_MARK: b"1"})


def _refuse_uneven(content: bytes, name: str, delimiter: str, begin: int) -> None:
    """Name the first line that has not as many fields as the header."""
    rows = lines(content.decode(), name, delimiter, begin)
    header = next(rows, None)
    for line in rows:
        if header is not None and len(line.fields) != len(header.fields):
            found, wanted = len(line.fields), len(header.fields)
            raise DocumentError(
                f"cannot read {name}, line {line.number}:"
                f" {found} {'field' if found == 1 else 'fields'}, the header has {wanted};"
                f" put fields that hold {delimiter!r} in quotes"
            )


def _refuse_other_delimiter(content: bytes, name: str, delimiter: str, column: str | None) -> None:
    """Say so where the header has no delimiter, but another mark that may be it."""
    header, *rows = [re.sub(r'"[^"]*"', '""', line) for line in _first_lines(content, 20)] or [""]
    if delimiter in header:
        return
    other = next((mark for mark in (";", "\t", "|", ",") if mark in header), None)
    if other is None:
        return
    shown = f"has one column, {column!r}" if column is not None else f"has one column in its header, {header[:60]!r}"
    commas = ""
    if other == ";" and any(re.search(r"(^|;)\s*[+-]?\d+,\d+\s*(;|$)", row) for row in rows):
        commas = " and decimal=',' (--decimal)"
    raise DataError(
        f"{name} {shown}: it seems to be separated by {other!r}, not by {delimiter!r}; read it with"
        f" delimiter={other!r} (--delimiter){commas}"
    )


_COMMA = r"^\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*$"


def _with_points(table: Any) -> Any:
    """Write the numbers of columns that hold nothing else with decimal points."""
    import pyarrow.compute as pc

    made: list[Any] = []
    for column in table.columns:
        numbers = pc.all(pc.match_substring_regex(column, _COMMA)).as_py()
        made.append(pc.replace_substring(column, ",", ".") if numbers else column)
    return type(table).from_arrays(made, names=table.column_names)


def read_with(path: str | os.PathLike[str], **options: Any) -> Any:
    """Read a data file with options of `read_csv`, which other kinds of files do not have.

    Raises
    ------
    ParameterError
        When an option is given for a file that is no CSV.
    """
    from phgs.data.shards import is_many, shards

    given = {name: value for name, value in options.items() if value is not None}
    found = shards(path) if is_many(path) else _read_binary(path)
    if found is None:
        return read_csv(path, **given)
    if given:
        named: Sequence[str] = sorted(given)
        raise ParameterError(f"{named[0]}: {path} is no CSV file; leave it out")
    return found


def is_text(data: Any) -> bool:
    """Whether a frame was read from a text file by `read_file`."""
    if not type(data).__module__.startswith("pyarrow"):
        return False
    metadata = getattr(data.schema, "metadata", None)
    return isinstance(metadata, dict) and TEXT_MARK in metadata


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]
