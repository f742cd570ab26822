"""What a study has done, in one SQLite file that survives any interruption."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phgs._core import __version__
from phgs.documents import parse_json
from phgs.errors import ConfigurationError, ParameterError
from phgs.study.configuration import Configuration
from phgs.study.solving import Outcome, Solved

FILE = "results.sqlite"

_TABLES = """
create table if not exists study (key text primary key, value text not null);
create table if not exists results (
    network text not null, seed integer not null, label text not null, level real not null,
    error text, seconds real not null, data text not null, finished real not null,
    primary key (network, seed, label, level)
);
create table if not exists data_sets (
    network text not null, seed integer not null, data text not null, primary key (network, seed)
);
"""

# SQLite's primary keys take nulls as different from each other.
_NO_LEVEL = -1.0


class Store:
    """Results of a study. Each group of tasks is written in one transaction: wholly or not at all.

    Parameters
    ----------
    folder
        The folder of the study.
    configuration
        With it the folder is made if need be, and must belong to this configuration; without it the folder must be that
        of a study.
    """

    def __init__(self, folder: str | Path, configuration: Configuration | None = None) -> None:
        self.folder = Path(folder)
        path = self.folder / FILE
        if configuration is None and not path.exists():
            raise ParameterError(f"{self.folder} holds no study: there is no {FILE}")
        if configuration is not None:
            if self.folder.exists() and not self.folder.is_dir():
                raise ParameterError(f"{self.folder} is not a folder")
            others = self.folder.exists() and any(not _is_ours(other.name) for other in self.folder.iterdir())
            if others and not path.exists():
                raise ParameterError(f"{self.folder} holds other files and no study; give a new or an empty folder")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ParameterError(f"cannot make {self.folder}: {error.strerror}") from error
        self._connection = sqlite3.connect(path, isolation_level=None, timeout=30)
        try:
            self._connection.execute("pragma synchronous = full")
            # At once: of two runs that start in a new folder together, one waits and finds what the other made.
            # A report changes nothing, and may be of a folder that cannot be written.
            with _Transaction(self._connection, "deferred" if configuration is None else "immediate"):
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._connection.execute(statement)
                self._rename()
                self._check(configuration)
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise ParameterError(f"{path} cannot be used: {error}") from error
            raise

    def _rename(self) -> None:
        """Bring a folder of an earlier version up to date, in which all levels were significance levels."""
        names = [row[1] for row in self._connection.execute("pragma table_info(results)")]
        if "alpha" in names:
            self._connection.execute("alter table results rename column alpha to level")

    def _check(self, configuration: Configuration | None) -> None:
        known = dict(self._connection.execute("select key, value from study"))
        if "configuration" in known:
            text = known["configuration"]
            stored = Configuration.from_mapping(
                parse_json(text, str(self.folder), ConfigurationError), source=str(self.folder)
            )
            if configuration is not None and stored.digest != configuration.digest:
                raise ParameterError(
                    f"{self.folder} is the folder of another configuration ({stored.name!r}); nothing was changed: "
                    "give another folder, or the configuration it was made with"
                )
            self.configuration = stored
            return
        if configuration is None:
            raise ParameterError(f"{self.folder} holds no study that was started")
        for key, value in (
            ("configuration", json.dumps(configuration.to_mapping())),
            ("version", __version__),
            ("started", str(time.time())),
        ):
            self._connection.execute("insert into study values (?, ?)", (key, value))
        self.configuration = configuration

    def add(self, solved: Solved) -> None:
        """Write the outcomes of a group."""
        with self._transaction():
            for outcome in solved.outcomes:
                self._connection.execute(
                    "insert or replace into results values (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        outcome.network,
                        outcome.seed,
                        outcome.label,
                        _NO_LEVEL if outcome.level is None else outcome.level,
                        outcome.error,
                        outcome.seconds,
                        json.dumps(outcome.values),
                        time.time(),
                    ),
                )
            if solved.data_set:
                facts = solved.data_set
                self._connection.execute(
                    "insert or ignore into data_sets values (?, ?, ?)",
                    (facts["network"], facts["seed"], json.dumps(facts)),
                )

    def done(self, *, failed: bool = True) -> set[tuple[str, int, str, float | None]]:
        """Return the tasks that are recorded; with ``failed=False`` those that succeeded only."""
        where = "" if failed else " where error is null"
        found = self._connection.execute(f"select network, seed, label, level from results{where}")  # noqa: S608
        return {(network, seed, label, _level(level)) for network, seed, label, level in found}

    def outcomes(self) -> Iterator[Outcome]:
        """Return all outcomes, in a fixed order."""
        query = "select network, seed, label, level, error, seconds, data from results order by 1, 2, 3, 4 desc"
        for network, seed, label, level, error, seconds, data in self._connection.execute(query):
            yield Outcome(network, seed, label, _level(level), error, seconds, json.loads(data))

    def data_sets(self) -> list[dict[str, Any]]:
        """Return the sizes of the data sets, in a fixed order."""
        return [
            json.loads(data)
            for (data,) in self._connection.execute("select data from data_sets order by network, seed")
        ]

    def fact(self, key: str) -> str | None:
        """Return something known of the study: ``version`` or ``started``."""
        row = self._connection.execute("select value from study where key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _transaction(self) -> _Transaction:
        return _Transaction(self._connection)


def _is_ours(name: str) -> bool:
    """Whether a file is one that SQLite makes beside ours."""
    return name in (FILE, f"{FILE}-journal", f"{FILE}-wal", f"{FILE}-shm")


class _Transaction:
    def __init__(self, connection: sqlite3.Connection, kind: str = "immediate") -> None:
        self._connection = connection
        self._kind = kind

    def __enter__(self) -> None:
        self._connection.execute(f"begin {self._kind}")

    def __exit__(self, kind: object, *_: object) -> None:
        self._connection.execute("rollback" if kind is not None else "commit")


def _level(level: float) -> float | None:
    return None if level == _NO_LEVEL else level
