"""Compare a learned graph with the true one, as CPDAGs and by the names of variables."""

from __future__ import annotations

from argparse import Namespace

from phgs.cli.common import Parser, bold, input_path, outputs, say, summary_stream, write
from phgs.documents import json_text

_LINES = {
    "learned_edges": "P (learned edges)",
    "true_edges": "true edges",
    "true_positives": "TP (right)",
    "wrong_directions": "R (other direction)",
    "false_positives": "FP (false)",
    "false_negatives": "FN (missed)",
    "shd": "SHD",
    "jaccard": "JI",
    "precision": "precision",
    "recall": "recall",
    "skeleton_precision": "skeleton precision",
    "skeleton_recall": "skeleton recall",
}


def add(parser: Parser) -> None:
    """Add the options."""
    kinds = "an edge list (CSV with the columns from and to), a result file (JSON) or a network (BIF)"
    parser.add_argument("true", metavar="TRUE", help=kinds)
    parser.add_argument("learned", metavar="LEARNED", help="the same")
    parser.add_argument("--json", metavar="FILE", help="write the comparison as JSON; '-' is standard output")
    parser.add_argument(
        "--html", metavar="FILE.html", help="write a page in which right, missing and false edges can be explored"
    )
    parser.add_argument(
        "--encoding", metavar="NAME", help="of edge lists and networks, such as latin-1 (default UTF-8)"
    )


def run(options: Namespace) -> int:
    """Compare, write, print."""
    from phgs.graphs import compare
    from phgs.graphs.convert import read_graph

    wanted = outputs(options, ("json", "html"))
    truth, learned = (
        read_graph(input_path(path), encoding=options.encoding) for path in (options.true, options.learned)
    )
    found = compare(truth, learned).to_dict()
    contents = {}
    if "json" in wanted:
        contents[wanted["json"]] = json_text(found).encode()
    if "html" in wanted:
        contents[wanted["html"]] = learned.explore(truth=truth).html.encode()
    write(contents)
    stream = summary_stream(wanted.values())
    for name, text in _LINES.items():
        value = found[name]
        shown = "none" if value is None else f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
        say(f"{bold(text.ljust(20), stream)} {shown}\n", stream)
    return 0
