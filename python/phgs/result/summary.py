"""A result in words."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

from phgs.choices import TESTS
from phgs.data.checks import listed, plural
from phgs.errors import PhgsWarning
from phgs.progress import PHASES
from phgs.texts import p_value_text

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.data.missing import MissingValues
    from phgs.graphs.functions import Comparison
    from phgs.knowledge import Knowledge
    from phgs.result.result import Result


def summary(result: Result, comparison: Comparison | None = None) -> str:
    """Return the lines that a reader wants first."""
    lines = [("method", result.method + ("" if result.complete else " (cut short by the time limit)"))]
    rows = f"{result.n_rows:,}"
    if result.n_rows_read > result.n_rows:
        rows += f" of {result.n_rows_read:,} (incomplete ones left out)"
    elif result.parameters.get("missing") == "testwise":
        rows += " (each test uses those complete in its columns)"
    lines += [("variables", f"{len(result.variables):,}"), ("rows", rows + counting(result.parameters))]
    if result.weights is not None:
        lines.append(("weights", weighing(result)))
    if result.missing is not None and result.missing.method == "em":
        lines.append(("missing", _missing(result.missing)))
    lines += kinds_lines(result.kinds, result.guesses)
    if result.parameters.get("numbers") == "groups":
        lines.append(("numbers", grouping(result)))
    if groups := isolated(result):
        lines.append(("isolated", "; ".join(f"{listed(names)} ({why})" for why, names in groups.items())))
    if result.identifiers:
        lines.append(("not tested", f"{listed(list(result.identifiers))} (fewer than five rows per state)"))
    if result.knowledge is not None:
        lines.append(("knowledge", _known(result.knowledge)))
    directed, undirected = len(result.cpdag.directed), len(result.cpdag.undirected)
    lines.append(("edges", f"{result.cpdag.n_edges:,} ({directed:,} directed, {undirected:,} undirected)"))
    if not result.oriented:
        lines.append(("", "the time limit left the edges undirected"))
    elif not result.extendable:
        lines.append(("", "no DAG has these edges, directions and v-structures; cpdag_to_dag says which edge"))
    if result.clusters is not None:
        sizes = sorted(Counter(result.clusters.values()).values(), reverse=True)
        shown = ", ".join(map(str, sizes[:10])) + (" …" if len(sizes) > 10 else "")
        lines.append(("clusters", f"{len(sizes)} (of {shown} variables)"))
    chosen = result.selected
    if chosen is not None and result.path is not None:
        levels = (
            f"chosen from {len(result.path)} levels" if len(result.path) > 1 else "no other level changes the skeleton"
        )
        lines.append(("threshold", f"{chosen.alpha:.3g} ({levels})"))
    if result.score is not None:
        lines.append(("score", f"{result.score.name} {result.score.value:,.3f}"))
    if result.n_conflicts:
        lines.append(("conflicts", f"{result.n_conflicts:,} triples contradict each other"))
    if result.n_undecided:
        lines.append(("undecided", f"{result.n_undecided:,} triples that may be v-structures or not"))
    if comparison is not None:
        lines += [
            (
                "against truth",
                f"JI {comparison.jaccard:.3f}, SHD {comparison.shd} of {comparison.true_edges} true edges",
            ),
            (
                "",
                f"{comparison.true_positives} right, {comparison.wrong_directions} in another direction,"
                f" {comparison.false_positives} false, {comparison.false_negatives} missed",
            ),
        ]
    calls = {name: count for name, count in result.calls.items() if name != "total"}
    if calls:
        lines.append(("calls", f"{result.calls['total']:,}"))
    read = result.seconds.get("read", 0.0)
    reading = f" ({read:.3f} s reading)" if read >= 0.001 else ""
    lines.append(("seconds", f"{result.seconds.get('total', 0.0):.3f}{reading}"))
    for name, count in calls.items():
        lines.append((f"  {PHASES.get(name, name)}", f"{count:,} calls, {result.seconds.get(name, 0.0):.3f} s"))
    return aligned(lines)


_COUNTED = {
    "number": ("number", "numbers"),
    "category": ("category", "categories"),
    "constant": ("constant", "constants"),
    "identifier": ("identifier", "identifiers"),
    "date": ("date", "dates"),
    "empty": ("without values", "without values"),
}

MOST_GUESSES = 5
"""So many guesses are told in a printed result."""


def counted_kinds(kinds: dict[Name, str]) -> str:
    """Count columns by what they are taken for: ``4 numbers, 5 categories``."""
    counts = Counter(kinds.values())
    return ", ".join(
        f"{counts[kind]:,} {one if counts[kind] == 1 else many}"
        for kind, (one, many) in _COUNTED.items()
        if counts[kind]
    )


def kinds_lines(kinds: dict[Name, str], guesses: dict[Name, str]) -> list[tuple[str, str]]:
    """Say what columns were taken for, where there are not categories alone, and each guess that could be wrong."""
    if not guesses and not {"number", "date", "empty"} & set(kinds.values()):
        return []
    lines = [("columns", f"{len(kinds):,} ({counted_kinds(kinds)})")]
    lines += [("", text) for text in list(guesses.values())[:MOST_GUESSES]]
    if len(guesses) > MOST_GUESSES:
        lines.append(("", f"and {len(guesses) - MOST_GUESSES:,} more guesses: phgs.describe shows all"))
    return lines


def grouping(result: Result) -> str:
    """Say that numbers were cut into groups, and into how many."""
    sizes = [f"{name} {len(labels)}" for name, labels in result.groups.items()]
    more = f" and {len(sizes) - MOST_GUESSES:,} more" if len(sizes) > MOST_GUESSES else ""
    told = f" ({', '.join(sizes[:MOST_GUESSES])}{more})" if sizes else ""
    return f"cut into groups{told}; numbers='ranks' embeds them"


def counting(parameters: dict[str, Any]) -> str:
    """Say how the rows were counted, where each stood for several."""
    counts = parameters.get("counts")
    if counts is None:
        return ""
    return ", counted by numbers that were given" if isinstance(counts, dict) else f", counted by column {counts!r}"


def weighing(result: Result) -> str:
    """Say how the rows were weighed."""
    assert result.weights is not None
    column = "given" if result.weights.column is None else f"column {result.weights.column!r}"
    return f"{column}, effective rows {result.weights.effective_rows:,.0f} of {result.n_rows:,}"


def isolated(result: Result) -> dict[str, list[Name]]:
    """Return the variables that were kept isolated, by the reason."""
    apart = () if result.missing is None else result.missing.apart
    why = {"date": "dates", "empty": "no values", "number": "copies of numbers"}
    groups: dict[str, list[Name]] = {}
    for name in result.isolated:
        reason = why.get(result.kinds.get(name, ""), "fewer than five rows per state")
        groups.setdefault("fewer than 20 known values" if name in apart else reason, []).append(name)
    return groups


def _missing(missing: MissingValues) -> str:
    """Say what was missing, and where it was filled in from."""
    share = 100 * missing.share
    shown = f"{share:.1f}" if share >= 0.1 else f"{share:.2g}"
    rounds = "marginals, as time was up" if not missing.rounds else f"learned graph ({plural(missing.rounds, 'round')})"
    columns = plural(len(missing.columns), "column")
    return f"{shown} % of cells in {columns}, filled in from the {rounds}"


def aligned(lines: list[tuple[str, str]]) -> str:
    """Put names and values into two columns."""
    return "\n".join(f"{name:<20} {value}".rstrip() for name, value in lines)


def explain(result: Result, x: Name, y: Name, data: Any = None) -> str:
    """Say why two variables are or are not adjacent."""
    record = result._record(x, y)
    if (x, y) in result.cpdag:
        edge = next(e for e in result.cpdag.edges if {e.source, e.target} == {x, y})
        lines = [f"{edge} is in the graph."]
        if not edge.directed:
            lines.append("Both directions occur among the DAGs that agree with the data.")
        required = result.knowledge is not None and result.knowledge.requires(x, y)
        if required:
            lines.append("Background knowledge requires it, whatever the data say; no test was made.")
        elif record is not None:
            lines.append(
                f"No test separated them: the largest p-value is {p_value_text(record[0])}{_given(record[1])}."
            )
        elif (why := result.untested(x, y)) is not None:
            lines.append(f"No test was made: {why}.")
    else:
        lines = [f"{x} and {y} are not adjacent."]
        untested = result.untested(x, y)
        if untested is not None:
            return "\n".join([*lines, f"No test was made: {untested}."])
        if not result.complete:
            lines.append("The time limit cut the method short: there may have been no test of them.")
        separation = result.separation(x, y)
        alpha = result.parameters.get("alpha")
        if separation is None:
            from_file = result._edges is not None
            or_file = ", or its file was saved without them" if from_file else ""
            lines.append(f"{result.method} keeps no separating sets{or_file}.")
        elif separation.log_p_value is None:
            lines.append(f"They are independent marginally, at the level {alpha}.")
        else:
            p_value = f"{p_value_text(separation.log_p_value)}{_given(separation.given)}"
            if alpha is not None and p_value_below(separation, alpha):
                lines.append(f"No test separated them at the level {alpha}: the largest p-value is {p_value}.")
                lines.append("Their edge went later: PATH chose a lower level, or the search found no use for it.")
            else:
                lines.append(f"They are independent: p = {p_value} (level {alpha}).")
    own = result.parameters.get("test", "g2") not in (*TESTS, "fisher-z", "mixed-lr")
    table = None if own else result._data(data)
    if table is not None:
        from phgs.functional.independence import independence_test

        given = record[1] if record is not None else ()
        keys = ("test", "degrees_of_freedom", "minimum_sample", "missing")
        options = {key: result.parameters[key] for key in keys if key in result.parameters}
        with warnings.catch_warnings():
            # What a warning would say of the test is in its line.
            warnings.simplefilter("ignore", PhgsWarning)
            lines.append(str(independence_test(table, x, y, given, **options)))
    return "\n".join(lines)


def p_value_below(separation: Any, alpha: float) -> bool:
    """Whether the deciding test itself would have kept the edge."""
    import math

    return bool(separation.log_p_value <= math.log(alpha))


def _known(knowledge: Knowledge) -> str:
    """Count constraints: ``2 required arcs, 3 tiers``."""
    counts = [
        (len(knowledge.required), "required arc"),
        (len(knowledge.required_edges), "required edge"),
        (len(knowledge.forbidden), "forbidden arc"),
        (len(knowledge.forbidden_edges), "forbidden edge"),
        (len(knowledge.tiers), "tier"),
    ]
    return ", ".join(f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in counts if n) or "none"


def _given(names: tuple[Name, ...]) -> str:
    return f" given {', '.join(map(str, names))}" if names else " marginally"
