"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from phgs.errors import DataError, ParameterError

TEMPORARY = re.compile(r"\.phgs-[0-9a-f]{16}|\..+\.[0-9a-f]{8}")
"""Names of files that are being written, also of earlier versions; one that stays was of a process that was killed."""

_DEVICES = ("/dev/", "/proc/")


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, a path that cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise ParameterError(f"cannot write {path}: it is a folder")
    target = _target(path)
    folder = target.parent
    if not folder.is_dir():
        raise ParameterError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise ParameterError(f"cannot write {path}: permission denied")
    return path


def _target(path: Path) -> Path:
    """Return what a symbolic link points to: it is that which is written, and the link stays."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _is_special(path: Path) -> bool:
    """Whether a path is a device, a pipe or the like, which are written as they are."""
    return str(path.absolute()).startswith(_DEVICES) or (path.exists() and not path.is_file())


def encoded(text: str, name: str | os.PathLike[str]) -> bytes:
    """Turn text into UTF-8; half of a surrogate pair, which no file can hold, raises and is named."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end + 20]
        raise DataError(
            f"cannot write {name}: {around!r} holds half of a surrogate pair, which is no character; rename it"
        ) from None


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write one file; a reader sees the old one or the whole new one."""
    write_all({Path(path): encoded(content, path) if isinstance(content, str) else content})


def write_pieces(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write one file from pieces that come one after another; a reader sees the old one or the whole new one."""
    target = _target(check_writable(path))
    temporary = _temporary(target, pieces, stat.S_IMODE(target.stat().st_mode) if target.exists() else None)
    try:
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_new(path: Path, content: str) -> bool:
    """Write a file that is not there; return False, and write nothing, where it is there by now."""
    temporary = _temporary(path, encoded(content, path), None)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        # A file system without hard links: what comes between is a moment.
        if path.exists():
            return False
        temporary.replace(path)
        return True
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return True


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files: all contents are on disk before the first takes its name.

    A file that is there keeps its mode; a symbolic link stays, and what it points to is written.
    """
    made: list[tuple[Path, Path]] = []
    special: dict[Path, bytes] = {}
    try:
        for path, content in files.items():
            check_writable(path)
            if _is_special(path):
                special[path] = content
                continue
            target = _target(path)
            mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
            made.append((_temporary(target, content, mode), target))
        for path, content in special.items():  # such as /dev/stdout
            _write_special(path, content)
        for temporary, target in made:
            temporary.replace(target)
    except BaseException:
        for temporary, _ in made:
            with contextlib.suppress(OSError):
                temporary.unlink()
        raise


def _write_special(path: Path, content: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(content)
    except OSError as error:
        raise _named(error, path) from error


def _temporary(path: Path, content: bytes | Iterable[bytes | memoryview], mode: int | None) -> Path:
    """Write a file beside the one that it will be."""
    temporary = path.with_name(f".phgs-{secrets.token_hex(8)}")
    try:
        # Nobody else may read what replaces a file that nobody else may read, at any moment.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)  # noqa: PTH101
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise _named(error, path) from error
        raise
    return temporary


def _named(error: OSError, path: Path) -> OSError:
    """Name the file: a full disk says nothing of it by itself."""
    return OSError(error.errno, f"cannot be written: {error.strerror}", str(path))
