"""Parts on the workers of a Dask cluster, as actors; lost ones are made again by who asks."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

from phgs.data.engines import LostError, Place
from phgs.errors import ParameterError

_UNREACHABLE = (OSError, RuntimeError)
"""What Dask raises when an actor is gone: the one when it is called, the other when its worker is known to be lost."""


_MAKING = 60.0
"""Seconds after which a part that its worker has not begun to make counts as lost."""


_LOOK = 1.0
"""Seconds between two looks at whether the worker of a late answer is still there."""


def _result(future: Any, seconds: float) -> Any:
    """Wait so long for a future of Dask."""
    try:
        return future.result(timeout=seconds)
    except UnboundLocalError:
        # What `distributed.utils.sync` raises where the answer comes in the moment that the wait ends.
        raise TimeoutError from None


class _Answer:
    """The answer of a part, which may have to be made first."""

    def __init__(self, part: _Actor, method: str, given: tuple[Any, ...]) -> None:
        self._part = part
        self._method = method
        self._given = given
        self._until = time.monotonic() + _MAKING
        self._look = time.monotonic() + _LOOK
        self._future: Any = None
        if part.actor is not None:
            self._call()

    def _call(self) -> None:
        try:
            self._future = getattr(self._part.actor, self._method)(*self._given)
        except _UNREACHABLE as error:
            raise LostError from error

    def get(self, seconds: float) -> Any:
        """Wait; see `engines.Pending`."""
        try:
            if self._part.actor is None:
                self._part.actor = _result(self._part.future, seconds)
            if self._future is None:
                self._call()
            return _result(self._future, seconds)
        except TimeoutError:
            now = time.monotonic()
            if self._part.actor is None and now > self._until:
                raise LostError from None
            if now > self._look:
                # Dask may wait for ever for an actor whose worker has gone.
                self._look = now + _LOOK
                if all(place.name != self._part.place for place in self._part.places()):
                    raise LostError from None
            raise
        except (CancelledError, *_UNREACHABLE) as error:
            raise LostError from error


class _Actor:
    """A part on a worker, made there by and by."""

    def __init__(self, future: Any, place: str, places: Callable[[], list[Place]]) -> None:
        self.place = place
        self.places = places
        self.future = future
        self.actor: Any = None

    def send(self, method: str, *given: Any) -> _Answer:
        """Call a method; see `engines.Handle`."""
        return _Answer(self, method, given)

    def free(self) -> None:
        """Let go of the part; see `engines.Handle`."""
        self.actor = None
        with contextlib.suppress(*_UNREACHABLE):  # The cluster may be gone, and the part with it.
            self.future.cancel(force=True)


class DaskEngine:
    """The workers of a client.

    Parameters
    ----------
    client
        A `distributed.Client`.
    """

    word = "workers of the client"
    lasting = False

    def __init__(self, client: Any) -> None:
        from distributed import Client  # type: ignore[import-not-found]

        if not isinstance(client, Client):
            raise ParameterError(f"on: expected a distributed.Client, got {client!r}")
        if client.asynchronous:
            raise ParameterError("on: an asynchronous client cannot be waited for; give one that was made without it")
        self._client = client

    def places(self) -> list[Place]:
        """List the workers; none where the scheduler cannot be reached."""
        # Asked of the scheduler: what the client remembers of it is written over now and then, without the workers.
        scheduler = self._client.scheduler
        if scheduler is None:  # The client is closed.
            return []
        try:
            try:
                found = self._client.sync(scheduler.identity, n_workers=-1)["workers"]
            except TypeError:  # Older versions list all.
                found = self._client.sync(scheduler.identity)["workers"]
        except _UNREACHABLE:
            return []
        return [Place(name, int(facts["nthreads"]), facts["memory_limit"] or None) for name, facts in found.items()]

    def put(self, make: Callable[..., Any], given: tuple[Any, ...], threads: int, place: str) -> _Actor:
        """Make a part on a worker; see `engines.Engine`."""
        options = {"workers": [place], "allow_other_workers": False, "actor": True, "pure": False, "retries": 0}
        return _Actor(self._client.submit(make, *given, threads, **options), place, self.places)
