"""What a learned graph claims of each pair, looked at again on all rows."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from phgs import parameters
from phgs.errors import ParameterError
from phgs.verification.counting import Counts, source_of
from phgs.verification.effects import EffectRow, EffectTable, Verification

if TYPE_CHECKING:
    from phgs.result import Result


def verify(
    result: Result,
    data: Any = None,
    *,
    alpha: float | None = None,
    least_bits: float = 0.0,
    threads: int = 0,
) -> Verification:
    """Look at every edge and every absent edge of a result on all rows, in one pass over them.

    Meant for more rows than one would learn from: learn from a sample of a million, then see what all rows say. With
    very many rows every p-value of a true dependence is 0 and every trifle significant, so look at `bits`.

    A pair is looked at given what the result says of it: an edge given the set that came closest to separating it,
    an absent edge given the set that separated it (no set: the marginal test). Where tests were not made, or a
    search has decided against them, the DAG says: an edge given the other parents of its head, an absent edge given
    the parents of the variable that comes later. G² has the rule for degrees of freedom that the method had.

    Parameters
    ----------
    result
        A result of categorical data.
    data
        Data with the variables of the result: what `phgs.as_table` takes, the files of `phgs.shards` included, of which
        one row group is held at a time. None takes the data that were learned from.
    alpha
        Level at which a separation does not hold; by default that of the method, or 0.01.
    least_bits
        Effects below it do not count; see `Verification`.
    threads
        Number of threads; 0 means all cores that the process may use.

    Returns
    -------
    Verification

    Raises
    ------
    ParameterError
        For Gaussian and mixed results, for rows with weights or counts, for missing values that each test treats on
        its own, and when a variable of the result is no column of the data.
    DataError
        When the data cannot be read, or have missing values where the method refused them.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.Network.load("asia").sample(20_000, seed=1)
    >>> result = phgs.learn(data.slice(0, 2_000), progress=False)
    >>> check = phgs.verify(result, data)
    >>> check.n_rows, len(check.edges) + len(check.absent)
    (20000, 28)
    >>> check.edges[-1].bits > 0.1
    True
    """
    if result.parameters.get("data_type", "discrete") != "discrete":
        raise ParameterError("result: verify counts states; of Gaussian and mixed data there are none")
    if any(result.parameters.get(name) is not None for name in ("weights", "counts")):
        raise ParameterError("result: verify counts rows; of rows with weights or counts give a result of the rows")
    if alpha is None:
        known = result.parameters.get("alpha", 0.01)
        alpha = known if isinstance(known, float) else 0.01
    parameters.probability("alpha", alpha)
    if parameters.real("least_bits", least_bits) < 0:
        raise ParameterError(f"least_bits: {least_bits!r} must not be below 0")
    parameters.whole("threads", threads)
    source = source_of(result, data)
    claims = _claims(result)
    counts = Counts(source, [len(result.levels.get(name, ())) for name in result.variables], threads)
    effects, n_rows = counts.effects(claims, result.parameters.get("degrees_of_freedom") == "adjusted")
    names, edges = result.variables, _edges(result)
    found: tuple[list[EffectRow], list[EffectRow]] = ([], [])
    too_large = []
    for members, effect in zip(claims, effects, strict=True):
        x, y, *given = members
        if effect is None:
            too_large.append((names[x], names[y]))
            continue
        key = (min(x, y), max(x, y))
        directed = edges.get(key)
        if directed is not None:
            x, y = directed[:2]
        row = EffectRow(
            names[x],
            names[y],
            directed is not None and directed[2],
            tuple(names[z] for z in given),
            *effect,
        )
        found[directed is None].append(row)
    found[0].sort(key=lambda row: row.bits)
    found[1].sort(key=lambda row: -row.bits)
    tables = [EffectTable(tuple(rows)) for rows in found]
    return Verification(tables[0], tables[1], n_rows, alpha, float(least_bits), tuple(too_large))


def _edges(result: Result) -> dict[tuple[int, int], tuple[int, int, bool]]:
    """Return the edges of the CPDAG by their ends in order: the ends as they are shown, and whether directed."""
    index = result.cpdag._index
    found = {}
    for a, b, directed in result.cpdag.edges:
        x, y = index(a), index(b)
        found[min(x, y), max(x, y)] = (x, y, directed)
    return found


def _claims(result: Result) -> list[tuple[int, ...]]:
    """Return what the result says of each pair: the two variables, and those that they are looked at given."""
    edges = _edges(result)
    p = len(result.variables)
    records: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {}
    if (kept := result._separations) is not None:
        starts, members = kept["starts"].tolist(), kept["members"].tolist()
        for i, pair in enumerate(zip(kept["x"].tolist(), kept["y"].tolist(), strict=True)):
            records[pair] = float(kept["log_p"][i]), tuple(members[starts[i] : starts[i + 1]])
    alpha = result.parameters.get("alpha")
    level = math.log(alpha) if isinstance(alpha, float) else -math.inf
    parents: list[list[int]] | None = None
    place: list[int] = []
    if result.dag is not None:
        parents = [[] for _ in range(p)]
        for tail, head in result.dag._directed_indices():
            parents[int(head)].append(int(tail))
        place = _places(parents)
    apart = {result.cpdag._index(name) for name in result.isolated}
    claims = []
    for x, y in combinations(range(p), 2):
        edge = edges.get((x, y))
        if edge is None and (x in apart or y in apart or result.untested(result.variables[x], result.variables[y])):
            continue
        record = records.get((x, y))
        if record is not None and (record[0] > level) == (edge is None):
            given = record[1]
        elif edge is None and record is None and kept is not None:
            given = ()
        elif parents is not None:
            later, earlier = (y, x) if place[y] > place[x] else (x, y)
            given = tuple(z for z in parents[later] if z != earlier)
        else:
            given = () if record is None else record[1]
        claims.append((x, y, *given))
    return claims


def _places(parents: list[list[int]]) -> list[int]:
    """Return the place of each variable in an order in which parents come first."""
    children: list[list[int]] = [[] for _ in parents]
    for child, of in enumerate(parents):
        for parent in of:
            children[parent].append(child)
    left = [len(of) for of in parents]
    ready = [x for x, n in enumerate(left) if n == 0]
    place = [0] * len(parents)
    for at, x in enumerate(ready):
        place[x] = at
        for child in children[x]:
            left[child] -= 1
            if left[child] == 0:
                ready.append(child)
    return place
