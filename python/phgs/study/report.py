"""The report of a study: tables beside the paper's, pictures, one Markdown and one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from phgs.delimited import written
from phgs.output import write_all
from phgs.study import gaussian, tables
from phgs.study.configuration import Configuration
from phgs.study.document import Document, Heading, Paragraph, Picture, Table
from phgs.study.results import Results
from phgs.study.store import Store


def write_report(folder: str | Path, out: str | Path | None = None) -> list[Path]:
    """Write the report of a study, whether it is finished or not.

    Parameters
    ----------
    folder
        The folder of the study.
    out
        Where to write; by default the folder ``report`` in that of the study.

    Returns
    -------
    list of pathlib.Path
        ``report.md``, ``report.html``, ``results.csv`` (every task), ``differences.csv`` (what the paper has too)
        and the pictures, which need matplotlib.
    """
    with Store(folder) as store:
        configuration = store.configuration
        outcomes = list(store.outcomes())
        data_sets = store.data_sets()
        version = store.fact("version")
    results = Results(outcomes)
    out = Path(folder) / "report" if out is None else Path(out)
    out.mkdir(parents=True, exist_ok=True)
    total = sum(len(group.keys) for group in configuration.groups())
    hours = sum(outcome.seconds for outcome in outcomes) / 3600
    networks = len({entry.title for entry in configuration.networks})
    document = Document()
    document.add(
        Heading(f"Study {configuration.name}", 1),
        Paragraph(
            f"phgs {version}: {networks} networks, {_counted(len(configuration.seeds), 'data set')} of each, "
            f"{_sizes(configuration)} rows. {len(outcomes):,} of {total:,} tasks are done, {len(results.failed):,} of "
            f"them failed{_stopped(configuration, results)}. All tasks took {hours:.2f} hours of one processor."
        ),
    )
    differences = list(tables.differences(results))
    add = _add_gaussian if configuration.data_type == "gaussian" else _add_discrete
    pictures = add(document, configuration, results, data_sets, differences, out)
    if configuration.data_type == "discrete":
        _add_seconds(document, results)
    if results.not_finished:
        caption = (
            "Tasks that were stopped at the time limit. Where other levels of a method finished, its best is that of "
            "these, and its calls are theirs, scaled."
        )
        document.add(Heading("Tasks not finished"), Table(["network", "method", "levels"], _by_level(results), caption))
    if results.failed:
        rows = [[o.network, str(o.seed), o.label, _level(o.level), _last_line(o.error)] for o in results.failed]
        document.add(Heading("Failed tasks"), Table(["network", "seed", "method", "level", "error"], rows))
    files = {
        out / "report.md": document.to_markdown().encode(),
        out / "report.html": document.to_html().encode(),
        out / "results.csv": _results_csv(outcomes),
        out / "differences.csv": _differences_csv(differences),
    }
    write_all(files)
    return [*files, *(out / block.file for block in pictures if isinstance(block, Picture))]


def _stopped(configuration: Configuration, results: Results) -> str:
    if configuration.time_limit is None:
        return ""
    return f", {len(results.not_finished):,} were not finished within {configuration.time_limit:g} s of the processor"


def _by_level(results: Results) -> list[list[str]]:
    """One row for each network and method of which levels were not finished."""
    levels: dict[tuple[str, str], list[str]] = {}
    for o in results.not_finished:
        found = levels.setdefault((o.network, o.label), [])
        if _level(o.level) not in found:
            found.append(_level(o.level))
    order = {network: i for i, network in enumerate(results.networks)}
    return [[*key, ", ".join(levels[key])] for key in sorted(levels, key=lambda key: (order.get(key[0], -1), key))]


def _add_discrete(
    document: Document,
    configuration: Configuration,
    results: Results,
    data_sets: list[dict[str, Any]],
    differences: list[tables.Difference],
    out: Path,
) -> list[Picture | Paragraph]:
    """Add the paper's tables and figures of discrete data."""
    del configuration
    document.add(
        Paragraph(
            "Accuracy is that of CPDAGs (section 5.1 of the paper). Where a method runs at several significance "
            "levels, its accuracy is the highest JI of each data set, and its calls are those of all levels, scaled to "
            "ten where there are fewer. Values of the paper are means over 100 data sets, in brackets."
        ),
    )
    _add_summary(document, differences)
    pictures = _pictures(results, out)
    document.add(Heading("Networks"), tables.sizes(data_sets))
    headings = {
        "ppc_vs_pc": "pPC against PC, and PATH",
        "ppc_vs_constraint": "Constraint-based methods",
        "hgi_ji": "Hybrid methods",
    }
    for name, heading in headings.items():
        document.add(Heading(heading))
        if results.networks:
            document.add(tables.side_by_side(name, results))
    calls = tables.calls_of_hgi(results)
    if calls is not None:
        document.add(Heading("Calls of the search"), calls)
    document.add(Heading("Pictures"), *pictures)
    for name, heading in {"detail_constraint": "Constraint-based", "detail_established": "Established"}.items():
        document.add(Heading(f"{heading} methods in detail"), tables.detailed(name, results))
    return pictures


def _add_gaussian(
    document: Document,
    configuration: Configuration,
    results: Results,
    data_sets: list[dict[str, Any]],
    differences: list[tables.Difference],
    out: Path,
) -> list[Picture | Paragraph]:
    """Add the experiment on Gaussian data."""
    del data_sets, differences
    document.add(
        Paragraph(
            "Linear Gaussian networks on the paper's structures: weights uniform on ±[0.1, 1], variances uniform on "
            "[1, 2]. Accuracy is that of CPDAGs. An execution is one data set at one penalty λ (λ = 0.5 is BIC)."
        )
    )
    found = gaussian.executions(configuration, results)
    pictures: list[Picture | Paragraph] = []
    if found:
        pictures = _drawn(lambda figures: _boxes_of_gains(figures, found, out))
        document.add(Heading("What HGI brings to ARGES"), gaussian.gains(found), *pictures)
        document.add(Heading("Networks"), gaussian.by_network(found))
    document.add(Heading("Accuracy"), gaussian.accuracy(configuration, results))
    return pictures


def _boxes_of_gains(figures: Any, found: list[gaussian.Execution], out: Path) -> list[Picture | Paragraph]:
    figures.gains_by_hgi(found, out / "gains-by-hgi.png")
    caption = "JI of ARGES without and with HGI against the number of rows; a box holds data sets and penalties."
    return [Picture("gains-by-hgi.png", caption)]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _sizes(configuration: Configuration) -> str:
    sizes = sorted({entry.n_rows or configuration.n_rows for entry in configuration.networks})
    return ", ".join(f"{n:,}" for n in sizes)


def _add_summary(document: Document, differences: list[tables.Difference]) -> None:
    """Add mean and largest differences of JI for each method."""
    by_method: dict[str, list[tables.Difference]] = {}
    for difference in differences:
        if difference.metric == "JI" and difference.difference is not None:
            by_method.setdefault(difference.method, []).append(difference)
    if not by_method:
        return
    rows = []
    for method, found in by_method.items():
        values = [d.difference for d in found if d.difference is not None]
        worst = max(found, key=lambda d: abs(d.difference or 0.0))
        rows.append(
            [
                method,
                str(len(values)),
                f"{fmean(values):+.3f}",
                f"{fmean(map(abs, values)):.3f}",
                f"{worst.difference:+.3f} ({worst.network})",
            ]
        )
    header = ["method", "networks", "mean difference", "mean absolute difference", "largest"]
    document.add(Heading("JI: ours minus the paper's"), Table(header, rows))


def _add_seconds(document: Document, results: Results) -> None:
    rows = []
    for network in results.networks:
        cells = []
        for label in results.labels:
            seconds = [outcome.seconds for outcome in results.outcomes(network, label)]
            cells.append(f"{fmean(seconds):.2f}" if seconds else "")
        rows.append([network, *cells])
    if rows:
        caption = "Mean seconds of the processor of an execution; methods that use another's skeleton without its time."
        document.add(Heading("Seconds"), Table(["network", *results.labels], rows, caption))


def _drawn(draw: Callable[[Any], list[Picture | Paragraph]]) -> list[Picture | Paragraph]:
    """Draw with the module of figures, or say what that needs."""
    try:
        from phgs.study import figures

        return draw(figures)
    except ImportError:
        return [Paragraph("Pictures need matplotlib: pip install 'phgs[plot]'.")]


def _pictures(results: Results, out: Path) -> list[Picture | Paragraph]:
    return _drawn(lambda figures: _figures_of_paper(figures, results, out)) if results.networks else []


def _figures_of_paper(figures: Any, results: Results, out: Path) -> list[Picture | Paragraph]:
    drawn: list[Picture | Paragraph] = []
    if figures.accuracy_against_calls(results, out / "accuracy-against-calls.png"):
        caption = "JI against calls of constraint-based methods: filled means, hollow data sets, crosses the paper."
        drawn.append(Picture("accuracy-against-calls.png", caption))
    if figures.accuracy_boxes(results, out / "accuracy-boxes.png"):
        drawn.append(Picture("accuracy-boxes.png", "JI of pHGS and established methods; crosses: the paper's means."))
    return drawn


def _results_csv(outcomes: list) -> bytes:  # type: ignore[type-arg]
    keys = ("P", "TP", "R", "FP", "FN", "SHD", "JI", "extendable", "score")
    rows = [written(["network", "seed", "method", "level", *keys, "calls", "seconds", "error"])]
    for o in outcomes:
        calls = o.values.get("calls", {}).get("total", "")
        values = [o.values.get(key, "") for key in keys]
        line = [o.network, o.seed, o.label, _level(o.level), *values, calls, f"{o.seconds:.3f}", _last_line(o.error)]
        rows.append(written(None if cell == "" else cell for cell in line))
    return "".join(rows).encode()


def _differences_csv(differences: list[tables.Difference]) -> bytes:
    rows = [written(["table", "network", "method", "metric", "ours", "paper", "difference"])]
    for d in differences:
        numbers = (None if value is None else f"{value:.6g}" for value in (d.ours, d.paper, d.difference))
        rows.append(written([d.table, d.network, d.method, d.metric, *numbers]))
    return "".join(rows).encode()


def _level(level: float | None) -> str:
    return "" if level is None else f"{level:g}"


def _last_line(error: str | None) -> str:
    return "" if not error else error.strip().splitlines()[-1]
