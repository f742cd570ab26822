"""Put the tables of docs/studies/paper-quick/summary.md between their marks, from results.csv beside it.

The CSV file is what ``phgs study report`` makes of the study ``paper-quick``; words around the tables are written by
hand.
"""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from pathlib import Path

from comparison_in_readme import between_marks
from default_method import table

FOLDER = Path(__file__).parents[1] / "studies" / "paper-quick"
LEVELS_OF_THE_PAPER = 10
SEARCHES = (
    ("true skeleton", "true-hc", "true-hgi"),
    ("pPC", "ppc-hc", "phgs"),
    ("MMPC", "mmhc", "mmhc-hgi"),
    ("HPC", "h2pc", "h2pc-hgi"),
)
"""Skeleton, search from the empty graph, search from HGI."""
AT_ONE_LEVEL = ("ppc-path", "pc-path", "phgs")

Rows = dict[tuple[str, str], list[dict[str, str]]]


def finished(path: Path) -> Rows:
    """Return the rows of finished tasks by network and method."""
    found: Rows = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if not row["error"]:
                found[row["network"], row["method"]].append(row)
    return found


def gains(rows: Rows, networks: list[str]) -> str:
    """Return what HGI brings: best JI over the levels with it, minus best JI from the empty graph."""
    lines = []
    for skeleton, empty, hgi in SEARCHES:
        best = {key: max(float(row["JI"]) for row in found) for key, found in rows.items() if key[1] in (empty, hgi)}
        change = {n: best[n, hgi] - best[n, empty] for n in networks if (n, hgi) in best and (n, empty) in best}
        worse = ", ".join(f"{name} ({gain:+.3f})" for name, gain in change.items() if gain < 0)
        lines.append([skeleton, str(len(change)), f"{statistics.mean(change.values()):+.3f}", worse or "none"])
    return table(["skeleton", "networks", "mean", "worse on"], lines)


def calls(rows: Rows, networks: list[str]) -> str:
    """Return the calls of all levels of each method in units of pPC with PATH."""
    total: dict[tuple[str, str], float] = {}
    for key, found in rows.items():
        scale = 1.0 if key[1] in AT_ONE_LEVEL else LEVELS_OF_THE_PAPER / len(found)
        total[key] = scale * sum(int(row["calls"]) for row in found)
    lines = []
    for method in ("pc-path", "mmpc", "hiton", "iamb", "hpc"):
        ratios = [total[n, method] / total[n, "ppc-path"] for n in networks if (n, method) in total]
        spread = f"{min(ratios):.1f} – {max(ratios):.1f}"
        lines.append([method, str(len(ratios)), f"{statistics.median(ratios):.1f}", spread])
    return table(["method", "networks", "median", "range"], lines)


def stopped(path: Path) -> str:
    """Return where each method was stopped by the time limit, and at which levels."""
    where: dict[tuple[str, str], list[str]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                where[row["network"], row["level"]].append(row["method"])
    return table(["network", "level", "methods"], [[*key, ", ".join(methods)] for key, methods in where.items()])


def main() -> None:
    """Rewrite the page."""
    rows = finished(FOLDER / "results.csv")
    networks = list(dict.fromkeys(network for network, _ in rows))
    page = FOLDER / "summary.md"
    text = page.read_text(encoding="utf-8")
    found = {"gains": gains(rows, networks), "calls": calls(rows, networks), "stopped": stopped(FOLDER / "results.csv")}
    for name, shown in found.items():
        text = between_marks(text, name, f"\n{shown}\n\n")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
