"""Which files a path, a pattern or a folder means, here or on a remote store."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path
from typing import Any

from phgs.errors import DataError, ParameterError

ENDINGS = (".parquet", ".pq")
_PATTERN = "*?["


def is_path(item: Any) -> bool:
    """Whether a path is meant, not a name of a column."""
    if isinstance(item, str):
        return item.lower().endswith(ENDINGS) or "://" in item
    return isinstance(item, os.PathLike)


def has_pattern(text: str) -> bool:
    """Whether a path means all files that are named like it."""
    return any(mark in text for mark in _PATTERN)


def file_system(path: str) -> tuple[Any, str]:
    """Return the file system of a path and the path in it; None for that of this machine."""
    import pyarrow as pa
    from pyarrow import fs

    if "://" not in path:
        return None, path
    try:
        found, inner = fs.FileSystem.from_uri(path)
        return found, str(inner)
    except pa.ArrowInvalid as error:
        try:
            import fsspec  # type: ignore[import-not-found]
        except ImportError:
            raise ParameterError(f"{path}: {error}; install fsspec, which may know such paths") from error
        try:
            other, inner = fsspec.core.url_to_fs(path)
        except (ValueError, ImportError) as unknown:
            raise ParameterError(f"{path}: {unknown}") from unknown
        return fs.PyFileSystem(fs.FSSpecHandler(other)), str(inner)


def files_of(where: Any) -> list[str]:
    """List the files of a folder, a pattern or a list of paths."""
    if isinstance(where, (list, tuple)):
        if not where:
            raise DataError("data: the list of paths is empty")
        return [file for path in where for file in files_of(path)]
    if not isinstance(where, (str, os.PathLike)):
        raise ParameterError(f"data: expected paths of Parquet files, got {where!r}")
    text = os.fspath(where)
    scheme, mark, rest = text.partition("://")
    path = rest if mark else text
    if has_pattern(path) and (mark or not Path(text).exists()):
        fixed: list[str] = []
        for part in path.split("/"):
            if has_pattern(part):
                break
            fixed.append(part)
        base = "/".join(fixed)
        root = scheme + mark + base if mark else base or ("/" if path.startswith("/") else ".")
        tail = path.split("/")[len(fixed) :]
        found = [
            name
            for name, parts in _listed(root)
            if len(parts) == len(tail) and all(fnmatch.fnmatchcase(*pair) for pair in zip(parts, tail, strict=True))
        ]
        if not found:
            raise DataError(f"no file is named like {text}")
        return found
    if not mark and not Path(text).is_dir():
        if not Path(text).exists():
            raise FileNotFoundError(f"no such file: {text}")
        return [text]
    listed = _listed(text)
    if listed is None:
        return [text]
    others = [name for name, _ in listed if not name.lower().endswith(ENDINGS)]
    if others:
        raise DataError(
            f"{text} is a folder that holds other files than Parquet ({others[0]}); name those that are meant by a"
            f" pattern, such as '{text.rstrip('/')}/*.parquet'"
        )
    partitioned = next((part for _, parts in listed for part in parts[:-1] if "=" in part), None)
    if partitioned is not None:
        raise DataError(
            f"{text} is partitioned by folders such as {partitioned!r}, whose values are in no file; write the table"
            " without partitions, or give a list of the files, which leaves that column out"
        )
    if not listed:
        raise DataError(f"{text} is a folder that holds no Parquet file")
    return [name for name, _ in listed]


def _listed(root: str) -> Any:
    """List the files under a folder as (path, parts of it below the folder), by path; None for a single file."""
    from pyarrow import fs

    system, inner = file_system(root)
    if system is None:
        system, inner = fs.LocalFileSystem(), root
    info = system.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(f"no such file or folder: {root}")
    if info.type == fs.FileType.File:
        return None
    scheme, mark, _ = root.partition("://")
    found = []
    for item in system.get_file_info(fs.FileSelector(inner, recursive=True)):
        below = os.path.relpath(item.path, inner).replace(os.sep, "/").split("/")
        if item.type == fs.FileType.File and not any(part.startswith(("_", ".")) for part in below):
            found.append((scheme + mark + item.path if mark else item.path, below))
    return sorted(found)
