"""List the networks that can be named in place of a file."""

from __future__ import annotations

import json
from argparse import Namespace

from phgs.cli.common import Parser, bold, say


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(options: Namespace) -> int:
    """Print the list."""
    from phgs.network.catalogue import ARCHIVE_VARIABLE, networks

    found = networks()
    if options.json:
        rows = [
            {
                "name": info.name,
                "variables": info.variables,
                "arcs": info.arcs,
                "parameters": info.parameters,
                "path": None if info.path is None else str(info.path),
            }
            for info in found
        ]
        say(json.dumps(rows, indent=1) + "\n")
        return 0
    say(bold(f"{'network':14}{'variables':>10}{'arcs':>7}{'parameters':>12}") + "\n")
    for info in found:
        sizes = ("" if size is None else f"{size:,}" for size in (info.variables, info.arcs, info.parameters))
        variables, arcs, count = sizes
        note = "" if info.path is not None else "   not in the package"
        say(f"{info.name:14}{variables:>10}{arcs:>7}{count:>12}{note}\n")
    if any(info.path is None for info in found):
        say(
            "\nNetworks that are not in the package are in data/networks of the source repository; load them by path, "
            f"or set {ARCHIVE_VARIABLE} to that folder.\n"
        )
    return 0
