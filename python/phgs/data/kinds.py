"""What each column is taken for, a number or categories: found out from its values, or as the user says.

The rules look at one column alone, at its values and not at its name or at the order of its rows, so that the same
column is taken for the same in any container.

* Truth values, text and what the container calls categories are categories. Text that is a number in at least nine of
  ten rows, and a mark such as ``?`` in the others, is a mistake in a column of numbers, and refused.
* Numbers that are not all whole are numbers, unless there are at most five different ones.
* Whole numbers are categories where there are at most five different ones, or at most ten in at least twenty rows each;
  else numbers. Where they count the rows they are an identifier; text files may write codes with a leading zero.
* Dates, also as ISO text, are neither, unless there are at most ten in at least twenty rows each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phgs.data import checks
from phgs.data.columns import _ISO_DATE, CodedColumn, _label_problem, encode
from phgs.data.dates import seconds_of, seconds_or_nan
from phgs.data.findings import is_identifier
from phgs.data.frames import Frame, Name, RawColumn
from phgs.data.packed import packed
from phgs.data.stored import StoredColumn, let_go
from phgs.data.strays import is_code, is_numeric, refuse_as_number, refuse_strays
from phgs.data.values import Problem, Values, _is_missing, numbers, read_values
from phgs.errors import DataError, ParameterError
from phgs.names import unknown

Kind: TypeAlias = Literal["number", "category", "constant", "identifier", "date", "empty"]
"""What a column is taken for; the last three are set apart: kept isolated, whatever they hold."""

Given: TypeAlias = Mapping[Any, Literal["number", "category"]]
"""What the user says of columns, by name."""

GIVEN = ("number", "category")

_ALWAYS_CATEGORIES = 5
"""Up to so many different numbers are categories in any case."""

_MOST_CATEGORIES = 10
"""Up to so many different whole numbers, or dates, are categories if each is in enough rows."""

_ROWS_OF_A_CATEGORY = 20

_FEWEST_IDENTIFIED = 10
"""Numbers that count more rows than this are an identifier."""

_YEARS = (1600, 2100)
"""Where numbers that count the rows begin in this range they may be years, which are numbers."""

_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class Decision:
    """What a column is taken for.

    Attributes
    ----------
    kind : {"number", "category", "constant", "identifier", "date", "empty"}
        What it is taken for.
    looks : str
        What its values are, in a few words.
    doubtful : bool
        Whether the guess could be wrong.
    given : bool
        Whether the user said it.
    """

    kind: Kind
    looks: str
    doubtful: bool = False
    given: bool = False

    @property
    def apart(self) -> bool:
        """Whether the column is kept isolated, whatever it holds."""
        return self.kind in ("identifier", "date", "empty")

    def told(self, name: Name) -> str:
        """Say in one line what a column is taken for, why, and what changes it if it could be wrong."""
        taken = {
            "number": "taken for a number",
            "category": "taken for categories",
            "constant": "it tells nothing",
            "identifier": "set apart as an identifier",
            "date": "set apart",
            "empty": "set apart",
        }[self.kind]
        if self.given:
            return f"{name!r}: {self.looks}; {taken}, as you said"
        text = f"{name!r}: {self.looks}; {taken}"
        return f"{text}; kinds={{{name!r}: {self.other!r}}} changes it" if self.doubtful else text

    @property
    def other(self) -> str:
        """What the user would say to change it."""
        return "category" if self.kind == "number" else "number"


@dataclass(frozen=True, slots=True)
class Column:
    """A column with what it is taken for.

    Attributes
    ----------
    decision : Decision
        What it is taken for.
    numbers : numpy.ndarray or None
        The values of a number, NaN where they are missing.
    coded : CodedColumn or None
        The states of all others. What is missing in a column that is set apart is a state.
    n_missing_apart : int
        Number of missing values of a column that is set apart.
    """

    decision: Decision
    numbers: NDArray[np.float64] | None = None
    coded: CodedColumn | None = None
    n_missing_apart: int = 0

    @property
    def holes(self) -> NDArray[np.bool_] | None:
        """Where a column has no value, unless it is set apart; None where it has all."""
        if self.coded is not None:
            return self.coded.codes < 0 if self.coded.missing else None
        assert self.numbers is not None
        found = np.isnan(self.numbers)
        return found if found.any() else None

    def __len__(self) -> int:
        if self.coded is not None:
            return len(self.coded)
        assert self.numbers is not None
        return len(self.numbers)


def check_given(kinds: Any) -> None:
    """Refuse what is no mapping to kinds; columns are not looked at."""
    if kinds is None:
        return
    if not isinstance(kinds, Mapping):
        raise ParameterError("kinds: expected a mapping from names of columns to 'number' or 'category'")
    for name, kind in kinds.items():
        if kind not in GIVEN:
            raise ParameterError(f"kinds: {name!r}: {unknown('kind', kind, GIVEN)}")


def given_kinds(kinds: Given | None, categories: Iterable[Name], names: Sequence[Name]) -> dict[Name, str]:
    """Check what the user says of columns, by `kinds` and by naming categories; return it by name."""
    check_given(kinds)
    found: dict[Name, str] = {}
    by_text = {str(name): name for name in names}
    for key, kind in (kinds or {}).items():
        name = key if key in names else by_text.get(str(key))
        if name is None:
            raise ParameterError(f"kinds: {unknown('column', key, names)}")
        found[name] = kind
    for name in categories:
        if found.get(name) == "number":
            raise ParameterError(f"kinds: {name!r} is said to be a number, and is named in categories= too")
        found[name] = "category"
    return found


def decide(frame: Frame, given: Mapping[Name, str]) -> list[Column]:
    """Take each column of a frame for a number or for categories.

    Raises
    ------
    DataError
        When a column can be neither, or not what the user says; names it and the remedy.
    """
    named = zip(frame.names, frame.columns, strict=True)
    tried = {name: _tried(name, raw, given.get(name), from_text=frame.from_text) for name, raw in named}
    if isinstance(frame.columns[0], StoredColumn):
        let_go(len(frame.columns[0]))
    errors = {name: column for name, column in tried.items() if isinstance(column, DataError)}
    if errors:
        others = list(errors)[1:]
        likewise = f" (likewise in {checks.listed(others)})" if others else ""
        raise DataError(f"{next(iter(errors.values()))}{likewise}")
    found = {name: column for name, column in tried.items() if not isinstance(column, DataError)}
    checks.refuse({name: column for name, column in found.items() if isinstance(column, Problem)})
    columns = [column for column in found.values() if isinstance(column, Column)]
    checks.check_lengths({name: len(column) for name, column in zip(frame.names, columns, strict=True)})
    return columns


def _tried(name: Name, raw: RawColumn, said: str | None, *, from_text: bool) -> Column | Problem | DataError:
    try:
        found = decide_one(name, raw, said, from_text=from_text)
    except DataError as error:
        return error
    if isinstance(found, Column) and found.coded is not None:
        return replace(found, coded=packed(found.coded))
    return found


def decide_one(name: Name, raw: RawColumn, said: str | None, *, from_text: bool) -> Column | Problem:
    """Take one column for a number or for categories, or as the user says; else say why it can be neither.

    Raises
    ------
    DataError
        When there is text among numbers, or the column is not what the user says.
    """
    values = read_values(raw, from_text=from_text, declared=said == "category")
    if values is Problem.DATES:
        values = read_values(raw, from_text=from_text, declared=True)
        return values if isinstance(values, Problem) else _as_dates(name, values, said)
    if isinstance(values, Problem):
        return values
    if said == "category":
        return _categories(values)
    return _found_out(name, values) if said is None else _number_as_said(name, values)


def _found_out(name: Name, values: Values) -> Column | Problem:
    if values.declared or (values.labels is None and values.data.dtype.kind == "b"):
        return _settled(values, "categories" if values.declared else "truth values")
    if values.labels is None:
        return _of_numbers(values, _known(values))
    known = [label for label in values.labels if not _is_missing(label)]
    if not known:
        return _empty(len(values.data))
    if all(isinstance(label, (date, time, timedelta, np.datetime64, np.timedelta64)) for label in known):
        return _as_dates(name, values, None)
    if all(isinstance(label, str) for label in known) and all(_ISO_DATE.fullmatch(label.strip()) for label in known):
        return _as_dates(name, values, None)
    if all(is_numeric(label, text=values.text) for label in known):
        if values.text and any(is_code(label) for label in known):
            return _settled(values, "numbers with leading zeros, which are codes")
        found = numbers(values, parse_text=values.text)
        assert found is not None
        return _of_numbers(values, found[~np.isnan(found)], found)
    problem = _label_problem(known)
    if problem is not None and problem is not Problem.NOT_WHOLE:
        return problem
    if all(is_numeric(label, text=True) for label in known):
        settled = _settled(values, "text, all numbers")
        if isinstance(settled, Problem) or len(known) <= 2 or any(is_code(label) for label in known):
            return settled
        return replace(settled, decision=replace(settled.decision, doubtful=True))
    refuse_strays(name, values, _MOST_CATEGORIES)
    return _settled(values, "text" if all(isinstance(label, str) for label in known) else "text and other values")


def _known(values: Values) -> NDArray[Any]:
    return values.data if values.missing is None else values.data[~values.missing]


def _of_numbers(values: Values, known: NDArray[Any], all_: NDArray[np.float64] | None = None) -> Column | Problem:
    """Decide by the different values of numbers."""
    n = len(known)
    if not n:
        return _empty(len(values.data))
    if known.dtype.kind == "f" and not np.isfinite(known).all():
        return Problem.INFINITE
    whole = known.dtype.kind in "iu" or bool((np.floor(known) == known).all())
    what = "whole numbers" if whole else "numbers that are not all whole"
    coded = None
    if whole or len(np.unique(known[:1000])) <= _ALWAYS_CATEGORIES:
        coded = encode(values)
        if isinstance(coded, Problem):
            coded = encode(_declared(values))
    # What cannot be numbered has more values than any rule asks for.
    k = len(set(map(float, coded.labels))) if isinstance(coded, CodedColumn) else len(np.unique(known))
    looks = f"{what}, {checks.plural(k, 'different value')}"
    if k == 1:
        assert isinstance(coded, CodedColumn)
        return Column(Decision("constant", f"a single value, {coded.labels[0]!r}"), coded=coded)
    if are_categories(k, n, whole=whole):
        assert isinstance(coded, CodedColumn)
        return Column(Decision("category", looks, doubtful=k > 2), coded=coded)
    if whole and k == n == len(values.data) > _FEWEST_IDENTIFIED:
        least, largest = float(known.min()), float(known.max())
        if largest - least == n - 1 and not (_YEARS[0] <= least and largest <= _YEARS[1]):
            looks = f"whole numbers that count the rows from {least:.0f}"
            return _apart(Decision("identifier", looks, doubtful=True), coded, len(values.data))
    found = numbers(values, parse_text=values.text) if all_ is None else all_
    assert found is not None
    return Column(Decision("number", looks, doubtful=whole), numbers=found)


def are_categories(k: int, n: int, *, whole: bool) -> bool:
    """Whether n numbers with k different values are categories."""
    return k <= _ALWAYS_CATEGORIES or (whole and are_few(k, n))


def are_few(k: int, n: int) -> bool:
    """Whether k different values are few enough of n to be categories."""
    return k <= _MOST_CATEGORIES and n >= _ROWS_OF_A_CATEGORY * k


def _declared(values: Values) -> Values:
    return Values(values.data, values.labels, values.missing, declared=True, text=values.text)


def _settled(values: Values, what: str) -> Column | Problem:
    """Categories without a doubt; of text with hardly any value twice, and what holds nothing, an identifier."""
    coded = encode(_declared(values))
    if coded is Problem.TOO_MANY:
        looks = f"{what}, too many different values to number"
        return _apart(Decision("identifier", looks), coded, len(values.data))
    if isinstance(coded, Problem):
        return coded
    k, n = len(coded.labels), len(coded) - coded.missing
    if not k:
        return _empty(len(values.data))
    looks = f"{what}, {checks.plural(k, 'different value')}"
    if k == 1:
        return Column(Decision("constant", f"a single value, {coded.labels[0]!r}"), coded=coded)
    if is_identifier(k, n):
        return _apart(Decision("identifier", f"{looks} in {checks.plural(n, 'row')}"), coded, len(values.data))
    return Column(Decision("category", looks), coded=coded)


def _categories(values: Values) -> Column | Problem:
    """Categories, as the user says."""
    coded = encode(_declared(values))
    if isinstance(coded, Problem):
        return coded
    if not coded.labels:
        return _empty(len(values.data))
    return Column(Decision("category", checks.plural(len(coded.labels), "different value"), given=True), coded=coded)


def _empty(n_rows: int) -> Column:
    return _apart(Decision("empty", "every value is missing"), None, n_rows, n_rows)


def _apart(decision: Decision, coded: CodedColumn | Problem | None, n_rows: int, n_missing: int = 0) -> Column:
    """Return a column that is set apart: what is missing is a state, and where there are too many there is one."""
    if isinstance(coded, CodedColumn):
        n_missing = coded.missing
        complete = coded.on_rows(None, missing_is_state=True)
        if isinstance(complete, CodedColumn):
            return Column(decision, coded=complete, n_missing_apart=n_missing)
    blank = CodedColumn(np.zeros(n_rows, dtype=np.uint8), [None], 0)
    return Column(decision, coded=blank, n_missing_apart=n_missing)


def _as_dates(name: Name, values: Values, said: str | None) -> Column | Problem:
    """Dates are set apart, unless they are few or the user says what they are."""
    coded = encode(_declared(values))
    if said == "category":
        return _categories(values)
    if said == "number":
        assert values.labels is not None
        seconds = np.array([*(seconds_of(label) for label in values.labels), math.nan])
        decision = Decision("number", "dates, as seconds", given=True)
        if np.isnan(seconds[:-1]).all():
            refuse_as_number(name, values)
        return Column(decision, seconds[values.data])
    if isinstance(coded, Problem):
        return _apart(Decision("date", "dates or times", doubtful=True), None, len(values.data))
    k, n = len(coded.labels), len(coded) - coded.missing
    if not k:
        return _empty(len(values.data))
    looks = f"dates or times, {checks.plural(k, 'different value')}"
    if k == 1:
        return Column(Decision("constant", f"a single value, {str(coded.labels[0])!r}"), coded=coded)
    if are_few(k, n):
        return Column(Decision("category", looks, doubtful=k > 2), coded=coded)
    return _apart(Decision("date", looks, doubtful=True), coded, len(values.data))


def _number_as_said(name: Name, values: Values) -> Column | Problem:
    """Read a column that the user says is a number; text may hold numbers, categories of a container too."""
    undeclared = Values(values.data, values.labels, values.missing, declared=False, text=values.text)
    if values.labels is None and values.data.dtype.kind == "b":
        undeclared = Values(values.data.astype(np.uint8), None, values.missing)
    known = [label for label in values.labels or () if not _is_missing(label)]
    if known and all(not is_numeric(label, text=True) and not math.isnan(seconds_or_nan(label)) for label in known):
        return _as_dates(name, values, "number")
    found = numbers(undeclared, parse_text=True)
    if found is None:
        refuse_as_number(name, values)
    kept = found[~np.isnan(found)]
    if not len(kept):
        return _empty(len(found))
    if np.isinf(kept).any():
        return Problem.INFINITE
    whole = bool((np.floor(kept) == kept).all())
    looks = f"{'whole numbers' if whole else 'numbers'}, {checks.plural(len(np.unique(kept)), 'different value')}"
    return Column(Decision("number", looks, given=True), numbers=found)
