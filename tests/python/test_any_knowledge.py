"""Random background knowledge through every method: no output breaks it, or it is refused as contradictory."""

import itertools

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import phgs
from test_knowledge import METHODS, broken

NAMES = list("abcdefg")


def data(n=400):
    """A random network over seven variables, most of them dependent on most others."""
    rng = np.random.default_rng(11)
    columns = {}
    for i, name in enumerate(NAMES):
        parents = [columns[other] for other in NAMES[max(0, i - 2) : i]]
        total = sum(parents) if parents else rng.integers(0, 3, n)
        columns[name] = np.where(rng.random(n) < 0.75, total % 3, rng.integers(0, 3, n))
    return columns


TABLE = phgs.as_table(data())
ORDERED = [*itertools.permutations(NAMES, 2)]
UNORDERED = [*itertools.combinations(NAMES, 2)]


@st.composite
def knowledge(draw):
    def some(pairs, most):
        return draw(st.lists(st.sampled_from(pairs), max_size=most, unique=True))

    n_tiers = draw(st.integers(0, 3))
    tier = {name: draw(st.integers(-1, n_tiers - 1)) for name in NAMES} if n_tiers else {}
    along = [pair for pair in ORDERED if tier.get(pair[0], -1) <= tier.get(pair[1], 99)]
    if draw(st.booleans()):
        # Arcs along one order do not contradict each other.
        place = {name: i for i, name in enumerate(draw(st.permutations(NAMES)))}
        place = {name: (tier.get(name, -1), place[name]) for name in NAMES}
        along = [(a, b) for a, b in ORDERED if place[a] < place[b]]
    return phgs.Knowledge(
        required=some(along, 4),
        required_edges=some(UNORDERED, 2),
        forbidden=some(ORDERED, 8),
        forbidden_edges=some(UNORDERED, 5),
        tiers=[[name for name in NAMES if tier.get(name) == i] for i in range(n_tiers)],
    )


def satisfiable(k, max_parents=None):
    """Whether some DAG obeys all constraints: each required edge has a direction, within the limit of parents."""
    tier = {name: i for i, group in enumerate(k.tiers) for name in group}
    banned = set(k.forbidden) | {pair for a, b in k.forbidden_edges for pair in ((a, b), (b, a))}

    def allowed(a, b):
        return (a, b) not in banned and not (a in tier and b in tier and tier[a] > tier[b])

    choices = [[(a, b)] for a, b in k.required] + [[(a, b), (b, a)] for a, b in k.required_edges]
    for arcs in itertools.product(*choices):
        ends = [b for _, b in set(arcs)]
        if max_parents is not None and any(ends.count(name) > max_parents for name in NAMES):
            continue
        if all(allowed(a, b) for a, b in arcs):
            try:
                phgs.as_dag(phgs.Graph(NAMES, set(arcs)))
            except phgs.GraphError:
                continue
            return True
    return False


@given(knowledge(), st.sampled_from(METHODS), st.sampled_from([None, 2]))
def test_no_output_breaks_a_constraint(known, method, max_parents):
    options = {"max_parents": max_parents} if method in ("phgs", "tabu", "hc", "ges", "boss", "mmhc", "h2pc") else {}
    if not satisfiable(known):
        event("contradictory")
        with pytest.raises(phgs.KnowledgeError):
            phgs.learn(TABLE, method, knowledge=known, progress=False, threads=2, **options)
        return
    try:
        result = phgs.learn(TABLE, method, knowledge=known, progress=False, threads=2, **options)
    except phgs.ParameterError as error:
        # Refused exactly where no directions of the required edges keep the limit.
        if "max_parents" not in str(error) or satisfiable(known, max_parents):
            raise
        event("too many parents required")
        return
    event("learned")
    assert "max_parents" not in options or satisfiable(known, max_parents)
    assert broken(result.cpdag, known) == []
    if result.dag is not None:
        assert broken(result.dag, known) == []
    for a, b in UNORDERED:
        if known.forbids(a, b):
            assert result._record(a, b) is None
            assert result.separation(a, b) is None
            assert "knowledge forbids" in result.explain(a, b)
