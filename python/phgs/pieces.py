"""The pieces that learners are made of: single tests, scores of any graph, the partition of variables."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core, own_score, own_test, parameters
from phgs.choices import (
    DegreesOfFreedom,
    ScoreName,
    TestName,
    data_type_of,
    numeric_score,
    numeric_test,
    score_for_core,
    test_for_core,
)
from phgs.data import Data, IncompleteGaussianTable, as_data, checks
from phgs.data.counts import PerRow, counted
from phgs.data.kinds import Given
from phgs.data.missing import filled_from
from phgs.data.table import Missing
from phgs.data.weights import weighted
from phgs.errors import DataError, ManyStatesWarning, ParameterError, PhgsWarning
from phgs.graphs import as_dag, as_graph, cpdag_to_dag
from phgs.own_score import OwnScore
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
    data_type = _type_of(data, data_type_of(test))
    others: tuple[Name, ...]
    others = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    # A table has been checked, and keeps what it has counted.
    if callable(test) and own_test.is_names(data):
        table = Names.of(data)
    else:
        named = None if isinstance(data, Data) else (x, y, *others)
        read = _columns_of(data, named, data_type, missing, categories, kinds)
        table = _complete_in(read, (x, y, *others))
    described: _core.Test
    if callable(test):
        described = own_test.for_core(test, table.names)
    elif table.data_type == "discrete":
        described = test_for_core(test, degrees_of_freedom, minimum_sample)
    else:
        described = numeric_test(table.data_type)
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


def _columns_of(
    data: Any,
    names: Iterable[Name] | None,
    data_type: str,
    missing: Missing,
    categories: Iterable[Name] | Name | None,
    kinds: Given | None,
) -> Any:
    """Read these columns and no others: what those hold must not matter. None reads all."""
    return as_data(
        data,
        data_type,
        missing=missing,
        categories=categories,
        kinds=kinds,
        columns=names,
        warn=False,
    )


def _complete_in(table: Any, names: Iterable[Name]) -> Any:
    """Return the rows that are complete in some columns, where the test does not find them itself."""
    return table.select(names).treated("drop") if isinstance(table, IncompleteGaussianTable) else table


@dataclass(frozen=True)
class GraphScore:
    """The score of a DAG.

    Attributes
    ----------
    name : str
        Name of the score.
    value : float
        The sum of the local terms; natural logarithms, larger is better.
    local : dict
        The local score of each variable with its parents.
    n_parameters : float or None
        Free parameters of the DAG's tables; None for a score of your own.
    n_rows : int
        Rows used.
    """

    name: str
    value: float
    local: dict[Name, float]
    n_parameters: float | None
    n_rows: int

    def __float__(self) -> float:
        return self.value


def score(
    data: Any,
    graph: Any,
    kind: ScoreName | OwnScore = "bic",
    *,
    penalty: float = 0.5,
    gamma: float | None = None,
    equivalent_sample_size: float = 1.0,
    missing: Missing = "auto",
    categories: Iterable[Name] | Name | None = None,
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    threads: int = 0,
) -> GraphScore:
    """Score any graph on data.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    graph
        A DAG, or a CPDAG, of whose class one DAG is scored (all have the same value under the score-equivalent scores
        ``"bic"``, ``"ebic"``, ``"qnml"``, ``"sqnml"``, ``"aic"``, ``"loglik"`` and ``"bdeu"``). Anything that
        `phgs.as_graph` takes. Only its variables are read and scored. Of pairs, which name no variable without edges,
        the other columns count as isolated variables if all of them can be read as they are; else they are left out.
    kind : {"bic", "ebic", "qnml", "sqnml", "aic", "loglik", "bdeu", "k2"} or callable
        The score: with n rows and k free parameters, BIC is loglik − ½ k log n, AIC is loglik − k; the extended BIC of
        p variables and a arcs is BIC − γ a log p. ``"gaussian-bic"`` and ``"gaussian-ebic"`` are those of Gaussian data
        (a `phgs.GaussianTable` has no others), ``"mixed-bic"``, ``"mixed-ebic"`` and ``"cg"`` (the conditional Gaussian
        score) those of mixed data, which these are where a column is taken for a number.
        Or a function of your own, called as ``kind(variable, parents)`` with names of a variable and of its parents,
        that returns a finite number; names alone will then do as data.
    penalty, gamma, equivalent_sample_size
        As in `phgs.Tabu`.
    missing
        As in `phgs.as_table`; with ``"auto"`` they are filled in from this graph, by draws that are always the same.
    categories, counts, weights
        As in `phgs.as_table`.
    kinds
        What columns are, by name, ``"number"`` or ``"category"``; others are found out.
    threads
        Number of threads; 0 means all.

    Examples
    --------
    >>> import phgs
    >>> data = {"x": [0, 0, 1, 1], "y": [0, 0, 1, 1]}
    >>> round(phgs.score(data, [("x", "y")]).value, 4)
    -4.852
    """
    data = weighted(counted(data, counts), weights)
    data_type = _type_of(data, data_type_of(kind))
    checked = parameters.whole("threads", threads)
    named = getattr(graph, "dag", None) or (list(graph) if isinstance(graph, Iterator) else graph)
    if callable(kind) and own_test.is_names(data):
        table = Names.of(data)
    else:
        table = _scored_columns(data, named, data_type, missing, categories, kinds)
    described: _core.AnyScore
    if callable(kind):
        described = own_score.for_core(kind, table.names, equivalent=False)
    elif table.data_type == "discrete":
        described = score_for_core(kind, penalty, gamma, equivalent_sample_size)
    else:
        described = numeric_score(table.data_type, kind, penalty, gamma)
    dag = as_graph(named, table.names)
    dag = cpdag_to_dag(dag) if dag.undirected else as_dag(dag)
    whole = callable(kind) or table.data_type != "discrete"
    arcs = dag._directed_indices()
    filled = filled_from(table, arcs, checked) if table.to_fill else table
    core = filled.core_for(described) if whole else filled.complete_core
    found = _core.score(core, arcs, described, checked)
    name = own_test.name_of(kind) if callable(kind) else found["name"]
    local = dict(zip(table.names, found["local"], strict=True))
    return GraphScore(name, found["value"], local, found["n_parameters"], table.n_rows)


def _type_of(data: Any, asked: str | None) -> str:
    """Return the type of data that are checked already, or what a test or score asks for; else it is found out."""
    if isinstance(data, Data) and (data.data_type != "discrete" or asked is None):
        return data.data_type
    return asked or "auto"


def _scored_columns(
    data: Any,
    graph: Any,
    data_type: str,
    missing: Missing,
    categories: Iterable[Name] | Name | None,
    kinds: Given | None,
) -> Any:
    """Read the variables of a graph."""
    if isinstance(graph, np.ndarray):
        return _columns_of(data, None, data_type, missing, categories, kinds)
    found = as_graph(graph)
    if isinstance(graph, (str, os.PathLike, list, tuple, Set)):
        # Pairs do not name variables without edges. All columns are variables, unless some cannot be.
        try:
            asked: Missing = "auto" if missing == "auto" else "error"
            return _columns_of(data, None, data_type, asked, categories, kinds)
        except DataError:
            if not found.variables:
                raise
    if isinstance(data, Data) and {str(name) for name in data.names} == {str(name) for name in found.variables}:
        return data
    return _columns_of(data, found.variables, data_type, missing, categories, kinds)


def distances(
    data: Any,
    *,
    missing: Missing = "auto",
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    threads: int = 0,
) -> Any:
    """Return the distances that pPC clusters variables by: 1 − mutual information / joint entropy.

    Of a `phgs.GaussianTable`: ``1 − |correlation|``. Of a `phgs.data.MixedTable` ``1 − √(1 − Λ^(1/w))`` with Wilks' Λ
    of the two embedded blocks and w the smaller width, which is the same for blocks of one column. Where values are
    missing, each pair has the rows that are complete in its columns (`missing` is as in `phgs.as_table`).

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    missing, kinds, counts, weights, threads
        As in learners.

    Returns
    -------
    numpy.ndarray
        The upper triangle of the p × p matrix row by row, of length p (p − 1) / 2, as scipy's ``linkage`` takes it.
    """
    checked = parameters.whole("threads", threads)
    table = as_data(weighted(counted(data, counts), weights), missing=missing, kinds=kinds, warn=False)
    if isinstance(table, IncompleteGaussianTable):
        return 1.0 - np.abs(table.correlations())
    return _core.distances(table.core, checked)


def cluster_variables(
    data: Any,
    max_clusters: int = 20,
    *,
    missing: Missing = "auto",
    kinds: Given | None = None,
    counts: PerRow | None = None,
    weights: PerRow | None = None,
    threads: int = 0,
) -> dict[Name, int]:
    """Return the partition that pPC works in: the cluster of each variable, counted from 0.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    max_clusters : int
        The most clusters.
    missing, kinds, counts, weights, threads
        As in `phgs.PPC`.
    """
    from phgs.clustering import partition, set_apart

    checked = parameters.whole("max_clusters", max_clusters, 1)
    table = as_data(weighted(counted(data, counts), weights), missing=missing, kinds=kinds, warn=False)
    labels = partition(set_apart(distances(table, threads=threads), table.isolated), checked)
    return dict(zip(table.names, labels.tolist(), strict=True))
