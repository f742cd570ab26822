"""Learn a graph from a table of categories, or of Gaussian data."""

from __future__ import annotations

import inspect
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phgs.cli.common import Parser, UsageError, bold, input_path, number, size_limit, whole_number
from phgs.learn import METHODS, learner
from phgs.learners.hybrid import REFINE
from phgs.learners.pieces import DEGREES_OF_FREEDOM, SCORES, TESTS
from phgs.learners.search import SCHEDULES
from phgs.output import check_writable, write_all

if TYPE_CHECKING:
    from phgs.graphs import Comparison
    from phgs.result import Result

_PARAMETERS: dict[str, tuple[str, Callable[[str], Any], str, str]] = {
    "--alpha": ("alpha", number, "A", "significance level of the tests (default 0.05; 0.1 for ppc and pc)"),
    "--max-conditioning-size": (
        "max_conditioning_size",
        size_limit,
        "M",
        "largest conditioning set (default 3; 4 for hpc, 5 for mmpc, fast-iamb and si-hiton-pc; 'none' for no limit)",
    ),
    "--path-length": (
        "path_length",
        whole_number,
        "T",
        "significance levels that PATH looks at (default 10; 1 turns it off)",
    ),
    "--min-alpha": ("min_alpha", number, "A", "lowest significance level of PATH (default 1e-5)"),
    "--max-clusters": ("max_clusters", whole_number, "K", "most clusters of the partition (default 20)"),
    "--max-parents": ("max_parents", size_limit, "P", "most parents of a variable (default: no limit)"),
    "--tabu-length": ("tabu_length", whole_number, "N", "graphs that the tabu list holds (default 100)"),
    "--tabu-patience": (
        "tabu_patience",
        whole_number,
        "N",
        "steps without a new best that end the search (default 100)",
    ),
    "--penalty": ("penalty", number, "L", "weight of log(rows) times parameters in BIC (default 0.5)"),
    "--seed": ("seed", whole_number, "N", "seed of random choices, where a method makes any (default 0)"),
}
_CHOICES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "--score": ("score", SCORES, "score to maximise (default bic)"),
    "--test": ("test", TESTS, "independence test (default g2)"),
    "--degrees-of-freedom": (
        "degrees_of_freedom",
        DEGREES_OF_FREEDOM,
        "of the test: of all cells, or of those that can occur (default classical)",
    ),
    "--refine": (
        "refine",
        REFINE,
        "what to do after the method: nothing, a search over all pairs, over a growing set, GES or BOSS",
    ),
    "--data-type": ("data_type", ("discrete", "gaussian"), "categories, or jointly normal numbers (default discrete)"),
    "--schedule": ("schedule", SCHEDULES, "for ges: order of insertions, deletions and turns (default phases)"),
    "--init": ("init", ("empty", "hgi"), "for gsc, mmhc, h2pc and arges: start of the search (default empty)"),
}


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "data", metavar="DATA", help="CSV (header row), Parquet or Feather file; '-' reads CSV from standard input"
    )
    parser.add_argument(
        "--method", choices=METHODS, default="auto", metavar="NAME", help=f"one of {', '.join(METHODS)} (default auto)"
    )
    group = parser.add_argument_group("method")
    for option, (name, kind, mark, text) in _PARAMETERS.items():
        group.add_argument(option, dest=name, type=kind, metavar=mark, default=inspect.Parameter.empty, help=text)
    for option, (name, known, text) in _CHOICES.items():
        group.add_argument(option, dest=name, choices=known, default=inspect.Parameter.empty, help=text)
    group.add_argument("--skeleton", metavar="EDGES.csv", help="for gsc and arges: the pairs that may be connected")
    group.add_argument("--cig", metavar="EDGES.csv", help="for arges: the conditional-independence graph")
    group.add_argument("--knowledge", metavar="FILE.json", help="required and forbidden edges, tiers (JSON or CSV)")
    running = parser.add_argument_group("running")
    running.add_argument(
        "--missing",
        choices=("error", "drop", "level", "testwise"),
        default="error",
        help="missing values: refuse, leave out incomplete rows, make missing a state, or leave rows out test by test, "
        "for methods that learn by tests alone (default error)",
    )
    running.add_argument(
        "--threads", type=whole_number, default=0, metavar="N", help="number of threads (default 0: all)"
    )
    running.add_argument(
        "--time-limit", type=number, metavar="SECONDS", help="return the best graph so far after this time"
    )
    running.add_argument("--quiet", action="store_true", help="print nothing but errors")
    output = parser.add_argument_group("output")
    output.add_argument("--true-graph", metavar="EDGES.csv", help="compare with this graph")
    output.add_argument("--json", metavar="FILE", help="write the result file")
    output.add_argument(
        "--edges", metavar="FILE.csv", help="write the CPDAG as an edge list; undirected edges both ways"
    )
    output.add_argument("--dot", metavar="FILE", help="write the CPDAG in Graphviz DOT")
    output.add_argument("--plot", metavar="FILE.png|svg", help="draw the CPDAG (needs matplotlib)")


def run(options: Namespace) -> int:
    """Learn, write what was asked for, print a summary."""
    parameters = _parameters(options)
    made = learner(options.method, **parameters)
    made._check()
    data = input_path(options.data, also_stdin=True)
    truth = None
    if options.true_graph is not None:
        from phgs.graphs.convert import read_graph

        truth = read_graph(input_path(options.true_graph))
    outputs = {
        kind: check_writable(path) for kind in ("json", "edges", "dot", "plot") if (path := getattr(options, kind))
    }
    if len(set(outputs.values())) != len(outputs):
        raise UsageError("two outputs have the same name")
    if "plot" in outputs:
        from phgs.graphs.plot import check_format

        check_format(outputs["plot"])
    result = made._learn(data, stacklevel=2)
    comparison = None
    if truth is not None:
        from phgs.graphs import as_graph, compare

        comparison = compare(as_graph(truth, result.variables), result.cpdag)
    write_all({path: _content(kind, path, result, comparison) for kind, path in outputs.items()})
    if not options.quiet:
        _print(result, comparison, outputs)
    return 0


def _parameters(options: Namespace) -> dict[str, Any]:
    """Collect what was given, refusing what the method does not have."""
    given: dict[str, Any] = {}
    named = [(option, entry[0]) for option, entry in _PARAMETERS.items()]
    named += [(option, choice[0]) for option, choice in _CHOICES.items()]
    for option, name in named:
        value = getattr(options, name)
        if value is not inspect.Parameter.empty:
            given[name] = value
            _refuse(option, name, options.method)
    if options.skeleton is not None:
        _refuse("--skeleton", "skeleton", options.method)
        given["skeleton"] = input_path(options.skeleton)
    elif options.method == "gsc":
        raise UsageError("gsc searches within a skeleton; give --skeleton EDGES.csv")
    if options.cig is not None:
        _refuse("--cig", "cig", options.method)
        given["cig"] = input_path(options.cig)
    if options.knowledge is not None:
        from phgs.knowledge import Knowledge

        given["knowledge"] = Knowledge.read(input_path(options.knowledge))
    # A seed is accepted by every method, as the interface promises; those without random choices have no use for it.
    if given.get("seed") is not None and "seed" not in _known(options.method):
        del given["seed"]
    return given | {
        "missing": options.missing,
        "threads": options.threads,
        "time_limit": options.time_limit,
        "progress": False if options.quiet else None,
    }


def _known(method: str) -> set[str]:
    from phgs.learn import _LEARNERS

    return set(inspect.signature(_LEARNERS[method][0]).parameters)


def _refuse(option: str, name: str, method: str) -> None:
    if name == "seed" or name in _known(method):
        return
    having = [other for other in METHODS if name in _known(other)]
    raise UsageError(f"method {method} has no {option}; methods with it: {', '.join(having)}")


def _content(kind: str, path: Path, result: Result, comparison: Comparison | None) -> bytes:
    if kind == "json":
        from phgs.result.file import dumps

        return dumps(result, comparison).encode()
    if kind == "edges":
        from phgs.graphs.export import to_csv

        return to_csv(result.cpdag).encode()
    if kind == "dot":
        return result.to_dot().encode()
    from phgs.graphs.plot import rendered

    return rendered(result.plot(), path)


def _print(result: Result, comparison: Comparison | None, outputs: dict[str, Path]) -> None:
    from phgs.result.summary import summary

    for line in summary(result, comparison).split("\n"):
        name, value = line[:20], line[20:]
        sys.stdout.write(f"{bold(name) if name.strip() and not name.startswith(' ') else name}{value}\n")
    for path in outputs.values():
        sys.stdout.write(f"{bold('wrote'.ljust(20))} {path}\n")
