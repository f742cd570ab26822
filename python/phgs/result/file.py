"""The result file: JSON, with the names of variables as text."""

from __future__ import annotations

import itertools
import json
import math
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs.errors import DataError
from phgs.graphs.graph import Graph
from phgs.knowledge import Knowledge
from phgs.output import write_whole
from phgs.result.result import Conflict, PathPoint, Result, Score, Stage, Triple
from phgs.result.table import EdgeRow, EdgeTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phgs.graphs.functions import Comparison

_LARGEST = 1.7976931348623157e308
"""Stands for infinity, which JSON lacks."""

_MOST_SEPARATIONS = 100_000
"""So many pairs take some four megabytes; beyond that a file has their separating sets only on request."""


def to_dict(result: Result, separations: bool | None = None) -> dict[str, Any]:
    """Return the result as the values of JSON."""

    def pairs(found: Iterable[Iterable[Any]]) -> list[list[str]]:
        return [[str(name) for name in names] for names in found]

    # The states of an identifier say nothing of the graph, and may be names of persons.
    left_out = {name for name in result.variables if name in result.isolated or name not in result.levels}
    return {
        "method": result.method,
        "version": result.version,
        "n_rows": result.n_rows,
        "n_rows_read": result.n_rows_read,
        "variables": [str(name) for name in result.variables],
        "dag": None if result.dag is None else pairs(result.dag.directed),
        "cpdag": {
            "directed": pairs(result.cpdag.directed),
            "undirected": pairs(result.cpdag.undirected),
            "extendable": result.extendable,
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
                "log_p_value": None if row.log_p_value is None else max(row.log_p_value, -_LARGEST),
                "weakest_set": None if row.weakest_set is None else [str(name) for name in row.weakest_set],
                "score_gain": row.score_gain,
            }
            for row in result.edges
        ],
        "levels": {
            str(name): None if name in left_out else [_label(label) for label in result.levels[name]]
            for name in result.variables
        },
        "isolated": {str(name): n_states for name, n_states in result.isolated.items()},
        "knowledge": None if result.knowledge is None else _knowledge(result.knowledge),
        "separations": _separations(result, separations),
    }


def _label(label: Any) -> Any:
    """A state as JSON has it: text, a truth value or a number, or else its text."""
    return label if isinstance(label, (str, bool, int, float)) else str(label)


def _knowledge(knowledge: Knowledge) -> dict[str, list[list[str]]]:
    return {
        kind.name: [[str(name) for name in names] for names in getattr(knowledge, kind.name)]
        for kind in fields(knowledge)
    }


def _separations(result: Result, wanted: bool | None) -> dict[str, list[Any]] | None:
    """Pairs with a separating set, by position: names would make the file large."""
    found = result._separations
    if not found or wanted is False or (wanted is None and len(found["x"]) > _MOST_SEPARATIONS):
        return None
    members, starts = found["members"].tolist(), found["starts"].tolist()
    return {
        "x": found["x"].tolist(),
        "y": found["y"].tolist(),
        "log_p_value": np.maximum(found["log_p"], -_LARGEST).tolist(),
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
    text = json.dumps(_finite(found), ensure_ascii=False, indent=1, allow_nan=False)
    # One line: there are many numbers.
    return f'{text[:-2]},\n "separations": {json.dumps(last, allow_nan=False)}\n}}\n'


def _finite(value: Any) -> Any:
    """Replace what JSON cannot hold: infinities by the largest numbers."""
    if isinstance(value, float):
        if value != value:
            return None
        return max(min(value, _LARGEST), -_LARGEST)
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def save(result: Result, path: str | os.PathLike[str], separations: bool | None = None) -> None:
    """Write the result file, whole or not at all."""
    write_whole(path, dumps(result, separations=separations))


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result file."""
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a result file: {error}") from error
    try:
        return from_dict(found)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{path} is not a result file of phgs: {error!r}") from error


def from_dict(found: dict[str, Any]) -> Result:
    """Make a result of the values of its file."""
    names = tuple(found["variables"])
    cpdag, score, dag, path = (found[key] for key in ("cpdag", "score", "dag", "path"))
    edges = found.get("edges")
    rows = None
    if edges is not None:
        rows = EdgeTable(
            tuple(
                EdgeRow(
                    row["from"],
                    row["to"],
                    row["directed"],
                    None if row["log_p_value"] is None else _log(row["log_p_value"]),
                    None if row["weakest_set"] is None else tuple(row["weakest_set"]),
                    row["score_gain"],
                )
                for row in edges
            )
        )
    return Result(
        method=found["method"],
        variables=names,
        cpdag=Graph(names, map(tuple, cpdag["directed"]), map(tuple, cpdag["undirected"])),
        extendable=cpdag["extendable"],
        dag=None if dag is None else Graph(names, map(tuple, dag)),
        score=None if score is None else Score(score["name"], score["value"]),
        calls=found["calls"],
        seconds=found["seconds"],
        clusters=found["clusters"],
        path=None if path is None else tuple(PathPoint(**point) for point in path),
        conflicts=tuple(Conflict(*triple) for triple in found.get("conflict_triples", ())),
        n_conflicts=found["conflicts"],
        undecided=tuple(Triple(*triple) for triple in found.get("undecided_triples", ())),
        n_undecided=found.get("undecided", 0),
        parameters=found["parameters"],
        n_rows=found["n_rows"],
        n_rows_read=found.get("n_rows_read", found["n_rows"]),
        test=found.get("test", ""),
        complete=found.get("complete", True),
        stages=tuple(Stage(**stage) for stage in found.get("stages", ())),
        decided_by_minimum_sample=found.get("decided_by_minimum_sample", 0),
        version=found["version"],
        levels={name: tuple(states) for name, states in found.get("levels", {}).items() if states is not None},
        isolated=found.get("isolated", {}),
        knowledge=None if found.get("knowledge") is None else Knowledge(**found["knowledge"]),
        _edges=rows,
        _separations=_separations_of(found.get("separations")),
    )


def _log(value: float) -> float:
    return -math.inf if value <= -_LARGEST else value


def _separations_of(found: dict[str, list[Any]] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    log_p = np.array(found["log_p_value"], dtype=np.float64)
    log_p[log_p <= -_LARGEST] = -np.inf
    return {
        "x": np.array(found["x"], dtype=np.uint32),
        "y": np.array(found["y"], dtype=np.uint32),
        "log_p": log_p,
        "starts": np.cumsum([0, *map(len, found["given"])], dtype=np.uint64),
        "members": np.array([x for given in found["given"] for x in given], dtype=np.uint32),
    }
