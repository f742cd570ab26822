"""What becomes of columns with fewer than five rows a state when they are kept in: edges to them, and all others.

    python benches/identifiers.py [--networks alarm insurance child hailfinder] [--rows 200 500 2000]

To rows sampled from a network come three columns: the number of the row; one of a third as many states as rows, at
random; and a group (as a school or a person measured four times), of a quarter as many states. The group decides the
second variable of the network: in nine of ten rows this has the value of its group. The default sets all three apart;
the other way keeps them in, tests included. Prints true and all edges of the skeleton of the network, and the edges at
the three columns.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import phgs

ADDED = ("row", "random", "group")


@dataclass(kw_only=True, eq=False, repr=False)
class KeptIn(phgs.Auto):
    """The default with nothing set apart."""

    def _for_core(self, table: Any) -> Any:
        return {**super()._for_core(table), "isolated": ()}

    @property
    def method(self) -> str:
        """Name of the method."""
        return "auto"


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


def main() -> None:
    """Run all networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance", "child", "hailfinder"])
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500, 2000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| network | rows | identifiers | true edges, of all found | edges at the group | others | CPU seconds |")
    print("|:---|---:|:---|---:|:---|:---|---:|")
    for name in arguments.networks:
        network = phgs.Network.load(name)
        true = {frozenset(edge) for edge in network.edges}
        for rows in arguments.rows:
            table, decided = with_identifiers(network, rows)
            for way, learner in (("set apart", phgs.Auto), ("kept in", KeptIn)):
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
