"""Ctrl-C and time limits: in each phase at p = 1,036, and in every method on data that make its loops long.

KeyboardInterrupt comes within a second, and the next learn is right; a time limit is kept to half a second.
``PHGS_INTERRUPTIONS=10`` interrupts each phase ten times, ``PHGS_INTERRUPTIONS=full`` every method in each of its
phases on all the data.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import phgs

REPEATS = int(os.environ.get("PHGS_INTERRUPTIONS", "1").replace("full", "1"))

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

FULL = os.environ.get("PHGS_INTERRUPTIONS") == "full"

HARD = {"alpha": 0.2, "max_conditioning_size": None}
"""Tests without limit, where a method has tests."""

ROUND = ["hub", "copies", "survey", "many_states", "wide"]
DATA_OF = {method: ROUND if FULL else [ROUND[i % 5], ROUND[(i + 2) % 5]] for i, method in enumerate(phgs.METHODS)}
# Handing over the 4.5 million edges of a complete skeleton takes longer than any limit.
DATA_OF["gsc"] = ["copies", "survey"]
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
    ("pc", "huge", {}),
    ("phgs", "huge", {}),
]
OVER, ANSWER = 0.5, 1.0
"""Seconds: how much later than its limit a method may return, and how long a Ctrl-C may take."""

WORKER = """
import json, signal, sys, time, warnings
import nasty, phgs

warnings.simplefilter("ignore")
tables = {}

def table(name):
    if name not in tables:
        tables[name] = phgs.as_table(nasty.NASTY[name](), warn=False)
    return tables[name]

print("ready", flush=True)
for line in sys.stdin:
    method, data, options, limit, phase = json.loads(line)
    data = table(data)
    if options.get("skeleton") == "complete":
        names = data.names
        options["skeleton"] = phgs.Graph(names, (), [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
    seen = []

    def progress(now, done, total):
        if now not in seen:
            seen.append(now)
            if now == phase:
                print("within it", flush=True)

    learner = phgs.learner(method, **options, progress=progress, threads=2, time_limit=limit)
    said = {}
    try:
        start = time.perf_counter()
        result = learner.learn(data)
        said = {
            "took": time.perf_counter() - start,
            "total": result.seconds["total"],
            "complete": result.complete,
            "acyclic": result.dag is None or result.dag.is_dag,
            "edges": result.cpdag.n_edges,
            "phases": [name for name in seen if name != "finished"],
        }
        if phase is not None:
            time.sleep(2)
    except KeyboardInterrupt:
        said["interrupted"] = True
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

    def learn(self, method, data, options, *, limit=None, phase=None):
        """Learn, up to a limit or to a Ctrl-C in a phase; what came of it."""
        self.process.stdin.write(json.dumps([method, data, options, limit, phase]) + "\n")
        sent = None
        line = self.process.stdout.readline()
        if line == "within it\n":
            sent = time.monotonic()
            self.process.send_signal(signal.SIGINT)
            line = self.process.stdout.readline()
        said = json.loads(line)
        if said.get("interrupted"):
            said["answer"] = time.monotonic() - sent
        return said


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.process.kill()
    made.process.wait()
    made.process.stdin.close()
    made.process.stdout.close()


def best_of_two(measure, most):
    """The smaller of two measurements; the second is made where the first, perhaps on a busy machine, is too large."""
    value = measure()
    return value if value <= most else min(value, measure())


@pytest.mark.skipif(
    "PHGS_INTERRUPTIONS" not in os.environ, reason="takes minutes, and an idle machine: PHGS_INTERRUPTIONS=some or full"
)
@pytest.mark.parametrize(
    ("method", "data", "options"), CASES, ids=lambda value: value if isinstance(value, str) else None
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_every_method_stops_when_told_to(worker, method, data, options):
    limit = 2.0 if data == "huge" else 0.4
    phases = []

    def over():
        said = worker.learn(method, data, options, limit=limit)
        assert said["acyclic"]
        assert abs(said["took"] - said["total"]) < 0.05, "the total is all of it"
        assert said["complete"] is False or said["took"] < limit + OVER
        phases[:] = said["phases"]
        return said["took"] - limit

    late = best_of_two(over, OVER)
    assert late <= OVER, f"{late:.2f} s after the limit of {limit} s, in {phases}"

    for phase in phases if FULL else phases[-1:]:
        # A phase that is over before the signal comes is no case.
        answer = best_of_two(
            lambda phase=phase: worker.learn(method, data, options, phase=phase).get("answer", 0), ANSWER
        )
        assert answer <= ANSWER, f"{answer:.2f} s after Ctrl-C in {phase}"


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
