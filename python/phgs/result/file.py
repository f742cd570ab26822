"""The result file: JSON, with the names of variables as text."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phgs.errors import DataError
from phgs.graphs.graph import Graph
from phgs.output import write_whole
from phgs.result.result import PathPoint, Result, Score, Stage
from phgs.result.table import EdgeRow, EdgeTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phgs.graphs.functions import Comparison


def to_dict(result: Result) -> dict[str, Any]:
    """Return the result as the values of JSON."""

    def pairs(found: Iterable[tuple[Any, Any]]) -> list[list[str]]:
        return [[str(a), str(b)] for a, b in found]

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
        "undecided": result.n_undecided,
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
                "log_p_value": row.log_p_value,
                "weakest_set": None if row.weakest_set is None else [str(name) for name in row.weakest_set],
                "score_gain": row.score_gain,
            }
            for row in result.edges
        ],
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


def dumps(result: Result, comparison: Comparison | None = None) -> str:
    """Return the text of the result file, with a comparison with the true graph if there is one."""
    found = to_dict(result)
    if comparison is not None:
        found["comparison"] = comparison.to_dict()
    return json.dumps(_finite(found), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Replace what JSON cannot hold: infinities by the largest numbers."""
    if isinstance(value, float):
        if value != value:
            return None
        return max(min(value, 1.7976931348623157e308), -1.7976931348623157e308)
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write the result file, whole or not at all."""
    write_whole(path, dumps(result))


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result file."""
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a result file: {error}") from error
    try:
        return from_dict(found)
    except (KeyError, TypeError, AttributeError) as error:
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
                    row["log_p_value"],
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
        conflicts=(),
        n_conflicts=found["conflicts"],
        n_undecided=found.get("undecided", 0),
        parameters=found["parameters"],
        n_rows=found["n_rows"],
        n_rows_read=found.get("n_rows_read", found["n_rows"]),
        test=found.get("test", ""),
        complete=found.get("complete", True),
        stages=tuple(Stage(**stage) for stage in found.get("stages", ())),
        decided_by_minimum_sample=found.get("decided_by_minimum_sample", 0),
        version=found["version"],
        _edges=rows,
    )
