"""Learn from rows drawn again and again, and count how often each edge comes out."""

from __future__ import annotations

import argparse
import inspect
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from phgs.cli.common import (
    Parser,
    UsageError,
    number,
    outputs,
    read_data,
    say,
    summary_stream,
    tell_written,
    whole_number,
    write,
)
from phgs.cli.common import input_path as checked_input
from phgs.cli.method import add_method, made
from phgs.confidence.consensus import KINDS
from phgs.documents import json_text

if TYPE_CHECKING:
    from phgs.confidence import EdgeConfidence


def add(parser: Parser) -> None:
    """Add the options."""
    running = add_method(parser, seed="seed of the rows that are drawn, and of random choices of a method (default 0)")
    running.add_argument("-n", type=whole_number, default=200, metavar="N", help="number of replicates (default 200)")
    running.add_argument(
        "--folder", metavar="FOLDER", help="keep every replicate here; a later call continues where it stopped"
    )
    running.add_argument(
        "--workers", type=whole_number, default=1, metavar="N", help="processes that learn replicates (default 1)"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--threshold",
        type=_threshold,
        default="estimated",
        metavar="SHARE",
        help="least share of replicates of an edge of the consensus graph (default: estimated)",
    )
    output.add_argument(
        "--consensus",
        choices=KINDS,
        default="majority",
        help="each edge as most replicates have it, a DAG, or its CPDAG (default majority)",
    )
    output.add_argument("--json", metavar="FILE", help="write what was found; '-' is standard output, here and below")
    output.add_argument("--table", metavar="FILE.csv", help="write the shares of all pairs")
    output.add_argument("--edges", metavar="FILE.csv", help="write the consensus graph as an edge list")
    output.add_argument("--dot", metavar="FILE", help="write the consensus graph in Graphviz DOT")
    output.add_argument("--plot", metavar="FILE.png|svg", help="draw the majority graph (needs matplotlib)")
    output.add_argument("--html", metavar="FILE.html", help="write a page in which the pairs can be explored")


def _threshold(text: str) -> float | str:
    if text == "estimated":
        return text
    value = number(text)
    if not 0.0 < value <= 1.0:
        raise argparse.ArgumentTypeError(f"expected a share above 0 and at most 1, or 'estimated', got '{text}'")
    return value


def run(options: Namespace) -> int:
    """Learn the replicates, write what was asked for, print the surest edges."""
    from phgs.confidence import bootstrap

    if options.workers < 1:
        raise UsageError("--workers must be at least 1")
    learner = made(options)
    checked_input(options.data, also_stdin=True)
    wanted = outputs(options, ("json", "table", "edges", "dot", "plot", "html"))
    data = read_data(options)
    seed = 0 if options.seed is inspect.Parameter.empty else options.seed
    progress = False if options.quiet else None
    found = bootstrap(learner, data, options.n, seed, workers=options.workers, folder=options.folder, progress=progress)
    write({path: _content(kind, path, found, options) for kind, path in wanted.items()})
    if not options.quiet:
        _print(found, wanted)
    return 0


def _content(kind: str, path: Path, found: EdgeConfidence, options: Namespace) -> bytes:
    if kind == "json":
        return json_text(found.to_dict()).encode()
    if kind == "table":
        return found.to_csv().encode()
    if kind == "html":
        return found.explore(threshold=options.threshold).html.encode()
    if kind == "plot":
        from phgs.graphs.plot import rendered

        return rendered(found.plot(threshold=options.threshold), path)
    graph = found.consensus(options.threshold, options.consensus)
    if kind == "dot":
        return graph.to_dot().encode()
    from phgs.graphs.export import to_csv

    return to_csv(graph).encode()


def _print(found: EdgeConfidence, written: dict[str, Path]) -> None:
    say(f"{found}\n", summary_stream(written.values()))
    tell_written(written.values())
