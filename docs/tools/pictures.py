"""Make the pictures of the documentation: ``python docs/tools/pictures.py [PART OF A PAGE'S NAME…]``.

Needs phgs[plot,pandas] and scikit-learn.

The graphs are those of the pages' own code blocks; the drawings of how parts fit together are laid out here.
"""

from __future__ import annotations

import contextlib
import io
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


def architecture() -> None:
    """Draw the parts and the one direction in which data flow."""
    figure, axes = drawing(110, 66)
    axes.text(2, 62.5, "python/phgs: a typed facade in pure Python", fontsize=10, color="#3b75af", fontweight="bold")
    box(axes, 2, 49, 19, 11, "data", "frames, arrays, files\n→ checked Table", FACADE)
    box(axes, 24, 49, 19, 11, "learners", "parameters → a\ncomposition of stages", FACADE)
    box(axes, 46, 49, 19, 11, "clustering", "average linkage (scipy),\ncut and merge", FACADE)
    box(axes, 68, 49, 19, 11, "result, graphs", "tables, pictures,\nfiles, exports", FACADE)
    box(axes, 90, 49, 18, 11, "cli, study", "commands,\nsimulation studies", FACADE)
    box(axes, 2, 38, 106, 6, "src/python: the only door (PyO3; detach, Ctrl-C, errors)", "", EDGE)
    axes.text(2, 33.6, "src: the core in Rust, which knows no Python", fontsize=10, color="#519e3e", fontweight="bold")
    box(axes, 2, 17.5, 14, 12, "data", "columns of\nstate codes", CORE)
    box(axes, 20, 17.5, 14, 12, "counts", "contingency\ntables", CORE)
    box(axes, 38, 24, 17, 8, "independence", "G², X², Fisher's z", CORE)
    box(axes, 38, 14, 17, 8, "score", "BIC, AIC, BDeu, K2", CORE)
    box(axes, 59, 24, 15, 8, "skeleton", "PC, pPC, MMPC, …", CORE)
    box(axes, 78, 24, 13, 8, "orient", "PATH, HGI,\nMeek's rules", CORE)
    box(axes, 78, 14, 13, 8, "search", "tabu, GES, BOSS", CORE)
    box(axes, 95, 17.5, 13, 12, "hybrid", "runs the\nstages", CORE)
    for start, end in (
        ((16, 23.5), (20, 23.5)),
        ((34, 25), (38, 27.5)),
        ((34, 22), (38, 18.5)),
        ((55, 28), (59, 28)),
        ((74, 28), (78, 28)),
        ((55, 18), (78, 18)),
        ((84.5, 24), (84.5, 22)),
        ((91, 28), (95, 26)),
        ((91, 18), (95, 21)),
    ):
        arrow(axes, start, end)
    for x in (11.5, 33.5, 55.5):
        arrow(axes, (x, 49), (x, 44))
    arrow(axes, (77.5, 44), (77.5, 49))
    box(axes, 2, 3, 33, 8, "graph, knowledge, run", "DAGs and PDAGs; constraints; threads, progress, Ctrl-C", EDGE)
    box(axes, 38, 3, 17, 8, "stats", "tails of χ² and\nnormal", EDGE)
    box(axes, 59, 3, 49, 8, "network", "BIF, sampling, tiling, parameters, exact marginals", EDGE)
    save(figure, "architecture.svg")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    chosen = sys.argv[1:]
    graphs_of_pages(chosen)
    if not chosen or "guides/explore" in chosen:
        explored()
    if not chosen:
        stages()
        architecture()
