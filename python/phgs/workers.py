"""Worker processes of our own: deaf to Ctrl-C, ended by who started them."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeVar

__all__ = ["InFlight", "interrupts_held", "own_processes", "shared", "stop"]

Task = TypeVar("Task")

_shared: tuple[Any, ...] = ()
"""In a worker: what its pool was made with."""


def own_processes(workers: int, *shared: Any) -> Executor:
    """Return a pool of fresh processes, each of which gets `shared` once, when it starts.

    Hand work to it within `interrupts_held`, and `stop` it when anything raises. Whatever is large belongs into
    `shared`: tasks travel through a pipe, and one that does not fit into it would wait for ever for workers that were
    ended.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fresh interpreter for each worker: forking would copy whatever threads the caller has.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=shared)


def shared() -> tuple[Any, ...]:
    """Return, in a worker, what its pool shares."""
    return _shared


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Put off a Ctrl-C until a worker is started; the worker is deaf to it from its first moment.

    A terminal sends the signal to workers too, and who started them ends them. One that is still importing, or whose
    start was cut short, would show a traceback.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *given: held.append(given))
    # Another thread may still get the signal for us; what is blocked here is inherited by the worker.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
        if held:
            before(*held[0])


class InFlight(Generic[Task]):
    """Tasks that an executor was given, each with what it is about, and those that are done.

    `concurrent.futures.wait` and `Future.result` take locks of the futures. A Ctrl-C in the wrong moment would leave
    them taken, and the pool would wait for them for ever. Here a Ctrl-C waits until locks are free.
    """

    def __init__(self) -> None:
        self.about: dict[Future[Any], Task] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()

    def __len__(self) -> int:
        return len(self.about)

    def submit(self, task: Task, executor: Executor, function: Callable[..., Any], *arguments: Any) -> None:
        """Give an executor something to do; a pool starts its workers then."""
        with interrupts_held():
            future = executor.submit(function, *arguments)
            self.about[future] = task
            future.add_done_callback(self._done.put)

    def next(self) -> tuple[Task, Any, BaseException | None]:
        """Wait until one is done; return what it is about, its result, and what it raised."""
        while (future := self._done.get()) not in self.about:
            pass
        return self._taken(future)

    def finished(self) -> Iterator[tuple[Task, Any, BaseException | None]]:
        """Take those that are done by now."""
        with contextlib.suppress(queue.Empty):
            while True:
                if (future := self._done.get_nowait()) in self.about:
                    yield self._taken(future)

    def _taken(self, future: Future[Any]) -> tuple[Task, Any, BaseException | None]:
        with interrupts_held():
            task = self.about.pop(future)
            error = CancelledError() if future.cancelled() else future.exception()
            return task, None if error is not None else future.result(), error

    def clear(self) -> None:
        """Forget all."""
        self.about.clear()

    def cancel(self) -> None:
        """Cancel what is not begun, for an executor that goes on. One of our own is stopped instead."""
        with interrupts_held():
            for future in self.about:
                future.cancel()


def _begin(*shared: Any) -> None:
    """Keep what is shared; let a worker end when its parent ends or is killed, and at no Ctrl-C.

    Without its parent it would wait for work for ever.
    """
    import multiprocessing
    import os

    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def stop(executor: Executor) -> None:
    """End the workers of our own pool at once: what they were doing is not recorded and will be done again."""
    processes = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
