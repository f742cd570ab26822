"""Run phgs and other packages side by side: same data, same method and settings, one process each, one after another.

    python benches/compare.py --networks alarm insurance --tasks pc hc --results comparison.jsonl
    python benches/compare.py --results comparison.jsonl              # only print what is there

Data are sampled from named networks (``alarm``; ``alarm*28`` for 28 tiled copies), from linear Gaussian networks on the
same structures or on random ones (``--gaussian alarm random:100:4``), or read from a folder of NAME.parquet with
NAME.edges.csv (``--folder``). Others are installed by ``pip install --group compare``; one that needs its own
environment gets its interpreter by ``--interpreter xges=PATH``. Tetrad needs jpype1, Java and ``TETRAD_JAR``.

Every answer is appended to the results file as it comes, and is not computed again: a long comparison can be run in
pieces. Seconds are CPU seconds of the package's own call from a frame in memory to the graph, median of the repeats:
with one thread that is the wall time on an idle machine, and it does not change much on a busy one (``--clock wall``
prints wall times). Peak memory is that of the whole process with interpreter, imports and data; in brackets what the
call added.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import phgs

sys.path.insert(0, str(Path(__file__).resolve().parent))

from comparison import datasets, report, running
from comparison.tasks import TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="folder of NAME.parquet with NAME.edges.csv")
    parser.add_argument("--names", nargs="+", help="with --folder: only these")
    parser.add_argument("--networks", nargs="+", default=[], help="networks to sample")
    parser.add_argument("--rows", type=int, default=25000, help="rows of these (default: 25,000)")
    parser.add_argument("--gaussian", nargs="+", default=[], help="networks of linear Gaussian data")
    parser.add_argument("--gaussian-rows", type=int, default=5000, help="rows of these (default: 5,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--packages", nargs="+", help="only these (phgs always runs)")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of a call (default: 60)")
    parser.add_argument("--memory", type=float, default=8.0, help="GB of a process (default: 8)")
    parser.add_argument("--repeats", type=int, default=5, help="calls where they are quick (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads for every package (default: 1)")
    parser.add_argument("--interpreter", nargs="+", default=[], metavar="PACKAGE=PYTHON")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu")
    parser.add_argument("--best", action="store_true", help="print the best JI of each package over all tasks instead")
    parser.add_argument("--results", type=Path, default=Path("comparison.jsonl"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    records = _read(arguments.results)
    with tempfile.TemporaryDirectory() as name:
        _run(arguments, Path(name), records)
    made = report.best_of_each if arguments.best else report.tables
    sys.stdout.write(made(list(records.values()), arguments.clock) + "\n\n" + _versions(records.values()))


def _run(arguments: argparse.Namespace, folder: Path, records: dict[tuple[str, ...], dict[str, Any]]) -> None:
    limits = running.Limits(arguments.limit, arguments.memory * 1024, arguments.repeats, arguments.threads)
    interpreters = running.interpreters(arguments.interpreter)
    (folder / "data").mkdir()
    for make in _sources(arguments, folder / "data"):
        data = make()
        sys.stderr.write(f"{data.name}: {data.size}\n")
        for name in arguments.tasks:
            task = TASKS[name]
            if task.data_type != data.data_type:
                continue
            for package in task.packages:
                key = (name, data.name, package)
                wanted = arguments.packages is None or package.startswith("phgs") or package in arguments.packages
                if key in records or not wanted:
                    continue
                answer = running.run(package, name, data, limits, interpreters[package], folder)
                record = {"task": name, "data": data.name, "package": package, **report.judge(answer, data)}
                records[key] = record
                with arguments.results.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                took = record.get("failed") or f"{min(record['cpu']):.4f} s"
                sys.stderr.write(f"  {name} {package}: {took}\n")


def _sources(arguments: argparse.Namespace, folder: Path) -> list[Callable[[], datasets.DataSet]]:
    paths = [] if arguments.folder is None else sorted(arguments.folder.glob("*.parquet"))
    paths = [path for path in paths if arguments.names is None or path.stem in arguments.names]
    rows, seed = arguments.rows, arguments.seed
    found = [partial(datasets.from_folder, path, folder) for path in paths]
    found += [partial(datasets.sampled, network, rows, seed, folder) for network in arguments.networks]
    rows = arguments.gaussian_rows
    found += [partial(datasets.sampled_gaussian, network, rows, seed, folder) for network in arguments.gaussian]
    return found


def _read(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {(record["task"], record["data"], record["package"]): record for record in records}


def _versions(records: Any) -> str:
    found = sorted({(record["package"], record["version"]) for record in records if "version" in record})
    return "Versions: " + ", ".join(f"{package} {version}" for package, version in found) + ".\n"


if __name__ == "__main__":
    main()
