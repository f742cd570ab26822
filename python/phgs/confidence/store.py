"""Replicates in a folder: each in a file of its own, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phgs._core import __version__
from phgs.documents import Node, finite, json_text, read_json
from phgs.errors import DataError, DocumentError, ParameterError
from phgs.output import TEMPORARY, write_new, write_whole

if TYPE_CHECKING:
    from phgs.data import Data
    from phgs.learners.base import Learner

MANIFEST = "bootstrap.json"
_NAME = re.compile(r"replicate-(\d{6,})\.json")


@dataclass(frozen=True)
class Replicate:
    """The CPDAG learned from one draw of rows, by positions of variables; and which of them the draw left isolated."""

    directed: list[tuple[int, int]]
    undirected: list[tuple[int, int]]
    complete: bool
    isolated: list[int] = field(default_factory=list)


class Store:
    """Replicates in a folder, which belongs to one learner, one data set and one seed.

    Parameters
    ----------
    folder
        Made if need be; an existing one must be empty or hold replicates of the same bootstrap.
    identity
        What all replicates share; see `identity`.

    Raises
    ------
    ParameterError
        When the folder holds something else; nothing in it is changed. What a run that was killed left before its
        first replicate is nothing.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self._n_variables = len(identity["variables"])
        path = self.folder / MANIFEST
        if self.folder.exists() and not self.folder.is_dir():
            raise ParameterError(f"folder: {self.folder} is a file")
        if path.exists():
            _same(path, identity)
            return
        if self.folder.exists() and any(not TEMPORARY.fullmatch(other.name) for other in self.folder.iterdir()):
            if path.exists():  # another bootstrap has just started here
                _same(path, identity)
                return
            raise ParameterError(f"folder: {self.folder} holds other files; give a new or an empty folder")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"folder: cannot make {self.folder}: {error.strerror}") from error
        if not write_new(path, json_text(identity)):
            _same(path, identity)

    def _path(self, index: int) -> Path:
        return self.folder / f"replicate-{index:06d}.json"

    def done(self, n: int) -> dict[int, Replicate]:
        """Return those of the first n replicates that are there."""
        names = (_NAME.fullmatch(path.name) for path in self.folder.iterdir())
        there = sorted(int(name[1]) for name in names if name is not None)
        return {index: self.read(index) for index in there if index < n}

    def read(self, index: int) -> Replicate:
        """Return a replicate that is there."""
        path = self._path(index)
        try:
            found = Node(read_json(path), str(path))
            seen: set[tuple[int, int]] = set()

            def pair(node: Node) -> tuple[int, int]:
                ends = node.each(lambda end: end.whole(0, self._n_variables - 1))
                key = (min(ends, default=0), max(ends, default=0))
                if len(ends) != 2 or ends[0] == ends[1] or key in seen:
                    node.fail("two positions of variables, each pair once")
                seen.add(key)
                return ends[0], ends[1]

            return Replicate(
                list(found["directed"].each(pair)),
                list(found["undirected"].each(pair)),
                found["complete"].flag(),
                list(found["isolated"].each(lambda node: node.whole(0, self._n_variables - 1))),
            )
        except DocumentError as error:
            raise ParameterError(f"{path} is damaged; delete it, and it will be learned again ({error})") from None

    def write(self, index: int, replicate: Replicate) -> None:
        """Write a replicate."""
        write_whole(self._path(index), json.dumps(replicate.__dict__) + "\n")


def identity(learner: Learner, table: Data, seed: int) -> dict[str, Any]:
    """Return what must be equal for replicates to belong together.

    Threads and the like change no result and are left out; the digest covers the data, byte for byte, and what the core
    is asked to do.
    """
    parameters = {name: value for name, value in learner._used(table).items() if name != "threads"}
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(learner._for_core(table), sort_keys=True, default=str).encode())
    digest.update(repr((table.names, table.levels, table.n_rows)).encode())
    for column in table.arrays():
        digest.update(column.tobytes())
    return {
        "bootstrap": learner.method,
        "version": __version__,
        "seed": seed,
        "variables": [str(name) for name in table.names],
        "n_rows": table.n_rows,
        "parameters": finite(json.loads(json.dumps(parameters))),
        "digest": digest.hexdigest(),
    }


def _same(path: Path, identity: dict[str, Any]) -> None:
    try:
        found = read_json(path)
    except (OSError, DataError) as error:
        raise ParameterError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise ParameterError(f"{path} is damaged")
    different = [key for key in identity if found.get(key) != identity[key]]
    if not different:
        return
    if "parameters" in different and isinstance(found.get("parameters"), dict):
        now, then = identity["parameters"], found["parameters"]
        names = [name for name in now.keys() | then.keys() if now.get(name) != then.get(name)]
        different = [key for key in different if key not in ("parameters", "digest")] + sorted(names)
    what = ", ".join(
        "data or knowledge" if key == "digest" else key.replace("bootstrap", "method") for key in different
    )
    raise ParameterError(
        f"folder: {path.parent} holds the replicates of another bootstrap (other {what}); nothing was changed: give"
        " another folder, or the same learner, data and seed"
    )
