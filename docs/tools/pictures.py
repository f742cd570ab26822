"""Make the pictures of the documentation: ``python docs/tools/pictures.py [PART OF A PAGE'S NAME…]``.

Needs phgs[plot,pandas] and scikit-learn.

The graphs are those of the pages' own code blocks; the drawings of how parts fit together are laid out here.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

sys.path.insert(0, str(Path(__file__).parent))

import blocks

DOCS = Path(__file__).parents[1]
PICTURES = DOCS / "pictures"
FROM_PAGES = {
    "../README.md": ("alarm.png",),
    "tutorials/first-graph.md": ("alarm.png", "heart-rate.png"),
    "tutorials/messy-table.md": ("child.png",),
    "guides/edge-confidence.md": ("confidence.png",),
    "guides/gaussian.md": ("gaussian.png",),
    "guides/which-method.md": ("path.png",),
    "examples/survey.md": ("survey.png",),
    "examples/records.md": ("records.png",),
    "examples/wine.md": ("wine.png",),
    "examples/genes.md": ("genes.png",),
    "examples/diabetes.md": ("diabetes.png",),
    "examples/waves.md": ("waves.png",),
    "examples/diagnosis.md": ("diagnosis.png",),
}

CORE, FACADE, EDGE = "#d5ecd4", "#cfe2f3", "#f4f4f4"


def graphs_of_pages(chosen: list[str]) -> None:
    """Run the pages that draw something, or those of them whose name is given, and keep their pictures."""
    here = Path.cwd()
    for page, names in FROM_PAGES.items():
        if chosen and not any(part in page for part in chosen):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with contextlib.redirect_stdout(io.StringIO()):
                blocks.run_page(DOCS / page)
            os.chdir(here)
            for name in names:
                kept = "readme.png" if page.endswith("README.md") else name
                shutil.copy(Path(folder) / name, PICTURES / kept)


def explored() -> None:
    """Take a picture of the page in which ALARM can be explored; needs Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: explore.png is left as it is", file=sys.stderr)
        return
    import phgs

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "graph.html"
        phgs.learn(phgs.datasets.load_alarm().table, progress=False).explore(page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]
        taken = f"--screenshot={PICTURES / 'explore.png'}"
        command = [browser, *options, "--window-size=1280,800", taken, page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def drawing(width: float, height: float) -> tuple[Figure, Any]:
    """Return an empty figure whose units are a tenth of an inch."""
    figure = Figure(figsize=(width / 10, height / 10))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    return figure, axes


def box(
    axes: Any, x: float, y: float, width: float, height: float, title: str, text: str = "", colour: str = CORE
) -> None:
    """Draw a box with a title and small text below it."""
    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=1",
            facecolor=colour,
            edgecolor="#777777",
            linewidth=0.8,
        )
    )
    middle = x + width / 2
    lines = text.count("\n") + 1 if text else 0
    top = y + height / 2 + 0.95 * lines
    axes.text(middle, top, title, ha="center", va="center", fontsize=10, fontweight="bold")
    if text:
        axes.text(middle, top - 1.3, text, ha="center", va="top", fontsize=8, linespacing=1.25, color="#333333")


def arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow between two points."""
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=10, linewidth=1.0, color="#555555", shrinkA=0, shrinkB=0
        )
    )


def save(figure: Figure, name: str) -> None:
    """Write an SVG that is the same on every run."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "phgs", "svg.fonttype": "path"}):
        figure.savefig(PICTURES / name, metadata={"Date": None})


def stages() -> None:
    """Draw the stages that every method is a composition of."""
    figure, axes = drawing(100, 22)
    boxes = [
        ("restrict", "which pairs may\nbe connected:\nPPC, PC, MMPC, HPC,\na given skeleton, all"),
        ("select", "PATH: which\nsignificance level,\nby the score"),
        ("initialise", "where to start:\nHGI, the oriented\nCPDAG, empty,\na given DAG"),
        ("maximise", "search within the\nrestriction: tabu,\nhill-climbing, GES,\nBOSS, none"),
        ("refine", "go on without it:\nover all pairs,\nGES, BOSS, none"),
    ]
    width, gap = 16.6, 3.5
    for number, (title, text) in enumerate(boxes):
        x = 1.5 + number * (width + gap)
        box(axes, x, 4, width, 15, title, text)
        if number:
            arrow(axes, (x - gap + 0.2, 11.5), (x - 0.2, 11.5))
    axes.text(
        1.5,
        1.6,
        "pHGS = PPC + PATH + HGI + tabu       MMHC = MMPC + empty + tabu       any other composition: phgs.Hybrid",
        fontsize=8.5,
    )
    save(figure, "stages.svg")


FACADE_FLOORS = [
    ("cli, datasets", "commands; the bundled data"),
    ("study, confidence", "simulation studies; bootstrap, in processes of their own"),
    ("learn, verification", "one call, methods by name; edges looked at again"),
    ("learners", "parameters with defaults → a composition of stages"),
    ("result, gaussian, missingness", "tables, files, reports; simulated data"),
    ("network, mixed_network, functional", "Bayesian networks; single tests, scores, distances"),
    ("graphs", "graphs, comparison, pictures, the viewer"),
    ("clustering, knowledge", "average linkage; constraints by name"),
    (
        "choices, own_test, own_score, describe,\ndocuments, families, linkage",
        "names of tests and scores; users' own",
    ),
    ("data", "any frame, array or file → a checked table"),
    ("names, parameters, delimited", "checks whose errors name the remedy"),
    ("texts, textfiles, progress, output,\nsending, workers", "reading and writing; processes"),
    ("errors, _core", "exceptions; the compiled core, typed by _core.pyi"),
]
"""Modules of the facade from the top down, as the test of imports has them, and what they are for."""

CORE_FLOORS = [
    ("python", "the binding: the only place that knows PyO3;\ndetaches, polls for Ctrl-C, maps errors"),
    ("hybrid, network", "hide which stages run; files, samples and tables of networks"),
    ("search", "hill-climbing, tabu, GES, BOSS; hides which gains are up to date"),
    ("orient", "colliders, Meek's rules, PATH, HGI"),
    ("skeleton", "PC, pPC, local learners; hides order and parallel split"),
    ("independence, discretise", "trait IndependenceTest hides the data of a test; cut numbers"),
    ("score", "trait LocalScore; hides counting, remembers scores"),
    ("counts, knowledge", "contingency tables, hide kernel and caches; constraints"),
    ("data, graph", "columns, hide storage width; DAGs, PDAGs, d-separation"),
    ("run", "threads, progress, Ctrl-C, limits, the ledger of calls"),
    (
        "stats, subsets, layout,\nrandom_numbers, variables, error",
        "tails of distributions; combinations;\nplaces of nodes; seeded numbers",
    ),
]
"""The same of the core."""


def floors(axes: Any, x: float, width: float, top: float, rows: list[tuple[str, str]], colour: str) -> list[float]:
    """Draw modules from the top down, and return the heights of their middles."""
    middles = []
    for names, text in rows:
        lines = max(names.count("\n"), text.count("\n")) + 1
        height = 3.1 + 1.9 * (lines - 1)
        top -= height + 0.9
        axes.add_patch(
            FancyBboxPatch(
                (x, top), width, height, boxstyle="round,pad=0,rounding_size=0.6", facecolor=colour, edgecolor="#777777"
            )
        )
        middle = top + height / 2
        axes.text(x + 1, middle, names, fontsize=7.6, fontweight="bold", va="center", linespacing=1.15)
        axes.text(x + width - 1, middle, text, fontsize=7.2, va="center", ha="right", linespacing=1.15)
        middles.append(middle)
    return middles


def architecture() -> None:
    """Draw the modules on their floors: each may import what stands below it."""
    figure, axes = drawing(132, 66)
    axes.text(2, 62.5, "python/phgs: a typed facade in pure Python", fontsize=10, color="#3b75af", fontweight="bold")
    left = floors(axes, 2, 64, 61, FACADE_FLOORS, FACADE)
    axes.text(72, 62.5, "src: the core in Rust, which knows no Python", fontsize=10, color="#519e3e", fontweight="bold")
    right = floors(axes, 72, 58, 61, CORE_FLOORS[:1], EDGE)
    floors(axes, 72, 58, 61 - (61 - right[0]) * 2 + 0.9, CORE_FLOORS[1:], CORE)
    axes.plot([66, 69, 69], [left[-1], left[-1], right[0]], color="#555555", linewidth=1.0)
    arrow(axes, (69, right[0]), (72, right[0]))
    axes.text(
        2,
        1.2,
        "A module imports only what stands below it, and on one floor of the facade its neighbours.",
        fontsize=8.5,
    )
    save(figure, "architecture.svg")


def plan() -> None:
    """Draw what the model of clusters says, of what `benches/plan.py` has measured."""
    told = json.loads((DOCS / "benchmarks" / "plan.json").read_text())["plan"]
    methods = list(dict.fromkeys(entry["method"] for entry in told))
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(methods), sharey=True)
    parts = [
        ("counting", "counting", "#519e3e"),
        ("latency", "waiting for rounds", "#3b75af"),
        ("asking", "asking and adding", "#e1812c"),
        ("bytes", "bytes", "#845b53"),
    ]
    for panel, method in zip(panels, methods, strict=True):
        own = [entry for entry in told if entry["method"] == method and entry["rows"] == 1e10]
        workers = [entry["workers"] for entry in own]
        for part, label, colour in parts:
            panel.plot(workers, [entry[part] for entry in own], color=colour, marker="o", markersize=3, label=label)
        total = [sum(entry[part] for part, _, _ in parts) for entry in own]
        panel.plot(workers, total, color="black", linewidth=2, label="all")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_ylim(0.1, 3e4)
        panel.set_xticks(workers, [str(of) for of in workers])
        panel.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        panel.grid(visible=True, which="major", color="0.9")
        panel.set_title(method, fontsize=10)
        panel.set_xlabel("workers of 16 cores")
    panels[0].set_ylabel("seconds")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False, fontsize=8)
    figure.suptitle("10 billion rows × 100 columns, extrapolated", fontsize=10)
    figure.savefig(PICTURES / "plan.png", dpi=150)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    chosen = sys.argv[1:]
    graphs_of_pages(chosen)
    if not chosen or "guides/explore" in chosen:
        explored()
    if not chosen or "guides/scaling" in chosen:
        plan()
    if not chosen:
        stages()
        architecture()
