"""How near to the truth methods of phgs come on numbers beside categories, over more tables than the comparison.

    python benches/mixed_methods.py --page docs/benchmarks/mixed-methods.md

The tables are those of ``mixed_generators.py``, as in ``compare.py --mixed``. Results are kept as they come, and are
not computed again.
"""

from __future__ import annotations

import json
import time
import warnings
from statistics import fmean
from typing import Any

import pages
from mixed_generators import KINDS

import phgs

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "the default": ("auto", {}),
    "GES": ("ges", {}),
    "BOSS": ("boss", {}),
    "the default, `cg`": ("auto", {"score": "cg"}),
    "GES, `cg`": ("ges", {"score": "cg"}),
    "BOSS, `cg`": ("boss", {"score": "cg"}),
}


def main() -> None:
    parser = pages.parser(__doc__, "mixed_methods.jsonl")
    parser.add_argument(
        "--kinds", nargs="+", default=["linear", "monotone", "curved", "conditional"], choices=list(KINDS)
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    done = pages.kept(options.results)
    known = {(found["kind"], found["seed"], found["method"]) for found in done}
    with options.results.open("a") as file:
        for kind in options.kinds:
            for seed in options.seeds:
                drawn = KINDS[kind](options.columns, options.rows, seed)
                for method in METHODS:
                    if (kind, seed, method) in known:
                        continue
                    found = {"kind": kind, "seed": seed, "method": method, **learn(method, drawn)}
                    done.append(found)
                    print(json.dumps(found), file=file, flush=True)
    pages.put(summary(done, options), options.page)


def learn(method: str, drawn: Any) -> dict[str, float]:
    """Learn on one thread; return the Jaccard index of CPDAGs and CPU seconds."""
    name, parameters = METHODS[method]
    truth = phgs.dag_to_cpdag(phgs.Graph(drawn.table.names, drawn.arcs))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = phgs.learn(drawn.table, name, **parameters, threads=1, progress=False)
    return {"jaccard": phgs.compare(truth, result.cpdag).jaccard, "seconds": time.process_time() - start}


def summary(done: list[dict[str, Any]], options: Any) -> str:
    """Write the page."""

    def cell(kind: str, method: str) -> str:
        own = [found for found in done if (found["kind"], found["method"]) == (kind, method)]
        values = [found["jaccard"] for found in own]
        return f"{fmean(values):.3f} ({min(values):.2f} to {max(values):.2f}; {fmean(f['seconds'] for f in own):.2f} s)"

    rows = [(kind, *(cell(kind, method) for method in METHODS)) for kind in options.kinds]
    parts = [
        "# Numbers beside categories, by method",
        f"How near to the truth methods of phgs come on tables of {options.columns} columns, half of them categories,"
        f" and {options.rows:,} rows:\nthe mean Jaccard index of CPDAGs over {len(options.seeds)} seeds, in brackets"
        " the least and the largest, and the mean seconds of the\nprocessor on one thread. `benches/mixed_methods.py`"
        " runs it again and writes this page. Kinds of tables are those of the\n[comparison with other"
        " packages](mixed.md).",
        "`cg` is the conditional Gaussian score, for data in which each group has a line of its own. It is meant for"
        " the conditional\ntables alone.",
        pages.table(("tables", *METHODS), rows),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
