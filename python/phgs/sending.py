"""What is large goes to each worker of an executor once, not with each task."""

from __future__ import annotations

import hashlib
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Sent", "call", "sent"]

_here: dict[str, Any] = {}
"""In the process that sends: what it sends, for threads and for forked workers."""

_received: list[tuple[str, Any]] = []
"""In a worker: what it got last."""


@dataclass(frozen=True)
class Sent:
    """What goes to workers once.

    Attributes
    ----------
    digest : str
        What it is known by: the SHA-256 of its bytes.
    path : str
        A file with these bytes, for workers that see the same files.
    """

    digest: str
    path: str

    def content(self) -> bytes:
        """Return the bytes, for a worker that does not see the file."""
        return Path(self.path).read_bytes()


@contextmanager
def sent(value: Any) -> Iterator[Sent | None]:
    """Have a value ready for workers while tasks run; None where it cannot be pickled, as in threads it need not be.

    The file is in a new folder that only this user can read.
    """
    try:
        content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        yield None
        return
    digest = hashlib.sha256(content).hexdigest()
    folder = tempfile.mkdtemp(prefix="phgs-")
    path = str(Path(folder, "table"))
    _here[digest] = value
    try:
        Path(path).write_bytes(content)
        del content
        yield Sent(digest, path)
    finally:
        _here.pop(digest, None)
        shutil.rmtree(folder, ignore_errors=True)


def call(function: Callable[..., Any], what: Sent, content: bytes | None, *arguments: Any) -> Any:
    """Call a function, in a worker, with what was sent and with arguments of its own.

    Returns
    -------
    What the function returns, in a list; an empty list where the worker has not got what was sent: call it again with
    the content.
    """
    value = _here.get(what.digest)
    if value is None:
        value = next((value for digest, value in _received if digest == what.digest), None)
    if value is None:
        if content is None:
            try:
                content = what.content()
            except OSError:
                return []
            if hashlib.sha256(content).hexdigest() != what.digest:
                return []
        value = pickle.loads(content)  # noqa: S301 - the bytes of this digest, which the sender made
        _received[:] = [(what.digest, value)]
    return [function(*value, *arguments)]
