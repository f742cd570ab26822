"""Put a short form of docs/benchmarks/comparison.md between the marks in the README; benches/compare.py makes that."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOWN = ("alarm", "andes", "pigs")
"""Data sets that the short form has."""


def between_marks(page: str, name: str, text: str) -> str:
    """Return a page with this text between its marks of this name."""
    marks = re.compile(rf"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)", flags=re.DOTALL)
    if not marks.search(page):
        raise SystemExit(f"the page has no marks for {name!r}")
    return marks.sub(lambda _: text, page)


def sections(page: str) -> list[tuple[str, list[dict[str, str]]]]:
    """Return the tables of the page: title of the section, then rows by column."""
    found = []
    for part in page.split("\n## ")[1:]:
        title = part.split("\n", 1)[0]
        lines = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
        if len(lines) > 2:
            header = [name.strip() for name in lines[0]]
            rows = [dict(zip(header, (cell.strip() for cell in line), strict=True)) for line in lines[2:]]
            found.append((title, rows))
    return found


def short(page: str) -> str:
    """Return the short table: one row a task and data set."""
    lines = ["| task | data | phgs | others: multiple of our seconds (JI) |", "|---|---|---|---|"]
    for title, rows in sections(page):
        if title.startswith("The default") or not {"data", "package", "ratio", "JI"} <= set(rows[0]):
            continue
        for data in SHOWN:
            of_data = [row for row in rows if row["data"] == data]
            ours = next((row for row in of_data if row["package"] == "phgs"), None)
            if ours is None:
                continue
            own = f"{ours['seconds']} s" if ours["JI"] else ours["seconds"]
            others = [_other(row) for row in of_data if row["package"] != "phgs"]
            lines.append(f"| {title} | {data} | {own}{_ji(ours)} | {', '.join(others)} |")
    return "\n".join(lines) + "\n"


def _other(row: dict[str, str]) -> str:
    took = row["ratio"] or (f"{row['seconds']} s" if row["JI"] else row["seconds"])
    return f"{row['package']} {took}{_ji(row)}"


def _ji(row: dict[str, str]) -> str:
    return f" ({row['JI']})" if row["JI"] else ""


def main() -> None:
    """Rewrite the README."""
    table = short((ROOT / "docs" / "benchmarks" / "comparison.md").read_text(encoding="utf-8"))
    text = (
        "The same method on the same data in one run, CPU seconds of one thread (`python benches/compare.py`); JI is\n"
        "the Jaccard index against the true CPDAG. Machine, versions, settings and the other data sets are in\n"
        "[docs/benchmarks/comparison.md](docs/benchmarks/comparison.md).\n\n" + table
    )
    readme = ROOT / "README.md"
    readme.write_text(between_marks(readme.read_text(encoding="utf-8"), "compare", text), encoding="utf-8")


if __name__ == "__main__":
    main()
