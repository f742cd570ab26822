"""Single independence tests."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from phgs import _core, own_test
from phgs.choices import (
    DegreesOfFreedom,
    TestName,
    data_type_of,
    numeric_test,
    test_for_core,
)
from phgs.data import Data, checks
from phgs.data.counts import PerRow, counted
from phgs.data.kinds import Given
from phgs.data.table import Missing
from phgs.data.weights import weighted
from phgs.errors import ManyStatesWarning, ParameterError, PhgsWarning
from phgs.functional.reading import columns_of, complete_in, type_of
from phgs.own_test import Names, OwnTest
from phgs.texts import p_value_text, printable

if TYPE_CHECKING:
    from phgs.data.frames import Name


@dataclass(frozen=True)
class IndependenceTest:
    """What a test says of x ⫫ y | given.

    Attributes
    ----------
    x, y, given
        The hypothesis.
    statistic : float
        The test statistic.
    degrees_of_freedom : float
        Its degrees of freedom (of Fisher's z: rows − variables in `given` − 3); 0 where the table carries no
        information, and then the p-value is 1.
    log_p_value : float
        Natural logarithm of the p-value.
    test : str
        Name of the test and of its rule for degrees of freedom.
    n_rows : int
        Rows used: with test-wise deletion those that are complete in these columns.
    too_sparse : bool
        Whether the least-sample rule decided in place of the test.
    n_rows_read : int
        Rows of the data.
    strata, informative_strata, informative_rows : int or None
        Configurations of `given` that occur; those in which both variables vary; rows in the latter. All else in the
        table says nothing of the hypothesis. None for Fisher's z.
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    statistic: float
    degrees_of_freedom: float
    log_p_value: float
    test: str
    n_rows: int
    too_sparse: bool
    n_rows_read: int = 0
    strata: int | None = None
    informative_strata: int | None = None
    informative_rows: int | None = None

    @property
    def no_information(self) -> bool:
        """Whether no row says anything of the hypothesis: the p-value is then no evidence of independence."""
        return self.degrees_of_freedom <= 0 or self.informative_rows == 0

    @property
    def p_value(self) -> float:
        """The p-value; 0 where it is below the least float, whose logarithm is `log_p_value`."""
        return math.exp(self.log_p_value)

    def __str__(self) -> str:
        given = f" | {', '.join(map(str, self.given))}" if self.given else ""
        return printable(
            f"{self.x} ⫫ {self.y}{given}: {self.test} = {self.statistic:.6g}, df = {self.degrees_of_freedom:g},"
            f" p = {p_value_text(self.log_p_value)}, {self.n_rows:,} rows"
            f"{self._rows_that_count()}"
        )

    def _rows_that_count(self) -> str:
        if self.no_information:
            return " (no row says anything of it)"
        if self.informative_rows is not None and 2 * self.informative_rows < self.n_rows:
            return f" ({self.informative_rows:,} in strata in which both vary)"
        return ""


def independence_test(
    data: Any,
    x: Name,
    y: Name,
    given: Iterable[Name] | Name = (),
    *,
    test: TestName | OwnTest = "g2",
    degrees_of_freedom: DegreesOfFreedom = "classical",
    minimum_sample: float | tuple[float, str, str] | None = None,
    missing: Missing = "auto",
    categories: Iterable[Name] | Name | None = None,
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
) -> IndependenceTest:
    """Test whether two variables are independent given others.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads. Only the columns x, y and `given` are read.
    x, y
        Names of the variables.
    given
        Names of the variables to condition on; a single name may stand alone.
    test, degrees_of_freedom, minimum_sample
        As in `phgs.PC`; or ``"fisher-z"`` for Gaussian and ``"mixed-lr"`` for mixed data (tables of these are tested so
        unless `test` is a function of your own, for which a list of names will do as data). Where a column is taken for
        a number the data are mixed.
    missing
        As in `phgs.as_table`; ``"auto"`` and ``"testwise"`` use the rows that are complete in x, y and `given`.
    categories, counts, weights
        As in `phgs.as_table`.
    kinds
        What columns are, by name, ``"number"`` or ``"category"``; others are found out.

    Warns
    -----
    ManyStatesWarning
        When a column has more than ten states and fewer than five rows per state: the test then has little power.
    PhgsWarning
        When fewer than half of the rows used are in strata in which both variables vary; the other rows carry no
        information. (If no row does, `no_information` of the result is True.)

    Examples
    --------
    >>> import phgs
    >>> data = {"x": [0, 0, 1, 1] * 10, "y": [0, 0, 1, 1] * 10, "z": [0, 1, 0, 1] * 10}
    >>> round(phgs.independence_test(data, "x", "y").statistic, 3)
    55.452
    >>> phgs.independence_test(data, "x", "z").p_value
    1.0
    """
    data = weighted(counted(data, counts), weights)
    data_type = type_of(data, data_type_of(test))
    others: tuple[Name, ...]
    others = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    # A table has been checked, and keeps what it has counted.
    if callable(test) and own_test.is_names(data):
        table = Names.of(data)
    else:
        named = None if isinstance(data, Data) else (x, y, *others)
        read = columns_of(data, named, data_type, missing, categories, kinds)
        table = complete_in(read, (x, y, *others))
    described: _core.Test
    if callable(test):
        described = own_test.for_core(test, table.names)
    elif table.enters_as == "discrete":
        described = test_for_core(test, degrees_of_freedom, minimum_sample)
    else:
        described = numeric_test(table.enters_as)
    first, second, conditioning = table.index(x), table.index(y), [table.index(z) for z in others]
    if len({first, second, *conditioning}) != 2 + len(conditioning):
        raise ParameterError("x, y and the variables of given must be different")
    found = _core.independence_test(table.core, first, second, conditioning, described)
    name = own_test.name_of(test) if callable(test) else found["test"]
    result = IndependenceTest(
        x,
        y,
        others,
        found["statistic"],
        found["degrees_of_freedom"],
        found["log_p_value"],
        name,
        table.n_rows,
        found["too_sparse"],
        table.n_rows_read,
    )
    of_rows = found["rows"]
    if of_rows is None:
        return result
    for i in {first, second, *conditioning} & set(table.isolated):
        if (n_states := len(table.levels[i])) < 2:
            continue
        warnings.warn(
            f"column {table.names[i]!r} has {n_states:,} states in {table.n_rows:,} rows: a test says little",
            ManyStatesWarning,
            stacklevel=2,
        )
    rows, informative_rows = of_rows["used"], of_rows["informative"]
    if conditioning and 0 < 2 * informative_rows < rows:
        warnings.warn(
            f"only {informative_rows:,} of {rows:,} rows are in strata of {checks.listed(others)} in"
            f" which both {x!r} and {y!r} vary: the test rests on these",
            PhgsWarning,
            stacklevel=2,
        )
    return replace(
        result,
        n_rows=rows,
        strata=of_rows["strata"],
        informative_strata=of_rows["informative_strata"],
        informative_rows=informative_rows,
    )
