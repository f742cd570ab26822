"""Running: threads, forks, interruption, progress, limits, import."""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import phgs


def plain(result):
    """What must not depend on how a result was computed."""
    found = result.to_dict()
    for key in ("seconds", "stages", "parameters"):
        del found[key]
    return json.dumps(found)


@pytest.mark.parametrize("method", [method for method in phgs.METHODS if method != "gsc"])
def test_any_number_of_threads_gives_equal_bytes(alarm, method):
    made = [plain(phgs.learn(alarm.table, method, threads=threads, progress=False)) for threads in (1, 2, 3, 2)]
    assert len(set(made)) == 1


def test_column_order_does_not_change_the_graph(alarm):
    table = alarm.table
    order = np.random.default_rng(1).permutation(table.n_variables)
    columns = {f"{table.names[i]}'": table.codes[i] for i in order}

    def edges(graph):
        return {(a.rstrip("'"), b.rstrip("'")) for a, b in graph.directed} | {
            frozenset((a.rstrip("'"), b.rstrip("'"))) for a, b in graph.undirected
        }

    for method in ("pc", "ppc", "phgs", "auto", "ges", "tabu"):
        options = {"path_length": 1} if method in ("pc", "ppc") else {}
        first, second = (phgs.learn(data, method, progress=False, **options).cpdag for data in (table, columns))
        assert edges(first) == edges(second), method


@pytest.mark.parametrize("method", [method for method in phgs.METHODS if method != "gsc"])
def test_names_change_nothing(alarm, method):
    table = alarm.table
    data = {name: codes[:1000] for name, codes in zip(table.names, table.codes, strict=True)}
    renamed = {f"{37 - i} {name}": codes for i, (name, codes) in enumerate(data.items())}
    first, second = (phgs.learn(columns, method, progress=False) for columns in (data, renamed))
    assert (first.to_numpy() == second.to_numpy()).all()
    assert (first.score, first.calls, first.path) == (second.score, second.calls, second.path)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_one_thread_is_one_thread(alarm):
    def running():
        return len(list(Path("/proc/self/task").iterdir()))

    def most(threads):
        time.sleep(0.2)  # threads of earlier runs end
        before, seen = running(), [0]
        phgs.learn(alarm.table, "hpc", threads=threads, progress=lambda *_: seen.append(running()))
        return max(seen) - before

    phgs.learn(alarm.table, progress=False)
    # The one that works leaves the main thread free to hear Ctrl-C.
    assert most(1) <= 1 < most(3)


def test_two_data_sets_in_one_process(chain):
    from conftest import make_chain

    other = make_chain(seed=9)
    fresh = [plain(phgs.learn(data, progress=False)) for data in (other, chain)]
    assert [plain(phgs.learn(data, progress=False)) for data in (chain, other)] == fresh[::-1]


def test_python_threads_at_once(alarm):
    expected = plain(phgs.learn(alarm.table, progress=False))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(lambda: plain(phgs.learn(alarm.table, progress=False))) for _ in range(6)]
        assert {run.result() for run in runs} == {expected}


def _learn_in_child(data):
    return plain(phgs.learn(data, threads=2, progress=False))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_learns_too(chain):
    expected = _learn_in_child(chain)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_learn_in_child, [chain, chain]) == [expected, expected]


INTERRUPTED = """
import sys, time
import numpy as np
import phgs
data = phgs.datasets.load_alarm().table
long = phgs.{learner}
expected = phgs.learn(data, "phgs", progress=False).cpdag
try:
    # From here on a signal finds it at work, at any moment of it.
    print("ready", flush=True)
    while True:
        long.learn(data)
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert phgs.learn(data, "phgs", progress=False).cpdag == expected
print("right", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "learner",
    [
        "HillClimbing(restarts=100000, threads=2, progress=False)",
        "PC(alpha=0.9, max_conditioning_size=None, path_length=1, threads=2, progress=False)",
        "PHGS(threads=2, progress=False)",
        "PHGS(alpha=0.9, max_conditioning_size=8, tabu_patience=100000, threads=1, progress=False)",
    ],
)
@pytest.mark.parametrize("delay", [0.05, 0.6])
def test_ctrl_c_within_a_second(learner, delay):
    script = INTERRUPTED.format(learner=learner)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - sent < 1.0
        assert child.stdout.readline() == "right\n"
    assert child.returncode == 0


def test_a_time_limit_returns_the_best_so_far(alarm):
    made = phgs.HillClimbing(restarts=10**6, time_limit=0.5, progress=False)
    start = time.monotonic()
    result = made.learn(alarm.table)
    assert time.monotonic() - start < 5
    assert not result.complete
    assert "time limit" in str(result)
    assert result.dag.is_dag
    assert phgs.learn(alarm.table, time_limit=1e9, progress=False).complete


def test_progress_ends_with_finished(alarm):
    seen = []
    phgs.learn(alarm.table, progress=lambda *state: seen.append(state))
    assert seen[-1] == ("finished", 1, 1)
    assert all(isinstance(phase, str) and done >= 0 and total >= 0 for phase, done, total in seen)


def test_what_a_progress_callback_raises_is_passed_on(alarm):
    def stop(phase, done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        phgs.HillClimbing(restarts=10**6, progress=stop).learn(alarm.table)


def test_progress_is_silent_for_short_work_and_wipes_itself(capsys, alarm):
    phgs.learn(alarm.table, progress=True)
    assert capsys.readouterr().err == ""
    from phgs.progress import Line

    line = Line("x")
    line.start -= 10
    line("search", 5, 10)
    line("finished", 1, 1)
    shown = capsys.readouterr().err
    assert "searching  50 %" in shown
    assert shown.endswith("\r")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_progress_is_wiped_when_a_learner_is_interrupted(capsys, monkeypatch, alarm):
    from phgs import progress

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            phgs.HillClimbing(restarts=10**6, progress=True).learn(alarm.table)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    shown = capsys.readouterr().err
    assert "hc: searching" in shown
    assert shown.endswith("\r")
    assert shown.split("\r")[-2].strip() == ""


def test_logging_under_one_name(alarm, caplog):
    with caplog.at_level("INFO", logger="phgs"):
        phgs.learn(alarm.table, progress=False)
    assert "37 variables" in caplog.text


def test_a_thread_that_is_not_the_main_one_may_learn(chain):
    found = []
    thread = threading.Thread(target=lambda: found.append(phgs.learn(chain, progress=False)))
    thread.start()
    thread.join()
    assert found[0].cpdag == phgs.learn(chain, progress=False).cpdag


def test_heavy_modules_are_imported_when_used():
    code = """
    import sys, phgs
    heavy = {"scipy", "pyarrow", "pandas", "polars", "matplotlib", "networkx", "sklearn"} & set(sys.modules)
    print(sorted(heavy))
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_the_stub_names_what_the_core_has():
    import ast

    from phgs import _core

    tree = ast.parse(Path(phgs.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    named = {
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        # Types of dictionaries, which are of the stub alone.
        and "type_check_only" not in [ast.unparse(decorator) for decorator in node.decorator_list]
    } | {
        # Constants, which a stub declares by their type.
        node.target.id
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_")
    }
    there = {name for name in dir(_core) if not name.startswith("_")}
    assert there == named


@pytest.mark.parametrize("method", sorted(set(phgs.METHODS) - {"gsc"}))
def test_every_method_keeps_a_time_limit(alarm, method):
    table = alarm.table
    wide = {f"{name}{k}": np.roll(codes, 7 * k) for k in range(4) for name, codes in zip(table.names, table.codes)}  # noqa: B905
    data = phgs.as_table(wide, warn=False)
    knowledge = {"required": [("HR0", "FIO20")], "forbidden_edges": [("HR0", "CATECHOL0")]}
    start = time.monotonic()
    result = phgs.learn(data, method, time_limit=0.001, knowledge=knowledge, progress=False)
    assert time.monotonic() - start < 10
    assert not result.complete
    assert "time limit" in str(result)
    assert ("HR0", "FIO20") in result.cpdag.directed
    assert ("HR0", "CATECHOL0") not in result.cpdag
    assert result.dag is None or result.dag.is_dag
    enough = phgs.learn(table, method, time_limit=1e6, progress=False)
    assert enough.complete
    assert enough.cpdag == phgs.learn(table, method, progress=False).cpdag
