"""Put five rows of docs/benchmarks/single-networks.md into the README; benches/compare.py makes that page."""

from __future__ import annotations

import re
from pathlib import Path

import phgs

ROOT = Path(__file__).parents[2]
SHOWN = ("alarm", "hailfinder", "mildew", "andes", "pigs")
"""Networks that the short form has: from small to large, with the one whose tables are sparsest."""

BEST_METHOD = {"bnlearn-port": "h2pc", "tetrad": "fges"}
"""What the page calls the best method of a package."""

_CELL = re.compile(r"(?P<jaccard>[\d.]+) \((?P<seconds>[\d.]+) s\)(?: (?P<method>\S+))?")


def between_marks(page: str, name: str, text: str) -> str:
    """Return a page with this text between its marks of this name."""
    marks = re.compile(rf"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)", flags=re.DOTALL)
    if not marks.search(page):
        raise SystemExit(f"the page has no marks for {name!r}")
    return marks.sub(lambda _: text, page)


def rows(page: str) -> dict[str, dict[str, re.Match[str]]]:
    """Return the first table of the page: network to package to what it reached."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    found = {}
    for line in lines[2:]:
        reached = {package: _CELL.fullmatch(cell) for package, cell in zip(lines[0][1:], line[1:], strict=True)}
        found[line[0]] = {package: cell for package, cell in reached.items() if cell}
    return found


def short(page: str) -> str:
    """Return the short table: the default beside the best method of any other package, one unit a column."""
    of_networks = rows(page)
    variables = {network.name: network.variables for network in phgs.networks()}
    lines = [
        "| network | variables | JI, `phgs` | JI, best other | seconds, `phgs` | seconds, best other | best other |",
        "|:---|---:|---:|---:|---:|---:|:---|",
    ]
    for name in SHOWN:
        others = dict(of_networks[name])
        ours = others.pop("phgs")
        best = max(others, key=lambda package: (float(others[package]["jaccard"]), -float(others[package]["seconds"])))
        other = others[best]
        method = BEST_METHOD[best] if other["method"] == "best" else other["method"]
        lines.append(
            f"| {name} | {variables[name]:,} | {ours['jaccard']} | {other['jaccard']} | {ours['seconds']} | "
            f"{other['seconds']} | {best}, {method} |"
        )
    return "\n".join(lines) + "\n"


def with_table(readme: str) -> str:
    """Return the README with the table as the page has it now."""
    page = (ROOT / "docs" / "benchmarks" / "single-networks.md").read_text(encoding="utf-8")
    return between_marks(readme, "compare", short(page))


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")
