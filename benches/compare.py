"""Run phgs and other packages side by side: same data, same method and settings, one process each, one after another.

    python benches/compare.py --networks alarm insurance --tasks pc hc --results comparison.jsonl
    python benches/compare.py --results comparison.jsonl              # only print what is there
    python benches/compare.py --mixed linear curved --seeds 1 2 3 --tasks mixed --means --write PAGE

Data are sampled from named networks (``alarm``; ``alarm*28`` for 28 tiled copies), from linear Gaussian networks on the
same structures or on random ones (``--gaussian alarm random:100:4``), or read from a folder of NAME.parquet with
NAME.edges.csv (``--folder``). ``--models 50:8 100:4:80`` are the linear models of ``gaussian_models.py`` (variables,
mean degree, rows), ``--mixed linear`` numbers beside categories of ``mixed_generators.py``, and ``--missing alarm``
both networks, of categories and of numbers, with values missing at random. Others are installed by ``pip install
--group compare``; one that needs its own environment gets its interpreter by ``--interpreter xges=PATH``. Tetrad needs
jpype1, Java and ``TETRAD_JAR``.

Every answer is appended to the results file as it comes, and is not computed again: a long comparison can be run in
pieces. Seconds are CPU seconds of the package's own call from a frame in memory to the graph, median of the repeats:
with one thread that is the wall time on an idle machine, and it does not change much on a busy one (``--clock wall``
prints wall times). Peak memory is that of the whole process with interpreter, imports and data; in brackets what the
call added.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import phgs

sys.path.insert(0, str(Path(__file__).resolve().parent))

from comparison import datasets, report, running
from comparison.tasks import TASKS
from mixed_generators import KINDS

Records = dict[tuple[str, str, str, int], dict[str, Any]]

HEADING = "## Tables"
"""Where what is written into a page begins."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="folder of NAME.parquet with NAME.edges.csv")
    parser.add_argument("--names", nargs="+", help="with --folder: only these")
    parser.add_argument("--networks", nargs="+", default=[], help="networks to sample")
    parser.add_argument("--rows", type=int, default=25000, help="rows of these (default: 25,000)")
    parser.add_argument("--gaussian", nargs="+", default=[], help="networks of linear Gaussian data")
    parser.add_argument("--gaussian-rows", type=int, default=5000, help="rows of these (default: 5,000)")
    parser.add_argument("--models", nargs="+", default=[], help="random linear models, P:DEGREE or P:DEGREE:ROWS")
    parser.add_argument("--models-rows", type=int, default=1000, help="rows of these (default: 1,000)")
    parser.add_argument("--mixed", nargs="+", default=[], choices=list(KINDS), help="kinds of mixed tables")
    parser.add_argument("--mixed-rows", type=int, default=2000, help="rows of these (default: 2,000)")
    parser.add_argument("--mixed-columns", type=int, default=50, help="columns of these (default: 50)")
    parser.add_argument("--missing", nargs="+", default=[], help="networks of which values are made missing")
    parser.add_argument("--missing-rows", type=int, default=5000, help="rows of these (default: 5,000)")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.2], help="missing (default: 0.1 0.2)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--packages", nargs="+", help="only these (phgs always runs)")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of a call (default: 60)")
    parser.add_argument("--memory", type=float, default=8.0, help="GB of a process (default: 8)")
    parser.add_argument("--repeats", type=int, default=5, help="calls where they are quick (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads for every package (default: 1)")
    parser.add_argument("--interpreter", nargs="+", default=[], metavar="PACKAGE=PYTHON")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu")
    parser.add_argument("--best", action="store_true", help="print the best JI of each package over all tasks instead")
    parser.add_argument("--means", action="store_true", help="print means of JI and seconds over seeds instead")
    parser.add_argument("--write", type=Path, help=f"a page to write what is printed into, from {HEADING!r} on")
    parser.add_argument("--results", type=Path, default=Path("comparison.jsonl"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    records = _read(arguments.results)
    with tempfile.TemporaryDirectory() as name:
        _run(arguments, Path(name), records)
    made = report.best_of_each if arguments.best else report.means if arguments.means else report.tables
    text = made(list(records.values()), arguments.clock) + "\n\n" + _versions(records.values())
    sys.stdout.write(text)
    if arguments.write is not None:
        before = arguments.write.read_text(encoding="utf-8").split(f"{HEADING}\n")[0]
        page = f"{before}{HEADING}\n\nMade by\n\n    {_command(sys.argv[1:])}\n\n{text}"
        arguments.write.write_text(page, encoding="utf-8")


def _command(given: list[str]) -> str:
    """Return what the page says it was made by, without what only concerns the machine."""
    kept: list[str] = []
    leave = False
    for word in given:
        if word.startswith("--"):
            leave = word in ("--results", "--interpreter")
        if not leave:
            kept.append(word)
    return "python benches/compare.py " + shlex.join(kept)


def _run(arguments: argparse.Namespace, folder: Path, records: Records) -> None:
    limits = running.Limits(arguments.limit, arguments.memory * 1024, arguments.repeats, arguments.threads)
    interpreters = running.interpreters(arguments.interpreter)
    (folder / "data").mkdir()
    for make in _sources(arguments, folder / "data"):
        data = make()
        sys.stderr.write(f"{data.name}: {data.size}\n")
        for name in arguments.tasks:
            task = TASKS[name]
            if (task.data_type, task.has_gaps) != (data.data_type, data.has_gaps):
                continue
            for package in task.packages:
                key = (name, data.name, package, data.seed)
                wanted = arguments.packages is None or package.startswith("phgs") or package in arguments.packages
                if key in records or not wanted:
                    continue
                answer = running.run(package, name, data, limits, interpreters[package], folder)
                of = {"task": name, "data": data.name, "package": package, "seed": data.seed}
                record = {**of, **report.judge(answer, data)}
                records[key] = record
                with arguments.results.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                took = record.get("failed") or f"{min(record['cpu']):.4f} s"
                sys.stderr.write(f"  {name} {package}: {took}\n")


def _sources(arguments: argparse.Namespace, folder: Path) -> list[Callable[[], datasets.DataSet]]:
    paths = [] if arguments.folder is None else sorted(arguments.folder.glob("*.parquet"))
    paths = [path for path in paths if arguments.names is None or path.stem in arguments.names]
    found = [partial(datasets.from_folder, path, folder) for path in paths]

    def add(make: Callable[..., datasets.DataSet], names: list[Any], *sizes: int) -> None:
        """Add data sets with all seeds."""
        for name in names:
            of = name if isinstance(name, tuple) else (name,)
            found.extend(partial(make, *of, *sizes, seed, folder) for seed in arguments.seeds)

    add(datasets.sampled, arguments.networks, arguments.rows)
    add(datasets.sampled_gaussian, arguments.gaussian, arguments.gaussian_rows)
    add(datasets.linear_model, arguments.models, arguments.models_rows)
    add(datasets.mixed, arguments.mixed, arguments.mixed_columns, arguments.mixed_rows)
    gapped = list(product(arguments.missing, arguments.shares))
    add(datasets.with_gaps, gapped, arguments.missing_rows)
    add(datasets.gaussian_with_gaps, gapped, arguments.missing_rows)
    return found


def _read(path: Path) -> Records:
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {(of["task"], of["data"], of["package"], of.get("seed", 1)): of for of in records}


def _versions(records: Any) -> str:
    found = sorted({(record["package"], record["version"]) for record in records if "version" in record})
    return "Versions: " + ", ".join(f"{package} {version}" for package, version in found) + ".\n"


if __name__ == "__main__":
    main()
