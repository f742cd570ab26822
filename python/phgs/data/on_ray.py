"""Parts on the nodes of a Ray cluster, as actors; lost ones are made again by who asks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from phgs.data.engines import LostError, Place
from phgs.errors import ParameterError


class _Holder:
    """What runs on a node: a part, which answers there."""

    def __init__(self, make: Callable[..., Any], given: tuple[Any, ...], threads: int) -> None:
        self._part = make(*given, threads)

    def call(self, method: str, given: tuple[Any, ...]) -> Any:
        """Call a method of the part."""
        return getattr(self._part, method)(*given)


class _Answer:
    """The answer of a part, which may have to be made first."""

    def __init__(self, ray: Any, reference: Any) -> None:
        self._ray = ray
        self._reference = reference

    def get(self, seconds: float) -> Any:
        """Wait; see `engines.Pending`."""
        try:
            return self._ray.get(self._reference, timeout=seconds)
        except TimeoutError:
            raise
        except self._ray.exceptions.RayTaskError:
            # The part is there, and cannot do what it was asked for.
            raise
        except self._ray.exceptions.RayError as error:
            raise LostError from error


class _Actor:
    """A part on a node, made there by and by."""

    def __init__(self, ray: Any, actor: Any, place: str) -> None:
        self.place = place
        self._ray = ray
        self._actor = actor

    def send(self, method: str, *given: Any) -> _Answer:
        """Call a method; see `engines.Handle`."""
        if self._actor is None:
            raise LostError
        try:
            return _Answer(self._ray, self._actor.call.remote(method, given))
        except self._ray.exceptions.RayError as error:
            raise LostError from error

    def free(self) -> None:
        """Let go of the part; see `engines.Handle`."""
        actor, self._actor = self._actor, None
        if actor is not None and self._ray.is_initialized():
            with contextlib.suppress(self._ray.exceptions.RayError, ValueError):  # It may be gone already.
                self._ray.kill(actor, no_restart=True)


class RayEngine:
    """The nodes of the cluster that Ray is connected to: a part on each, which reserves no core and counts with all.

    Parameters
    ----------
    ray
        The module.
    """

    word = "nodes of the Ray cluster"
    lasting = True

    def __init__(self, ray: Any) -> None:
        if not ray.is_initialized():
            raise ParameterError("on: ray is not connected to a cluster; call ray.init() first")
        self._ray = ray

    def places(self) -> list[Place]:
        """List the nodes that can compute."""
        found = []
        for node in self._ray.nodes():
            threads = int(node["Resources"].get("CPU", 0))
            if node["Alive"] and threads:
                found.append(Place(node["NodeID"], threads, int(node["Resources"].get("memory", 0)) or None))
        return sorted(found)

    def put(self, make: Callable[..., Any], given: tuple[Any, ...], threads: int, place: str) -> _Actor:
        """Make a part on a node; see `engines.Engine`."""
        from ray.util.scheduling_strategies import (  # type: ignore[import-not-found]
            NodeAffinitySchedulingStrategy,
        )

        options = {"num_cpus": 0, "max_restarts": 0, "max_task_retries": 0}
        there = NodeAffinitySchedulingStrategy(place, soft=False)
        holder = self._ray.remote(_Holder).options(**options, scheduling_strategy=there)
        return _Actor(self._ray, holder.remote(make, given, threads), place)
