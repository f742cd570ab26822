"""Learn a graph from a table."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from phgs.cli.common import (
    Parser,
    bold,
    data_path,
    input_path,
    kinds_as_options,
    outputs,
    read_data,
    say,
    summary_stream,
    tell_written,
    workers,
    write,
)
from phgs.cli.method import add_method, made
from phgs.data import shards

if TYPE_CHECKING:
    from phgs.graphs import Comparison, Graph
    from phgs.result import Result


def add(parser: Parser) -> None:
    """Add the options."""
    add_method(parser, seed="seed of random choices, where a method makes any (default 0)")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="leave the rows of Parquet files on the workers of this Dask scheduler, such as tcp://host:8786"
        " (needs phgs[dask])",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--true-graph", metavar="EDGES.csv", help="compare with this graph")
    output.add_argument("--json", metavar="FILE", help="write the result file; '-' is standard output, here and below")
    output.add_argument(
        "--edges",
        metavar="FILE.csv",
        help="write the CPDAG as an edge list; undirected edges both ways, variables without edges alone",
    )
    output.add_argument("--dot", metavar="FILE", help="write the CPDAG in Graphviz DOT")
    output.add_argument("--plot", metavar="FILE.png|svg", help="draw the CPDAG (needs matplotlib)")
    output.add_argument("--html", metavar="FILE.html", help="write a page in which the CPDAG can be explored")
    output.add_argument("--report", metavar="FILE.html", help="write a page that reports the analysis")


def run(options: Namespace) -> int:
    """Learn, write what was asked for, print a summary."""
    learner = made(options)
    data_path(options.data)
    truth = None
    if options.true_graph is not None:
        from phgs.graphs.convert import read_graph

        truth = read_graph(input_path(options.true_graph))
    wanted = outputs(options, ("json", "edges", "dot", "plot", "html", "report"))
    with workers(options.dask) as client:
        data = read_data(options) if client is None else shards(options.data, on=client)
        result = learner._learn(data, stacklevel=2)
        return _written(options, result, wanted, truth)


def _written(options: Namespace, result: Result, wanted: dict[str, Path], truth: Graph | None) -> int:
    """Write what was asked for while the data are there."""
    comparison = None
    if truth is not None:
        from phgs.graphs import as_graph, compare

        comparison = compare(as_graph(truth, result.variables), result.cpdag)
    write({path: _content(kind, path, result, truth, comparison) for kind, path in wanted.items()})
    if not options.quiet:
        _print(result, comparison, wanted)
    return 0


def _content(kind: str, path: Path, result: Result, truth: Graph | None, comparison: Comparison | None) -> bytes:
    if kind == "json":
        from phgs.result.file import dumps

        return dumps(result, comparison).encode()
    if kind == "edges":
        from phgs.graphs.export import to_csv

        return to_csv(result.cpdag).encode()
    if kind == "dot":
        return result.to_dot().encode()
    if kind == "html":
        return result.explore(truth=truth).html.encode()
    if kind == "report":
        return result.report(truth=truth).html.encode()
    from phgs.graphs.plot import rendered

    return rendered(result.plot(), path)


def _print(result: Result, comparison: Comparison | None, written: dict[str, Path]) -> None:
    from phgs.result.summary import summary

    stream = summary_stream(written.values())
    for line in kinds_as_options(summary(result, comparison)).split("\n"):
        name, value = line[:20], line[20:]
        shown = bold(name, stream) if name.strip() and not name.startswith(" ") else name
        say(f"{shown}{value}\n", stream)
    tell_written(written.values())
