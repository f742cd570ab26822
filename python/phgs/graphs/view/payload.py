"""What the viewer shows, as the values of JSON."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.errors import ParameterError
from phgs.graphs.convert import as_graph
from phgs.graphs.functions import Comparison, _class, _union, compare
from phgs.graphs.graph import Graph
from phgs.graphs.layout import IN_LAYERS, Layout, components, layered, springs
from phgs.graphs.view.explorer import Explorer
from phgs.graphs.view.page import page
from phgs.graphs.view.separations import Separated, nearest, packed
from phgs.output import check_writable
from phgs.texts import p_value_text

if TYPE_CHECKING:
    from phgs.confidence import EdgeConfidence
    from phgs.data.frames import Name
    from phgs.result import Result

MOST_ABSENT_PAIRS = 15_000
"""Separating sets of so many pairs are embedded, those of the nearest ones: some 60 kB. The result file has more."""

MOST_RARE_PAIRS = 20_000
"""So many pairs of bootstrap replicates are shown, the most frequent ones."""

_MOST_STATES = 12
_MOST_BENDS = 20_000
_WIDEST_PIECE = 400
_UNIT = 100.0

Pair = tuple[int, int]
Payload = dict[str, Any]


def explore(payload: Payload, path: str | os.PathLike[str] | None) -> Explorer:
    """Make the page, and write it if there is a path."""
    if path is not None:
        check_writable(path)
    found = Explorer(page(payload), payload["title"])
    if path is not None:
        found.save(path)
    return found


def of_graph(
    graph: Graph,
    *,
    truth: Any = None,
    clusters: Mapping[Name, Any] | None = None,
    confidence: EdgeConfidence | None = None,
    title: str | None = None,
) -> Payload:
    """Show a graph, alone or beside the true one."""
    if clusters is not None and (lacking := [name for name in graph.variables if name not in clusters]):
        raise ParameterError(f"clusters: no cluster for {lacking[0]!r}" + (" and others" if len(lacking) > 1 else ""))
    payload = _payload(
        graph, {}, kind="graph", title=title or graph._size(), truth=truth, clusters=clusters, confidence=confidence
    )
    del payload["comparison"]
    return payload


def of_result(
    result: Result,
    *,
    truth: Any = None,
    confidence: EdgeConfidence | None = None,
    title: str | None = None,
) -> Payload:
    """Show a result: its CPDAG, what speaks for each edge, what keeps other pairs apart."""
    graph = result.cpdag
    position = graph._position
    rows = {(position[row.source], position[row.target]): row for row in result.edges}
    facts: dict[str, dict[Pair, Any]] = {
        "log_p": {pair: row.log_p_value for pair, row in rows.items() if row.log_p_value is not None},
        "gain": {pair: row.score_gain for pair, row in rows.items() if row.score_gain is not None},
        "given": {
            pair: [position[name] for name in row.weakest_set]
            for pair, row in rows.items()
            if row.weakest_set is not None
        },
    }
    absent = _absent_pairs(result)
    path = sorted(result.path or (), key=lambda point: -point.alpha)
    facts["extra"] = {}
    if len(path) > 1:
        # What PATH took away again: in the skeletons of higher levels only.
        highest = math.log(path[0].alpha)
        for x, y, log_p, given in absent:
            if log_p <= highest:
                facts["extra"][x, y] = True
                facts["log_p"][x, y] = log_p
                facts["given"][x, y] = given
    payload = _payload(
        graph,
        facts,
        kind="result",
        title=title or f"{result.method}: {graph._size()}",
        truth=truth,
        clusters=result.clusters,
        confidence=confidence,
    )
    if len(path) > 1:
        levels = [math.log(point.alpha) for point in path]
        a, b = payload["edges"]["a"], payload["edges"]["b"]
        tested = [facts["log_p"].get(pair) for pair in zip(a, b, strict=True)]
        payload["edges"]["levels"] = [
            -1 if value is None else sum(value <= level + 1e-12 * abs(level) for level in levels) for value in tested
        ]
        payload["path"] = [point._asdict() for point in path]
    payload["lines"] = _lines(result, payload.pop("comparison", None))
    payload["columns"] = _columns(result)
    skeleton = graph._pair_indices()
    kept, steps = nearest(graph.n_variables, skeleton, absent, MOST_ABSENT_PAIRS)
    embedded = kept is not None and bool(result._separations)
    payload["absent"] = packed(graph.n_variables, skeleton, kept or []) if embedded else None
    payload["explain"] = _explain(result, embedded=embedded) | {"steps": steps}
    return payload


def of_confidence(
    confidence: EdgeConfidence, *, threshold: float | str = "estimated", truth: Any = None, title: str | None = None
) -> Payload:
    """Show the pairs of bootstrap replicates, those below the threshold hidden at first."""
    shown = confidence.consensus(threshold)
    rare = [row for row in confidence.pairs[:MOST_RARE_PAIRS] if (row.x, row.y) not in shown]
    arcs, edges = list(shown.directed), list(shown.undirected)
    for row in rare:
        if max(row.x_to_y, row.y_to_x) <= row.undirected or row.x_to_y == row.y_to_x:
            edges.append((row.x, row.y))
        else:
            arcs.append((row.x, row.y) if row.x_to_y > row.y_to_x else (row.y, row.x))
    title = title or f"{confidence.method}, {confidence.n_replicates:,} replicates: {shown._size()}"
    payload = _payload(
        Graph(confidence.variables, arcs, edges),
        {},
        kind="confidence",
        title=title,
        truth=truth,
        confidence=confidence,
        placed_by=shown,
        as_cpdags=False,
    )
    number = next(i for i, measure in enumerate(payload["measures"]) if measure["key"] == "share")
    values = sorted(v for v in payload["measures"][number]["values"] if v is not None)
    del payload["comparison"]
    payload["first"] = {"measure": number, "least": max(0, len(values) - shown.n_edges)}
    payload["lines"] = [
        ("replicates", f"{confidence.n_replicates:,} of {confidence.n_rows:,} rows"),
        ("threshold", f"{confidence.estimated_threshold:.3g} (estimated)" if threshold == "estimated" else threshold),
        ("edges", f"{shown.n_edges:,} at this threshold, {len(confidence.counts):,} in any replicate"),
        *payload["lines"],
    ]
    return payload


# Parts


def _payload(
    graph: Graph,
    facts: Mapping[str, Mapping[Pair, Any]],
    *,
    kind: str,
    title: str,
    truth: Any = None,
    clusters: Mapping[Name, Any] | None = None,
    confidence: EdgeConfidence | None = None,
    placed_by: Graph | None = None,
    as_cpdags: bool = True,
) -> Payload:
    status: dict[Pair, tuple[int, str]] = {}
    lines: list[tuple[str, object]] = [("variables", f"{graph.n_variables:,}")]
    comparison: Comparison | None = None
    if truth is not None:
        graph, missing, status, comparison = _against(graph, truth, as_cpdags)
    arcs, edges = graph._directed_indices(), graph._undirected_indices()
    if truth is not None:
        arcs, edges = arcs + missing[0], edges + missing[1]
    n = graph.n_variables
    pairs = [(a, b, 1) for a, b in arcs] + [(a, b, 0) for a, b in edges]
    known = {(min(a, b), max(a, b)) for a, b, _ in pairs}
    extra = [pair for pair in facts.get("extra", {}) if (min(pair), max(pair)) not in known]
    pairs += [(a, b, 0) for a, b in extra]
    pairs.sort()

    def fact(name: str, a: int, b: int) -> Any:
        found = facts.get(name, {})
        return found.get((a, b), found.get((b, a)))

    given = [fact("given", a, b) for a, b, _ in pairs]
    drawn: dict[str, Any] = {"a": [p[0] for p in pairs], "b": [p[1] for p in pairs], "d": [p[2] for p in pairs]}
    if any(found is not None for found in given):
        drawn["given"] = given
    if extra:
        of_levels = set(extra)
        drawn["extra"] = [int((a, b) in of_levels) for a, b, _ in pairs]
    if comparison is not None:
        drawn["status"] = [status.get((a, b), status.get((b, a), (3, "")))[0] for a, b, _ in pairs]
        drawn["note"] = [status.get((a, b), status.get((b, a), (3, "")))[1] for a, b, _ in pairs]
        lines.append(("against truth", f"JI {comparison.jaccard:.3f}, SHD {comparison.shd}"))
    measures: list[dict[str, Any]] = []

    def add(key: str, name: str, values: list[Any]) -> None:
        if any(value is not None for value in values):
            measures.append({"key": key, "name": name, "values": values})

    add("p", "largest p-value", [_p_value(fact("log_p", a, b)) for a, b, _ in pairs])
    add("gain", "score gain", [_rounded(fact("gain", a, b)) for a, b, _ in pairs])
    if confidence is not None:
        shares = _shares(confidence, graph.variables, pairs)
        drawn["shares"] = shares
        add("share", "bootstrap share", [_rounded(sum(found)) for found in shares])
    groups = _groups(graph, clusters)
    layouts, start = _layouts(placed_by or graph, {(a, b): e for e, (a, b, _) in enumerate(pairs)}, groups)
    counts = None
    if comparison is not None:
        counts = [comparison.true_positives, comparison.wrong_directions]
        counts += [comparison.false_negatives, comparison.false_positives]
    return {
        "kind": kind,
        "title": title,
        "file": "graph",
        "lines": lines,
        "names": graph._texts(),
        "edges": drawn,
        "measures": measures,
        "statusCounts": counts,
        "rank": _ranks(n, arcs, edges),
        "layouts": layouts,
        "start": start,
        "groups": groups,
        "comparison": comparison,
    }


def _against(
    graph: Graph, truth: Any, as_cpdags: bool
) -> tuple[Graph, tuple[list[Pair], list[Pair]], dict[Pair, tuple[int, str]], Comparison]:
    """Compare with the true graph, edge by edge; return also the edges that are missing."""
    true = as_graph(truth)
    names = tuple(_union(true, graph))
    # In the order of the graph that is shown; what it lacks comes last.
    known = {str(name) for name in graph.variables}
    names = (*graph.variables, *(name for name in names if str(name) not in known))
    true, graph = as_graph(true, names), as_graph(graph, names)
    comparison = compare(true, graph, as_cpdags=as_cpdags)
    if as_cpdags:
        true, graph = _class(true), _class(graph)
    really = dict.fromkeys(true._directed_indices(), True) | dict.fromkeys(true._undirected_indices(), False)
    status: dict[Pair, tuple[int, str]] = {}
    found: set[Pair] = set()
    for pairs, directed in ((graph._directed_indices(), True), (graph._undirected_indices(), False)):
        for a, b in pairs:
            found.add((min(a, b), max(a, b)))
            if (a, b) in really or (b, a) in really:
                source, target = (a, b) if (a, b) in really else (b, a)
                same = directed == really[source, target] and (not directed or (source, target) == (a, b))
                mark = "→" if really[source, target] else "−"
                note = "" if same else f"in truth {names[source]} {mark} {names[target]}"
                status[a, b] = (0 if same else 1, note)
    missing: tuple[list[Pair], list[Pair]] = ([], [])
    for (a, b), directed in really.items():
        if (min(a, b), max(a, b)) not in found:
            missing[0 if directed else 1].append((a, b))
            status[a, b] = (2, "")
    return graph, missing, status, comparison


def _p_value(log_p: float | None) -> float | str | None:
    """Three digits, or text below the least float: as everywhere."""
    if log_p is None:
        return None
    text = p_value_text(log_p)
    return text if text.startswith("10^") else float(text)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _shares(
    confidence: EdgeConfidence, variables: Sequence[Name], pairs: Sequence[tuple[int, int, int]]
) -> list[list[float]]:
    by_text = {str(name): i for i, name in enumerate(confidence.variables)}
    place = [by_text.get(str(name)) for name in variables]
    if all(at is None for at in place):
        raise ParameterError("confidence: it has none of these variables; take that of the same data")
    found = []
    for a, b, _ in pairs:
        x, y = place[a], place[b]
        counts: Sequence[int] = (0, 0, 0)
        if x is not None and y is not None:
            counts = confidence.counts.get((min(x, y), max(x, y)), counts)
            counts = counts if x < y else (counts[1], counts[0], counts[2])
        found.append([float(f"{count / confidence.n_replicates:.4g}") for count in counts])
    return found


def _groups(graph: Graph, clusters: Mapping[Name, Any] | None) -> dict[str, Any] | None:
    if clusters is not None:
        labels = list(dict.fromkeys(sorted((clusters[name] for name in graph.variables if name in clusters), key=str)))
        if all(isinstance(label, int) for label in labels):
            labels.sort()
        number = {label: i for i, label in enumerate(labels)}
        of = [number[clusters[name]] if name in clusters else 0 for name in graph.variables]
        names = [f"cluster {label}" if isinstance(label, int) else str(label) for label in labels]
        what = "Clusters"
    else:
        parts = components(graph.n_variables, graph._pair_indices())
        several = [part for part in parts if len(part) > 1]
        of = [len(several)] * graph.n_variables
        for i, part in enumerate(several):
            for node in part:
                of[node] = i
        names = [f"part {i + 1}" for i in range(len(several))]
        names += ["variables without edges"] if len(several) < len(parts) else []
        what = "Connected parts"
    if len(names) < 2:
        return None
    sizes = Counter(of)
    return {"name": what, "of": of, "labels": names, "sizes": [sizes[i] for i in range(len(names))]}


def _layouts(
    graph: Graph, index: Mapping[Pair, int], groups: dict[str, Any] | None
) -> tuple[list[dict[str, Any]], int]:
    """Place the variables in layers, where the graph allows, and as a map."""
    n = graph.n_variables
    if n == 0:
        return [{"name": "layers, arrows down", "x": [], "y": []}], 0
    own_arcs, own_edges = graph._directed_indices(), graph._undirected_indices()
    largest = len(components(n, own_arcs + own_edges)[0])
    widths = [(8.4 * min(26, len(str(name))) + 28) / _UNIT for name in graph.variables]
    found: list[dict[str, Any]] = []
    by_group = groups is not None and groups["name"] == "Clusters"
    piece = max(Counter(groups["of"]).values()) if groups is not None and by_group else n
    if largest <= IN_LAYERS or min(piece, largest) <= _WIDEST_PIECE:
        layout = layered(n, own_arcs, own_edges, groups["of"] if groups is not None and by_group else None, widths, 1.3)
        if sum(map(len, layout.bends.values())) <= 2 * _MOST_BENDS:
            name = "layers, arrows down" if largest <= IN_LAYERS or not by_group else "clusters, each in layers"
            found.append(_placed(name, layout.scaled(_UNIT, -74.0), index))
    map_ = springs(n, own_arcs + own_edges)
    found.append(_placed("map", map_.scaled(64.0, -64.0), index))
    if found[0]["name"] == "map" or largest <= IN_LAYERS:
        return found, 0
    return found, 1


def _placed(name: str, layout: Layout, index: Mapping[Pair, int]) -> dict[str, Any]:
    places = np.rint(layout.places).astype(int)
    found: dict[str, Any] = {"name": name, "x": places[:, 0].tolist(), "y": places[:, 1].tolist()}
    if layout.bends:
        # A layout has the bends of both directions; an edge is drawn in one.
        of_edges = {index[pair]: points for pair, points in layout.bends.items() if pair in index}
        # From one to the next, the first from the place of the edge's own first variable.
        ends = {edge: places[pair[0]] for pair, edge in index.items()}
        found["bends"] = {
            edge: np.diff(np.rint(of_edges[edge]).astype(int), axis=0, prepend=[ends[edge]]).ravel().tolist()
            for edge in sorted(of_edges)
        }
    return found


def _ranks(n: int, arcs: list[Pair], edges: list[Pair]) -> list[int]:
    ranks = [0] * n
    for rank, node in enumerate(_core.downward_order(n, arcs, edges)):
        ranks[node] = rank
    return ranks


def _lines(result: Result, comparison: Comparison | None) -> list[tuple[str, str]]:
    wanted = (
        "method",
        "variables",
        "rows",
        "isolated",
        "not tested",
        "knowledge",
        "edges",
        "threshold",
        "score",
        "against truth",
    )
    lines = [(line[:20].strip(), line[20:].strip()) for line in result._summary(comparison).split("\n")]
    return [(name, value) for name, value in lines if name in wanted]


def _columns(result: Result) -> dict[str, Any] | None:
    """The states of each variable with their counts; equal lists of states are kept once."""
    if not result.levels and not result.columns:
        return None
    sets: dict[tuple[str, ...], int] = {}
    found: dict[str, Any] = {"of": [], "counts": [], "n": [], "missing": {}, "text": {}}
    for i, name in enumerate(result.variables):
        facts = result.columns.get(name)
        levels = () if name in result._codes else result.levels.get(name, ())
        counts: Sequence[int] = () if facts is None or facts.counts is None else facts.counts
        shown: Sequence[int] = range(len(levels))
        if len(levels) > _MOST_STATES:
            shown = sorted(shown, key=lambda k: (-counts[k] if counts else 0, k))[:_MOST_STATES]
        labels = tuple("missing" if levels[k] is None else str(levels[k]) for k in shown)
        found["of"].append(sets.setdefault(labels, len(sets)))
        found["counts"].append([counts[k] for k in shown] if counts else [])
        found["n"].append(result._codes.get(name, len(levels)))
        if facts is not None and facts.n_missing:
            found["missing"][i] = facts.n_missing
        if facts is not None and facts.mean is not None:
            spread = "" if facts.standard_deviation is None else f", standard deviation {facts.standard_deviation:.4g}"
            found["text"][i] = f"mean {facts.mean:.4g}{spread}, from {facts.least:.4g} to {facts.largest:.4g}"
    return found | {"sets": [list(labels) for labels in sets], "rows": result.n_rows}


def _absent_pairs(result: Result) -> list[Separated]:
    """The pairs without an edge of which a deciding test is known, in column order."""
    kept = result._separations
    if not kept:
        return []
    joined = set(result.cpdag._pair_indices())
    starts, members, log_p = kept["starts"].tolist(), kept["members"].tolist(), kept["log_p"].tolist()
    return sorted(
        (x, y, log_p[i], members[starts[i] : starts[i + 1]])
        for i, (x, y) in enumerate(zip(kept["x"].tolist(), kept["y"].tolist(), strict=True))
        if (x, y) not in joined
    )


def _explain(result: Result, *, embedded: bool) -> dict[str, Any]:
    """What `Result.explain` says of pairs that no test decided."""
    names = result.variables
    isolated = {}
    for i, name in enumerate(names):
        if name in result._codes:
            isolated[i] = result.untested(name, name)
    forbidden: list[Pair] = []
    known = result.knowledge
    if known is not None:
        position = {str(name): i for i, name in enumerate(names)}
        candidates = {
            (position[str(a)], position[str(b)])
            for a, b in (*known.forbidden, *known.forbidden_edges)
            if str(a) in position and str(b) in position
        }
        forbidden = sorted((a, b) for a, b in candidates if known.forbids(names[a], names[b]))
    alpha = result.parameters.get("alpha")
    if result._separations and not embedded:
        none = "The tests of so many pairs are not in this page. Result.explain tells them."
    else:
        from_file = ", or its file was saved without them" if result._edges is not None else ""
        none = f"{result.method} keeps no separating sets{from_file}."
    return {
        "alpha": None if alpha is None else str(alpha),
        "complete": result.complete,
        "isolated": isolated,
        "forbidden": forbidden,
        "none": none,
    }
