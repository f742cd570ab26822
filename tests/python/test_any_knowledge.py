"""Random background knowledge through every method: no output breaks it, or it is refused as contradictory."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import phgs
from conftest import EXAMPLES, examples
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


def most_parents(dag):
    return max(sum(b == name for _, b in dag.directed) for name in NAMES)


@st.composite
def learners(draw):
    """Return any method, with random limits of parents and of time."""
    learner = phgs.learner(draw(st.sampled_from([*METHODS, "gsc"])), progress=False, threads=2)
    if hasattr(learner, "skeleton"):
        pairs = st.lists(st.sampled_from(UNORDERED), min_size=1, unique=True)
        learner.skeleton = draw(pairs if learner.method == "gsc" else st.one_of(st.none(), pairs))
    if hasattr(learner, "max_parents"):
        learner.max_parents = draw(st.sampled_from([None, None, 1, 2]))
    if hasattr(learner, "collider_rule") and getattr(learner, "skeleton", None) is None and learner.method != "arges":
        learner.collider_rule = draw(st.sampled_from(["separating-set", "conservative", "majority", "max-p"]))
    learner.time_limit = draw(st.sampled_from([None, None, None, 1e-9, 1e-3, 5e-3]))
    return learner


@pytest.mark.timeout(120 + 2 * EXAMPLES)
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
@given(knowledge(), learners())
def test_no_output_breaks_a_constraint(known, learner):
    learner.knowledge = known
    max_parents = getattr(learner, "max_parents", None)
    if not satisfiable(known):
        event("contradictory")
        with pytest.raises(phgs.KnowledgeError):
            learner.learn(TABLE)
        return
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the graph that is given as skeleton", phgs.PhgsWarning)
            result = learner.learn(TABLE)
    except phgs.ParameterError as error:
        # Refused exactly where no directions of the required edges keep the limit.
        if "max_parents" not in str(error) or satisfiable(known, max_parents):
            raise
        event("too many parents required")
        return
    event("complete" if result.complete else "cut short")
    assert satisfiable(known, max_parents)
    assert broken(result.cpdag, known) == []
    if result.dag is not None:
        assert broken(result.dag, known) == []
        assert max_parents is None or most_parents(result.dag) <= max_parents
    for a, b in UNORDERED:
        if known.forbids(a, b):
            assert result._record(a, b) is None
            assert result.separation(a, b) is None
            assert "knowledge forbids" in result.explain(a, b)
