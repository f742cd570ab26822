"""Report what stands out in a table before anything is learned from it."""

from __future__ import annotations

from argparse import Namespace

from phgs.cli.common import (
    Parser,
    add_reading,
    bold,
    column_names,
    data_path,
    kinds_as_options,
    outputs,
    read_data,
    say,
    summary_stream,
    write,
)
from phgs.cli.method import add_categories, add_counts, kinds_of
from phgs.documents import json_text


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "data",
        metavar="DATA",
        help="CSV (header row), Parquet or Feather file, or a folder or quoted pattern of Parquet files;"
        " '-' reads CSV from standard input",
    )
    add_reading(parser)
    add_categories(parser)
    add_counts(parser)
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON; '-' is standard output")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(options: Namespace) -> int:
    """Print the report."""
    from phgs.describe import describe

    data_path(options.data)
    wanted = outputs(options, ("json",))
    report = describe(
        read_data(options), column_names(options.categories), kinds=kinds_of(options), counts=options.counts
    )
    write({path: json_text(report.to_dict()).encode() for path in wanted.values()})
    if not options.quiet:
        stream = summary_stream(wanted.values())
        size, *lines = kinds_as_options(str(report)).split("\n")
        say("\n".join([bold(size, stream), *lines]) + "\n", stream)
    return 0
