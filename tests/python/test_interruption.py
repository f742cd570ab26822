"""Ctrl-C and time limits: in each phase at p = 1,036, and in every method on data that make its loops long.

KeyboardInterrupt comes within a second, and the next learn is right; a time limit is kept to half a second.
Half a minute of it runs always. ``PHGS_INTERRUPTIONS=10`` interrupts each phase ten times,
``PHGS_INTERRUPTIONS=full`` every method in each of its phases on all the data.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import phgs

ASKED = os.environ.get("PHGS_INTERRUPTIONS", "1")
FULL = ASKED == "full"
REPEATS = 1 if FULL else int(ASKED)

# Options that make the phase last, so that the signal comes within it.
PHASES = {
    "partition": "phgs.PHGS()",
    "within": "phgs.PPC(alpha=0.9, max_conditioning_size=None, path_length=1)",
    "within, one cluster": "phgs.PC(alpha=0.9, max_conditioning_size=None, path_length=1)",
    "between": "phgs.PPC(alpha=0.5, max_conditioning_size=1, path_length=1)",
    "v_structures": "phgs.Hybrid(restrict=SPARSE, init='oriented', select=None)",
    "path": "phgs.PHGS(alpha=0.2, max_conditioning_size=1, path_length=5000, min_alpha=1e-300)",
    "search": "phgs.Tabu(tabu_patience=10**9)",
    "search, restarts": "phgs.HillClimbing(restarts=10**6)",
    "refine": "phgs.PHGS(refine=phgs.Tabu(tabu_patience=10**9))",
    "within, mmpc": "phgs.MMPC(alpha=0.5)",
}
if REPEATS > 1:
    # The completion is short: it takes ten seconds to get to one that lasts.
    PHASES["complete"] = "phgs.PPC(alpha=0.6, max_conditioning_size=1, path_length=1)"

CHILD = """
import sys
import time
import phgs

table = phgs.as_table(phgs.Network.load("alarm").tile(28, seed=1).sample(2000, seed=1), warn=False)
# No option makes the partition last, rows do.
large = phgs.as_table(phgs.Network.load("alarm").tile(28, seed=1).sample(25000, seed=1), warn=False)
small = phgs.datasets.load_alarm().table
expected = phgs.learn(small, progress=False)
SPARSE = table.names, [(a, b) for i, a in enumerate(table.names) for b in table.names[i + 1 : i + 9]]
SPARSE = phgs.Graph(SPARSE[0], (), SPARSE[1])
print("ready", flush=True)
for line in sys.stdin:
    phase, learner = line.rstrip("\\n").split("|")
    told = []

    def progress(now, done, total):
        if now == phase and not told:
            told.append(now)
            print("within it", flush=True)

    made = eval(learner).set_params(threads=2, progress=progress)
    late = False
    try:
        made.learn(large if phase == "partition" else table)
        late = True
        if told:
            time.sleep(5)
    except KeyboardInterrupt:
        pass
    print("too late" if late else "interrupted", flush=True)
    again = phgs.learn(small, progress=False)
    right = (again.cpdag, again.score, again.calls) == (expected.cpdag, expected.score, expected.calls)
    print("right" if right else "wrong", flush=True)
"""


def interrupted(child, name, learner, chance):
    """Interrupt one learn within a phase; whether the signal came in time."""
    child.stdin.write(f"{name.split(',')[0]}|{learner}\n")
    said = child.stdout.readline()
    if said == "within it\n":
        time.sleep(chance.uniform(0, 0.03))
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        said = child.stdout.readline()
        took = time.monotonic() - sent
        assert took < 1.0, f"{name}: {took:.2f} s"
    assert said in ("interrupted\n", "too late\n")
    assert child.stdout.readline() == "right\n", name
    return said == "interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_in_every_phase():
    chance = random.Random(1)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", CHILD], **pipes) as child:
        assert child.stdout.readline() == "ready\n"
        for _ in range(REPEATS):
            for name, learner in PHASES.items():
                # A phase may be over before the signal is there: then once more, on a busy machine often.
                assert any(interrupted(child, name, learner, chance) for _ in range(100)), name
        child.stdin.close()
    assert child.returncode == 0


# Every method on data that make its loops long: what is told to stop stops.

HARD = {"alpha": 0.2, "max_conditioning_size": None}
"""Tests without limit, where a method has tests."""

# Data on which a method is not done in a moment; in full, all.
LASTING = ["copies", "survey", "many_states", "wide"]
OF_METHOD = {
    "hc": "wide",
    "tabu": "many_states",
    "fast-iamb": "wide",
    "ges": "wide",
    "pc": "copies",
    "gsc": "many_states",
}
DATA_OF = {
    method: ["hub", *LASTING] if FULL else [OF_METHOD.get(method, LASTING[i % 4])]
    for i, method in enumerate(phgs.METHODS)
}
GIVEN = {"gsc": {"skeleton": "complete"}}
CASES = [(method, data, GIVEN.get(method, {})) for method, some in DATA_OF.items() for data in some]
CASES += [
    ("pc", "survey", HARD),
    ("ppc", "copies", HARD),
    ("phgs", "hub", HARD),
    ("ppc", "hub", HARD | {"collider_rule": "majority"}),
    ("boss", "survey", {"score": "loglik"}),
    ("hc", "copies", {"score": "loglik"}),
    ("si-hiton-pc", "copies", {"degrees_of_freedom": "adjusted"}),
    ("ges", "copies", {"schedule": "extended"}),
    ("arges", "copies", {"skeleton": "complete"}),
    ("gsc", "copies", {"skeleton": "complete"}),
    ("gsc", "survey", {"skeleton": "complete", "init": "hgi"}),
    ("arges", "survey", {"skeleton": "complete", "init": "hgi"}),
    ("gsc", "wide", {"skeleton": "complete"}),
    ("gsc", "wide", {"skeleton": "complete", "init": "hgi"}),
    ("pef", "wide", {"max_clusters": 1}),
    ("pc", "huge", {}),
    ("phgs", "huge", {}),
]
if FULL:
    LOCAL = ["mmpc", "hpc", "fast-iamb", "si-hiton-pc", "hiton-pc", "getpc", "gs", "iamb", "inter-iamb", "iamb-fdr"]
    CASES += [(method, data, HARD) for method in LOCAL for data in ("hub", "copies", "survey")]
OVER, ANSWER = 0.5, 1.0
"""Seconds: how much later than its limit a method may return, and how long a Ctrl-C may take."""

WORKER = """
import json, sys, time, warnings
import clocks, nasty, phgs
import numpy as np

warnings.simplefilter("ignore")
tables = {}

def table(name):
    if name not in tables:
        tables[name] = phgs.as_table(nasty.NASTY[name](), warn=False)
    return tables[name]

def learner(method, data, options):
    if options.get("skeleton") == "complete":
        options["skeleton"] = phgs.as_graph(1 - np.eye(data.n_variables), data.names)
    return phgs.learner(method, **options, threads=2)

print("ready", flush=True)
for line in sys.stdin:
    method, name, options, limit, every = json.loads(line)
    data = table(name)
    made = learner(method, data, options)
    # Phases that are reached without a limit.
    phases, start = {}, time.perf_counter()

    def progress(now, done, total):
        if time.perf_counter() - start < limit and now != "finished":
            phases[now] = True

    made.set_params(time_limit=limit, progress=progress)
    result, late = clocks.late(made, data)
    phases = list(phases)
    said = {
        "late": late,
        "complete": result.complete,
        "acyclic": result.dag is None or result.dag.is_dag,
        "seconds": result.seconds,
        "answers": {},
    }
    made.set_params(time_limit=60)
    for phase in phases if every else phases[-1:]:
        said["answers"][phase] = clocks.answer(made, data, phase)
    print(json.dumps(said), flush=True)
"""


class Worker:
    """A process that learns on nasty data, and gets the signals."""

    def __init__(self):
        path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self.process.stdout.readline() == "ready\n"

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def learn(self, method, data, options, limit):
        """Learn up to a limit, then up to a Ctrl-C in its phases; what came of it."""
        self.process.stdin.write(json.dumps([method, data, options, limit, FULL]) + "\n")
        # What does not stop would stop the tests.
        timer = threading.Timer(120, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        assert line, "the worker has died, or had to be killed"
        return json.loads(line)


@pytest.fixture(scope="module")
def worker():
    workers = []

    def current():
        if not workers or workers[-1].process.poll() is not None:
            workers.append(Worker())
        return workers[-1]

    yield current
    for made in workers:
        made.stop()


@pytest.mark.parametrize(
    ("method", "data", "options"), CASES, ids=lambda value: value if isinstance(value, str) else None
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_every_method_stops_when_told_to(worker, method, data, options):
    limit = 2.0 if data == "huge" else 0.4
    said = worker().learn(method, data, options, limit)
    assert said["acyclic"]
    assert said["late"] <= OVER, f"{said['late']:.2f} s after the limit of {limit} s: {said['seconds']}"
    # A phase that was over before the signal came is no case.
    slow = {phase: seconds for phase, seconds in said["answers"].items() if seconds is not None and seconds > ANSWER}
    assert not slow, "seconds from Ctrl-C to its answer"


def test_all_phases_are_interrupted():
    of_core = set(phgs.learn(phgs.datasets.load_alarm().table, progress=False).seconds)
    told = {name.split(",")[0] for name in PHASES} | {"complete"}
    assert of_core - {"read", "total"} <= told


def test_more_threads_than_cores_are_the_cores():
    data = phgs.datasets.load_alarm().table
    expected = phgs.learn(data, threads=1, progress=False)
    for threads in (4000, 1_000_000):
        start = time.perf_counter()
        found = phgs.learn(data, threads=threads, progress=False)
        assert time.perf_counter() - start < 5
        assert found.cpdag == expected.cpdag
        assert found.parameters["threads"] == phgs._core.available_threads()


def test_conflicts_are_listed_in_part_and_counted_in_full():
    import nasty

    found = phgs.learn(phgs.as_table(nasty.wide(400), warn=False), "pc", path_length=1, progress=False)
    assert found.n_conflicts >= len(found.conflicts) == min(found.n_conflicts, 10_000)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("workers", [1, 2])
def test_bootstrap_answers_ctrl_c_and_keeps_what_is_done(tmp_path, workers):
    data, folder = tmp_path / "data.csv", tmp_path / "kept"
    phgs.Network.load("alarm").sample(2000, seed=1).to_pandas().to_csv(data, index=False)
    command = [sys.executable, "-m", "phgs", "bootstrap", str(data), "-n", "100000", "--workers", str(workers)]
    with subprocess.Popen(
        [*command, "--folder", str(folder)], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until = time.monotonic() + 60
        while len(list(folder.glob("*"))) < 4 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        sent = time.monotonic()
        # As a terminal does: to all of the group.
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()
        took = time.monotonic() - sent
    assert process.returncode == 130
    assert said == "phgs: interrupted\n"
    assert took < 3.0, f"{took:.2f} s"
    assert len(list(folder.glob("*"))) >= 4
