"""Networks of categories of which a share of columns are numbers: embedded, in groups, and cut beforehand.

    python benches/few_numbers.py --page docs/benchmarks/few-numbers.md

The tables are those of `network` in ``mixed_generators.py``: each state of a column becomes an interval of numbers,
which is seen through the identity, exp or the square. Results are kept as they come, and are not computed again.
"""

from __future__ import annotations

import json
import time
import warnings
from statistics import fmean
from typing import Any

import pages
from mixed_generators import NETWORKS, Simulated, network

import phgs

METHODS: dict[str, dict[str, Any] | int] = {
    "the default": {},
    "ranks": {"numbers": "ranks"},
    "groups": {"numbers": "groups"},
    "4 quantiles": 4,
    "5 quantiles": 5,
    "as categories": {},
}
"""Options of `phgs.learn`, or into how many groups of equally many rows numbers are cut beforehand."""


def main() -> None:
    parser = pages.parser(__doc__, "few_numbers.jsonl")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.3, 0.5, 0.8])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    done = pages.kept(options.results)
    known = {(found["network"], found["share"], found["seed"], found["method"]) for found in done}
    with options.results.open("a") as file:
        for name in NETWORKS:
            for share in options.shares:
                for seed in options.seeds:
                    drawn = network(name, options.rows, seed, numbers=share)
                    for method in METHODS:
                        if (name, share, seed, method) in known:
                            continue
                        if method == "as categories":
                            drawn = network(name, options.rows, seed, numbers=0)
                        found = {"network": name, "share": share, "seed": seed, "method": method}
                        done.append(found | learn(method, drawn))
                        print(json.dumps(done[-1]), file=file, flush=True)
    pages.put(summary(done, options), options.page)


def learn(method: str, drawn: Simulated) -> dict[str, float]:
    """Learn on one thread; return the Jaccard index of CPDAGs and CPU seconds."""
    table = drawn.table
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data: Any = table
        options = METHODS[method]
        if method == "as categories":
            data = table.grouped
        elif isinstance(options, int):
            frame = {name: column.astype(str) for name, column in zip(table.names, table.columns, strict=True)}
            numbers = [x for x, arity in enumerate(table.arities) if not arity]
            frame |= {table.names[x]: table.columns[x] for x in numbers}
            chosen = [table.names[x] for x in numbers]
            data, options = phgs.discretize(frame, chosen, bins=options), {}
        result = phgs.learn(data, threads=1, progress=False, **options)
    found = phgs.compare(drawn.arcs, result).jaccard
    return {"jaccard": found or 0.0, "seconds": time.process_time() - start}


def summary(done: list[dict[str, Any]], options: Any) -> str:
    """Write the page."""

    def cell(network: str | None, share: float, method: str) -> str:
        own = [f for f in done if f["share"] == share and f["method"] == method and network in (None, f["network"])]
        return f"{fmean(found['jaccard'] for found in own):.3f}"

    rows = [
        (name or "**mean**", f"{share:.0%}", *(cell(name, share, method) for method in METHODS))
        for share in options.shares
        for name in (*NETWORKS, None)
    ]
    parts = [
        "# Numbers that act by steps",
        f"Networks of categories, {options.rows:,} rows, of which a share of the columns became numbers: each"
        " state is an interval of\nnumbers, seen through the identity, exp or the square. The mean Jaccard index"
        f" of CPDAGs over {len(options.seeds)} data sets each: by\nthe default, which chooses between ranks and"
        ' groups; with `numbers="ranks"`; with `numbers="groups"`; and by the\ndefault of categories after'
        " `phgs.discretize` has cut the numbers into groups of equally many rows. The last column\nis the default on"
        " the same columns before any became a number. `benches/few_numbers.py` runs it again and writes this page.",
        pages.table(("network", "numbers", *METHODS), rows),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
