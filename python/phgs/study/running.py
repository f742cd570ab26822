"""Running a study on any executor, with progress, from where it was left."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from pathlib import Path

from phgs.errors import ParameterError
from phgs.network.catalogue import find
from phgs.progress import Line
from phgs.study import paper_values
from phgs.study.configuration import Configuration
from phgs.study.entries import Group, NetworkEntry
from phgs.study.solving import Outcome, Solved, solve
from phgs.study.store import Store
from phgs.workers import InFlight, own_processes, stop

_IN_FLIGHT = 64
"""Groups that are handed to somebody else's executor at a time."""

Solver = Callable[[Group, int, str], Solved]


@dataclass(frozen=True)
class Finished:
    """How a run of a study ended.

    Attributes
    ----------
    done, failed, not_finished : int
        Tasks recorded in the folder, how many of these failed, and how many were stopped at the time limit.
    new : int
        Tasks recorded by this run.
    seconds : float
        Wall time of this run.
    """

    done: int
    failed: int
    not_finished: int
    new: int
    seconds: float


def run_study(
    configuration: Configuration,
    folder: str | Path,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    retry_failed: bool = False,
    progress: bool | None = None,
    solver: Solver = solve,
) -> Finished:
    """Run what is not done yet of a study.

    Every group of tasks (a method at one significance level on one data set, with the methods that use its skeleton) is
    written to the folder when it is finished, in one transaction; a run that is killed loses only groups that were
    running. Run it again to continue. A task that fails is recorded with its error and does not stop the rest.

    Parameters
    ----------
    configuration
        What to run.
    folder
        Where results are kept: a new or empty folder, or one of the same configuration.
    workers
        Number of processes; by default the number of cores.
    executor
        Where to run instead: any `concurrent.futures.Executor`, such as that of a Dask or Ray cluster whose workers
        have phgs installed.
    retry_failed
        Whether to run tasks again that failed or were stopped at the time limit.
    progress
        Whether to show progress with the time left on standard error; None shows it on terminals.
    solver
        What runs a group; a function of a group, the number of rows and the type of data that can be sent to workers.

    Raises
    ------
    ParameterError
        When a network is not at hand, or the folder belongs to something else; nothing is overwritten.
    """
    _check_networks(configuration.networks)
    start = time.monotonic()
    with Store(folder, configuration) as store:
        # What is stored may differ in name only; it is what results are of.
        configuration = store.configuration
        done = store.done(failed=not retry_failed)
        groups = [group for group in configuration.groups() if not done.issuperset(group.keys)]
        total = sum(len(group.keys) for group in configuration.groups())
        line = _Line(groups, total, progress)
        runner = _Runner(executor, workers, solver, configuration)
        new = 0
        try:
            for group, solved, seconds in runner.run(groups):
                store.add(solved)
                new += len(solved.outcomes)
                line.add(group, solved, seconds)
        finally:
            line.end()
        outcomes = list(store.outcomes())
    stopped = sum(not outcome.finished for outcome in outcomes)
    failed = sum(outcome.error is not None for outcome in outcomes) - stopped
    return Finished(len(outcomes), failed, stopped, new, time.monotonic() - start)


class _Runner:
    """Hands groups to an executor and takes back what is finished, whatever the order."""

    def __init__(self, executor: Executor | None, workers: int | None, solver: Solver, of: Configuration) -> None:
        from phgs._core import available_threads

        if workers is not None and workers < 1:
            raise ParameterError(f"workers: {workers!r} must be at least 1")
        self._given = executor
        self._workers = workers or available_threads()
        self._solver = solver
        self._of = of
        self._most = self._workers + 1 if executor is None else _IN_FLIGHT

    def run(self, groups: list[Group]) -> Iterator[tuple[Group, Solved, float]]:
        """Yield each group with what it gave and its seconds."""
        waiting = list(reversed(groups))
        # Groups that were running when a worker died: they run again, alone, so that the one that kills is found.
        suspects: list[Group] = []
        running: InFlight[tuple[Group, float]] = InFlight()
        executor = self._given or self._own()
        alone = False
        try:
            while waiting or suspects or running:
                if not running:
                    alone = bool(suspects)
                queue = suspects if alone else waiting
                while queue and len(running) < (1 if alone else self._most):
                    n_rows = queue[-1].network.n_rows or self._of.n_rows
                    begun = (queue[-1], time.monotonic())
                    try:
                        running.submit(begun, executor, self._solver, queue[-1], n_rows, self._of.data_type)
                    except BrokenExecutor:
                        if not running:
                            raise
                        break
                    queue.pop()
                (group, started), solved, error = running.next()
                died = isinstance(error, BrokenExecutor)
                if died and not alone:
                    suspects.append(group)
                else:
                    if died:
                        solved = _failed(group, f"the worker process died: {error}")
                    elif isinstance(error, Exception):
                        solved = _failed(group, f"{type(error).__name__}: {error}")
                    elif error is not None:
                        raise error
                    yield group, solved, time.monotonic() - started
                if died:
                    if self._given is not None:
                        raise BrokenExecutor(f"the executor broke: {error}; run the study again to go on")
                    suspects.extend(group for group, _ in running.about.values())
                    running.clear()
                    stop(executor)
                    executor = self._own()
        except BaseException:
            if self._given is None:
                # Its own way to end: a pool whose workers end trips over what others have cancelled.
                stop(executor)
            else:
                running.cancel()
            raise
        if self._given is None:
            executor.shutdown()

    def _own(self) -> Executor:
        return own_processes(self._workers)


def _failed(group: Group, error: str) -> Solved:
    return Solved([Outcome(*key, error=error) for key in group.keys], {})


def _check_networks(networks: tuple[NetworkEntry, ...]) -> None:
    """Find all networks before anything runs."""
    for entry in networks:
        if entry.name == paper_values.MIX:
            for name in paper_values.simplest():
                find(name)
        elif Path(entry.name).suffix or Path(entry.name).name != entry.name:
            if not Path(entry.name).is_file():
                raise ParameterError(f"there is no file {entry.name}")
        else:
            find(entry.name)


class _Line:
    """One line with the share done and the time left."""

    def __init__(self, groups: list[Group], total: int, shown: bool | None) -> None:
        self._total = total
        self._done = total - sum(len(group.keys) for group in groups)
        self._waiting = Counter(group.members[0].label for group in groups)
        self._spent: dict[str, list[float]] = {}
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._start = time.monotonic()
        self._failed = 0
        self._line = Line("study")

    def add(self, group: Group, solved: Solved, seconds: float) -> None:
        """Count a finished group and show the line."""
        label = group.members[0].label
        self._waiting[label] -= 1
        self._spent.setdefault(label, []).append(seconds)
        self._done += len(solved.outcomes)
        self._failed += sum(outcome.error is not None for outcome in solved.outcomes)
        if not self._shown:
            return
        text = f"{self._done:,} of {self._total:,} tasks, about {_duration(self._time_left())} left"
        text += f", {self._failed:,} failed" if self._failed else ""
        text += f" ({group.network.label} {group.seed} {label})"
        self._line.show(text)

    def _time_left(self) -> float:
        """Scale the time so far by the work left, where a method takes as long as it did on average so far."""
        spent = sum(map(sum, self._spent.values()))
        groups = sum(map(len, self._spent.values()))
        left = 0.0
        for label, count in self._waiting.items():
            known = self._spent.get(label)
            left += count * (sum(known) / len(known) if known else spent / groups)
        return (time.monotonic() - self._start) * left / max(spent, 1e-9)

    def end(self) -> None:
        """Leave the line."""
        if self._line.width:
            sys.stderr.write("\n")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
