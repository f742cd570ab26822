"""Ctrl-C in each phase of learning at p = 1,036: KeyboardInterrupt within a second, and the next learn is right.

``PHGS_INTERRUPTIONS=10`` interrupts each phase ten times.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

REPEATS = int(os.environ.get("PHGS_INTERRUPTIONS", "1"))

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
