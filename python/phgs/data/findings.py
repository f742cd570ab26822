"""What stands out in a table: columns that carry no information, that few tests can use, that determine each other.

Each finding has a code and one line of text; `phgs.describe` lists them all, and learners warn of those in `WARNED`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from phgs.data.checks import listed, plural
from phgs.data.packed import state_counts
from phgs.data.relations import copies, functions, functions_of_two
from phgs.errors import DegenerateColumnWarning, ManyStatesWarning, MissingValuesWarning, PhgsWarning
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs.data.base import Data
    from phgs.data.frames import Name
    from phgs.data.mixed import IncompleteMixedTable, MixedTable
    from phgs.data.sharded import ShardedTable
    from phgs.data.table import Categories

MANY_STATES = 100
"""Columns with more states than this are warned of."""

FEWEST_KNOWN = 20
"""A column with gaps and fewer known values than this is kept isolated where gaps are filled in."""

_MOST_STATES_PER_ROW = 0.9

FEW_ROWS_OF_A_STATE = 5
"""States in fewer rows than this are rare."""

COLUMNS_SEARCHED_BY_LEARNERS = 100
"""Up to this many columns learners look for columns that determine another one; it takes milliseconds there."""

MUCH_MISSING = 0.2
"""Columns of which this share of the values is missing are warned of: what is filled in then decides much."""

WARNED: dict[str, type[PhgsWarning]] = {
    "constant": DegenerateColumnWarning,
    "identifier": ManyStatesWarning,
    "date": DegenerateColumnWarning,
    "empty": DegenerateColumnWarning,
    "few-known": MissingValuesWarning,
    "much-missing": MissingValuesWarning,
    "many-states": ManyStatesWarning,
    "same-text": PhgsWarning,
    "copies": DegenerateColumnWarning,
    "function": DegenerateColumnWarning,
}
"""Findings that learners warn of, with the kind of warning; other findings go to the log."""

logger = logging.getLogger("phgs")


@dataclass(frozen=True)
class Finding:
    """One thing that stands out.

    Attributes
    ----------
    code : str
        What it is: ``"unusable"``, ``"missing"``, ``"few-known"``, ``"much-missing"``, ``"constant"``,
        ``"identifier"``, ``"date"``, ``"empty"``, ``"many-states"``, ``"rare-states"``, ``"same-text"``,
        ``"copies"``, ``"function"``, ``"function-of-two"``, ``"few-rows"`` or ``"not-searched"``.
    columns : tuple
        The columns it is about; of a function the column that is determined comes first.
    text : str
        One line: what was found, what it does to learning, and what to do.
    """

    code: str
    columns: tuple[Name, ...]
    text: str

    def __str__(self) -> str:
        return printable(f"{self.code}: {self.text}")


def is_identifier(n_states: int, n_rows: int) -> bool:
    """Whether a column has more than ten states and on average fewer than five rows of each.

    G² calls such a column dependent on anything; and given it hardly any rows are left to compare, so that every test
    says independent: with three rows per state PC loses every edge of a graph.
    """
    return n_states > 10 and FEW_ROWS_OF_A_STATE * n_states > n_rows


def says_something(n_states: int, n_rows: int) -> bool:
    """Whether the states of an identifier repeat so often that a score may join it: a tenth of the rows or more do.

    Quotient NML with the support coded charges an edge between an identifier of K states and a variable of r states the
    logarithm of the ways to choose the cells that occur, at least K of K r: about K (ln r + ln 2) or more. The edge
    cannot gain more than rows × ln r. With K above nine tenths of the rows it takes hundreds of states r to gain.
    """
    return n_states <= _MOST_STATES_PER_ROW * n_rows


def constants(table: Categories | ShardedTable) -> list[Finding]:
    """Columns with a single state."""
    apart = _apart(table) | set(table.few_known)
    names = tuple(table.names[i] for i, arity in enumerate(table.arities) if arity <= 1 and i not in apart)
    if not names:
        return []
    one = len(names) == 1
    text = (
        f"{plural(len(names), 'column')} with a single state {'is' if one else 'are'} independent of everything and"
        f" {'stays' if one else 'stay'} isolated: {listed(names)}"
    )
    return [Finding("constant", names, text)]


def identifiers(table: Categories | ShardedTable, *, judged: bool = True) -> list[Finding]:
    """Columns of which no test can tell anything; `judged` is whether there are scores that look at them."""
    known = [table.n_rows - count for count in table.n_missing]
    found: dict[Name, str] = {}
    for i in table.isolated:
        if i in table.few_known or _kind(table, i) == "date":
            continue
        if is_identifier(table.arities[i], known[i]):
            found[table.names[i]] = f"{table.arities[i]:,} states in {table.n_rows:,} rows"
        elif _kind(table, i) == "identifier":
            # So it was judged by the rows that have a value.
            found[table.names[i]] = table.decisions[i].looks
    if not found:
        return []
    each = [f"{name!r} ({looks})" for name, looks in found.items()]
    stay = "they stay isolated and separate nothing"
    if judged and table.identifiers:
        stay = "they stay isolated and separate nothing, unless a search with the score 'sqnml' joins them"
    text = (
        f"columns with fewer than five rows per state (identifiers) cannot be tested; {stay}:"
        f" {', '.join(each[:8])}{_more(each)}; leave them out, or merge states"
    )
    return [Finding("identifier", tuple(found), text)]


def set_apart(table: Data) -> list[Finding]:
    """Columns that were set apart when the data were read: dates, and those that hold nothing."""
    found = []
    for kind, code, what in (
        ("date", "date", "dates are set apart and stay isolated"),
        ("empty", "empty", "columns in which every value is missing stay isolated"),
    ):
        names = tuple(name for i, name in enumerate(table.names) if _kind(table, i) == kind)
        if names:
            remedy = f"; kinds={{{names[0]!r}: 'number'}} takes them for numbers" if kind == "date" else ""
            found.append(Finding(code, names, f"{what}: {listed(names)}{remedy}"))
    uncoded = [i for i in sorted(_apart(table)) if _kind(table, i) == "identifier" and len(table.levels[i]) <= 1]
    if uncoded:
        names = tuple(table.names[i] for i in uncoded)
        shown = ", ".join(f"{table.names[i]!r} ({table.decisions[i].looks})" for i in uncoded[:8])
        text = f"identifiers cannot be tested; they stay isolated and separate nothing: {shown}{_more(uncoded)}"
        found.append(Finding("identifier", names, text))
    return found


def _apart(table: Data) -> set[int]:
    return {i for i, decision in enumerate(table.decisions) if decision.apart}


def _kind(table: Data, index: int) -> str:
    return table.decisions[index].kind if table.decisions else ""


def few_known(table: Data) -> list[Finding]:
    """Columns with too few known values to fill in the others."""
    names = tuple(table.names[i] for i in table.few_known)
    if not names:
        return []
    one = len(names) == 1
    text = (
        f"{plural(len(names), 'column')} with fewer than {FEWEST_KNOWN} known values {'stays' if one else 'stay'}"
        f" isolated: {listed(names)}"
    )
    return [Finding("few-known", names, text)]


def much_missing(table: Data) -> list[Finding]:
    """Columns of which much is missing."""
    apart = set(table.isolated)
    shares = [count / table.n_rows for count in table.n_missing]
    found = [(table.names[i], share) for i, share in enumerate(shares) if share >= MUCH_MISSING and i not in apart]
    if not found:
        return []
    shown = ", ".join(f"{name!r} ({100 * share:.0f} %)" for name, share in found[:8])
    text = (
        f"many values are missing in {shown}{_more(found)}: edges there depend on what is filled in, and on values"
        " missing at random given what is seen"
    )
    return [Finding("much-missing", tuple(name for name, _ in found), text)]


def many_states(table: Categories | ShardedTable) -> list[Finding]:
    """Columns with more than `MANY_STATES` states."""
    named = zip(table.names, table.arities, strict=True)
    found = [(n, arity) for n, arity in named if arity > MANY_STATES and not is_identifier(arity, table.n_rows)]
    text = (
        "tests of columns with very many states have little power, and edges may be false or missing:"
        f" {_with_states(found, table.n_rows)}; merge rare states"
    )
    return [Finding("many-states", tuple(name for name, _ in found), text)] if found else []


def rare_states(table: Categories) -> list[Finding]:
    """Columns with states that are in few rows."""
    found = []
    for i, (name, arity) in enumerate(zip(table.names, table.arities, strict=True)):
        if arity > 1 and i not in table.isolated:
            counts = state_counts(table.codes, i, arity)[:arity]
            rare = sum(count < FEW_ROWS_OF_A_STATE for count in counts)
            if rare:
                found.append((name, rare, arity))
    shown = ", ".join(f"{name!r} ({rare:,} of {arity:,})" for name, rare, arity in found[:8])
    text = (
        f"states in fewer than {FEW_ROWS_OF_A_STATE} rows: {shown}{_more(found)}; tests of them have little power:"
        " merge them, or use degrees_of_freedom='adjusted'"
    )
    return [Finding("rare-states", tuple(name for name, *_ in found), text)] if found else []


def same_text(table: Categories | ShardedTable) -> list[Finding]:
    """Columns with labels that are different but the same as text."""
    found: list[tuple[Name, tuple[Any, Any]]] = []
    for name, labels in zip(table.names, table.levels, strict=True):
        if set(map(type, labels)) in ({str}, {int}, {bool}, {float}):
            continue
        first: dict[str, Any] = {}
        pairs = ((first.setdefault(str(label), label), label) for label in labels)
        pair = next(((one, other) for one, other in pairs if one is not other), None)
        if pair is not None:
            found.append((name, pair))
    shown = ", ".join(f"{name!r} ({one!r} and {other!r})" for name, (one, other) in found[:8])
    text = (
        f"labels that are the same as text count as different states in {shown}{_more(found)}; make them one, or name"
        " them apart: networks and files name states by text"
    )
    return [Finding("same-text", tuple(name for name, _ in found), text)] if found else []


def twins(table: Categories, positions: list[list[int]]) -> list[Finding]:
    """Columns that are the same partition of the rows, as `copies` found them."""
    apart = _apart(table)
    groups = [tuple(table.names[i] for i in group if i not in apart) for group in positions]
    groups = [group for group in groups if len(group) > 1]
    if not groups:
        return []
    shown = "; ".join(" = ".join(repr(name) for name in group[:8]) for group in groups[:4])
    more = f" and {len(groups) - 4} more groups" if len(groups) > 4 else ""
    text = f"columns that are copies of each other hide each other's edges: {shown}{more}; keep one of each"
    return [Finding("copies", tuple(name for group in groups for name in group), text)]


def determined(table: Categories, groups: list[list[int]], *, by_two: bool = True) -> list[Finding]:
    """Columns that one or two others determine.

    Parameters
    ----------
    groups
        What `copies` returned.
    by_two
        Whether to look for pairs that determine a column, too.
    """
    found = []
    singles = functions(table, groups)
    names = table.names
    if singles is None:
        found.append(Finding("not-searched", (), "too many columns to look for columns that determine another one"))
        return found
    if singles:
        shown = ", ".join(f"{names[x]!r} by {names[y]!r}" for x, y in singles[:8])
        text = (
            f"columns that another one determines: {shown}{_more(singles)}; given that one, tests call them independent"
            " of all others and true edges may go"
        )
        ends = dict.fromkeys(names[i] for pair in singles for i in pair)
        found.append(Finding("function", tuple(ends), text))
    pairs = functions_of_two(table, groups, singles) if by_two else []
    if pairs is None:
        found.append(Finding("not-searched", (), "too many columns to look for pairs that determine another one"))
    elif pairs:
        shown = ", ".join(f"{names[x]!r} by {names[y]!r} and {names[z]!r}" for x, y, z in pairs[:8])
        text = (
            f"columns that two others determine: {shown}{_more(pairs)}; given both, tests call them independent of all"
            " others and true edges may go"
        )
        ends = dict.fromkeys(names[i] for triple in pairs for i in triple)
        found.append(Finding("function-of-two", tuple(ends), text))
    return found


def few_rows(n_rows: int, n_columns: int) -> list[Finding]:
    """More columns than rows."""
    if n_columns <= n_rows:
        return []
    text = (
        f"more columns ({n_columns:,}) than rows ({n_rows:,}): expect few true edges to be found, and"
        " more false ones than alpha suggests"
    )
    return [Finding("few-rows", (), text)]


def warn_of(table: Categories, stacklevel: int) -> None:
    """Warn of what a learner meets, one line per finding, and log what is milder."""
    warn_of_gaps(table, stacklevel + 1)
    groups = copies(table)
    found = [
        *constants(table),
        *identifiers(table),
        *set_apart(table),
        *many_states(table),
        *same_text(table),
        *twins(table, groups),
        *few_rows(table.n_rows, table.n_variables),
    ]
    if table.n_variables <= COLUMNS_SEARCHED_BY_LEARNERS:
        found += determined(table, groups, by_two=False)
    _warn(found, stacklevel + 1)


def warn_of_states(table: ShardedTable, stacklevel: int) -> None:
    """Warn of what the states alone tell, where the rows are elsewhere."""
    found = [
        *constants(table),
        *identifiers(table),
        *many_states(table),
        *same_text(table),
        *few_rows(table.n_rows, table.n_variables),
    ]
    _warn(found, stacklevel + 1)


def copies_of_numbers(table: MixedTable | IncompleteMixedTable) -> list[Finding]:
    """Numbers that are copies of others, as they enter."""
    if not table.copies:
        return []
    names = table.names
    shown = ", ".join(f"{names[x]!r} of {names[y]!r}" for x, y in list(table.copies.items())[:8])
    text = (
        "numbers that are copies of others, up to a monotone function, stay isolated:"
        f" {shown}{_more(list(table.copies))}; leave them out"
    )
    ends = dict.fromkeys(names[i] for pair in table.copies.items() for i in pair)
    return [Finding("copies", tuple(ends), text)]


def warn_of_mixed(table: MixedTable | IncompleteMixedTable, stacklevel: int) -> None:
    """Warn of what a learner meets in numbers beside categories."""
    warn_of_gaps(table, stacklevel + 1)
    categories = table.categories
    found: list[Finding] = []
    if categories is not None:
        groups = copies(categories)
        found += [
            *constants(categories),
            *identifiers(categories, judged=False),
            *set_apart(categories),
            *many_states(categories),
            *same_text(categories),
            *twins(categories, groups),
        ]
        if categories.n_variables <= COLUMNS_SEARCHED_BY_LEARNERS:
            found += determined(categories, groups, by_two=False)
    _warn([*found, *copies_of_numbers(table), *few_rows(table.n_rows, table.n_variables)], stacklevel + 1)


def warn_of_gaps(table: Data, stacklevel: int) -> None:
    """Warn of columns of which much is missing, where learners fill it in."""
    if table.to_fill:
        _warn([*few_known(table), *much_missing(table)], stacklevel + 1)


def _warn(found: Iterable[Finding], stacklevel: int) -> None:
    for finding in found:
        category = WARNED.get(finding.code)
        if category is None:
            logger.info("%s", finding.text)
        else:
            warnings.warn(finding.text, category, stacklevel=stacklevel)


def _with_states(found: Iterable[tuple[Name, int]], n_rows: int) -> str:
    each = [f"{name!r} ({arity:,} states in {n_rows:,} rows)" for name, arity in found]
    return ", ".join(each[:8]) + _more(each)


def _more(found: Sequence[Any]) -> str:
    return f" and {len(found) - 8} more" if len(found) > 8 else ""
