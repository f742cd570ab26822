"""The result file: JSON, with the names of variables as text."""

from __future__ import annotations

import itertools
import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np

from phgs.data.kinds import Kind
from phgs.data.missing import MissingValues
from phgs.data.weights import Weights
from phgs.documents import LARGEST_FLOAT, Node, json_text, read_json
from phgs.graphs.graph import Graph
from phgs.knowledge import knowledge_of
from phgs.output import write_whole
from phgs.result.columns import ColumnFacts
from phgs.result.parts import Conflict, PathPoint, Score, Stage, Triple
from phgs.result.result import Result
from phgs.result.table import EdgeRow, EdgeTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from phgs import _core
    from phgs.graphs.functions import Comparison

T = TypeVar("T")

_MOST_SEPARATIONS = 100_000
"""So many pairs take some four megabytes; beyond that a file has their separating sets only on request."""


def to_dict(result: Result, separations: bool | None = None) -> dict[str, Any]:
    """Return the result as the values of JSON."""

    def pairs(found: Iterable[Iterable[Any]]) -> list[list[str]]:
        return [[str(name) for name in names] for names in found]

    # The states of an identifier say nothing of the graph, and may be names of persons.
    left_out = {name for name in result.variables if name in result._codes or name not in result.levels}
    return {
        "method": result.method,
        "version": result.version,
        "n_rows": result.n_rows,
        "n_rows_read": result.n_rows_read,
        "weights": None if result.weights is None else asdict(result.weights),
        "variables": [str(name) for name in result.variables],
        "dag": None if result.dag is None else pairs(result.dag.directed),
        "cpdag": {
            "directed": pairs(result.cpdag.directed),
            "undirected": pairs(result.cpdag.undirected),
            "extendable": result.extendable,
            "oriented": result.oriented,
        },
        "score": None if result.score is None else {"name": result.score.name, "value": result.score.value},
        "calls": result.calls,
        "seconds": result.seconds,
        "clusters": None if result.clusters is None else {str(k): v for k, v in result.clusters.items()},
        "path": None if result.path is None else [point._asdict() for point in result.path],
        "conflicts": result.n_conflicts,
        "conflict_triples": pairs(result.conflicts),
        "undecided": result.n_undecided,
        "undecided_triples": pairs(result.undecided),
        "parameters": result.parameters,
        "test": result.test,
        "decided_by_minimum_sample": result.decided_by_minimum_sample,
        "complete": result.complete,
        "stages": [stage._asdict() for stage in result.stages],
        "edges": [
            {
                "from": str(row.source),
                "to": str(row.target),
                "directed": row.directed,
                "log_p_value": None if row.log_p_value is None else max(row.log_p_value, -LARGEST_FLOAT),
                "weakest_set": None if row.weakest_set is None else [str(name) for name in row.weakest_set],
                "score_gain": row.score_gain,
            }
            for row in result.edges
        ],
        "levels": {
            str(name): None if name in left_out else [_label(label) for label in result.levels[name]]
            for name in result.variables
        },
        "columns": {str(name): _facts(facts) for name, facts in result.columns.items()},
        "isolated": {str(name): n_states for name, n_states in result.isolated.items()},
        "identifiers": {str(name): n_states for name, n_states in result.identifiers.items()},
        "kinds": {str(name): kind for name, kind in result.kinds.items()},
        "guesses": {str(name): text for name, text in result.guesses.items()},
        "groups": {str(name): list(labels) for name, labels in result.groups.items()},
        "missing": None if result.missing is None else _missing(result.missing),
        "knowledge": None if result.knowledge is None else result.knowledge._for_file(),
        "separations": _separations(result, separations),
    }


def _missing(missing: MissingValues) -> dict[str, Any]:
    return missing._asdict() | {
        "columns": {str(name): count for name, count in missing.columns.items()},
        "apart": [str(name) for name in missing.apart],
    }


def _facts(facts: ColumnFacts) -> dict[str, Any]:
    counts = None if facts.counts is None else list(facts.counts)
    return {"counts": counts, "n_missing": facts.n_missing} | {
        name: value for name in ColumnFacts._fields[2:] if (value := getattr(facts, name)) is not None
    }


def _label(label: Any) -> Any:
    """A state as JSON has it: text, a truth value or a number, or else its text."""
    return label if isinstance(label, (str, bool, int, float)) else str(label)


def _separations(result: Result, wanted: bool | None) -> dict[str, list[Any]] | None:
    """Pairs with a separating set, by position: names would make the file large."""
    found = result._separations
    if not found or wanted is False or (wanted is None and len(found["x"]) > _MOST_SEPARATIONS):
        return None
    members, starts = found["members"].tolist(), found["starts"].tolist()
    return {
        "x": found["x"].tolist(),
        "y": found["y"].tolist(),
        "log_p_value": np.maximum(found["log_p"], -LARGEST_FLOAT).tolist(),
        "given": [members[start:end] for start, end in itertools.pairwise(starts)],
    }


def result_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of the result file.

    Examples
    --------
    >>> import phgs
    >>> phgs.result_schema()["properties"]["dag"]["description"]
    'Arcs [from, to]; null where the method learns no DAG.'
    """
    text = Path(__file__).with_name("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def dumps(result: Result, comparison: Comparison | None = None, separations: bool | None = None) -> str:
    """Return the text of the result file, with a comparison with the true graph if there is one."""
    found = to_dict(result, separations)
    last = found.pop("separations")
    if comparison is not None:
        found["comparison"] = comparison.to_dict()
    text = json_text(found)
    # One line: there are many numbers.
    return f'{text[:-3]},\n "separations": {json.dumps(last, allow_nan=False)}\n}}\n'


def save(result: Result, path: str | os.PathLike[str], separations: bool | None = None) -> None:
    """Write the result file, whole or not at all."""
    write_whole(path, dumps(result, separations=separations))


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result file.

    Raises
    ------
    DocumentError
        When it is no such file, or was changed to what no result is; names the place.
    """
    return _result(Node(read_json(path, what="a result file"), str(path)))


def from_dict(found: dict[str, Any]) -> Result:
    """Make a result of the values of its file."""
    return _result(Node(found, "result"))


def _result(found: Node) -> Result:
    if type(found.value) is not dict or not {"method", "variables", "cpdag"} <= found.value.keys():
        found.fail("this is not a result file of phgs")
    names = found["variables"].names()
    known = set(names)

    def name(node: Node) -> str:
        return node.name(known)

    def by_name(key: str, read: Callable[[Node], Any], *, whole: bool = False) -> dict[Any, Any] | None:
        node = found.get(key)
        if node is None:
            return None
        unknown = node.table().keys() - known
        if unknown:
            node.fail(f"{min(unknown)!r} is not among the variables")
        if whole and len(node.table()) < len(names):
            node.fail(f"there is no {min(known - node.table().keys())!r}")
        return {variable: read(value) for variable, value in node.items()}

    def graph(directed: Node, undirected: Node | None = None) -> Graph:
        seen: set[frozenset[str]] = set()

        def pair(node: Node) -> tuple[str, str]:
            ends = node.pair(known)
            if frozenset(ends) in seen:
                node.fail("these variables are joined twice")
            seen.add(frozenset(ends))
            return ends

        return Graph(names, directed.each(pair), () if undirected is None else undirected.each(pair))

    def triples(key: str, kind: Callable[..., T]) -> tuple[T, ...]:
        node = found.get(key)
        return () if node is None else node.each(lambda one: kind(*_three(one, name)))

    cpdag, dag, score, path = (found[key] for key in ("cpdag", "dag", "score", "path"))
    edges, stages, test = found.get("edges"), found.get("stages"), found.get("test")
    complete, n_rows_read = found.get("complete"), found.get("n_rows_read")
    found["calls"]["total"].whole()
    learned, dag_ = graph(cpdag["directed"], cpdag["undirected"]), dag.optional(graph)
    if dag_ is not None and not dag_.is_dag:
        dag.fail("the arcs close a cycle")
    return Result(
        method=found["method"].text(),
        variables=names,
        cpdag=learned,
        extendable=cpdag["extendable"].flag(),
        oriented=True if (oriented := cpdag.get("oriented")) is None else oriented.flag(),
        dag=dag_,
        score=score.optional(lambda node: Score(node["name"].text(), _number(node["value"]))),
        calls={key: value.whole() for key, value in found["calls"].items()},
        seconds={key: value.number() for key, value in found["seconds"].items()},
        clusters=by_name("clusters", Node.whole, whole=True),
        path=path.optional(lambda node: node.each(_point)),
        conflicts=triples("conflict_triples", Conflict),
        n_conflicts=found["conflicts"].whole(),
        undecided=triples("undecided_triples", Triple),
        n_undecided=_count(found, "undecided"),
        parameters=found["parameters"].table(),
        n_rows=found["n_rows"].whole(),
        n_rows_read=(found["n_rows"] if n_rows_read is None else n_rows_read).whole(),
        test="" if test is None else test.text(),
        complete=True if complete is None else complete.flag(),
        stages=() if stages is None else stages.each(_stage),
        decided_by_minimum_sample=_count(found, "decided_by_minimum_sample"),
        version=found["version"].text(),
        levels={
            variable: states
            for variable, states in (by_name("levels", lambda node: node.optional(_states)) or {}).items()
            if states is not None
        },
        weights=None if (node := found.get("weights")) is None else node.optional(_weights),
        isolated=by_name("isolated", Node.whole) or {},
        identifiers=by_name("identifiers", Node.whole) or {},
        kinds=by_name("kinds", _kind) or {},
        guesses=by_name("guesses", Node.text) or {},
        groups=by_name("groups", lambda node: tuple(node.each(Node.text))) or {},
        missing=None if (node := found.get("missing")) is None else _missing_of(node, known),
        knowledge=None if (node := found.get("knowledge")) is None else knowledge_of(node),
        _columns=by_name("columns", _column) or {},
        _edges=None if edges is None else EdgeTable(edges.each(lambda node: _edge(node, name))),
        _separations=_separations_of(found.get("separations"), len(names)),
    )


def _kind(node: Node) -> str:
    found = node.text()
    if found not in get_args(Kind):
        node.fail(f"unknown kind {found!r}")
    return found


def _weights(node: Node) -> Weights:
    return Weights(node["column"].optional(Node.text), node["effective_rows"].number())


def _three(node: Node, name: Callable[[Node], str]) -> tuple[str, ...]:
    found = node.each(name)
    if len(set(found)) != 3:
        node.fail("expected three variables")
    return found


def _count(found: Node, key: str) -> int:
    node = found.get(key)
    return 0 if node is None else node.whole()


def _number(node: Node) -> float:
    """A score; NaN, which JSON lacks, is null."""
    return math.nan if node.value is None else node.number()


def _point(node: Node) -> PathPoint:
    return PathPoint(
        alpha=node["alpha"].number(),
        edges=node["edges"].whole(),
        score=node["score"].optional(Node.number),
        extendable=node["extendable"].flag(),
        selected=node["selected"].flag(),
    )


def _stage(node: Node) -> Stage:
    return Stage(
        name=node["name"].text(),
        edges=node["edges"].whole(),
        score=node["score"].optional(Node.number),
        seconds=node["seconds"].number(),
    )


def _states(node: Node) -> tuple[Any, ...]:
    def state(label: Node) -> Any:
        if not isinstance(label.value, (str, bool, int, float, type(None))):
            label.fail("expected a state: text, a number, true or false")
        return label.value

    return node.each(state)


def _missing_of(node: Node, known: set[str]) -> MissingValues:
    unknown = node["columns"].table().keys() - known
    if unknown:
        node["columns"].fail(f"{min(unknown)!r} is not among the variables")
    method = node["method"].text()
    if method not in ("em", "testwise"):
        node["method"].fail(f"{method!r} is neither 'em' nor 'testwise'")
    return MissingValues(
        share=node["share"].number(),
        columns={name: count.whole() for name, count in node["columns"].items()},
        method="em" if method == "em" else "testwise",
        rounds=node["rounds"].whole(),
        repeated=node["repeated"].flag(),
        apart=node["apart"].each(lambda name: name.name(known)),
    )


def _column(node: Node) -> ColumnFacts:
    numbers = {key: found.number() for key in ColumnFacts._fields[2:] if (found := node.get(key)) is not None}
    counts = node["counts"].optional(lambda found: found.each(Node.whole))
    return ColumnFacts(counts, node["n_missing"].whole(), **numbers)


def _edge(node: Node, name: Callable[[Node], str]) -> EdgeRow:
    log_p = node["log_p_value"].optional(_log_p)
    return EdgeRow(
        name(node["from"]),
        name(node["to"]),
        node["directed"].flag(),
        None if log_p is None else _log(log_p),
        node["weakest_set"].optional(lambda given: given.each(name)),
        node["score_gain"].optional(Node.number),
    )


def _log_p(node: Node) -> float:
    """The logarithm of a p-value."""
    value = node.number()
    if value > 0.0:
        node.fail(f"{value!r} is above 0, the logarithm of no p-value")
    return value


def _log(value: float) -> float:
    return -math.inf if value <= -LARGEST_FLOAT else value


def _separations_of(found: Node | None, n_variables: int) -> _core.Separations | None:
    if found is None:
        return None

    def position(node: Node) -> int:
        return node.whole(0, n_variables - 1)

    x, y = found["x"].each(position), found["y"].each(position)
    given = found["given"].each(lambda node: node.each(position))
    log_p = np.array(found["log_p_value"].each(_log_p), dtype=np.float64)
    if not len(x) == len(y) == len(given) == len(log_p):
        found.fail("x, y, given and log_p_value differ in length")
    log_p[log_p <= -LARGEST_FLOAT] = -np.inf
    return {
        "x": np.array(x, dtype=np.uint32),
        "y": np.array(y, dtype=np.uint32),
        "log_p": log_p,
        "starts": np.cumsum([0, *map(len, given)], dtype=np.uint64),
        "members": np.array([z for members in given for z in members], dtype=np.uint32),
    }
