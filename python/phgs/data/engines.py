"""Where parts of a large table are counted: what a cluster has to offer, and the simplest one, in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from phgs.errors import ParameterError


class LostError(Exception):
    """A part is gone, with the worker that held it."""


class Place(NamedTuple):
    """A worker.

    Attributes
    ----------
    name
        What the engine calls it.
    threads
        How many threads may count.
    memory
        Bytes that it may take; None where that is not known.
    """

    name: str
    threads: int
    memory: int | None


class Pending(Protocol):
    """An answer to come."""

    def get(self, seconds: float) -> Any:
        """Wait for it so long: `TimeoutError` when it is not there, `LostError` when it will not come."""


class Handle(Protocol):
    """A part, seen from here."""

    place: str

    def send(self, method: str, *given: Any) -> Pending:
        """Call a method of the part."""

    def free(self) -> None:
        """Let go of the part."""


class Engine(Protocol):
    """A cluster.

    Attributes
    ----------
    word
        What its workers are, in messages.
    lasting
        Whether a worker goes on when a part is lost that it had.
    """

    word: str
    lasting: bool

    def places(self) -> list[Place]:
        """List the workers that are there."""

    def put(self, make: Callable[..., Any], given: tuple[Any, ...], threads: int, place: str) -> Handle:
        """Make a part on a worker, as ``make(*given, threads)``."""


@dataclass(frozen=True)
class _Done:
    value: Any

    def get(self, seconds: float) -> Any:
        del seconds
        return self.value


class _Local:
    def __init__(self, part: Any, place: str) -> None:
        self.place = place
        self._part: Any = part

    def send(self, method: str, *given: Any) -> Pending:
        if self._part is None:
            raise LostError
        return _Done(getattr(self._part, method)(*given))

    def free(self) -> None:
        self._part = None


@dataclass(frozen=True)
class InProcess:
    """Parts in this process, one after another: for tests of everything but the network."""

    n_places: int
    memory: int | None = None
    word = "parts of this process"
    lasting = False

    def places(self) -> list[Place]:
        """List them."""
        return [Place(str(i), 1, self.memory) for i in range(self.n_places)]

    def put(self, make: Callable[..., Any], given: tuple[Any, ...], threads: int, place: str) -> Handle:
        """Make a part."""
        return _Local(make(*given, threads), place)


def engine_of(on: Any) -> Engine:
    """Return the engine that a user's client stands for."""
    if isinstance(on, InProcess):
        return on
    if type(on).__module__.partition(".")[0] == "distributed":
        from phgs.data.on_dask import DaskEngine

        return DaskEngine(on)
    if getattr(on, "__name__", "") == "ray" and hasattr(on, "is_initialized"):
        from phgs.data.on_ray import RayEngine

        return RayEngine(on)
    raise ParameterError(f"on: expected a distributed.Client or the module ray, got {on!r}")
