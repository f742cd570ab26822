"""The options that choose a method and say how it runs: what `learn` and `bootstrap` share."""

from __future__ import annotations

import inspect
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

from phgs.choices import DEGREES_OF_FREEDOM, OF_NUMBERS, SCORES, TESTS
from phgs.cli.common import Parser, UsageError, add_reading, column_names, input_path, number, size_limit, whole_number
from phgs.data.mixed import Numbers
from phgs.data.reading import DATA_TYPES
from phgs.learn import METHODS, learner
from phgs.learners.refinement import EFFORTS, REFINE
from phgs.learners.registry import default_of, named, parameters_of
from phgs.learners.searches import SCHEDULES, TIES
from phgs.learners.stages import COLLIDER_RULES, STARTS

if TYPE_CHECKING:
    from phgs.data.kinds import Given
    from phgs.learners.base import Learner

_PARAMETERS: dict[str, tuple[str, Callable[[str], Any], str, str]] = {
    "--alpha": (
        "alpha",
        number,
        "A",
        "significance level of the tests",
    ),
    "--max-conditioning-size": (
        "max_conditioning_size",
        size_limit,
        "M",
        "largest conditioning set, 'none' for no limit",
    ),
    "--path-length": (
        "path_length",
        whole_number,
        "T",
        "significance levels that PATH looks at, 1 turns it off",
    ),
    "--min-alpha": ("min_alpha", number, "A", "lowest significance level of PATH"),
    "--max-clusters": ("max_clusters", whole_number, "K", "most clusters of the partition"),
    "--max-parents": ("max_parents", size_limit, "P", "most parents of a variable"),
    "--tabu-length": ("tabu_length", whole_number, "N", "graphs that the tabu list holds"),
    "--tabu-patience": (
        "tabu_patience",
        whole_number,
        "N",
        "steps without a new best that end the search",
    ),
    "--penalty": ("penalty", number, "L", "weight of log(rows) times parameters in BIC"),
    "--powers": (
        "powers",
        whole_number,
        "K",
        "what enters of numbers beside categories: 1 themselves, 2 their squares too, 3 their cubes too",
    ),
    "--gamma": ("gamma", number, "G", "weight of log(variables) times parents in extended BIC and quotient NML"),
}
_CHOICES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "--score": ("score", tuple(dict.fromkeys((*SCORES, *OF_NUMBERS["mixed"].scores))), "score to maximise"),
    "--test": ("test", TESTS, "independence test"),
    "--degrees-of-freedom": (
        "degrees_of_freedom",
        DEGREES_OF_FREEDOM,
        "of the test: of all cells, or of those that can occur",
    ),
    "--collider-rule": (
        "collider_rule",
        COLLIDER_RULES,
        "which middle variables are colliders",
    ),
    "--refine": (
        "refine",
        REFINE,
        "what to do after the method: nothing, a search over all pairs, over a growing set, GES, GES with its extended"
        " search, or BOSS",
    ),
    "--effort": ("effort", EFFORTS, "how far the search goes after its start"),
    "--data-type": (
        "data_type",
        DATA_TYPES,
        "what columns are: found out of each, all categories, all jointly normal numbers, or numbers beside categories",
    ),
    "--numbers": ("numbers", get_args(Numbers), "how numbers enter beside categories"),
    "--schedule": ("schedule", SCHEDULES, "order of insertions, deletions and turns"),
    "--ties": (
        "ties",
        TIES,
        "which of equally good moves is made",
    ),
    "--init": ("init", STARTS, "start of the search"),
}


def add_method(parser: Parser, seed: str) -> Any:
    """Add the data, the method and its options; return the group of those that say how to run."""
    parser.add_argument(
        "data",
        metavar="DATA",
        help="CSV (header row), Parquet or Feather file, or a folder or quoted pattern of Parquet files;"
        " '-' reads CSV from standard input",
    )
    add_reading(parser)
    parser.add_argument(
        "--method", choices=METHODS, default="auto", metavar="NAME", help=f"one of {', '.join(METHODS)} (default auto)"
    )
    group = parser.add_argument_group("method")
    for option, (name, kind, mark, text) in (_PARAMETERS | {"--seed": ("seed", whole_number, "N", seed)}).items():
        shown = text if name == "seed" else _help(name, text)
        group.add_argument(option, dest=name, type=kind, metavar=mark, default=inspect.Parameter.empty, help=shown)
    for option, (name, known, text) in _CHOICES.items():
        shown = _help(name, text)
        group.add_argument(option, dest=name, choices=known, default=inspect.Parameter.empty, help=shown)
    group.add_argument("--skeleton", metavar="EDGES.csv", help="for gsc and arges: the pairs that may be connected")
    group.add_argument("--cig", metavar="EDGES.csv", help="for arges: the conditional-independence graph")
    group.add_argument("--knowledge", metavar="FILE.json", help="required and forbidden edges, tiers (JSON or CSV)")
    running = parser.add_argument_group("running")
    running.add_argument(
        "--missing",
        choices=("auto", "error", "drop", "level", "testwise"),
        default="auto",
        help="missing values: fill them in from the learned graph, refuse, leave out incomplete rows, make missing a "
        "state, or leave rows out test by test, for methods that learn by tests alone (default auto)",
    )
    add_categories(running)
    add_counts(running)
    running.add_argument("--weights", metavar="COL", help="column of sampling weights, from 0 on; no variable")
    running.add_argument(
        "--threads", type=whole_number, default=0, metavar="N", help="number of threads (default 0: all)"
    )
    running.add_argument(
        "--time-limit", type=number, metavar="SECONDS", help="return the best graph so far after this time"
    )
    running.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.shorten_usage()
    return running


def add_categories(group: Any) -> None:
    """Add the options that say which columns are categories, and which are numbers."""
    group.add_argument(
        "--category",
        dest="categories",
        action="append",
        metavar="COL,...",
        help="columns of which each value is a category, whatever it looks like, such as doses 0.5, 1 and 2.5",
    )
    group.add_argument(
        "--number",
        dest="number_columns",
        action="append",
        metavar="COL,...",
        help="columns that are numbers, whatever they look like, such as grades from 1 to 5",
    )


def kinds_of(options: Namespace) -> Given | None:
    """Return what `--number` says of columns; a column cannot be named in `--category`, too."""
    numbers = column_names(options.number_columns)
    both = set(numbers or ()) & set(column_names(options.categories) or ())
    if both:
        raise UsageError(f"column {min(both)!r} is named in --number and in --category; name it in one of them")
    return None if numbers is None else dict.fromkeys(numbers, "number")


def add_counts(group: Any) -> None:
    """Add the option that says how often each row stands in the data."""
    group.add_argument(
        "--counts", metavar="COL", help="column of whole numbers: how often each row stands in the data; no variable"
    )


def made(options: Namespace) -> Learner:
    """Make the learner of the options, checked; what the method does not have is refused."""
    learner_ = learner(options.method, **_parameters(options))
    learner_._check()
    return learner_


def _parameters(options: Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {}
    named = [(option, entry[0]) for option, entry in _PARAMETERS.items()] + [("--seed", "seed")]
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
    if given.get("seed") is not None and "seed" not in parameters_of(options.method):
        del given["seed"]
    return given | {
        "missing": options.missing,
        "categories": column_names(options.categories),
        "kinds": kinds_of(options),
        "counts": options.counts,
        "weights": options.weights,
        "threads": options.threads,
        "time_limit": options.time_limit,
        "progress": False if options.quiet else None,
    }


def _help(name: str, text: str) -> str:
    """Return a help text with the methods that have a parameter, if few have it, and its defaults."""
    having = [method for method in METHODS if name in parameters_of(method) and not named(method).preset]
    by_default: dict[Any, list[str]] = {}
    for method in having:
        by_default.setdefault(default_of(method, name), []).append(method)
    usual = max(by_default, key=lambda value: len(by_default[value]))
    others = "".join(
        f"; {_shown(name, value)} for {_listed(methods)}" for value, methods in by_default.items() if value != usual
    )
    few = f"for {_listed(having)}: " if len(having) <= _FEW else ""
    return f"{few}{text} (default {_shown(name, usual)}{others})"


_FEW = 7
"""Up to how many methods a help text names as those that have a parameter."""


_NONE = {
    "gamma": "0.5 for ebic, 1 for qnml and sqnml",
    "score": "sqnml, or ebic of Gaussian data,",
    "penalty": "0.5, or 1 of Gaussian data,",
    "refine": "by effort",
    "numbers": "ranks, or groups where auto finds these better",
    "powers": "2",
}
"""What None means where it is not that there is no limit."""


def _shown(name: str, value: Any) -> str:
    return _NONE.get(name, "no limit") if value is None else str(value)


def _listed(names: list[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _refuse(option: str, name: str, method: str) -> None:
    if name == "seed" or name in parameters_of(method):
        return
    having = [other for other in METHODS if name in parameters_of(other)]
    raise UsageError(f"method {method} has no {option}; methods with it: {', '.join(having)}")
