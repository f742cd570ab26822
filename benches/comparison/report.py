"""Answers beside the truth, as Markdown."""

from __future__ import annotations

from contextlib import suppress
from statistics import fmean, median
from typing import Any

import phgs
from comparison.datasets import DataSet
from comparison.tasks import TASKS


def judge(answer: dict[str, Any], data: DataSet) -> dict[str, Any]:
    """Replace the edges of an answer by how good they are: JI and SHD of CPDAGs, edges, score."""
    if "failed" in answer:
        return answer
    names = data.truth.variables
    directed, undirected = ([(names[a], names[b]) for a, b in answer.pop(key)] for key in ("directed", "undirected"))
    graph = phgs.Graph(names, directed, undirected)
    # Some packages return graphs that are no CPDAGs: these are compared as they are.
    learned = phgs.dag_to_cpdag(graph) if graph.is_dag else graph
    truth = phgs.dag_to_cpdag(data.truth) if data.truth.is_dag else data.truth
    found = phgs.compare(truth, learned, as_cpdags=False)
    score = None
    if data.table is not None:
        with suppress(phgs.GraphError):
            kind = "bic" if data.data_type == "discrete" else "gaussian-bic"
            score = phgs.score(data.table, graph, kind).value
    pairs = sorted((min(a, b), max(a, b)) for a, b in graph._pair_indices())
    return {
        **answer,
        "jaccard": found.jaccard,
        "shd": found.shd,
        "edges": found.learned_edges,
        "score": score,
        "pairs": pairs,
    }


def best_of_each(records: list[dict[str, Any]], clock: str = "cpu") -> str:
    """Return a table of JI: the default method of phgs, and the highest that each other package reached by any task."""
    ours = {record["data"]: record for record in records if (record["task"], record["package"]) == ("best", "phgs")}
    others = list(dict.fromkeys(r["package"] for r in records if not r["package"].startswith("phgs")))
    text = ["| data | phgs | " + " | ".join(others) + " |", "|:---|" + "---:|" * (len(others) + 1)]
    for data, record in ours.items():
        cells = [_reached(record, clock)]
        for package in others:
            found = [r for r in records if (r["data"], r["package"]) == (data, package) and "failed" not in r]
            best = max(found, key=lambda r: r["jaccard"], default=None)
            cells.append("–" if best is None else f"{_reached(best, clock)} {best['task']}")
        text.append(f"| {data} | " + " | ".join(cells) + " |")
    return "\n".join(text)


def means(records: list[dict[str, Any]], clock: str = "cpu") -> str:
    """Return one table for each task, of JI and seconds of each package, means over seeds."""
    text = []
    for name, task in TASKS.items():
        rows = [record for record in records if record["task"] == name]
        if not rows:
            continue
        packages = [package for package in task.packages if any(row["package"] == package for row in rows)]
        text += [f"### {task.title}", "", task.settings, ""]
        text += ["| data | " + " | ".join(packages) + " |", "|:---|" + "---:|" * len(packages)]
        for data in dict.fromkeys(row["data"] for row in rows):
            of_data = [row for row in rows if row["data"] == data]
            text.append(_cells([data, *(_mean(of_data, package, clock) for package in packages)]))
        text.append("")
    return "\n".join(text).rstrip()


def _mean(rows: list[dict[str, Any]], package: str, clock: str) -> str:
    """Return mean JI and seconds of a package; if it never ended, why, and if not always, how often it did."""
    n_seeds = len({row.get("seed", 1) for row in rows})
    own = [row for row in rows if row["package"] == package]
    done = [row for row in own if "failed" not in row]
    if not done:
        return own[0]["failed"] if own else "–"
    cell = f"{fmean(row['jaccard'] for row in done):.3f} ({fmean(median(row[clock]) for row in done):.2f} s)"
    return cell if len(done) == n_seeds else f"{cell}, {len(done)} of {n_seeds}"


def _reached(record: dict[str, Any], clock: str) -> str:
    return f"{record['jaccard']:.3f} ({median(record[clock]):.2f} s)"


def tables(records: list[dict[str, Any]], clock: str = "cpu") -> str:
    """Return one table for each task."""
    text = []
    for name, task in TASKS.items():
        rows = [record for record in records if record["task"] == name]
        if not rows:
            continue
        last = "BIC − ours" if task.searches else "skeleton − ours"
        text += [f"### {task.title}", "", task.settings, ""]
        text += [
            f"| data | package | seconds | ratio | peak MB (added) | JI | SHD | edges | {last} |",
            "|:---|:---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        several = len({record.get("seed", 1) for record in rows}) > 1
        for data, seed in dict.fromkeys((record["data"], record.get("seed", 1)) for record in rows):
            of_data = {row["package"]: row for row in rows if (row["data"], row.get("seed", 1)) == (data, seed)}
            ours = of_data.get("phgs", {})
            label = f"{data}, seed {seed}" if several else data
            for package in task.packages:
                if package in of_data:
                    text.append(_row(label, package, of_data[package], ours, task.searches, clock))
        text.append("")
    return "\n".join(text)


def _row(data: str, package: str, record: dict[str, Any], ours: dict[str, Any], searches: bool, clock: str) -> str:
    if "failed" in record:
        cells = [record["failed"], "", f"{record['peak_mb']:.0f}", "", "", "", ""]
        if "s" in record["failed"] and record["failed"].startswith(">") and clock in ours:
            least = float(record["failed"].split()[1]) / median(ours[clock])
            cells[1] = f"> {least:.0f} ×" if "GB" not in record["failed"] else ""
        return _cells([data, package, *cells])
    seconds = median(record[clock])
    ratio = "" if clock not in ours or package == "phgs" else f"{seconds / median(ours[clock]):.1f} ×"
    if searches:
        gap = None if None in (record["score"], ours.get("score")) else record["score"] - ours["score"]
        last = "" if gap is None else f"{record['score']:.1f}" if package == "phgs" else f"{gap:+.1f}"
    else:
        mine, theirs = ({tuple(pair) for pair in found.get("pairs", ())} for found in (ours, record))
        last = "" if package == "phgs" else f"+{len(theirs - mine)} −{len(mine - theirs)}"
    return _cells(
        [
            data,
            package,
            _seconds(seconds),
            ratio,
            f"{record['peak_mb']:.0f} (+{record['peak_mb'] - record['before_mb']:.0f})",
            f"{record['jaccard']:.3f}",
            str(record["shd"]),
            str(record["edges"]),
            last,
        ]
    )


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _cells(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
