"""One page that reports an analysis."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phgs.data.checks import plural
from phgs.graphs.view.explorer import Page
from phgs.graphs.view.page import escaped, page
from phgs.graphs.view.payload import of_result
from phgs.output import check_writable
from phgs.result.methods import methods_paragraph, references
from phgs.result.summary import counted_kinds, counting, grouping, isolated, summary, weighing

if TYPE_CHECKING:
    from phgs.confidence import EdgeConfidence
    from phgs.graphs.functions import Comparison
    from phgs.result.result import Result

MOST_ROWS = 5_000
"""Longer tables are cut, and say so; the result file has all."""

_BIBTEX = """@article{huang2022partitioned,
  title = {Partitioned hybrid learning of Bayesian network structures},
  author = {Huang, Jireh and Zhou, Qing},
  journal = {Machine Learning},
  volume = {111},
  year = {2022},
  doi = {10.1007/s10994-022-06145-4}
}"""


_LINE, _CHOSEN = "#3b75af", "#c2185b"


class Report(Page):
    """A page that reports an analysis; made by `Result.report`.

    A notebook shows it as it is. `save` writes it as one file that needs no network and no server.

    Attributes
    ----------
    html : str
        The whole page.
    methods : str
        The paragraph for a methods section.
    """

    def __init__(self, html: str, description: str, methods: str) -> None:
        super().__init__(html, description)
        self.methods = methods


@cache
def _style() -> str:
    return Path(__file__).with_name("report.css").read_text(encoding="utf-8")


def report(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    data: Any = None,
    truth: Any = None,
    confidence: EdgeConfidence | None = None,
    title: str | None = None,
) -> Report:
    """Make the page, and write it if there is a path; see `Result.report`."""
    if path is not None:
        check_writable(path)
    comparison = None
    if truth is not None:
        from phgs.graphs import as_graph, compare

        comparison = compare(as_graph(truth), result.cpdag)
    title = title or f"Structure of {len(result.variables):,} variables, learned by {result.method}"
    methods = methods_paragraph(result, confidence)
    sections = {
        "Summary": _list(_summary(result, comparison)),
        "Warnings": _warnings(result),
        "Data": _data(result, data),
        "Methods": f"<p>This paragraph can stand in a methods section.</p><blockquote>{escaped(methods)}</blockquote>",
    }
    after = {
        "Edges": _edges(result, confidence),
        "PATH": _path(result),
        "Clusters": _clusters(result),
        "Bootstrap": _bootstrap(confidence),
        "Comparison": "" if comparison is None else _list([(k, _text(v)) for k, v in comparison.to_dict().items()]),
        "Settings": _settings(result),
        "How to cite": _citing(result),
    }
    before = {name: text for name, text in sections.items() if text}
    after = {name: text for name, text in after.items() if text}
    names = [*before, "Graph", *after]
    links = "".join(f'<a href="#{_anchor(name)}">{name}</a> ' for name in names)
    head = f'<div class="report"><h1>{escaped(title)}</h1><nav aria-label="Sections">{links}</nav>{_sections(before)}'
    head += f'<h2 id="{_anchor("Graph")}">Graph</h2></div>\n'
    payload = of_result(result, truth=truth, confidence=confidence, title=result.cpdag._size())
    html = page(payload | {"file": "graph"}, head, f'<div class="report">{_sections(after)}</div>\n', [_style()])
    html = html.replace(f"<title>{escaped(payload['title'])}</title>", f"<title>{escaped(title)}</title>", 1)
    found = Report(html, title, methods)
    if path is not None:
        found.save(path)
    return found


# Sections


def _summary(result: Result, comparison: Comparison | None) -> list[tuple[str, str]]:
    return [(line[:20].strip(), line[20:].strip()) for line in summary(result, comparison).split("\n")]


def _warnings(result: Result) -> str:
    found = []
    if not result.complete:
        found.append("The time limit cut the method short: its last stages did not run to their end.")
    if not result.extendable:
        found.append("No DAG has these edges, directions and v-structures; phgs.cpdag_to_dag says which edge.")
    if result.n_conflicts:
        found.append(f"{result.n_conflicts:,} v-structures were skipped because they conflict with others.")
    if result.n_undecided:
        found.append(f"{result.n_undecided:,} unshielded triples may be v-structures or not.")
    if result.isolated:
        for why, names in isolated(result).items():
            shown = ", ".join(map(str, names[:20])) + (" …" if len(names) > 20 else "")
            found.append(f"Kept isolated, with {why}: {shown}.")
    if result.identifiers:
        shown = ", ".join(map(str, result.identifiers))
        found.append(f"Judged by the score alone, with fewer than five rows per state: {shown}.")
    if result.missing is not None and result.missing.method == "em" and not result.missing.repeated:
        found.append(
            "Missing values were filled in until the last round; its graph differs from that of the one before."
        )
    if result.decided_by_minimum_sample:
        found.append(f"{result.decided_by_minimum_sample:,} tests were decided by the least-sample rule.")
    if not found:
        return ""
    return "".join(f'<p class="warning">{escaped(text)}</p>' for text in found)


def _data(result: Result, data: Any) -> str:
    used = result.parameters
    left_out = result.n_rows_read - result.n_rows
    lines = [
        (
            "rows",
            f"{result.n_rows:,}"
            + (f" of {result.n_rows_read:,}; {left_out:,} incomplete ones left out" if left_out else "")
            + counting(used),
        ),
        *([] if result.weights is None else [("weights", weighing(result))]),
        ("columns", f"{len(result.variables):,}" + (f" ({counted_kinds(result.kinds)})" if result.kinds else "")),
        (
            "taken for",
            _TAKEN_FOR.get(str(used.get("data_type")), "categories: states have no order"),
        ),
        *([("numbers", grouping(result))] if used.get("numbers") == "groups" else []),
        *(("guessed", text) for text in result.guesses.values()),
        ("missing values", _of_missing(result)),
        ("also assumed", "rows are independent draws; no unmeasured common causes; no feedback"),
    ]
    return _list(lines) + _findings(result, data) + _columns(result)


_TAKEN_FOR = {
    "gaussian": "numbers: relations are linear, errors Gaussian",
    "mixed": (
        "numbers, by the normal scores of their ranks, their values or groups of them, and categories, whose states"
        " have no order"
    ),
}


def _of_missing(result: Result) -> str:
    found = result.missing
    if found is None or found.method != "em":
        return _MISSING.get(str(result.parameters.get("missing")), str(result.parameters.get("missing")))
    rounds = plural(found.rounds, "round")
    return (
        f"{100 * found.share:.2g} % of all values, in {plural(len(found.columns), 'column')}; filled in from the"
        f" learned graph in {rounds}, which assumes that they are missing at random given what is seen"
    )


_MISSING = {
    "auto": "none",
    "error": "none (they would have been refused)",
    "drop": "rows with any were left out",
    "level": "missing is a state of its own",
    "testwise": "each test uses the rows that are complete in its columns",
}


def _findings(result: Result, data: Any) -> str:
    from phgs.data.table import Categories
    from phgs.describe import describe

    table = result._data(data)
    if table is None:
        return "<p>To see what stands out in the data, give them: <code>report(data=…)</code>.</p>"
    if not isinstance(table, Categories):
        return ""
    findings = describe(table).findings
    if not findings:
        return "<p>Nothing stands out in the data.</p>"
    rows = [(finding.code, finding.text) for finding in findings]
    return "<h3>What stands out</h3>" + _table(("finding", "what"), rows)


def _columns(result: Result) -> str:
    if not result.columns:
        return ""
    rows = []
    for name in result.variables:
        facts = result.columns.get(name)
        if facts is None:
            continue
        if facts.mean is not None:
            text = f"mean {facts.mean:.4g}, from {facts.least:.4g} to {facts.largest:.4g}"
            rows.append((str(name), "", text, f"{facts.n_missing:,}"))
            continue
        levels = result.levels.get(name, ())
        shown = _shares(levels, facts.counts or ())
        states = result._codes.get(name, len(levels))
        rows.append((str(name), f"{states:,}", shown, f"{facts.n_missing:,}"))
    table = _table(("column", "states", "shares", "missing"), rows, {1, 3})
    return f"<details><summary>{len(rows):,} columns</summary>{table}</details>"


def _shares(levels: Sequence[Any], counts: Sequence[int]) -> str:
    """Name the most frequent states with their shares of the known values."""
    total = sum(counts)
    if not total:
        return ""
    most = sorted(zip(counts, levels, strict=True), key=lambda pair: -pair[0])[:8]
    shown = (f"{'missing' if level is None else level} {100 * count / total:.1f} %" for count, level in most)
    return ", ".join(shown) + (" …" if len(levels) > 8 else "")


def _edges(result: Result, confidence: EdgeConfidence | None) -> str:
    table = result.edges
    header = list(table.HEADER)
    cells = [list(row) for row in table._cells(MOST_ROWS)]
    if confidence is not None:
        by_text = {str(name): name for name in confidence.variables}
        header.append("share of replicates")
        for row, cell in zip(table, cells, strict=False):
            known = str(row.source) in by_text and str(row.target) in by_text
            pair = confidence.pair(by_text[str(row.source)], by_text[str(row.target)]) if known else None
            cell.append("" if pair is None else f"{pair.frequency:.3f}")
    if not len(table):
        return "<p>There are no edges.</p>"
    text = (
        "<p>Each pair was tested given several sets. The table shows the largest p-value, and the set that gave it."
        " The larger it is, the nearer the edge came to being removed."
        " The score gain is what the edge adds to the score of the learned DAG.</p>"
    )
    return text + _table(header, cells, {1, 3, 4}) + _cut(len(table))


def _path(result: Result) -> str:
    if result.path is None:
        return ""
    rows = [
        (
            f"{point.alpha:.3g}",
            f"{point.edges:,}",
            "" if point.score is None else f"{point.score:,.3f}",
            "yes" if point.extendable else "no",
            "chosen" if point.selected else "",
        )
        for point in result.path
    ]
    text = "<p>PATH compared these significance levels. Each gave a graph with so many edges and this score.</p>"
    header = ("level", "edges", "score", "has a DAG", "")
    return text + _curve(result) + _table(header, rows, {0, 1, 2})


def _curve(result: Result) -> str:
    """Draw the score along the levels."""
    import math

    points = [(math.log10(p.alpha), p.score, p.selected) for p in result.path or () if p.score is not None]
    if len(points) < 2:
        return ""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    low, high = min(ys), max(ys)

    def x(value: float) -> float:
        return 60 + 520 * (value - min(xs)) / ((max(xs) - min(xs)) or 1)

    def y(value: float) -> float:
        return 150 - 120 * (value - low) / ((high - low) or 1)

    line = " ".join(f"{x(a):.1f},{y(s):.1f}" for a, s, _ in points)
    dots = "".join(
        f'<circle cx="{x(a):.1f}" cy="{y(s):.1f}" r="{6 if chosen else 3.5}" fill="{_CHOSEN if chosen else _LINE}"/>'
        for a, s, chosen in points
    )
    return (
        '<svg viewBox="0 0 640 190" role="img"'
        ' aria-label="Score along the significance levels; the table has the numbers">'
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="1.6"/>{dots}'
        f'<text x="60" y="178">level {10 ** min(xs):.3g}</text>'
        f'<text x="580" y="178" text-anchor="end">{10 ** max(xs):.3g}</text>'
        f'<text x="60" y="18">score from {low:,.1f} to {high:,.1f}; the larger dot was chosen</text></svg>'
    )


def _clusters(result: Result) -> str:
    if result.clusters is None:
        return ""
    members: dict[int, list[str]] = {}
    for name, cluster in result.clusters.items():
        members.setdefault(cluster, []).append(str(name))
    rows = [(str(cluster), f"{len(names):,}", ", ".join(names)) for cluster, names in sorted(members.items())]
    return _table(("cluster", "variables", "which"), rows, {1})


def _bootstrap(confidence: EdgeConfidence | None) -> str:
    if confidence is None:
        return ""
    rows = [
        (f"{row.x}, {row.y}", *(f"{share:.3f}" for share in (row.frequency, row.x_to_y, row.y_to_x, row.undirected)))
        for row in confidence.pairs[:MOST_ROWS]
    ]
    text = (
        f"{confidence.n_replicates:,} replicates of {confidence.n_rows:,} rows, seed {confidence.seed};"
        f" {len(confidence.significant()):,} pairs are joined in more than {confidence.estimated_threshold:.3g} of"
        " them, the estimated threshold (Scutari and Nagarajan 2013)."
    )
    table = _table(("pair", "joined", "→", "←", "−"), rows, {1, 2, 3, 4})
    return f"<p>{escaped(text)}</p>{table}" + _cut(len(confidence.pairs))


def _settings(result: Result) -> str:
    lines = [(name, _text(value)) for name, value in result.parameters.items()]
    lines += [("test", result.test), ("version of phgs", result.version)]
    lines = list(dict(lines).items())
    stages = [
        (stage.name, f"{stage.edges:,}", "" if stage.score is None else f"{stage.score:,.3f}", f"{stage.seconds:.3f}")
        for stage in result.stages
    ]
    table = _table(("stage", "edges after it", "score", "seconds"), stages, {1, 2, 3}) if stages else ""
    return _list(lines) + table


def _citing(result: Result) -> str:
    items = "".join(f"<li>{escaped(reference)}</li>" for reference in references(result))
    software = f"The phgs developers. phgs: Bayesian-network structure learning, version {result.version}."
    return (
        f"<p>Cite the papers whose methods were used and this software.</p><ul>{items}<li>{escaped(software)}</li></ul>"
        f"<pre>{escaped(_BIBTEX)}</pre>"
    )


# Markup


def _anchor(name: str) -> str:
    return "section-" + name.lower().replace(" ", "-")


def _sections(sections: dict[str, str]) -> str:
    return "".join(f'<section><h2 id="{_anchor(name)}">{name}</h2>{text}</section>' for name, text in sections.items())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _list(lines: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in lines) + "</dl>"


def _table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: frozenset[int] | set[int] = frozenset()
) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = (' class="number"' if i in numbers else "" for i in range(len(cells)))
        return (
            "<tr>"
            + "".join(f"<{tag}{k}>{escaped(cell)}</{tag}>" for k, cell in zip(kinds, cells, strict=True))
            + "</tr>"
        )

    body = "".join(row(cells, "td") for cells in rows)
    return f'<div class="scroll"><table><thead>{row(header, "th")}</thead><tbody>{body}</tbody></table></div>'


def _cut(n: int) -> str:
    return f"<p>The first {MOST_ROWS:,} of {n:,} rows. The result file has all.</p>" if n > MOST_ROWS else ""
