"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from phgs.errors import ParameterError


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, a path that cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise ParameterError(f"cannot write {path}: it is a folder")
    folder = path.parent
    if not folder.is_dir():
        raise ParameterError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise ParameterError(f"cannot write {path}: permission denied")
    return path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write one file; a reader sees the old one or the whole new one."""
    write_all({Path(path): content.encode() if isinstance(content, str) else content})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files: all contents are on disk before the first takes its name."""
    made: list[tuple[Path, Path]] = []
    special: dict[Path, bytes] = {}
    try:
        for path, content in files.items():
            check_writable(path)
            if path.exists() and not path.is_file():
                special[path] = content
                continue
            temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            try:
                handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            except OSError as error:
                raise ParameterError(f"cannot write {path}: {error.strerror}") from error
            made.append((temporary, path))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
        for path, content in special.items():  # such as /dev/stdout
            path.write_bytes(content)
        for temporary, path in made:
            temporary.replace(path)
    except BaseException:
        for temporary, _ in made:
            with contextlib.suppress(OSError):
                temporary.unlink()
        raise
