"""Write the pages of the studies around the default method, each from results.csv beside it; and `learn`'s docstring.

The CSV files are what ``phgs study report`` makes of the studies ``default-method`` (in the package),
``default-method-confirmed`` and ``every-method`` (their configurations beside their pages).
"""

from __future__ import annotations

import csv
import re
import statistics
from collections import defaultdict
from pathlib import Path

from phgs.study import paper_values

STUDIES = Path(__file__).parents[1] / "studies"
LEARN = Path(__file__).parents[2] / "python" / "phgs" / "learn.py"
SIZES = (1000, 5000, 25000)
METHODS = {
    "auto": "the default: α = 0.001, conditioning sets ≤ 2, adjusted df, extended BIC; then GES over all pairs",
    "phgs": "the paper's pHGS",
    "phgs-ges": "the paper's pHGS; then GES with BIC over all pairs",
    "auto-bic": "the default with BIC in place of extended BIC",
    "ges-ebic": "no tests: GES with extended BIC from the empty graph",
}
CONSTRAINT = ("ji_ppc_path10", "ji_mmpc", "ji_hpc", "ji_iamb", "ji_hiton")
SEARCH = ("hc", "ppc_eg", "phgs", "mmhc", "mmpc_hgi", "h2pc", "hpc_hgi")


def published() -> dict[str, float]:
    """Return the highest JI of the paper's tables that no method reached with the true skeleton."""
    hybrid, constraint = paper_values.by_network("hgi_ji"), paper_values.by_network("ppc_vs_constraint")
    partitioned = paper_values.by_network("ppc_vs_pc")
    return {
        name: max(
            *(hybrid[name][key] for key in SEARCH),
            *(constraint[name][key] for key in CONSTRAINT),
            *(value for key, value in partitioned[name].items() if key.startswith("ji_")),
        )
        for name in hybrid
    }


def mean(values: list[float], form: str) -> str:
    """Return the mean as text; a dash where a method did not finish."""
    return f"{statistics.mean(values):{form}}" if values else "–"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table whose first column is text."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


class Results:
    """The rows of a study's CSV file, by network, number of rows and method."""

    def __init__(self, study: str) -> None:
        self.found: dict[tuple[str, int, str], list[dict[str, str]]] = defaultdict(list)
        with (STUDIES / study / "results.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                network, size = row["network"].split(", n = ")
                # A task that failed or was stopped has no result.
                if not row["error"]:
                    self.found[network, int(size), row["method"]].append(row)
        self.networks = list(dict.fromkeys(network for network, _, _ in self.found))
        self.sizes = sorted({size for _, size, _ in self.found})
        self.methods = list(dict.fromkeys(method for _, _, method in self.found))

    def values(self, column: str, size: int, method: str, networks: list[str] | None = None) -> list[float]:
        """Return a column; a JI that does not exist, since nothing was learned, is 0."""
        rows = [row for name in networks or self.networks for row in self.found[name, size, method]]
        return [float(row[column]) if row[column] else 0.0 for row in rows]

    def means(self, methods: list[str]) -> str:
        """Return the table of means over networks and data sets."""
        lines = []
        for method in methods:
            line = [method]
            for size in self.sizes:
                line += [mean(self.values(column, size, method), form) for column, form in COLUMNS]
            lines.append(line)
        return table(["method"] + [f"{column} {size:,}" for size in self.sizes for column, _ in COLUMNS], lines)


def report() -> str:
    """Return the page of the choice."""
    results = Results("default-method")
    found, values = results.found, results.values
    names = list(paper_values.networks())
    best = published()
    phgs = paper_values.by_network("hgi_ji")
    by_network = []
    for name in names:
        line = [name]
        line += [f"{statistics.mean(values('JI', 25000, method, [name])):.3f}" for method in METHODS]
        line += [f"{phgs[name]['phgs']:.3f}", f"{best[name]:.3f}"]
        line += [f"{statistics.mean(values('seconds', 25000, 'auto', [name])):.1f}"]
        by_network.append(line)
    above = sum(statistics.mean(values("JI", 25000, "auto", [name])) > best[name] for name in names)
    below = [
        name
        for name in names
        if statistics.mean(values("JI", 25000, "auto", [name]))
        < statistics.mean(values("JI", 25000, "phgs", [name])) - 0.01
    ]
    means = {(m, n): statistics.mean(values("JI", n, m)) for m in METHODS for n in SIZES}
    first = [n for n in SIZES if all(round(means["auto", n], 3) >= round(means[m, n], 3) for m in METHODS)]
    highest = f"The default has the highest mean JI, to three digits, with {', '.join(f'{n:,}' for n in first)} rows."
    n_seeds = len({row["seed"] for rows in found.values() for row in rows})
    explained = "\n".join(f"- **{method}**: {text}" for method, text in METHODS.items())
    return f"""# The choice of the default method

The 20 tiled networks of the paper (p about 1,000), {n_seeds} data sets of each, with 1,000, 5,000 and 25,000 rows.
`phgs study run default-method --out DIR` runs it; `python docs/tools/default_method.py` makes this page of the study's
`results.csv`. Seconds are of one thread, two tasks at a time, on a virtual machine of two cores that had other work to
do in part of the time: take them as upper bounds. On an idle machine, with the core as it is now, the
default takes at most 8.2 seconds on each of the 20 networks with 25,000 rows ([speed](../../benchmarks/speed.md)).
BOSS is not among the candidates, since it takes too long on some networks (over a minute on munin1).

{explained}

## Means over networks and data sets

{results.means(list(METHODS))}

{highest} No choice depends on which network it is: the default is the same composition for all of them.
All methods of the package with 1,000 and 5,000 rows are on [a page of their own](../every-method/report.md).

## JI by network, 25,000 rows

*paper's pHGS* is the published mean over 100 data sets, *best published* the highest mean of any method in the paper's
tables, methods that are given the true skeleton left out.

{table(["network", *METHODS, "paper's pHGS", "best published", "seconds of auto"], by_network)}

The default is above the best published value on {above} of {len(names)} networks. It is more than 0.01 below
our pHGS on {", ".join(below) if below else "none"}.
"""


COLUMNS = (("JI", ".3f"), ("SHD", ".0f"), ("seconds", ".1f"))


def by_network(results: Results, methods: list[str], size: int) -> str:
    """Return the table of JI with this number of rows."""
    lines = [
        [name] + [mean(results.values("JI", size, method, [name]), ".3f") for method in methods]
        for name in results.networks
    ]
    return table(["network", *methods], lines)


def confirmed() -> str:
    """Return the page of the networks that had no part in the choice."""
    results = Results("default-method-confirmed")
    tables = "\n\n".join(
        f"## JI, {size:,} rows\n\n{by_network(results, results.methods, size)}" for size in results.sizes
    )
    return f"""# The default method on other networks

Networks that had no part in [choosing the default](../default-method/report.md): link, munin, munin2, munin3 and munin4
as they are (states merged to at most eight, as in the paper), and four random networks of 500 variables with two or
three states: Erdős–Rényi graphs of average degree 2, 3 and 4, and a scale-free graph with two parents each
(`docs/tools/random_networks.py`). One data set of each. `phgs study run default-method-confirmed.toml --out DIR` runs
it with the configuration beside this page; `python docs/tools/default_method.py` makes the page of the study's
`results.csv`. Names are those of the choice's page; *tabu* is unrestricted tabu search with BIC, *ppc* is pPC with
PATH.

The munin networks are nearly deterministic and have many states, most of them rare: tests lose their edges, and what
can be learned of them comes from the search over all pairs. A dash is a run that was stopped: MMPC tests for many
minutes around the hubs of the scale-free graph. Means leave it out.

## Means over networks

{results.means(results.methods)}

{tables}
"""


def every() -> str:
    """Return the page of all methods on few rows."""
    results = Results("every-method")
    sections = []
    for size in results.sizes:
        lines = []
        for method in results.methods:
            finished = [name for name in results.networks if results.values("JI", size, method, [name])]
            columns = [mean(results.values(column, size, method), form) for column, form in COLUMNS]
            ours = mean(results.values("JI", size, "auto", finished), ".3f")
            lines.append([method, str(len(finished)), *columns, ours])
        lines.sort(key=lambda line: line[2], reverse=True)
        header = ["method", "networks", "JI", "SHD", "seconds", "JI of auto on these"]
        sections.append(f"## {size:,} rows\n\n{table(header, lines)}")
    tables = "\n\n".join(sections)
    return f"""# Every method on few rows

The 20 tiled networks of the paper (p about 1,000), one data set of each, every method of the package with its own
defaults; *-ebic* is the method with extended BIC, the score of auto. `phgs study run every-method.toml --out DIR` runs
it with the configuration beside this page; `python docs/tools/default_method.py` makes the page of the study's
`results.csv`. A method that takes more than 60 seconds of the processor on a network is stopped there, and its means
are of the networks where it ended; the last column has the default's on the same ones. Seconds are of one thread; those
of mmhc, h2pc and these with HGI leave out the skeleton, which mmpc and hpc show. Searches ran with
`ties="association"`, the default of that time. Hill-climbing and tabu search have become better by
[looking ahead](../../benchmarks/paper-methods.md#what-differs-and-why).

{tables}
"""


def docstring(text: str) -> str:
    """Return the source of `phgs.learn` with the means of the studies in the table of its docstring."""
    chosen, others = Results("default-method"), Results("default-method-confirmed")

    def cell(column: str, size: int, method: str, form: str) -> str:
        first, second = (mean(of.values(column, size, method), form) for of in (chosen, others))
        return f"{first} ({second})" if method in others.methods else first

    rows = []
    for method in METHODS:
        cells = [cell("JI", size, method, ".3f") for size in SIZES] + [cell("seconds", 25000, method, ".1f")]
        widths = (8, 13, 13, 13, 11)
        row = "  ".join(value.ljust(width) for value, width in zip((method, *cells), widths, strict=True))
        rows.append(f"    {row.rstrip()}\n")
    head, names, old = re.split(r"(    =[= ]+\n    method .*\n    =[= ]+\n)", text)
    return head + names + "".join(rows) + old[re.search(r"^    =", old, flags=re.MULTILINE).start() :]


PAGES = {"default-method": report, "default-method-confirmed": confirmed, "every-method": every}

if __name__ == "__main__":
    for study, page in PAGES.items():
        (STUDIES / study / "report.md").write_text(page(), encoding="utf-8")
    LEARN.write_text(docstring(LEARN.read_text(encoding="utf-8")), encoding="utf-8")
