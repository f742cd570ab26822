"""Try an installed phgs: learn the bundled data, from Python and on the command line."""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import phgs

data = phgs.datasets.load_alarm()
result = phgs.learn(data.table, refine="ges", progress=False)
found = phgs.compare(data.truth, result)
assert (found.true_positives, found.false_positives) == (45, 0), found
assert phgs.learn(data.table, refine="ges", threads=1, progress=False).cpdag == result.cpdag

command = Path(sysconfig.get_path("scripts")) / "phgs"
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    run = [command, "sample", "asia", "-n", "2000", "--out", folder / "data.csv", "--edges", folder / "truth.csv"]
    subprocess.run(run, check=True)
    subprocess.run([command, "learn", folder / "data.csv", "--json", folder / "result.json"], check=True)
    subprocess.run([command, "compare", folder / "truth.csv", folder / "result.json"], check=True)
    assert phgs.Result.load(folder / "result.json").method == "auto"

sys.stdout.write(f"phgs {phgs.__version__} on Python {sys.version.split()[0]} works, from {phgs.__file__}\n")
