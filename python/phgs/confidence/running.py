"""Learning from rows drawn again and again."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import parameters
from phgs.confidence.confidence import EdgeConfidence, counted
from phgs.confidence.store import Replicate, Store, identity
from phgs.errors import DataError, ParameterError
from phgs.learners.base import Learner
from phgs.progress import Progress, reporter

if TYPE_CHECKING:
    from phgs.data import Data

_AHEAD = 64
"""How many replicates are handed to an executor before the first of them is done."""


def bootstrap(
    learner: Learner | str,
    data: Any,
    n: int = 200,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = None,
) -> EdgeConfidence:
    """Learn from rows drawn again, many times, and count how often each edge comes out.

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
        Seed of the rows. Replicate i depends on the seed and on i alone: not on `n`, `executor` or threads.
    executor : concurrent.futures.Executor, optional
        Where replicates are learned, for instance a `ProcessPoolExecutor`; each is then learned with one thread unless
        the learner says otherwise. By default one after another in this process, each with the learner's threads.
    folder : path, optional
        Keeps every replicate in a file of its own, as soon as it is learned. Called again with the same folder,
        `bootstrap` goes on where it was interrupted, or adds replicates up to a larger `n`. Without it Ctrl-C loses
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
    assert count is not None
    assert checked_seed is not None
    made = _quiet(learner, executor)
    table = made._table(data, stacklevel=3)
    made._on(table)
    if not table.has_rows:
        raise DataError("a correlation matrix has no rows to draw from; give the columns themselves")
    facts = identity(made, table, checked_seed)
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

        if executor is None:
            for index in todo:
                keep(index, learn_replicate(made, table, checked_seed, index))
        else:
            _over(executor, todo, lambda index: (made, table, checked_seed, index), keep)
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
        counts=counted((replicate.directed, replicate.undirected) for replicate in replicates),
    )


def _quiet(learner: Learner | str, executor: Executor | None) -> Learner:
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
    if executor is not None and made.threads == 0:
        made.threads = 1
    made._check()
    return made


def learn_replicate(learner: Learner, table: Data, seed: int, index: int) -> Replicate:
    """Learn from one draw of the rows."""
    rows = np.random.default_rng([seed, index]).integers(0, table.n_rows, table.n_rows)
    drawn = table.take(rows)
    result = learner._on(drawn)._learn(drawn, stacklevel=2)
    return Replicate(*result.cpdag._edges_for_core(), result.complete)


def _over(
    executor: Executor,
    todo: list[int],
    arguments: Callable[[int], tuple[Learner, Data, int, int]],
    keep: Callable[[int, Replicate], None],
) -> None:
    """Learn over an executor; what is done when anything raises is kept."""
    left = iter(todo)
    running: dict[Future[Replicate], int] = {}
    try:
        while True:
            while len(running) < _AHEAD and (index := next(left, None)) is not None:
                running[executor.submit(learn_replicate, *arguments(index))] = index
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                keep(running.pop(future), future.result())
    except BaseException:
        for future in running:
            future.cancel()
        for future, index in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                keep(index, future.result())
        raise
