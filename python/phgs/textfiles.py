"""Reading text files: packing and encoding told by their first bytes, sizes checked, errors that name file and line.

Every text that the package reads comes through `read_bytes` and `decoded`: tables, edge lists, JSON, BIF.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import zlib
from pathlib import Path
from typing import IO, Any

from phgs.errors import DataError, DocumentError, ParameterError

MOST_UNPACKED = 1 << 28
"""Bytes that a compressed file may always unpack to; beyond that it may hold a hundred times its own size."""

_RATIO = 100
_STEP = 1 << 20

_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save the sheet as CSV, or give the frame of pandas.read_excel",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it, or compress it with gzip, bzip2 or xz",
    b"7z\xbc\xaf": "a 7z archive; unpack it",
    b"RDX": "an R data file; write the table with write.csv in R",
    b"%PDF": "a PDF file",
    b"\x89PNG": "a picture",
    b"\x89HDF": "an HDF5 file; read it with pandas.read_hdf and give the frame",
    b"SQLite format 3": "an SQLite database",
}

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: str | os.PathLike[str], *, encoding: str | None = None, max_bytes: int | None = None) -> str:
    """Read a text file, which may be compressed by gzip, bzip2 or xz.

    Parameters
    ----------
    path
        The file.
    encoding
        Its encoding. By default UTF-8, or UTF-16 or UTF-32 where the first bytes say so.
    max_bytes
        The most bytes that a compressed file may unpack to; by default 256 MiB, or a hundred times its size.

    Raises
    ------
    DataError
        When it is a folder, no text, damaged, too large or in another encoding; names the file and the line.
    """
    return decoded(read_bytes(path, max_bytes=max_bytes), str(path), encoding)


def read_bytes(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> bytes:
    """Read a file, unpacked; see `read_text`."""
    path = Path(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    with path.open("rb") as file:
        start = file.read(16)
        file.seek(0)
        opened = next((opened for magic, opened in _PACKED.items() if start.startswith(magic)), None)
        if opened is None:
            return refuse_foreign(file.read(), str(path))
        content = _unpacked(opened, file, path, max_bytes)
    return refuse_foreign(content, str(path))


def _unpacked(opened: Any, file: IO[bytes], path: Path, max_bytes: int | None) -> bytes:
    size = os.fstat(file.fileno()).st_size
    most = max(MOST_UNPACKED, _RATIO * size) if max_bytes is None else max_bytes
    parts, total = [], 0
    try:
        with opened(file, "rb") as stream:
            while part := stream.read(_STEP):
                total += len(part)
                if total > most:
                    raise DataError(
                        f"{path}: {size:,} bytes unpack to more than {most:,}; if that is meant, raise max_bytes"
                    )
                parts.append(part)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(f"cannot read {path}: the compressed file is damaged or truncated") from error
    return b"".join(parts)


def refuse_foreign(content: bytes, name: str) -> bytes:
    """Return the content of a file, unless its first bytes say that it is no text at all."""
    for magic, what in _FOREIGN.items():
        if content.startswith(magic):
            raise DataError(f"{name} is {what}")
    return content


def checked_encoding(encoding: str | None) -> str | None:
    """Return the name of an encoding; one that Python does not know raises `ParameterError`."""
    if encoding is None:
        return None
    try:
        known = codecs.lookup(encoding)
    except (LookupError, ValueError, TypeError):
        raise ParameterError(
            f"encoding: {encoding!r} is not an encoding that Python knows, such as 'utf-8', 'latin-1' or 'gbk'"
        ) from None
    if not getattr(known, "_is_text_encoding", True):
        raise ParameterError(f"encoding: {encoding!r} is not an encoding of text")
    return known.name


def decoded(content: bytes, name: str, encoding: str | None = None) -> str:
    """Turn the bytes of a file into text; `name` is that of the file, for errors."""
    given = checked_encoding(encoding)
    used = told(content) if given is None else "utf-8-sig" if given == "utf-8" else given
    try:
        return content.decode(used).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise wrong_encoding(content, error, name, used, named=given is not None) from None


def told(content: bytes) -> str:
    """Return the encoding that the first bytes tell: UTF-8 if nothing else."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    # The first letters of a table are rarely other than ASCII: in UTF-16 each has a zero beside it.
    start = content[:64]
    even, odd = start[::2], start[1::2]
    if len(start) >= 4 and len(start) % 2 == 0:
        if not any(odd) and all(even):
            return "utf-16-le"
        if not any(even) and all(odd):
            return "utf-16-be"
    return "utf-8"


def wrong_encoding(content: bytes, error: UnicodeDecodeError, name: str, used: str, *, named: bool) -> DataError:
    """Say where a file is not in an encoding, and what to do."""
    line = content.count(b"\n", 0, error.start) + 1
    shown = used.removesuffix("-sig").upper()
    byte = content[error.start : error.start + 1].hex()
    remedy = (
        "give its own encoding"
        if named
        else "save it as UTF-8, or name its encoding (encoding='latin-1', say; --encoding on the command line)"
    )
    return DocumentError(f"{name}, line {line}: the byte 0x{byte} is not {shown}; {remedy}")
