"""Scores of any graph."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from phgs import _core, own_score, own_test, parameters
from phgs.choices import (
    ScoreName,
    data_type_of,
    numeric_score,
    score_for_core,
)
from phgs.data import Data
from phgs.data.counts import PerRow, counted
from phgs.data.kinds import Given
from phgs.data.missing import filled_from
from phgs.data.mixed import Numbers, entered
from phgs.data.table import Missing
from phgs.data.weights import weighted
from phgs.errors import DataError
from phgs.functional.reading import columns_of, type_of
from phgs.graphs import as_dag, as_graph, cpdag_to_dag
from phgs.own_score import OwnScore
from phgs.own_test import Names

if TYPE_CHECKING:
    from phgs.data.frames import Name


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
    numbers: Numbers | None = None,
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
    numbers
        How numbers enter beside categories, as in learners. With ``"groups"`` scores are those of categories.
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
    data_type = type_of(data, data_type_of(kind))
    checked = parameters.whole("threads", threads)
    if numbers is not None:
        parameters.one_of("numbers", numbers, get_args(Numbers))
    named = getattr(graph, "dag", None) or (list(graph) if isinstance(graph, Iterator) else graph)
    if callable(kind) and own_test.is_names(data):
        table = Names.of(data)
    else:
        table = entered(_scored_columns(data, named, data_type, missing, categories, kinds), numbers, None)
    described: _core.AnyScore
    if callable(kind):
        described = own_score.for_core(kind, table.names, equivalent=False)
    elif table.enters_as == "discrete":
        described = score_for_core(kind, penalty, gamma, equivalent_sample_size)
    else:
        described = numeric_score(table.enters_as, kind, penalty, gamma)
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
        return columns_of(data, None, data_type, missing, categories, kinds)
    found = as_graph(graph)
    if isinstance(graph, (str, os.PathLike, list, tuple, Set)):
        # Pairs do not name variables without edges. All columns are variables, unless some cannot be.
        try:
            asked: Missing = "auto" if missing == "auto" else "error"
            return columns_of(data, None, data_type, asked, categories, kinds)
        except DataError:
            if not found.variables:
                raise
    if isinstance(data, Data) and {str(name) for name in data.names} == {str(name) for name in found.variables}:
        return data
    return columns_of(data, found.variables, data_type, missing, categories, kinds)
