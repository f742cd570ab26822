"""An executor's workers get the table once, whether they see our files or not."""

import concurrent.futures
import dataclasses
import multiprocessing
import pickle
from pathlib import Path

import pytest

import phgs
from phgs import sending


class Worker(concurrent.futures.Executor):
    """One worker in another process, as far as memory goes; it notes the bytes of each task."""

    def __init__(self, sees_files):
        self.sees_files = sees_files
        self.sizes = []
        self.paths = set()

    def submit(self, function, *arguments):
        task = pickle.dumps((function, arguments))
        self.sizes.append(len(task))
        function, arguments = pickle.loads(task)
        here = dict(sending._here)
        sending._here.clear()
        sent = next(argument for argument in arguments if isinstance(argument, sending.Sent))
        self.paths.add(sent.path)
        if not self.sees_files:
            away = dataclasses.replace(sent, path="/nowhere/table")
            arguments = [away if argument is sent else argument for argument in arguments]
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        sending._here.update(here)
        return future


@pytest.fixture(scope="module")
def table():
    return phgs.Network.load("asia").sample(20_000, seed=1)


@pytest.fixture(scope="module")
def wanted(table):
    return phgs.bootstrap("pc", table, 8, 1)


@pytest.mark.parametrize("sees_files", [True, False])
def test_tasks_are_small(table, wanted, sees_files):
    sending._received.clear()
    worker = Worker(sees_files)
    assert phgs.bootstrap("pc", table, 8, 1, executor=worker) == wanted
    large = [size for size in worker.sizes if size > 100_000]
    if sees_files:
        assert not large
        assert len(worker.sizes) == 8
        assert max(worker.sizes) < 2_000
    else:
        # All eight were handed out before the first came back, and came back.
        assert len(worker.sizes) == 16
        assert len(large) == 1
        before = len(worker.sizes)
        assert phgs.bootstrap("pc", table, 8, 1, executor=worker) == wanted
        assert max(worker.sizes[before:]) < 2_000, "the worker has kept the table"
    assert not any(Path(path).exists() for path in worker.paths)
    assert not sending._here


def test_a_file_that_was_changed_is_not_read(table):
    sending._received.clear()
    with sending.sent(("a", table)) as what:
        sending._here.clear()
        Path(what.path).write_bytes(b"\x80\x05N.")
        assert sending.call(lambda *_: "read", what, None) == []
    assert not Path(what.path).exists()


def test_processes_and_threads_give_the_same(table, wanted):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        assert phgs.bootstrap("pc", table, 8, 1, executor=executor) == wanted
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        assert phgs.bootstrap("pc", table, 8, 1, executor=executor) == wanted
