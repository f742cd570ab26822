"""Report what stands out in a table before anything is learned from it."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from phgs.cli.common import Parser, bold, input_path
from phgs.output import check_writable, write_all


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "data", metavar="DATA", help="CSV (header row), Parquet or Feather file; '-' reads CSV from standard input"
    )
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(options: Namespace) -> int:
    """Print the report."""
    from phgs.describe import describe

    path = input_path(options.data, also_stdin=True)
    output = None if options.json is None else check_writable(options.json)
    report = describe(path)
    if output is not None:
        text = json.dumps(report.to_dict(), ensure_ascii=False, indent=1) + "\n"
        write_all({output: text.encode()})
    if not options.quiet:
        size, *lines = str(report).split("\n")
        sys.stdout.write("\n".join([bold(size), *lines]) + "\n")
    return 0
