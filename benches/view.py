"""Measure the page that `explore` makes: its size, the time until it can be used, frames while the graph is dragged.

    pip install playwright
    python benches/view.py --chromium /usr/bin/chromium --page docs/benchmarks/view.md

Chromium is that of the option, of the environment variable ``PHGS_CHROMIUM`` or of the path, in this order. It runs
without a window and paints in software. Also measured: seconds to place the variables, beside Graphviz where it is
installed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import phgs
from phgs.graphs.placing import placed
from phgs.graphs.plot import _halves

WINDOW = {"width": 1280, "height": 857}

DRAG = """async () => {
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

TEXT = """# The page to explore

What `explore` makes ([guide](../guides/explore.md)), opened in a browser. `benches/view.py` measures it and writes
this page:

```sh
pip install playwright
python benches/view.py --chromium /usr/bin/chromium --page docs/benchmarks/view.md
```

{table}

* **Made in**: seconds of the processor for `result.explore(path)`, layouts included, learning not.
* **File**: one file that needs nothing else. *Tests of pairs* is a part of it: why two variables have no edge.
* **Ready**: from the start of loading until the page can be used.
* **Frames**: a second, while the whole graph is dragged.

Every page was opened {openings} times. The best is shown, since other programs only make a page slower.
{machine}

The 37 variables are the bundled ALARM data, 25,000 rows. The 1,036 are 28 joined copies of ALARM, 5,000 rows
(`phgs sample alarm --tiles 28 -n 5000`). The 5,000 are a random DAG. It has no data, so its page has no tests.

## Where the bytes are

The viewer itself has {viewer:.0f} kB. A large page is compressed, the viewer with it: from 30 kB of JSON on.
A browser of 2023 or later unpacks both.

Next are the tests of pairs. A set is written by the places of its members among likely variables: the neighbours of
the two, and what separated them from others. A p-value has the three digits that `explain` shows. At most {pairs:,}
pairs are in a page. Where there are more, it has those up to some number of edges apart.

## Layouts

Seconds to place the variables, and the size of the picture in inches:

{layouts}
"""


class Subject(NamedTuple):
    """What is shown."""

    name: str
    method: str
    shown: Any


def subjects() -> Iterator[Subject]:
    """Learn what is shown, by size."""
    alarm = phgs.datasets.load_alarm()
    yield Subject("37 variables", "default", phgs.learn(alarm.table, progress=False))
    with tempfile.TemporaryDirectory() as folder:
        from phgs.cli import main as command

        file = Path(folder) / "tiles.parquet"
        command(["sample", "alarm", "-n", "5000", "--tiles", "28", "--out", str(file)])
        yield Subject("1,036 variables", "default", phgs.learn(file, progress=False))
        yield Subject("1,036 variables", "phgs", phgs.learn(file, "phgs", progress=False))
    yield Subject("5,000 variables", "none", phgs.random_dag(5000, degree=6, seed=1))


def pages(found: list[Subject], chromium: str, openings: int) -> tuple[str, str]:
    """Return the table, and the version of the browser."""
    from playwright.sync_api import sync_playwright

    from phgs.graphs.view.payload import of_graph, of_result

    rows = [("", "method", "edges", "made in", "file", "tests of pairs", "pairs", "ready", "frames")]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, method, shown in found:
            file = Path(folder) / "page.html"
            start = time.process_time()
            html = shown.explore(file).html
            made = time.process_time() - start
            payload = of_result(shown) if hasattr(shown, "cpdag") else of_graph(shown)
            absent = payload.get("absent") or {"columns": [], "pairs": 0}
            ready, frames = float("inf"), 0.0
            for _ in range(openings):
                page = browser.new_page(viewport=WINDOW)
                page.goto(file.as_uri())
                page.wait_for_selector("html[data-ready]")
                ready = min(ready, float(page.get_attribute("html", "data-ready") or "inf"))
                frames = max(frames, page.evaluate(DRAG))
                page.close()
            row = (
                name,
                method,
                f"{getattr(shown, 'cpdag', shown).n_edges:,}",
                f"{made:.2f} s",
                f"{len(html.encode()) / 1000:,.0f} kB",
                f"{sum(map(len, absent['columns'])) / 1000:,.0f} kB",
                f"{absent['pairs']:,}",
                f"{ready / 1000:.2f} s",
                f"{frames:.0f}",
            )
            sys.stderr.write(" | ".join(row) + "\n")
            rows.append(row)
        version = browser.version
        browser.close()
    return table(rows, 2), version


def layouts(found: list[Subject]) -> str:
    """Return a table of seconds and sizes of layouts."""
    kinds = {"layers": "layers", "springs": "springs", "dot": "Graphviz `dot`", "sfdp": "Graphviz `sfdp`"}
    kinds = {kind: name for kind, name in kinds.items() if kind not in ("dot", "sfdp") or shutil.which(kind)}
    rows: list[tuple[str, ...]] = [("", "method", *kinds.values())]
    for name, method, shown in found:
        graph = getattr(shown, "cpdag", shown)
        if graph.n_variables > 2000:
            continue
        row = [name, method]
        for kind in kinds:
            start = time.perf_counter()
            drawn = placed(graph, kind, getattr(shown, "clusters", None), _halves(graph))
            seconds = time.perf_counter() - start
            width, height = drawn.corners[1] - drawn.corners[0]
            row.append(f"{seconds:.2f} s, {width:.0f} × {height:.0f}")
        rows.append(tuple(row))
    return table(rows, 2)


def table(rows: list[tuple[str, ...]], texts: int) -> str:
    """Write Markdown; the first columns are text, the others numbers."""
    header, *rest = rows
    kinds = tuple(":---" if i < texts else "---:" for i in range(len(header)))
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, kinds, *rest))


def machine(version: str) -> str:
    """Say where it was measured."""
    processor = platform.machine()
    if Path("/proc/cpuinfo").exists():
        named = [
            line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().split("\n") if "model name" in line
        ]
        processor = named[0] if named else processor
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"Chromium {version}, no window, no graphics card; {os.cpu_count()} cores, {processor}{load}."


def main() -> None:
    """Measure, and write the page or print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", help="the browser (default: PHGS_CHROMIUM, or chromium of the path)")
    parser.add_argument("--openings", type=int, default=5, help="how often each page is opened (default 5)")
    parser.add_argument("--page", type=Path, help="write the page here; without it, it is printed")
    options = parser.parse_args()
    chromium = options.chromium or os.environ.get("PHGS_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        parser.error("no chromium: name it by --chromium or PHGS_CHROMIUM")
    from phgs.graphs.view.page import part
    from phgs.graphs.view.payload import MOST_ABSENT_PAIRS

    found = list(subjects())
    measured, version = pages(found, chromium, options.openings)
    text = TEXT.format(
        table=measured,
        openings=options.openings,
        machine=machine(version),
        viewer=sum(len(part(name).encode()) for name in ("view.js", "view.css", "view.html")) / 1000,
        pairs=MOST_ABSENT_PAIRS,
        layouts=layouts(found),
    )
    if options.page is None:
        sys.stdout.write(text)
    else:
        options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
