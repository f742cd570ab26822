"""The parts of a large table, wherever they are at the moment: asked together, and made again where they are lost."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, NoReturn

from phgs import _core
from phgs.data.engines import Engine, Handle, LostError, Pending, Place
from phgs.data.parts import Failure
from phgs.errors import DataError, ParameterError
from phgs.texts import bytes_text

_WAIT = 0.05
"""Seconds between two looks at whether the run was cancelled."""

_AT_ONCE = 0.5
"""Seconds for which a worker works before it says how far it is: so soon a Ctrl-C frees it, or a row group later."""

_NEW_WORKER = 15.0
"""Seconds to wait for another worker where the last one is lost."""

_ATTEMPTS = 5
"""So often a part is made again before it is given up."""


@dataclass(frozen=True)
class _Step:
    """Something that all parts have done, which a part that is made again does again.

    Attributes
    ----------
    method, given
        What each was asked.
    facts
        What each said, which must be so again.
    fact
        What is compared of an answer.
    repeated
        Whether it is asked until nothing is left.
    """

    method: str
    given: Sequence[tuple[Any, ...]]
    facts: list[Any]
    fact: Callable[[Any], Any]
    repeated: bool = False


@dataclass(eq=False)
class Parts:
    """All parts of the rows, wherever they are at the moment.

    Attributes
    ----------
    engine
        Where they are.
    make
        What makes one, of what is given and the number of threads.
    given
        What each is made of.
    handles
        Who is asked; none once the parts were let go of.
    lost
        Parts that were made again.
    """

    engine: Engine
    make: Callable[..., Any]
    given: list[tuple[Any, ...]]
    handles: list[Handle] = field(default_factory=list)
    lost: int = 0
    _threads: dict[str, int] = field(default_factory=dict)
    _losses: Counter[int] = field(default_factory=Counter)
    _steps: list[_Step] = field(default_factory=list)
    _are_ready: bool = False

    def start(self, places: Sequence[Place]) -> None:
        """Put each part on a worker of its own."""
        self._threads = {place.name: place.threads for place in places}
        for i, place in zip(range(len(self.given)), places, strict=False):
            self.handles.append(self._put(i, place.name))
        for i, version in enumerate(self.call("version", [()] * len(self.handles))):
            self._check_version(i, version)

    def _put(self, i: int, place: str) -> Handle:
        return self.engine.put(self.make, self.given[i], self._threads.get(place, 1), place)

    def _check_version(self, i: int, version: str) -> None:
        if version != _core.__version__:
            raise DataError(
                f"worker {self.handles[i].place} has version {version} of phgs, and this is {_core.__version__};"
                " install the same on all"
            )

    def work(self, method: str, *given: Any) -> None:
        """Call a method of all parts, last with seconds, until nothing is left: reading, and all else that takes long.

        So Ctrl-C frees the workers soon.
        """
        asked = [(*given, _AT_ONCE)] * len(self.handles)
        left = [1] * len(self.handles)
        while any(left):
            left = self.call(method, asked)
        self._steps.append(_Step(method, asked, left, lambda left: left, repeated=True))

    def step(self, method: str, given: Sequence[tuple[Any, ...]], fact: Callable[[Any], Any] = lambda it: it) -> Any:
        """Call a method of every part that a part which is made again must be called with, too.

        Parameters
        ----------
        method, given
            What each is asked.
        fact
            What of an answer must be the same then; else the data have changed.
        """
        answers = self.call(method, given)
        self._steps.append(_Step(method, given, [fact(answer) for answer in answers], fact))
        return answers

    def ready(self) -> None:
        """Say that all steps are done: from now on parts may be lost any number of times."""
        self._are_ready = True

    def free(self) -> None:
        """Let go of all parts."""
        for handle in self.handles:
            handle.free()
        self.handles = []

    def call(self, method: str, given: Sequence[tuple[Any, ...]], cancelled: Callable[[], bool] | None = None) -> Any:
        """Call a method of every part, and return the answers; of lost parts once they have been made again.

        Returns an empty list when the run was cancelled. Ctrl-C lets go of all parts.
        """
        if not self.handles:
            raise DataError(
                "data: the workers have let go of these rows, because their source was closed or a run was interrupted;"
                " open it again with phgs.shards(...) and learn from that"
            )
        answers: dict[int, Any] = {}
        lost = list(range(len(self.handles)))
        try:
            for attempt in range(_ATTEMPTS):
                waiting: dict[int, Pending] = {}
                for i in lost:
                    with contextlib.suppress(LostError):
                        waiting[i] = self.handles[i].send(method, *given[i])
                for i, pending in waiting.items():
                    with contextlib.suppress(LostError):
                        answers[i] = self._answer(i, pending, cancelled)
                lost = [i for i in lost if i not in answers]
                for i in lost:
                    if attempt + 1 == _ATTEMPTS:
                        self._give_up(i)
                    self._again(i, cancelled)
                if not lost:
                    break
        except CancelledError:
            return []
        except KeyboardInterrupt:
            self.free()
            raise
        return [answers[i] for i in range(len(self.handles))]

    def _answer(self, i: int, pending: Pending, cancelled: Callable[[], bool] | None) -> Any:
        """Wait for an answer: `LostError` when the part is lost, `CancelledError` when the run was cancelled."""
        while True:
            try:
                answer = pending.get(_WAIT)
            except TimeoutError:
                if cancelled is not None and cancelled():
                    raise CancelledError from None
                continue
            if isinstance(answer, Failure):
                raise self._of_worker(i, answer.error)
            return answer

    def _of_worker(self, i: int, error: Exception) -> Exception:
        place = self.handles[i].place
        if isinstance(error, FileNotFoundError):
            return DataError(f"worker {place} finds no file {error}; the files must be where all workers see them")
        if isinstance(error, (MemoryError, OSError)):
            return DataError(f"worker {place}: {type(error).__name__}: {error}")
        return error

    def _give_up(self, i: int) -> NoReturn:
        raise DataError(
            f"worker {self.handles[i].place} was lost, and its part of the rows with it; give the workers more memory,"
            " or learn from phgs.shards(...).sample(rows)"
        )

    def _again(self, i: int, cancelled: Callable[[], bool] | None) -> None:
        """Make a part again on another worker: it must be what it was."""
        self.lost += 1
        self._losses[i] += 1
        dead = self.handles[i].place
        self.handles[i].free()
        # Reading takes many calls: a part that no worker can read would be lost in one after the other for ever.
        for _ in range(_ATTEMPTS if self._are_ready or self._losses[i] < _ATTEMPTS else 0):
            places = self._places_but(dead, cancelled)
            if not places:
                break
            self._threads = {place.name: place.threads for place in places}
            self.handles[i] = self._put(i, places[0].name)
            with contextlib.suppress(LostError):
                self._repeat(i, cancelled)
                return
            dead = places[0].name
        self._give_up(i)

    def _places_but(self, dead: str, cancelled: Callable[[], bool] | None) -> list[Place]:
        """Return the workers, those with the fewest parts first; wait for one where there is none but what was lost."""
        held = [handle.place for handle in self.handles]
        until = time.monotonic() + _NEW_WORKER
        while True:
            found = self.engine.places()
            others = [place for place in found if place.name != dead or self.engine.lasting]
            if others or time.monotonic() > until:
                # It may be that the worker is there and the part alone is lost.
                return sorted(others or found, key=lambda place: held.count(place.name))
            if cancelled is not None and cancelled():
                raise CancelledError
            time.sleep(_WAIT)

    def _repeat(self, i: int, cancelled: Callable[[], bool] | None) -> None:
        """Have a part that was made again do what it has done before."""

        def asked(method: str, given: tuple[Any, ...]) -> Any:
            return self._answer(i, self.handles[i].send(method, *given), cancelled)

        self._check_version(i, asked("version", ()))
        for step in self._steps:
            answer = asked(step.method, step.given[i])
            while step.repeated and answer:
                answer = asked(step.method, step.given[i])
            if step.fact(answer) != step.facts[i]:
                raise DataError(
                    "data: a part of the rows was read again, and is not what it was; the files have changed"
                )


def places_of(engine: Engine) -> list[Place]:
    """Return the workers of a cluster, which must have some."""
    places = engine.places()
    if not places:
        raise ParameterError(f"on: there are no {engine.word}; start some and try again")
    return places


def check_memory(engine: Engine, places: Sequence[Place], rows: Sequence[int], bytes_a_row: float) -> None:
    """Refuse what no worker could hold, before any row is read.

    Parameters
    ----------
    rows
        How many each worker would have.
    bytes_a_row
        What each takes.
    """
    for place, of_part in zip(places, rows, strict=False):
        needed = bytes_a_row * of_part
        if place.memory is not None and needed > place.memory:
            raise DataError(
                f"the table takes about {bytes_text(bytes_a_row * sum(rows))} on the {engine.word}, and worker"
                f" {place.name} would need {bytes_text(needed)} of its {bytes_text(place.memory)}; give more workers or"
                " more memory, or learn from phgs.shards(...).sample(rows)"
            )
