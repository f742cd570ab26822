"""Measure the pages of the guide on exploring: ``python docs/tools/explore_figures.py`` (needs playwright, chromium).

Prints the table of ``docs/guides/explore.md`` and one of layouts: seconds of our own and of Graphviz, and crossings.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import phgs
from phgs.graphs.placing import placed
from phgs.graphs.plot import _halves

OPENINGS = 5
"""The best of so many is told: other programs only make a page slower."""

FRAMES = """async () => {
  const canvas = document.getElementById("picture"), send = (type, x) => canvas.dispatchEvent(
    new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 300, bubbles: true }));
  send("pointerdown", 300);
  const start = performance.now();
  let frames = 0;
  while (performance.now() - start < 2000) {
    await new Promise(requestAnimationFrame);
    send("pointermove", 300 + 80 * Math.sin(frames++ / 10));
  }
  send("pointerup", 300);
  return frames / 2;
}"""


def subjects() -> dict[str, Any]:
    """Return what is shown, by size."""
    alarm = phgs.datasets.load_alarm()
    found: dict[str, Any] = {"37 variables": phgs.learn(alarm.table, "phgs", progress=False)}
    with tempfile.TemporaryDirectory() as folder:
        from phgs.cli import main

        file = Path(folder) / "tiles.parquet"
        main(["sample", "alarm", "-n", "5000", "--tiles", "28", "--out", str(file)])
        found["1,036 variables"] = phgs.learn(file, "phgs", progress=False)
    found["5,000 variables"] = phgs.random_dag(5000, degree=6, seed=1)
    return found


def pages(found: dict[str, Any]) -> None:
    """Print sizes and times."""
    from playwright.sync_api import sync_playwright

    sys.stdout.write("| | edges | made in, CPU | file | without separating sets | ready | frames/s |\n")
    sys.stdout.write("| :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, subject in found.items():
            file = Path(folder) / "page.html"
            start = time.process_time()
            html = subject.explore(file).html
            made = time.process_time() - start
            begin = html.find('"absent":"') + len('"absent":"')
            absent = html.index('"', begin) - begin if begin >= len('"absent":"') else 0
            ready, frames = float("inf"), 0.0
            for _ in range(OPENINGS):
                page = browser.new_page(viewport={"width": 1280, "height": 857})
                page.goto(file.as_uri())
                page.wait_for_selector("html[data-ready]")
                ready = min(ready, float(page.get_attribute("html", "data-ready") or 0))
                frames = max(frames, page.evaluate(FRAMES))
                page.close()
            graph = getattr(subject, "cpdag", subject)
            size = len(html.encode())
            sys.stdout.write(
                f"| {name} | {graph.n_edges:,} | {made:.2f} s | {size / 1000:,.0f} kB"
                f" | {(size - absent) / 1000:,.0f} kB | {ready / 1000:.2f} s | {frames:.0f} |\n"
            )
        browser.close()


def layouts(found: dict[str, Any]) -> None:
    """Print seconds and crossings of layouts."""
    for name, subject in found.items():
        graph = getattr(subject, "cpdag", subject)
        if graph.n_variables > 2000:
            continue
        for layout in ("layers", "springs", "dot", "sfdp"):
            if layout in ("dot", "sfdp") and shutil.which(layout) is None:
                continue
            start = time.perf_counter()
            drawn = placed(graph, layout, getattr(subject, "clusters", None), _halves(graph))
            seconds = time.perf_counter() - start
            width, height = drawn.corners[1] - drawn.corners[0]
            sys.stdout.write(f"{name}, {layout}: {seconds:.2f} s, {width:.0f} × {height:.0f} inches\n")


if __name__ == "__main__":
    subjects_ = subjects()
    pages(subjects_)
    layouts(subjects_)
