"""Learning from rows drawn again and again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import parameters
from phgs.confidence.confidence import EdgeConfidence, counted
from phgs.confidence.store import Replicate, Store, identity
from phgs.data.sharded import ShardedTable
from phgs.errors import DataError, ParameterError
from phgs.knowledge import Knowledge
from phgs.learners.base import Learner
from phgs.progress import Progress, reporter
from phgs.sending import call, sent
from phgs.workers import InFlight, own_processes, shared, stop

if TYPE_CHECKING:
    from phgs.data import Data
    from phgs.data.frames import Name

_AHEAD = 64
"""How many replicates are handed to an executor before the first of them is done."""


def bootstrap(
    learner: Learner | str,
    data: Any,
    n: int = 200,
    seed: int = 0,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = None,
) -> EdgeConfidence:
    """Learn from resampled rows, many times, and count how often each edge comes out.

    Each replicate draws as many rows as there are, with replacement, and learns from them (Friedman, Goldszmidt and
    Wyner 1999). Edges are counted in the replicates' CPDAGs, so that an edge whose direction the data cannot tell
    counts as undirected. The cost is that of learning, `n` times.

    Parameters
    ----------
    learner : learner or str
        What to learn with, such as ``phgs.PHGS(alpha=0.01)``; or the name of a method with its defaults. A test or
        score of your own must be an object with a method ``on(table)``, which returns the function of the rows drawn.
    data
        Any data that `phgs.as_table` reads.
    n : int
        Number of replicates.
    seed : int
        Seed of the rows. Replicate i depends on the seed and on i alone: not on `n`, `workers`, `executor` or threads.
    workers : int
        Number of processes that learn replicates, each with one thread unless the learner says otherwise. By default
        replicates are learned one after another in this process, each with the learner's threads. Ctrl-C ends the
        processes.
    executor : concurrent.futures.Executor, optional
        Where to learn instead: any executor, such as that of a Dask or Ray cluster whose workers have phgs installed.
        Each worker gets the data once: from a temporary file, or where it does not see that, with its first tasks.
        Ctrl-C leaves what it has begun to it.
    folder : path, optional
        Keeps every replicate in a file of its own, as soon as it is learned. Called again with the same folder,
        `bootstrap` continues where it was interrupted, or adds replicates up to a larger `n`. Without it Ctrl-C loses
        what was learned.
    progress : bool or callable, optional
        As in learners; a callable gets ``("bootstrap", done, n)``.

    Returns
    -------
    EdgeConfidence
        A table of pairs with the shares of replicates that join them, and `EdgeConfidence.consensus`.

    Raises
    ------
    ParameterError
        When the folder holds something else.
    DataError
        When the data cannot be used, or hold correlations in place of rows.
    ChildProcessError
        When a worker process dies, for example because memory ran out.

    Examples
    --------
    >>> import phgs
    >>> table = phgs.Network.load("asia").sample(2000, seed=1)
    >>> found = phgs.bootstrap(phgs.PHGS(), table, n=20, seed=1)
    >>> found.pair("smoke", "bronc").frequency
    1.0
    >>> found.consensus().n_variables
    8
    """
    count, checked_seed = parameters.whole("n", n, 1), parameters.whole("seed", seed)
    n_workers = parameters.whole("workers", workers, 1)
    if executor is not None and n_workers > 1:
        raise ParameterError("workers: give workers or executor, not both")
    made = _quiet(learner, executor, n_workers)
    table = made._table(data, stacklevel=3)
    made._check_rows()
    if not table.has_rows:
        if isinstance(table, ShardedTable):
            table.release()
            raise DataError(
                "the rows are on workers, and none are drawn there; give a sample of them: source.sample(rows)"
            )
        table.take(np.empty(0, np.intp))  # Says what it has in place of rows.
    facts = identity(made, table, checked_seed)
    made.counts = made.weights = None  # The rows of the table have them already.
    store = None if folder is None else Store(folder, facts)
    done: dict[int, Replicate] = {} if store is None else store.done(count)
    todo = [index for index in range(count) if index not in done]
    with reporter(progress, f"{made.method}, bootstrap") as show:

        def keep(index: int, replicate: Replicate) -> None:
            if store is not None:
                store.write(index, replicate)
            done[index] = replicate
            if show is not None:
                show("bootstrap", len(done), count)

        if executor is not None:
            _over_executor(executor, (made, table, checked_seed), todo, keep)
        elif min(n_workers, len(todo)) > 1:
            _over_processes(min(n_workers, len(todo)), (made, table, checked_seed), todo, keep)
        else:
            for index in todo:
                keep(index, learn_replicate(made, table, checked_seed, index))
        if show is not None:
            show("finished", 1, 1)
    replicates = [done[index] for index in range(count)]
    return EdgeConfidence(
        method=made.method,
        variables=table.names,
        n_replicates=count,
        n_incomplete=sum(not replicate.complete for replicate in replicates),
        seed=checked_seed,
        n_rows=table.n_rows,
        parameters=facts["parameters"],
        isolated=_isolated(table.names, replicates),
        counts=counted((replicate.directed, replicate.undirected) for replicate in replicates),
        knowledge=None if made.knowledge is None else Knowledge.of(made.knowledge),
    )


def _isolated(names: Sequence[Name], replicates: Sequence[Replicate]) -> dict[Name, int]:
    counts = Counter(x for replicate in replicates for x in replicate.isolated)
    return {names[x]: counts[x] for x in sorted(counts)}


def _quiet(learner: Learner | str, executor: Executor | None, workers: int) -> Learner:
    """Return the learner as replicates use it: without progress of its own, which no other process could show."""
    if isinstance(learner, str):
        from phgs.learn import learner as named

        learner = named(learner)
    if not isinstance(learner, Learner):
        raise ParameterError(
            f"learner: expected a learner such as phgs.PHGS() or the name of a method, got {learner!r}"
        )
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ParameterError(f"executor: expected an executor of concurrent.futures, got {executor!r}")
    made = type(learner)(**learner.get_params(deep=False))
    made.progress = False
    if (executor is not None or workers > 1) and made.threads == 0:
        made.threads = 1
    made._check()
    return made


def learn_replicate(learner: Learner, table: Data, seed: int, index: int) -> Replicate:
    """Learn from one draw of the rows."""
    rows = np.random.default_rng([seed, index]).integers(0, table.n_rows, table.n_rows)
    drawn = table.take(rows)
    # Where gaps are filled in, functions of the user's own get the completed data in each round.
    result = (learner if drawn.to_fill else learner._on(drawn))._learn(drawn, stacklevel=2)
    return Replicate(*result.cpdag._edges_for_core(), result.complete, list(drawn.degenerate))


def _over_executor(
    executor: Executor, task: tuple[Learner, Data, int], todo: list[int], keep: Callable[[int, Replicate], None]
) -> None:
    """Learn over somebody's executor, each of whose workers gets the table once: from a file, or else with a task."""
    running: InFlight[int] = InFlight()
    with sent(task) as what:
        if what is None:
            give: Callable[[InFlight[int], int], None]
            give = lambda to, i: to.submit(i, executor, learn_replicate, *task, i)  # noqa: E731
            take = keep
        else:
            give = lambda to, i: to.submit(i, executor, call, learn_replicate, what, None, i)  # noqa: E731

            missed: set[int] = set()

            def take(index: int, found: Any) -> None:
                if found:
                    keep(index, found[0])
                    return
                # Of those that came back, the first takes the table along, and the others may then find it there.
                content = what.content() if index in missed or not missed else None
                missed.add(index)
                running.submit(index, executor, call, learn_replicate, what, content, index)

        try:
            _over(give, todo, take, running)
        finally:
            running.cancel()


def _over_processes(
    workers: int,
    task: tuple[Learner, Data, int],
    todo: list[int],
    keep: Callable[[int, Replicate], None],
) -> None:
    """Learn over processes of our own, each of which gets the table once; they end when anything raises."""
    executor = own_processes(workers, *task)
    try:
        # What is left is not cancelled here: a pool whose workers end trips over what others have cancelled.
        _over(lambda to, i: to.submit(i, executor, _learn_shared, i), todo, keep, InFlight())
    except BaseException as error:
        stop(executor)
        if isinstance(error, BrokenExecutor):
            raise ChildProcessError(f"a worker process died: {error}") from None
        raise
    executor.shutdown()


def _learn_shared(index: int) -> Replicate:
    """Learn a replicate in a worker."""
    learner, table, seed = shared()
    return learn_replicate(learner, table, seed, index)


def _over(
    give: Callable[[InFlight[int], int], None],
    todo: list[int],
    keep: Callable[[int, Any], None],
    running: InFlight[int],
) -> None:
    """Learn over an executor; what is done when anything raises is kept, the rest stays in `running`."""
    left = iter(todo)
    try:
        while True:
            while len(running) < _AHEAD and (index := next(left, None)) is not None:
                give(running, index)
            if not running:
                return
            index, replicate, error = running.next()
            if error is not None:
                raise error
            keep(index, replicate)
    except BaseException:
        for index, replicate, error in running.finished():
            if error is None:
                keep(index, replicate)
        raise
